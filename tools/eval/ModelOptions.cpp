// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/eval/ModelOptions.h"
#include "tools/ModelInputs.h"

namespace nacre::tools {

ModelOptions::ModelOptions(llvm::cl::OptionCategory &category) : category(category) {}

llvm::Error ModelOptions::read(CompilerOptions &compiler, run::Options &run) {
  run.inputs = inputs;
  run.seed = seed;
  run.entry = entry;
  compiler.inputs = cutInputs;
  compiler.outputs = cutOutputs;
  compiler.states = states;
  compiler.signatures = signatures;
  compiler.tag = tag;
  compiler.checkpoint = checkpoint;
  compiler.weights = weights;
  compiler.seed = nodeSeed;
  if (randomWeights.getNumOccurrences() > 0)
    compiler.randomWeights = randomWeights;
  return llvm::joinErrors(readShapes(shapes, compiler.inputShapes), readValues(values, compiler.inputValues));
}

} // namespace nacre::tools
