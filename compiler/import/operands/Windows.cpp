// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows over operands, checked as every format asks.

#include "compiler/import/operands/Windows.h"

using namespace mlir;

namespace nacre::importer {

bool allowsIndicesOfMaxima(OperandBinder &node, Ints shape, const Window &window) {
  SmallVector<int64_t> all(shape);
  for (auto [axis, kernel] : llvm::enumerate(window.kernel)) {
    all[axis + 1] += window.pads[axis] + window.pads[window.kernel.size() + axis] + window.overhang[axis];
    all.push_back(kernel);
  }
  if (!node.checkFits(all, "the elements of all windows"))
    return false;
  int64_t entries = shape.front() + shape.back(), cells = 1;
  for (auto [axis, kernel] : llvm::enumerate(window.kernel)) {
    entries += all[axis + 1] * kernel;
    cells *= kernel;
  }
  return node.allowsConstant(entries + cells, sizeof(int64_t));
}

} // namespace nacre::importer
