// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nacre-lsp-server: diagnostics, definitions and hovers for .mlir files in an editor, our dialects included.

#include "compiler/Pipeline.h"
#include "tools/CommandLine.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  nacre::registerDialects(registry);
  nacre::tools::setVersion("nacre-lsp-server");
  nacre::tools::hideOptionsOfLibraries();
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
