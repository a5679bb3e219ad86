// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/PrintModule.h"

#include "mlir/IR/AsmState.h"

using namespace mlir;

void nacre::printWithoutResources(ModuleOp module, raw_ostream &os) {
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(64);
  AsmState state(module, flags); // shared, because a state per operation would number the whole module each time
  os << "module {\n";
  for (Operation &op : *module.getBody()) {
    op.print(os, state);
    os << "\n";
  }
  os << "}\n";
}
