// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks the loops that one kernel computes, and gives them initial values that the kernel can contain.

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/iterations/IterationPlan.h"
#include "dialects/TensorTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_MARKLOOPSPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;

namespace {

/// Returns the constant that `value` broadcasts, or null. All elements must have one value, which the kernel then
/// contains.
nn::ConstantOp findRepeated(Value value) {
  auto broadcast = value.getDefiningOp<nn::BroadcastOp>();
  auto constant = broadcast ? broadcast.getOperand().getDefiningOp<nn::ConstantOp>() : nn::ConstantOp();
  return constant && typeOf(constant).getNumElements() == 1 ? constant : nn::ConstantOp();
}

void repeatInPlace(nn::ForOp loop) {
  OpBuilder builder(loop);
  for (OpOperand &initial : loop.getInitialMutable()) {
    nn::ConstantOp constant = findRepeated(initial.get());
    auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
    if (!elements)
      continue;
    Operation *broadcast = initial.get().getDefiningOp();
    auto repeated = SplatElementsAttr::get(typeOf(initial.get()), *elements.value_begin<Attribute>());
    initial.set(nn::ConstantOp::create(builder, loop.getLoc(), repeated));
    if (broadcast->use_empty())
      broadcast->erase();
  }
}

struct MarkLoops : kernels::impl::MarkLoopsPassBase<MarkLoops> {
  void runOnOperation() override {
    for (nn::ForOp loop : listGiven<nn::ForOp>()) {
      if (!kernels::planIterations(loop))
        continue;
      repeatInPlace(loop);
      loop->setAttr(plan::kOneKernel, UnitAttr::get(&getContext()));
    }
  }
};

} // namespace
