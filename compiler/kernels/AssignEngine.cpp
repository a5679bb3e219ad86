// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: notes on the module which engine computes everything.
// Why:  kernels may then have forms that only this engine has code for.

#include "compiler/kernels/Passes.h"
#include "dialects/plan/Notes.h"

#include "llvm/ADT/StringSwitch.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_ASSIGNENGINEPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;

namespace {

struct AssignEngine : kernels::impl::AssignEnginePassBase<AssignEngine> {
  using AssignEnginePassBase::AssignEnginePassBase;

  void runOnOperation() override {
    const std::optional<plan::Engine> parsed = llvm::StringSwitch<std::optional<plan::Engine>>(engine)
                                                   .Case("any", plan::Engine::Any)
                                                   .Case("cpu", plan::Engine::Cpu)
                                                   .Case("gpu", plan::Engine::Gpu)
                                                   .Default(std::nullopt);
    if (!parsed) {
      getOperation().emitError("engine must be any, cpu or gpu, but is '") << engine.getValue() << "'";
      return signalPassFailure();
    }
    plan::setEngine(getOperation(), *parsed);
  }
};

} // namespace
