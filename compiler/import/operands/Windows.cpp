// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poolings of operands, with the checks that every format needs.

#include "compiler/import/operands/Windows.h"

#include "compiler/import/compositions/Poolings.h"
#include "compiler/import/messages/TypeNames.h"

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

void poolMaximaOfRegions(OperandBinder &node, Ints bins, double scale, StringRef binsName) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), rois = node.getOperand(1);
  if (!node.checkRank(0, 4, 4) || !node.checkRank(1, 2, 4))
    return;
  constexpr int64_t mostBins = 1 << 12, most = 1 << 24; // positions are computed as floats
  if (llvm::any_of(bins, [](int64_t count) { return count < 1 || count > mostBins; })) {
    node.error() << binsName << " must lie between 1 and " << mostBins << ", but are " << bins[0] << " and " << bins[1];
    return;
  }
  if (llvm::any_of(getShape(x), [](int64_t size) { return size < 1 || size > most; })) {
    node.error() << node.nameOf(0) << " must have between 1 and " << most << " elements along each axis, but is "
                 << describe(x);
    return;
  }
  const int64_t count = getShape(rois)[0];
  SmallVector<int64_t> wanted(getRank(rois), 1);
  wanted[0] = count;
  wanted[1] = 5;
  if (!node.checkShape(1, wanted, "an image and four coordinates for each region") ||
      !node.checkFits({count, getShape(x)[1], bins[0], bins[1]}))
    return;
  SmallVector<int64_t> table = getTableOfMaxima({getShape(x)[0], getShape(x)[2], getShape(x)[3], getShape(x)[1]});
  if (!node.checkFits(table, "the tables of maxima") || table[0] > INT32_MAX) {
    if (!node.hasFailed())
      node.error() << node.nameOf(0) << " is too large for region pooling: " << describe(x);
    return;
  }
  Value maxima = poolRegionMaxima(nn, nn.toChannelsLast(x), nn.reshape(rois, {count, 5}), bins, scale);
  node.setResult(nn.toChannelsFirst(maxima));
}

} // namespace nacre::importer
