// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  nacre-opt: reads MLIR, runs any passes of Nacre or of MLIR, writes MLIR.
// Why:   the IR is the only interface between phases, so each can be run and tested from a text file.

#include "compiler/Pipeline.h"
#include "tools/CommandLine.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

namespace {

/// MLIR's own help has a thousand lines, sorted by name; --help-hidden prints it.
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

} // namespace

int main(int argc, char **argv) {
  if (nacre::tools::asksForHelp({argv + 1, argv + argc})) {
    llvm::outs() << kBefore << kPasses << kAfter;
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
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Runs passes of Nacre and of MLIR on a module.\n", registry));
}
