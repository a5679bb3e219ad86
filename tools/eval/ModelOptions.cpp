// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/eval/ModelOptions.h"

namespace nacre::tools {

ModelOptions::ModelOptions(llvm::cl::OptionCategory &category, llvm::StringRef boundOption)
    : category(category), modelInputs(category, boundOption) {}

llvm::Error ModelOptions::read(CompilerOptions &compiler, run::Options &run, NamedFiles &files) {
  modelInputs.addFiles(files);
  run.inputs = inputs;
  run.seed = seed;
  run.entry = entry;
  run.maxIterations = maxIterations;
  compiler.inputs = cutInputs;
  compiler.outputs = cutOutputs;
  compiler.states = states;
  compiler.seed = nodeSeed;
  return modelInputs.read(compiler, compiler.shapedEntries.front().shapes, compiler.inputValues);
}

HelpGroup ModelOptions::groupOfModel(llvm::StringRef boundOption) {
  return {"Model",
          {"shape", "set", boundOption, "preprocess", "state", "cut-input", "cut-output", "entry", "signature", "tag",
           "checkpoint", "weights", "random-weights"}};
}

HelpGroup ModelOptions::groupOfComputation() {
  return {"Computation in double precision", {"floats", "max-iterations", "node-seed"}};
}

} // namespace nacre::tools
