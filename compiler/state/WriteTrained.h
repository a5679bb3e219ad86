// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes trained weights back into their model.

#ifndef NACRE_COMPILER_STATE_WRITETRAINED_H
#define NACRE_COMPILER_STATE_WRITETRAINED_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace nacre::importer {

/// Writes the model at `path` to `output` with the weights of the file `state`. nacre_state_save writes such files. The
/// rest of the model is copied unchanged. Emits diagnostics and fails if model and state do not match.
mlir::LogicalResult writeTrained(llvm::StringRef path, llvm::StringRef state, llvm::StringRef output,
                                 mlir::MLIRContext *context);

} // namespace nacre::importer

#endif // NACRE_COMPILER_STATE_WRITETRAINED_H
