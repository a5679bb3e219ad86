// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  Finds the origin of a launch's operand: the storage or weight that it is a view of, and the offset in bytes.
// Why:   The runtime's tables need it, and GPU code depends on alignments; both must read views in the same way.

#ifndef NACRE_CODEGEN_OPERANDORIGIN_H
#define NACRE_CODEGEN_OPERANDORIGIN_H

#include "mlir/IR/Value.h"
#include <cstdint>

namespace nacre::codegen {

struct OperandOrigin {
  mlir::Value root;   ///< The result of a plan.storage or plan.use, not a view.
  int64_t offset = 0; ///< The offset into it, in bytes.
  int64_t step = 0;   ///< Bytes added per iteration of the loop.
};

OperandOrigin originOfOperand(mlir::Value operand);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_OPERANDORIGIN_H
