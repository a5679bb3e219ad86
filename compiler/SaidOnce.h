// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  mutes what is remarked or warned of a second time.
// Why:   a model may be imported for several entries, and phases run again with another choice.

#ifndef NACRE_COMPILER_SAIDONCE_H
#define NACRE_COMPILER_SAIDONCE_H

#include "mlir/IR/Diagnostics.h"

namespace nacre {

/// While it lives, nothing but errors is heard, if `repeats`.
class SaidOnce {
public:
  SaidOnce(mlir::MLIRContext &context, bool repeats)
      : handler(&context, [repeats](mlir::Diagnostic &diagnostic) {
          return llvm::success(repeats && diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error);
        }) {}

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace nacre

#endif // NACRE_COMPILER_SAIDONCE_H
