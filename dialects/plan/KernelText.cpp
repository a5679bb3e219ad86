// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/plan/KernelText.h"

using namespace mlir;

namespace nacre::plan {

std::string printUnnamed(KernelOp kernel) {
  StringAttr name = kernel.getSymNameAttr();
  kernel.setSymName("unnamed");
  std::string text;
  llvm::raw_string_ostream stream(text);
  // With the local scope, the printer does not read the whole module.
  kernel.print(stream, OpPrintingFlags().useLocalScope());
  kernel.setSymNameAttr(name);
  return text;
}

} // namespace nacre::plan
