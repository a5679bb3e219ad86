// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves a note on the module about the engine that computes everything. Kernels may then have forms that only this
// engine supports.

#include "compiler/kernels/Passes.h"
#include "dialects/plan/Notes.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_ASSIGNENGINEPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;

namespace {

struct AssignEngine : kernels::impl::AssignEnginePassBase<AssignEngine> {
  using AssignEnginePassBase::AssignEnginePassBase;

  void runOnOperation() override { plan::setEngine(getOperation(), engine); }
};

} // namespace
