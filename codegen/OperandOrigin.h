// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  where an operand of a launch begins: which storage or weight it is a view of, and how many bytes into it.
// Why:   the tables tell the runtime, and GPU code depends on what is aligned; both must read views in the same way.

#ifndef NACRE_CODEGEN_OPERANDORIGIN_H
#define NACRE_CODEGEN_OPERANDORIGIN_H

#include "mlir/IR/Value.h"
#include <cstdint>

namespace nacre::codegen {

struct OperandOrigin {
  mlir::Value root;   ///< Of a plan.storage or a plan.use: no view.
  int64_t offset = 0; ///< Bytes into it.
  int64_t step = 0;   ///< Bytes further on with each turn of the loop.
};

OperandOrigin originOfOperand(mlir::Value operand);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_OPERANDORIGIN_H
