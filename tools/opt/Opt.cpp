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

int main(int argc, char **argv) {
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
