// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Labels.h.

#include "dialects/nn/Labels.h"

#include "dialects/nn/NnDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace nacre::nn {

/// Returns the argument from which conversions and reshapes give `labels`. Null if there is no such integer argument.
static BlockArgument findInput(Value labels) {
  while (isa_and_nonnull<CastOp, ReshapeOp>(labels.getDefiningOp()))
    labels = labels.getDefiningOp()->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(labels);
  Type element = getElementTypeOrSelf(labels.getType());
  return argument && (element.isSignlessInteger(32) || element.isSignlessInteger(64)) ? argument : BlockArgument();
}

void noteLabels(Value labels, int64_t classes, std::optional<int64_t> ignored) {
  BlockArgument input = findInput(labels);
  auto function = input ? dyn_cast<func::FuncOp>(input.getOwner()->getParentOp()) : func::FuncOp();
  if (!function)
    return;
  int64_t other = ignored.value_or(0);
  // If two losses have the same labels, a label must be valid for both.
  if (auto known = function.getArgAttrOfType<DenseI64ArrayAttr>(input.getArgNumber(), labelsAttr)) {
    other = known[1] == other ? other : 0;
    classes = std::min(classes, known[0]);
  }
  function.setArgAttr(input.getArgNumber(), labelsAttr,
                      DenseI64ArrayAttr::get(function.getContext(), {classes, other}));
}

} // namespace nacre::nn
