// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  finds the origin of a launch's operand: the storage or weight that it is a view of, and the offset in bytes.
// Why:   the runtime's tables need the origin, and GPU code depends on its alignment. Both must read views in the same
//        way.

#ifndef NACRE_CODEGEN_OPERANDORIGIN_H
#define NACRE_CODEGEN_OPERANDORIGIN_H

#include "mlir/IR/Value.h"
#include <cstdint>

namespace nacre::codegen {

struct OperandOrigin {
  mlir::Value root;   ///< The result of a plan.storage or plan.use, not a view.
  int64_t offset = 0; ///< Offset from the beginning of `root` in bytes.
  int64_t step = 0;   ///< Bytes that each iteration of the loop adds to the offset.
};

OperandOrigin originOfOperand(mlir::Value operand);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_OPERANDORIGIN_H
