// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/forms/Lowering.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace nacre::kernels {

const Lowering *findLowering(Operation *op) {
  static constexpr Lowering rows[] = {
#define LOWERING(OPERATOR, FUNCTION, PROLOGUE)                                                                         \
  {nn::OPERATOR::getOperationName(),                                                                                   \
   [](KernelBody &body, Operation *op) { return FUNCTION(body, cast<nn::OPERATOR>(op)); }, PROLOGUE},
#include "compiler/kernels/forms/Lowerings.def"
  };
  const Lowering *found =
      llvm::find_if(rows, [&](const Lowering &row) { return row.op == op->getName().getStringRef(); });
  return found == std::end(rows) ? nullptr : found;
}

} // namespace nacre::kernels
