// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of the place phase, and the order in which they run.

#ifndef NACRE_COMPILER_PLACE_PASSES_H
#define NACRE_COMPILER_PLACE_PASSES_H

#include "dialects/plan/GpuPrecision.h"
#include "dialects/plan/Placement.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/Error.h"

namespace nacre::place {

#define GEN_PASS_DECL
#include "compiler/place/Passes.h.inc"

struct Options {
  Placement placement;
  std::string device; ///< Name of a shipped profile, or path of a file; empty if no times should be predicted.
  GpuPrecision gpuPrecision = GpuPrecision::F32;
};

/// Returns names and descriptions of the shipped profiles.
llvm::SmallVector<std::pair<std::string, std::string>> describeShippedProfiles();

/// Returns an error if `device` is not a valid profile.
llvm::Error checkDevice(llvm::StringRef device);

/// Appends the phase to `pm`, a pipeline on modules. It may run again after some kernels turn out to have no GPU code.
void buildPipeline(mlir::OpPassManager &pm, const Options &options);

} // namespace nacre::place

#endif // NACRE_COMPILER_PLACE_PASSES_H
