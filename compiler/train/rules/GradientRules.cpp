// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/train/rules/GradientRules.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace nacre::train {

Rule findRule(Operation *op) {
  static const llvm::StringMap<Rule> rules = {
#define ROW(OP, NAME)                                                                                                  \
  {nn::OP::getOperationName(), [](Operation *op, Adjoint &at) { return reverse##NAME(cast<nn::OP>(op), at); }},
      NN_GRADIENT_ROWS(ROW)
#undef ROW
  };
  return rules.lookup(op->getName().getStringRef());
}

} // namespace nacre::train
