// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: nodes side by side in one function, each with operands of its own.

#ifndef NACRE_TEST_MEANING_JOIN_H
#define NACRE_TEST_MEANING_JOIN_H

#include "test/meaning/Meanings.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::meaning {

/// Null after an error.
mlir::OwningOpRef<mlir::ModuleOp> join(Nodes nodes, bool allConstants, mlir::MLIRContext *context);

} // namespace nacre::meaning

#endif // NACRE_TEST_MEANING_JOIN_H
