// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nacre-lsp-server: diagnostics, definitions and hovers for .mlir files in an editor, our dialects included.

#include "compiler/Pipeline.h"
#include "tools/CommandLine.h"

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

} // namespace

int main(int argc, char **argv) {
  nacre::tools::watchStandardStreams(/*status=*/1);
  if (nacre::tools::asksForHelp({argv + 1, argv + argc})) {
    llvm::outs() << kHelp;
    return 0;
  }
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  nacre::registerDialects(registry);
  nacre::tools::setVersion("nacre-lsp-server");
  nacre::tools::hideOptionsOfLibraries();
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
