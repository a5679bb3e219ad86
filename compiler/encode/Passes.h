// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of the encode phase, and the order in which they run.

#ifndef NACRE_COMPILER_ENCODE_PASSES_H
#define NACRE_COMPILER_ENCODE_PASSES_H

#include "dialects/plan/Accuracy.h"
#include "dialects/plan/EnginePass.h"
#include "dialects/plan/FloatStorage.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace nacre::encode {

#define GEN_PASS_DECL
#include "compiler/encode/Passes.h.inc"

struct Options {
  std::string target = "host", cpus; ///< Target and CPUs, in the form that codegen::parseTargets reads.
  Accuracy accuracy = Accuracy::Fast;
  FloatStorage weightType = FloatStorage::F32;
  bool halfSums = false;      ///< True if CPUs may add up products of halves in fp16.
  bool predictsNoise = false; ///< True if the noise of values that CPUs store as f16 is predicted.
};

/// Appends the phase to `pm`, a pipeline on modules.
void buildPipeline(mlir::OpPassManager &pm, const Options &options);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_PASSES_H
