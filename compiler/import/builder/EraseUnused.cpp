// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/builder/EraseUnused.h"

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace nacre::importer {

void eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (isOpTriviallyDead(&op)) {
      op.erase();
      continue;
    }
    for (Region &region : op.getRegions())
      eraseUnused(region.front());
  }
}

} // namespace nacre::importer
