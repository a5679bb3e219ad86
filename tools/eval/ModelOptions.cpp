// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/eval/ModelOptions.h"

namespace nacre::tools {

ModelOptions::ModelOptions(llvm::cl::OptionCategory &category) : category(category), modelInputs(category) {}

llvm::Error ModelOptions::read(CompilerOptions &compiler, run::Options &run) {
  run.inputs = inputs;
  run.seed = seed;
  run.entry = entry;
  run.maxIterations = maxIterations;
  compiler.inputs = cutInputs;
  compiler.outputs = cutOutputs;
  compiler.states = states;
  compiler.seed = nodeSeed;
  return modelInputs.read(compiler, compiler.inputShapes, compiler.inputValues);
}

} // namespace nacre::tools
