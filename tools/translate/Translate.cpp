// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nacre-translate runs only the import phase: it prints a trained network as an `nn` function, or lists the unsupported
// operators. It can also write trained weights back to the model's file. It shows how Nacre imports a model, for tests
// and for people. Weights that stay in the model's file are left out of the text.

#include "compiler/import/Import.h"
#include "compiler/state/WriteTrained.h"
#include "dialects/PrintableText.h"
#include "tools/CommandLine.h"
#include "tools/ModelInputs.h"
#include "tools/OutOfMemory.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static cl::OptionCategory category("nacre-translate options");
static cl::opt<std::string> model(cl::Positional, cl::Required, cl::desc("<model>"), cl::cat(category));
static cl::opt<bool> import("import", cl::cat(category), cl::desc("Print the nn function of a model"));
static cl::alias importOnnx("import-onnx", cl::aliasopt(import), cl::Hidden, cl::desc("The same as --import"));
static cl::opt<bool> check("check", cl::cat(category), cl::desc("List everything that is not supported"));
static cl::alias checkOnnx("check-onnx", cl::aliasopt(check), cl::Hidden, cl::desc("The same as --check"));
static cl::opt<std::string>
    state("state", cl::value_desc("file.safetensors"), cl::cat(category),
          cl::desc("Write the ONNX model with the weights of this nacre_state_save file; requires -o"));
static cl::opt<std::string> output("o", cl::value_desc("file"), cl::cat(category),
                                   cl::desc("ONNX model to write; requires --state"));
static cl::list<std::string> inputs("input", cl::value_desc("tensor"), cl::cat(category),
                                    cl::desc("Use this tensor as an input; repeatable (default: the model's inputs)"));
static cl::list<std::string> outputs("output", cl::value_desc("tensor"), cl::cat(category),
                                     cl::desc("Compute this tensor; repeatable (default: the model's outputs)"));
static nacre::tools::ModelInputs modelInputs(category);
static cl::opt<int64_t> maxConstant("max-constant", cl::init(1024), cl::value_desc("MiB"), cl::cat(category),
                                    cl::desc("Largest constant that folding may create (default: 1024)"));
static cl::opt<bool> locations("locations", cl::cat(category), cl::desc("Print the location of every operation"));
constexpr StringLiteral kClosing = R"(
EXAMPLES
  nacre-translate --import model.onnx
      print the model's operators, without the weights
  nacre-translate --check detector.onnx --shape=image=1x3x320x320
      list everything that is not supported in this model
  nacre-translate lenet.onnx --state=trained.safetensors -o trained.onnx
      write the model with weights trained on a device

EXIT STATUS
  0  translated, or everything is supported
  1  the model cannot be read, has unsupported nodes, or does not match the
     state, and the messages name them; or the output cannot be written
  2  the command line is wrong
  4  memory ran out
)";

static nacre::tools::Help describeOptions() {
  return {"Prints a trained network as operators, lists unsupported ones, or writes trained weights back.",
          "nacre-translate [options] <model>",
          &category,
          {{"Action, one of these", {"import", "check", "state"}},
           {"Output", {"o", "locations"}},
           {"Model",
            {"shape", "set", "bound", "preprocess", "input", "output", "signature", "tag", "checkpoint", "weights",
             "random-weights", "max-constant"}}},
          kClosing.str()};
}

static Error parse(nacre::importer::ImportOptions &options, nacre::NamedFiles &files) {
  if (import + check + !state.empty() != 1)
    return createStringError("exactly one of --import, --check and --state is required; see --help");
  if (state.empty() != output.empty())
    return createStringError(std::string(state.empty() ? "-o requires --state" : "--state requires -o"));
  files.addInput("the model", model);
  files.addInput("--state", state);
  modelInputs.addFiles(files);
  if (output != "-")
    files.addOutput("-o", output);
  if (const std::string problem = files.findProblem(); !problem.empty())
    return createStringError(problem);
  options.maxConstantBytes = maxConstant << 20;
  options.inputs = inputs;
  options.outputs = outputs;
  return modelInputs.read(options, options.shapes, options.values);
}

static StringRef severityOf(const mlir::Diagnostic &diagnostic) {
  switch (diagnostic.getSeverity()) {
  case mlir::DiagnosticSeverity::Error:
    return "error";
  case mlir::DiagnosticSeverity::Warning:
    return "warning";
  default:
    return "remark";
  }
}

int main(int argc, char **argv) {
  nacre::tools::watchStandardStreams(/*status=*/1);
  nacre::tools::handleOutOfMemory();
  nacre::tools::setVersion("nacre-translate");
  cl::HideUnrelatedOptions(category);
  nacre::importer::ImportOptions options;
  nacre::NamedFiles files;
  if (Error error = nacre::tools::parseOptions(argc, argv, describeOptions(), &files)) {
    errs() << "nacre-translate: " << toString(std::move(error)) << "\n";
    return 2;
  }
  if (Error error = parse(options, files)) {
    errs() << "nacre-translate: " << toString(std::move(error)) << "\n";
    return 2;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler handler(&context, [](mlir::Diagnostic &diagnostic) {
    if (auto node = dyn_cast<mlir::NameLoc>(diagnostic.getLocation()))
      errs() << '"' << nacre::toPrintable(node.getName()) << "\": ";
    errs() << severityOf(diagnostic) << ": " << nacre::toPrintable(diagnostic.str()) << "\n";
  });

  if (!state.empty())
    return failed(nacre::importer::writeTrained(model, state, output, &context));
  if (check) {
    nacre::importer::CheckResult result;
    if (failed(nacre::importer::checkModel(model, options, &context, result)))
      return 1;
    for (const nacre::importer::Problem &problem : result.problems)
      outs() << nacre::toPrintable((problem.name.empty() ? "" : problem.name + ": ") + problem.describe()) << "\n";
    return result.problems.empty() ? 0 : 1;
  }
  mlir::OwningOpRef<mlir::ModuleOp> module = nacre::importer::importModel(model, options, &context);
  if (!module)
    return 1;
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(locations).elideLargeElementsAttrs(1024);
  for (mlir::Operation &op : *module->getBody()) {
    op.print(outs(), flags);
    outs() << "\n";
  }
  return 0;
}
