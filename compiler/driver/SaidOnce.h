// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suppresses repeated remarks and warnings. A model may be imported for several entries, and phases may run again with
// other settings.

#ifndef NACRE_COMPILER_DRIVER_SAIDONCE_H
#define NACRE_COMPILER_DRIVER_SAIDONCE_H

#include "mlir/IR/Diagnostics.h"

namespace nacre {

/// Suppresses everything except errors during its lifetime, if `repeats`.
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

#endif // NACRE_COMPILER_DRIVER_SAIDONCE_H
