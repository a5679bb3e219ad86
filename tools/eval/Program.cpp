// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements Program.h with the import phase and the reference interpreter. Fills inputs and prints outputs like
// nacre-run.

#include "tools/eval/Program.h"
#include "compiler/driver/Pipeline.h"
#include "tools/CommandLine.h"
#include "tools/eval/InterpretedModel.h"
#include "tools/eval/Messages.h"
#include "tools/eval/ModelOptions.h"
#include "tools/run/session/Answers.h"
#include "tools/run/session/Files.h"
#include "tools/run/session/Inputs.h"

using namespace llvm;
using nacre::run::ExitCode;
using nacre::run::Outcome;

static cl::OptionCategory category("nacre-eval options");
static cl::opt<std::string> model(cl::Positional, cl::Required, cl::desc("<model>"), cl::cat(category));
static nacre::tools::ModelOptions modelOptions(category);
static cl::opt<uint64_t> runs("runs", cl::init(1), cl::value_desc("N"), cl::cat(category),
                              cl::desc("Number of runs; state goes on from run to run (default: 1)"));
static cl::opt<std::string>
    outputFolder("output", cl::value_desc("folder"), cl::cat(category),
                 cl::desc("Write outputs and state to <folder>/<name>.npy (a long name ends in a hash); the folder "
                          "must exist"));
static cl::list<std::string> keep("keep", cl::CommaSeparated, cl::value_desc("all|tensor[,tensor]"), cl::cat(category),
                                  cl::desc("Also output intermediate tensors, all or those listed"));
static cl::list<std::string> expects("expect", cl::value_desc("name=file"), cl::cat(category),
                                     cl::desc("Compare this output with a file; repeatable"));
static cl::opt<double> relative("rtol", cl::init(1e-3), cl::value_desc("X"), cl::cat(category),
                                cl::desc("Tolerance relative to the element (default: 1e-3)"));
static cl::opt<double> absolute("atol", cl::init(1e-4), cl::value_desc("X"), cl::cat(category),
                                cl::desc("Tolerance relative to the tensor's largest element (default: 1e-4)"));
constexpr StringLiteral kClosing = R"(
Floats are computed in double precision. They are rounded to their types only in
outputs and in the model's own conversions; integers are exact. Discontinuous
operators, for example comparisons, round their operands first, so that they
decide as in the model's type. Random numbers are the same as in compiled
models. An element a agrees with the expected element b if
|a-b| <= rtol*|b| + atol*max|b|.

EXAMPLES
  nacre-eval mobilenet.onnx
      run once on the inputs that nacre-run generates, and summarize the outputs
  nacre-eval mobilenet.onnx --input=image=cat.npy --output=answers
      write answers/<output>.npy
  nacre-eval mobilenet.onnx --input=image=cat.npy --expect=probs=cat.probs.npy
      compare with the results of another program
  nacre-eval detector.onnx --shape=image=1x3x320x320 --cut-output=features
      compute an intermediate tensor

EXIT STATUS
  0  done, and every expected output agrees
  1  an output differs
  2  the command line or a file is wrong, or an output cannot be written
  3  the model cannot be read or evaluated; the messages name its nodes
  4  memory ran out
)";

static nacre::tools::Help describeOptions() {
  return {"Runs a trained network in double precision, without compiling it.",
          "nacre-eval [options] <model>",
          &category,
          {{"Inputs and outputs", {"input", "output", "expect", "rtol", "atol", "seed", "runs", "keep"}},
           nacre::tools::ModelOptions::groupOfModel(),
           nacre::tools::ModelOptions::groupOfComputation()},
          kClosing.str()};
}

static Outcome execute(const nacre::CompilerOptions &compiler, nacre::run::Options &options, nacre::NamedFiles &files,
                       mlir::MLIRContext &context) {
  nacre::tools::InterpretedModel interpreted;
  if (Outcome failure = interpreted.open(compiler, options.entry, context))
    return failure;
  for (const std::string &path : interpreted.files)
    files.addInput("the model's data", path);
  if (!options.outputFolder.empty())
    nacre::run::addOutputs(files, interpreted.outputs, interpreted.states, options.outputFolder);
  if (Outcome failure = nacre::run::checkFiles(files))
    return failure;
  if (Outcome failure = nacre::run::fillPorts(interpreted.inputs, options))
    return failure;
  std::vector<nacre::run::Expected> expected;
  if (Outcome failure = nacre::run::openExpected(interpreted.outputs, options, expected))
    return failure;
  for (uint64_t run = 0; run < options.runs; ++run)
    if (Outcome failure = interpreted.run(modelOptions.getSettings()))
      return failure;
  if (!options.outputFolder.empty())
    if (Outcome failure = nacre::run::writeOutputs(interpreted.outputs, interpreted.states, options.outputFolder))
      return failure;
  if (options.expects.empty())
    nacre::run::summariseOutputs(interpreted.outputs);
  return nacre::run::compareOutputs(expected, options.tolerance);
}

int nacre::tools::runEvalProgram(int argc, char **argv) {
  nacre::tools::setVersion("nacre-eval");
  cl::HideUnrelatedOptions(category);
  nacre::CompilerOptions compiler;
  nacre::NamedFiles files;
  if (Error error = nacre::tools::parseOptions(argc, argv, describeOptions(), &files)) {
    errs() << "nacre-eval: error: " << toString(std::move(error)) << "\n";
    return int(ExitCode::Usage);
  }
  nacre::run::Options options;
  compiler.modelPath = model;
  files.addInput("the model", model);
  compiler.keepsAll = is_contained(keep, "all");
  if (!compiler.keepsAll)
    compiler.kept = keep;
  options.runs = runs;
  options.outputFolder = outputFolder;
  options.expects = expects;
  options.tolerance = {relative, absolute};
  if (Error error = modelOptions.read(compiler, options, files)) {
    errs() << "nacre-eval: error: " << toString(std::move(error)) << "\n";
    return int(ExitCode::Usage);
  }
  if (runs < 1 || !(relative >= 0) || !(absolute >= 0)) {
    errs() << "nacre-eval: error: --runs must be at least 1, --rtol and --atol at least 0\n";
    return int(ExitCode::Usage);
  }
  nacre::run::addFiles(files, options);
  if (Outcome failure = nacre::run::checkFiles(files)) {
    errs() << "nacre-eval: error: " << failure->text << "\n";
    return int(failure->code);
  }
  mlir::DialectRegistry registry;
  nacre::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  const mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &message) { nacre::tools::printMessage(model, message); });
  if (Outcome failure = execute(compiler, options, files, context)) {
    errs() << "nacre-eval: error: " << failure->text << "\n";
    return int(failure->code);
  }
  return int(ExitCode::Agrees);
}
