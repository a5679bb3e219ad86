// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dialects and passes there are: see Pipeline.h.

#include "compiler/driver/Pipeline.h"

#include "codegen/Backend.h"
#include "compiler/encode/Passes.h"
#include "compiler/graph/Passes.h"
#include "compiler/kernels/Passes.h"
#include "compiler/place/Passes.h"
#include "compiler/schedule/Passes.h"
#include "compiler/train/Passes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace nacre {

void registerDialects(DialectRegistry &registry) {
  // PlanDialect depends on the upstream dialects that its kernels are written in.
  registry.insert<func::FuncDialect, nn::NnDialect, plan::PlanDialect>();
}

void registerPasses() {
  train::registerTrainPasses();
  graph::registerGraphPasses();
  graph::registerPipeline();
  kernels::registerKernelsPasses();
  encode::registerEncodePasses();
  place::registerPlacePasses();
  schedule::registerSchedulePasses();
  codegen::registerPasses();
  codegen::registerGpuPasses();
}

} // namespace nacre
