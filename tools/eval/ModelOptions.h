// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of nacre-eval and nacre-diff for reading a model and its inputs. They have the same names as the options of
// nacre-compile and nacre-run. --input and --output are files, as in nacre-run. To cut a model, users give --cut-input
// and --cut-output instead.

#ifndef NACRE_TOOLS_EVAL_MODELOPTIONS_H
#define NACRE_TOOLS_EVAL_MODELOPTIONS_H

#include "compiler/evaluate/Interpreter.h"
#include "compiler/options/CompilerOptions.h"
#include "tools/Help.h"
#include "tools/ModelInputs.h"
#include "tools/run/session/Options.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace nacre::tools {

class ModelOptions {
public:
  /// nacre-diff has another name for the option `bound`.
  explicit ModelOptions(llvm::cl::OptionCategory &category, llvm::StringRef boundOption = "bound");

  /// Stores the values of the parsed options. Adds the files of the model's options to `files`.
  llvm::Error read(CompilerOptions &compiler, run::Options &run, NamedFiles &files);
  evaluate::Settings getSettings() const {
    return {floats, maxIterations ? int64_t(std::min<uint64_t>(maxIterations, INT64_MAX)) : INT64_MAX};
  }

  /// Return two groups of --help. The options `input` and `seed` belong to a third group, in which each program has
  /// other options, too.
  static HelpGroup groupOfModel(llvm::StringRef boundOption = "bound");
  static HelpGroup groupOfComputation();

private:
  llvm::cl::OptionCategory &category;
  ModelInputs modelInputs;
  llvm::cl::list<std::string> inputs{
      "input", llvm::cl::value_desc("name=file"), llvm::cl::cat(category),
      llvm::cl::desc("Read this input from .npy or ONNX TensorProto (.pb); repeatable (default: generated)")};
  llvm::cl::opt<uint64_t> seed{"seed", llvm::cl::init(0), llvm::cl::value_desc("N"), llvm::cl::cat(category),
                               llvm::cl::desc("Seed of generated inputs, the same as in nacre-run (default: 0)")};
  llvm::cl::opt<std::string> entry{"entry", llvm::cl::value_desc("name"), llvm::cl::cat(category),
                                   llvm::cl::desc("Entry to run (default: the first)")};
  llvm::cl::list<std::string> cutInputs{
      "cut-input", llvm::cl::value_desc("tensor"), llvm::cl::cat(category),
      llvm::cl::desc(
          "Use this tensor as an input, like nacre-compile --input; repeatable (default: the model's inputs)")};
  llvm::cl::list<std::string> cutOutputs{
      "cut-output", llvm::cl::value_desc("tensor"), llvm::cl::cat(category),
      llvm::cl::desc("Compute this tensor, like nacre-compile --output; repeatable (default: the model's outputs)")};
  llvm::cl::list<std::string> states{
      "state", llvm::cl::value_desc("input:output"), llvm::cl::cat(category),
      llvm::cl::desc("Start this input at zeros and update it from that output; repeatable")};
  llvm::cl::opt<evaluate::Floats> floats{
      "floats",
      llvm::cl::init(evaluate::Floats::Double),
      llvm::cl::value_desc("double|stored"),
      llvm::cl::cat(category),
      llvm::cl::desc("Floats between operators. double: keep double precision, a reference without rounding; stored: "
                     "round to the tensor's type after each operator, for networks that compute quantization scales "
                     "(default: double)"),
      llvm::cl::values(clEnumValN(evaluate::Floats::Double, "double", ""),
                       clEnumValN(evaluate::Floats::Stored, "stored", ""))};
  llvm::cl::opt<uint64_t> maxIterations{
      "max-iterations", llvm::cl::init(0), llvm::cl::value_desc("N"), llvm::cl::cat(category),
      llvm::cl::desc("Stop a run after more than N loop iterations (default: 0, no limit)")};
  llvm::cl::opt<uint64_t> nodeSeed{
      "node-seed", llvm::cl::init(0), llvm::cl::value_desc("N"), llvm::cl::cat(category),
      llvm::cl::desc("Seed of random nodes that have none, like nacre-compile --seed (default: 0)")};
};

} // namespace nacre::tools

#endif // NACRE_TOOLS_EVAL_MODELOPTIONS_H
