// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No kernel has this form yet: the CPU computes it.

#include "codegen/gpu/Emitters.h"
#include "dialects/plan/PlanDialect.h"

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;

LogicalResult nacre::codegen::gpu::emitRow(plan::KernelOp, KernelFunction &function) {
  function.declined = "not yet emitted for GPUs";
  return failure();
}
