// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trained weights back into the model that they are of.

#ifndef NACRE_COMPILER_STATE_WRITETRAINED_H
#define NACRE_COMPILER_STATE_WRITETRAINED_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace nacre::importer {

/// Writes the model at `path` to `output` with the weights of the file `state`, which nacre_state_save has written or others in its
/// format; all else stays as it is. Fails, after emitting diagnostics, where they do not belong together.
mlir::LogicalResult writeTrained(llvm::StringRef path, llvm::StringRef state, llvm::StringRef output,
                                 mlir::MLIRContext *context);

} // namespace nacre::importer

#endif // NACRE_COMPILER_STATE_WRITETRAINED_H
