// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nacre-lsp-server provides diagnostics, definitions and hovers for .mlir files in an editor, including Nacre's
// dialects.

#include "compiler/driver/Pipeline.h"
#include "tools/CommandLine.h"
#include "tools/ResponseFile.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

namespace {

constexpr llvm::StringLiteral kHelp =
    R"(OVERVIEW: Serves diagnostics, definitions and hovers for .mlir files to editors.

USAGE: nacre-lsp-server [options]

OPTIONS:

Protocol:

  --log=<error|info|verbose>
                        Messages on the standard error (default: info)
  --pretty              Print JSON with line breaks
  --lit-test            For tests: read messages separated by lines "// -----",
                        with --pretty and --log=verbose

General:

  --help                Print this text (--help-hidden: also the options of
                        LLVM)
  --version             Print the version
)";

enum class Level { Error, Info, Verbose };
enum class Style { Standard, Delimited };

/// Reports errors in the command line like the other programs. MLIR's server declares its options only when it starts,
/// and would print LLVM's messages.
llvm::Error checkWords(int count, char **words) {
  using namespace llvm;
  cl::opt<Level> log("log", cl::desc("Messages on the standard error"),
                     cl::values(clEnumValN(Level::Error, "error", "Errors"),
                                clEnumValN(Level::Info, "info", "Also requests"),
                                clEnumValN(Level::Verbose, "verbose", "Also details")));
  cl::opt<Style> style("input-style", cl::desc("How messages are separated"),
                       cl::values(clEnumValN(Style::Standard, "standard", "As in the protocol"),
                                  clEnumValN(Style::Delimited, "delimited", "By lines \"// -----\"")));
  cl::opt<bool> pretty("pretty", cl::desc("Print JSON with line breaks"));
  cl::opt<bool> isTest("lit-test", cl::desc("Short for --input-style=delimited --pretty --log=verbose"));
  Error error = nacre::tools::parseWords(count, words, "");
  for (cl::Option *option : std::initializer_list<cl::Option *>{&isTest, &pretty, &style, &log})
    option->removeArgument();
  cl::ResetAllOptionOccurrences(); // the server parses the words again
  return error;
}

int refuse(const std::string &problem) {
  llvm::errs() << "nacre-lsp-server: error: " << problem << "\n";
  return 2;
}

} // namespace

int main(int argc, char **argv) {
  nacre::tools::watchStandardStreams(/*status=*/1);
  std::string problem;
  nacre::tools::Arguments arguments(argc, argv, problem);
  if (!problem.empty())
    return refuse(problem);
  if (nacre::tools::asksForHelp({arguments.values() + 1, arguments.values() + arguments.count()})) {
    llvm::outs() << kHelp << nacre::tools::kResponseFileHelp;
    return 0;
  }
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  nacre::registerDialects(registry);
  nacre::tools::setVersion("nacre-lsp-server");
  nacre::tools::hideOptionsOfLibraries();
  if (llvm::Error error = checkWords(arguments.count(), arguments.values()))
    return refuse(llvm::toString(std::move(error)));
  return failed(mlir::MlirLspServerMain(arguments.count(), arguments.values(), registry));
}
