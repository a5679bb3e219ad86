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

// Functions that register a phase's passes by name. Headers of the phases do not define them, because only this file
// needs them and they are slow to compile.
namespace nacre {
namespace train {
#define GEN_PASS_REGISTRATION
#include "compiler/train/Passes.h.inc"
} // namespace train
namespace graph {
#define GEN_PASS_REGISTRATION
#include "compiler/graph/Passes.h.inc"
} // namespace graph
namespace kernels {
#define GEN_PASS_REGISTRATION
#include "compiler/kernels/Passes.h.inc"
} // namespace kernels
namespace encode {
#define GEN_PASS_REGISTRATION
#include "compiler/encode/Passes.h.inc"
} // namespace encode
namespace place {
#define GEN_PASS_REGISTRATION
#include "compiler/place/Passes.h.inc"
} // namespace place
namespace schedule {
#define GEN_PASS_REGISTRATION
#include "compiler/schedule/Passes.h.inc"
} // namespace schedule

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
