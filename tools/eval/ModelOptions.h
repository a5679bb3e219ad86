// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the options that say how a model is read, and what it is run on.
// Why:   nacre-eval and nacre-diff take them alike; they are those of nacre-compile and nacre-run, under the same names.
// How:   two options of nacre-compile, --input and --output, mean files here, as they do for nacre-run; cutting a model is
//        --cut-input and --cut-output.

#ifndef NACRE_TOOLS_EVAL_MODELOPTIONS_H
#define NACRE_TOOLS_EVAL_MODELOPTIONS_H

#include "compiler/CompilerOptions.h"
#include "compiler/evaluate/Interpreter.h"
#include "tools/ModelInputs.h"
#include "tools/run/Options.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace nacre::tools {

class ModelOptions {
public:
  explicit ModelOptions(llvm::cl::OptionCategory &category);

  /// What they say, once they are parsed.
  llvm::Error read(CompilerOptions &compiler, run::Options &run);
  evaluate::Settings getSettings() const {
    return {floats, maxIterations ? int64_t(std::min<uint64_t>(maxIterations, INT64_MAX)) : INT64_MAX};
  }

private:
  llvm::cl::OptionCategory &category;
  ModelInputs modelInputs;
  llvm::cl::list<std::string> inputs{
      "input", llvm::cl::value_desc("name=file"), llvm::cl::cat(category),
      llvm::cl::desc("Read this input, .npy or ONNX TensorProto (.pb); inputs without a file are made from the seed; "
                     "repeatable")};
  llvm::cl::opt<uint64_t> seed{
      "seed", llvm::cl::init(0), llvm::cl::value_desc("N"), llvm::cl::cat(category),
      llvm::cl::desc("Of inputs that nothing else says, as nacre-run makes them (default: 0)")};
  llvm::cl::opt<std::string> entry{"entry", llvm::cl::value_desc("name"), llvm::cl::cat(category),
                                   llvm::cl::desc("Which of several entries to run (default: the first)")};
  llvm::cl::list<std::string> cutInputs{
      "cut-input", llvm::cl::value_desc("tensor"), llvm::cl::cat(category),
      llvm::cl::desc("Take this tensor from outside, in place of what computes it, as --input of nacre-compile; "
                     "repeatable")};
  llvm::cl::list<std::string> cutOutputs{
      "cut-output", llvm::cl::value_desc("tensor"), llvm::cl::cat(category),
      llvm::cl::desc("Compute this tensor, as --output of nacre-compile; repeatable (default: the model's outputs)")};
  llvm::cl::list<std::string> states{
      "state", llvm::cl::value_desc("input:output"), llvm::cl::cat(category),
      llvm::cl::desc("Keep this input in the model: zeros at first, and after a run what this output was; repeatable")};
  llvm::cl::opt<evaluate::Floats> floats{
      "floats", llvm::cl::init(evaluate::Floats::Double), llvm::cl::cat(category),
      llvm::cl::desc("What floats are between operators (default: double):"),
      llvm::cl::values(
          clEnumValN(evaluate::Floats::Double, "double", "As computed: a reference without rounding"),
          clEnumValN(evaluate::Floats::Stored, "stored",
                     "Rounded to their type behind each operator: for networks that compute the scales they "
                     "quantize by, where rounding decides between integers"))};
  llvm::cl::opt<uint64_t> maxIterations{
      "max-iterations", llvm::cl::init(0), llvm::cl::value_desc("N"), llvm::cl::cat(category),
      llvm::cl::desc("End a run that finishes more than N iterations of loops (default: 0, no limit)")};
  llvm::cl::opt<uint64_t> nodeSeed{
      "node-seed", llvm::cl::init(0), llvm::cl::value_desc("N"), llvm::cl::cat(category),
      llvm::cl::desc("Seed of nodes that draw random numbers and have none of their own, as --seed of nacre-compile "
                     "(default: 0)")};
};

} // namespace nacre::tools

#endif // NACRE_TOOLS_EVAL_MODELOPTIONS_H
