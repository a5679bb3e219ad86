// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/operands/Blocks.h"

#include "compiler/import/compositions/Blocks.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/operands/Shapes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer {

bool checkBlock(OperandBinder &node, StringRef name, Value x, int64_t block, bool ofChannels) {
  Ints shape = getShape(x);
  bool divides = block >= 1 && block < (1 << 15);
  if (divides)
    divides = ofChannels ? shape[3] % (block * block) == 0 : shape[1] % block == 0 && shape[2] % block == 0;
  if (!divides)
    node.error() << name << " must be 1 or more and divide the "
                 << (ofChannels ? "channels, squared, of " : "rows and columns of ") << describe(node.getOperand(0))
                 << ", but is " << block;
  return divides;
}

namespace {

/// Numbers of elements to add or to remove at both ends of each axis.
struct Margins {
  SmallVector<int64_t> low, high;
};

/// Reads the margins of the axes after the first from operand `index`, which has a row for each block. The margins of
/// the other axes are 0. Fails after an error.
FailureOr<Margins> readMargins(OperandBinder &node, size_t index, Ints blocks) {
  auto axes = static_cast<int64_t>(blocks.size());
  if (!node.checkRank(0, axes + 1) || !node.checkShape(index, {axes, 2}, "two numbers per block"))
    return failure();
  FailureOr<SmallVector<int64_t>> numbers = node.getIntegers(index, /*mostAxes=*/2);
  if (failed(numbers))
    return failure();
  auto isOutside = [](int64_t number) { return number < 0 || number > INT32_MAX; };
  if (llvm::any_of(*numbers, isOutside) ||
      llvm::any_of(blocks, [](int64_t block) { return block < 1 || block > INT32_MAX; }))
    return node.error() << "blocks must be 1 or more and " << node.nameOf(index)
                        << " non-negative, both less than 2^31, but are [" << blocks << "] and [" << Ints(*numbers)
                        << "]";
  Margins margins{SmallVector<int64_t>(getRank(node.getOperand(0)), 0), {}};
  margins.high = margins.low;
  for (int64_t axis = 0; axis < axes; ++axis) {
    margins.low[axis + 1] = (*numbers)[2 * axis];
    margins.high[axis + 1] = (*numbers)[2 * axis + 1];
  }
  return margins;
}

/// True if operand 0 may have one more axis for each block.
bool checkAxes(OperandBinder &node, Ints blocks) {
  return node.checkRank(0, 0, maxRank - static_cast<int64_t>(blocks.size()));
}

} // namespace

void moveToBatch(OperandBinder &node, Ints blocks, size_t pads, double filler) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  FailureOr<Margins> margins = readMargins(node, pads, blocks);
  if (failed(margins) || !checkAxes(node, blocks) ||
      !checkRule(node, nn::padShape(getShape(x), margins->low, margins->high, nn::PadReach::Any)))
    return;
  SmallVector<int64_t> moved(getShape(x));
  for (auto [axis, block] : llvm::enumerate(blocks)) {
    int64_t dim = getShape(x)[axis + 1] + margins->low[axis + 1] + margins->high[axis + 1];
    moved[axis + 1] = dim / block;
    if (dim % block == 0 && !llvm::MulOverflow(moved[0], block, moved[0]))
      continue;
    node.error() << "block " << block << " must divide axis " << axis + 1 << " of " << describe(x) << ", which has "
                 << describeCount(dim, "element") << " including pads, and the batch must fit into memory";
    return;
  }
  Value padded = nn.pad(nn::PadMode::Constant, x, margins->low, margins->high, filler);
  if (node.checkFits(moved))
    node.setResult(spaceToBatch(nn, padded, blocks));
}

void moveFromBatch(OperandBinder &node, Ints blocks, size_t crops) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  FailureOr<Margins> margins = readMargins(node, crops, blocks);
  if (failed(margins) || !checkAxes(node, blocks))
    return;
  int64_t batch = getShape(x)[0];
  SmallVector<int64_t> sizes(getShape(x)), whole(sizes);
  for (auto [axis, block] : llvm::enumerate(blocks)) {
    bool divides = batch % block == 0;
    batch /= block;
    divides &= !llvm::MulOverflow(sizes[axis + 1], block, whole[axis + 1]);
    sizes[axis + 1] = whole[axis + 1] - margins->low[axis + 1] - margins->high[axis + 1];
    if (divides && sizes[axis + 1] >= 0)
      continue;
    node.error() << "blocks must divide the batch of " << describe(x) << " and " << node.nameOf(crops)
                 << " leave elements, but are [" << blocks << "] and " << margins->low[axis + 1] << " and "
                 << margins->high[axis + 1] << " along axis " << axis + 1;
    return;
  }
  sizes[0] = whole[0] = batch;
  if (node.checkFits(whole))
    node.setResult(nn.slice(batchToSpace(nn, x, blocks), margins->low, sizes, SmallVector<int64_t>(sizes.size(), 1)));
}

} // namespace nacre::importer
