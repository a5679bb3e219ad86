// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nacre-opt reads MLIR, runs any passes of Nacre or of MLIR, and writes MLIR. The IR is the only interface between
// phases, so each can be run and tested from a text file.

#include "compiler/driver/Pipeline.h"
#include "tools/CommandLine.h"
#include "tools/ResponseFile.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/STLExtras.h"

namespace {

/// Help text. MLIR's own help has a thousand lines, sorted by name. --help-hidden prints it.
constexpr llvm::StringLiteral kBefore = R"(OVERVIEW: Runs passes of Nacre and of MLIR on a module.

USAGE: nacre-opt [options] <file.mlir>

OPTIONS:

Input and output:

  -o <file>             File to write (default: -, the standard output)
  --split-input-file    Process the parts between lines "// -----" one by one
  --verify-diagnostics  Compare messages with the comments "expected-error"
  --emit-bytecode       Write bytecode instead of text
  --mlir-print-debuginfo
                        Print the locations of operations
  --mlir-elide-elementsattrs-if-larger=<N>
                        Omit constants with more than N elements

Inspection:

  --mlir-print-ir-after-all
                        Print the module after each pass
  --mlir-print-ir-after-change
                        With the option above: only if the pass changed it
  --mlir-print-ir-before=<pass>
                        Print the module before this pass
  --mlir-print-op-on-diagnostic
                        Print the operation that a message is about (default)
  --mlir-disable-threading
                        Use one thread, so that output is in order
  --mlir-timing         Print the time of each pass
  --show-dialects       List the dialects and exit

Pipelines:

  --pass-pipeline=<text>
                        Passes to run: builtin.module(pass,pass{option=value})
  --nacre-graph         All passes of the graph phase

)";
constexpr llvm::StringLiteral kPasses =
#include "tools/opt/PassHelp.inc"
    ;
constexpr llvm::StringLiteral kAfter = R"(General:

  --help                Print this text (--help-hidden: all passes and options)
  --version             Print the version
)";

/// Options of MLIR that name files, without -o. MLIR opens the output before it reads its input, so an input with the
/// same name would be empty.
constexpr llvm::StringLiteral kInputs[] = {"irdl-file"};
constexpr llvm::StringLiteral kOutputs[] = {"log-actions-to", "mlir-generate-reproducer",
                                            "mlir-pass-pipeline-crash-reproducer", "profile-actions-to",
                                            "remarks-output-file"};

/// Returns the problem if two options name the same file and one of them writes it; otherwise "".
std::string findSameFile(const nacre::tools::Arguments &arguments, llvm::ArrayRef<char *> words,
                         const std::string &input, const std::string &output) {
  nacre::NamedFiles files;
  arguments.addFilesTo(files);
  if (input != "-")
    files.addInput("the module", input);
  if (output != "-")
    files.addOutput("-o", output);
  for (size_t at = 0; at < words.size(); ++at) {
    auto [name, value] = llvm::StringRef(words[at]).split('=');
    if (!name.consume_front("-"))
      continue;
    name.consume_front("-");
    const bool isInput = llvm::is_contained(kInputs, name), isOutput = llvm::is_contained(kOutputs, name);
    if (value.empty() && (isInput || isOutput) && at + 1 < words.size())
      value = words[++at];
    if (isInput)
      files.addInput("--" + name.str(), value.str());
    if (isOutput && value != "-")
      files.addOutput("--" + name.str(), value.str());
  }
  return files.findProblem();
}

} // namespace

static int refuse(const std::string &problem) {
  llvm::errs() << "nacre-opt: error: " << problem << "\n";
  return 2;
}

int main(int argc, char **argv) {
  nacre::tools::watchStandardStreams(/*status=*/1);
  std::string problem;
  nacre::tools::Arguments arguments(argc, argv, problem);
  if (!problem.empty())
    return refuse(problem);
  const llvm::ArrayRef<char *> words(arguments.values(), arguments.count());
  if (nacre::tools::asksForHelp(words.drop_front())) {
    llvm::outs() << kBefore << kPasses << kAfter << nacre::tools::kResponseFileHelp;
    return 0;
  }
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  nacre::registerDialects(registry);
  mlir::registerAllPasses();
  nacre::registerPasses();
  nacre::tools::setVersion("nacre-opt");
  nacre::tools::hideOptionsOfLibraries();
  const std::string overview = mlir::registerCLIOptions("Runs passes of Nacre and of MLIR on a module.\n", registry);
  // MLIR declares these two options in the function that reads the command line, so they must be declared here.
  static llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::desc("<file.mlir>"), llvm::cl::init("-"));
  static llvm::cl::opt<std::string> output("o", llvm::cl::desc("File to write"), llvm::cl::value_desc("file"),
                                           llvm::cl::init("-"));
  if (llvm::Error error = nacre::tools::parseWords(arguments.count(), arguments.values(), overview))
    return refuse(llvm::toString(std::move(error)));
  if (problem = findSameFile(arguments, words.drop_front(), input, output); !problem.empty())
    return refuse(problem);
  return mlir::asMainReturnCode(mlir::MlirOptMain(arguments.count(), arguments.values(), input, output, registry));
}
