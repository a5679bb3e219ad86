// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/OperatorEngines.h"

#include "compiler/driver/ModuleCopies.h"
#include "dialects/nn/NnDialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace nacre {

/// Calls `visit` with each operator and its number, which is the same in a module and its copies.
static void forEachOperator(ModuleOp module, llvm::function_ref<void(Operation *, int64_t)> visit) {
  int64_t number = 0;
  module.walk([&](Operation *op) {
    if (isa_and_present<nn::NnDialect>(op->getDialect()))
      visit(op, number++);
  });
}

OwningOpRef<ModuleOp> OperatorEngines::copyNumbered(ModuleOp prepared) {
  OwningOpRef<ModuleOp> copy = copyModule(prepared);
  Builder builder(prepared.getContext());
  forEachOperator(*copy, [&](Operation *op, int64_t number) {
    op->setLoc(FusedLoc::get({op->getLoc()}, builder.getI64IntegerAttr(number), builder.getContext()));
  });
  return copy;
}

OperatorEngines::OperatorEngines(ModuleOp placed) {
  const SymbolTable symbols(placed);
  placed.walk([&](plan::LaunchOp launch) {
    const int64_t share = plan::gpuShareOf(launch);
    const bool isWhole = share == symbols.lookup<plan::KernelOp>(launch.getKernel()).getCutExtent();
    const plan::Engine engine = share == 0 ? plan::Engine::Cpu : isWhole ? plan::Engine::Gpu : plan::Engine::Any;
    onGpu |= engine != plan::Engine::Cpu;
    launch.getLoc()->walk([&](Location location) {
      auto fused = dyn_cast<FusedLoc>(location);
      auto number = fused ? dyn_cast_or_null<IntegerAttr>(fused.getMetadata()) : IntegerAttr();
      if (!number)
        return WalkResult::advance();
      auto [known, isNew] = engines.try_emplace(number.getInt(), engine);
      if (!isNew && known->second != engine)
        known->second = plan::Engine::Any;
      return WalkResult::advance();
    });
  });
}

void OperatorEngines::note(ModuleOp prepared) const {
  forEachOperator(prepared, [&](Operation *op, int64_t number) {
    plan::setEngine(op, engines.lookup_or(number, plan::Engine::Any));
  });
}

} // namespace nacre
