// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the place phase and the order in which they run.

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
#define GEN_PASS_REGISTRATION
#include "compiler/place/Passes.h.inc"

struct Options {
  Placement placement;
  std::string device; ///< A shipped profile's name or the path of a file; empty: nothing is predicted.
  GpuPrecision gpuPrecision = GpuPrecision::F32;
};

/// Names and descriptions of the profiles that `device` may name.
llvm::SmallVector<std::pair<std::string, std::string>> describeShippedProfiles();

/// Fails where `device` is no profile, or not a valid one.
llvm::Error checkDevice(llvm::StringRef device);

/// Appends the phase to `pm`, which runs on a module. It may run again, when it is known of more kernels that no GPU has
/// code for them.
void buildPipeline(mlir::OpPassManager &pm, const Options &options);

} // namespace nacre::place

#endif // NACRE_COMPILER_PLACE_PASSES_H
