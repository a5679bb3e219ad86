// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of neighbours as depth and as batch, and the patches under a window.

#include "compiler/import/compositions/Blocks.h"
#include "compiler/import/operands/Shapes.h"
#include "compiler/import/tensorflow/Handlers.h"
#include "compiler/import/tensorflow/operators/Layout.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

//===----------------------------------------------------------------------===//
// Depth
//===----------------------------------------------------------------------===//

void importDepth(OperandBinder &node, bool toDepth) {
  NnBuilder &nn = node.nn;
  Layout layout = readLayout(node, 2);
  int64_t block = node.getInt("block_size", 0);
  if (!node.checkRank(0, 4, 4) || node.hasFailed())
    return;
  Ints shape = getShape(node.getOperand(0));
  bool divides = block >= 1 && block < (1 << 15);
  if (divides)
    divides = toDepth ? llvm::all_of(layout.spatial(shape), [&](int64_t dim) { return dim % block == 0; })
                      : layout.channels(shape) % (block * block) == 0;
  if (!divides) {
    node.error() << "attribute 'block_size' must be 1 or more and divide the "
                 << (toDepth ? "rows and columns of " : "channels, twice, of ") << describe(node.getOperand(0))
                 << ", but is " << block;
    return;
  }
  Value x = layout.toLast(nn, node.getOperand(0));
  node.setResult(layout.fromLast(nn, toDepth ? spaceToDepth(nn, x, block) : depthToSpace(nn, x, block)));
}

//===----------------------------------------------------------------------===//
// Batch
//===----------------------------------------------------------------------===//

/// How many elements are added at, or cut from, both ends of each axis.
struct Margins {
  SmallVector<int64_t> low, high;
};

/// From operand `index`, for the axes behind the first of as many as there are blocks; 0 for the others. Fails after an error.
FailureOr<Margins> readMargins(OperandBinder &node, size_t index, Ints blocks) {
  auto axes = static_cast<int64_t>(blocks.size());
  if (!node.checkRank(0, axes + 1) || !node.checkShape(index, {axes, 2}, "two numbers for each block"))
    return failure();
  FailureOr<SmallVector<int64_t>> numbers = node.getIntegers(index, /*mostAxes=*/2);
  if (failed(numbers))
    return failure();
  auto isOutside = [](int64_t number) { return number < 0 || number > INT32_MAX; };
  if (llvm::any_of(*numbers, isOutside) ||
      llvm::any_of(blocks, [](int64_t block) { return block < 1 || block > INT32_MAX; }))
    return node.error() << "blocks must be 1 or more and " << node.nameOf(index)
                        << " 0 or more, and both less than 2^31, but are [" << blocks << "] and [" << Ints(*numbers)
                        << "]";
  Margins margins{SmallVector<int64_t>(getRank(node.getOperand(0)), 0), {}};
  margins.high = margins.low;
  for (int64_t axis = 0; axis < axes; ++axis) {
    margins.low[axis + 1] = (*numbers)[2 * axis];
    margins.high[axis + 1] = (*numbers)[2 * axis + 1];
  }
  return margins;
}

void importSpaceToBatch(OperandBinder &node, Ints blocks, size_t pads) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  FailureOr<Margins> margins = readMargins(node, pads, blocks);
  if (failed(margins) || !checkRule(node, nn::padShape(getShape(x), margins->low, margins->high, nn::PadReach::Any)))
    return;
  for (auto [axis, block] : llvm::enumerate(blocks)) {
    int64_t dim = getShape(x)[axis + 1] + margins->low[axis + 1] + margins->high[axis + 1];
    if (dim % block == 0)
      continue;
    node.error() << "block " << block << " must divide axis " << axis + 1 << " of " << describe(x) << ", which has "
                 << dim << " elements with its pads";
    return;
  }
  Value padded = nn.pad(nn::PadMode::Constant, x, margins->low, margins->high, 0);
  node.setResult(spaceToBatch(nn, padded, blocks));
}

void importBatchToSpace(OperandBinder &node, Ints blocks, size_t crops) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  FailureOr<Margins> margins = readMargins(node, crops, blocks);
  if (failed(margins))
    return;
  int64_t batch = getShape(x)[0];
  SmallVector<int64_t> sizes(getShape(x));
  for (auto [axis, block] : llvm::enumerate(blocks)) {
    bool divides = batch % block == 0;
    batch /= block;
    sizes[axis + 1] = sizes[axis + 1] * block - margins->low[axis + 1] - margins->high[axis + 1];
    if (divides && sizes[axis + 1] >= 0)
      continue;
    node.error() << "blocks must divide the batch of " << describe(x) << " and " << node.nameOf(crops)
                 << " leave elements, but are [" << blocks << "] and " << margins->low[axis + 1] << " and "
                 << margins->high[axis + 1] << " along axis " << axis + 1;
    return;
  }
  sizes[0] = batch;
  Value spread = batchToSpace(nn, x, blocks);
  node.setResult(nn.slice(spread, margins->low, sizes, SmallVector<int64_t>(sizes.size(), 1)));
}

using BatchImport = void (*)(OperandBinder &, Ints blocks, size_t margins);

/// The blocks as an operand, or one for rows and columns as an attribute.
template <BatchImport import> void importWithBlocks(OperandBinder &node) {
  FailureOr<SmallVector<int64_t>> blocks = node.getIntegers(1);
  if (succeeded(blocks))
    import(node, *blocks, 2);
}
template <BatchImport import> void importWithBlock(OperandBinder &node) {
  int64_t block = node.getInt("block_size", 0);
  import(node, {block, block}, 1);
}

//===----------------------------------------------------------------------===//
// Patches
//===----------------------------------------------------------------------===//

void importPatches(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  const Layout layout;
  Value x = node.getOperand(0);
  if (!node.checkRank(0, 4, 4))
    return;
  SmallVector<int64_t> kernel = readSpatial(node, "ksizes", layout, /*isRequired=*/true);
  FailureOr<Window> window = readWindow(node, layout, kernel, layout.spatial(getShape(x)), "rates");
  if (failed(window))
    return;
  SmallVector<int64_t> all(getShape(x)), low(4, 0), high(4, 0);
  for (size_t axis = 0; axis < 2; ++axis) {
    low[axis + 1] = window->pads[axis];
    high[axis + 1] = window->pads[2 + axis];
    all[axis + 1] += low[axis + 1] + high[axis + 1];
    all.push_back(kernel[axis]);
  }
  constexpr int64_t mostCells = 4096;
  if (!node.checkFits(all, "the elements of all patches"))
    return;
  if (kernel[0] * kernel[1] > mostCells)
    node.error() << "attribute 'ksizes' must have at most " << mostCells << " cells, but is " << describeShape(kernel);
  else
    node.setResult(
        extractWindows(nn, nn.pad(nn::PadMode::Constant, x, low, high, 0), kernel, window->strides, window->dilations));
}

} // namespace

void registerBlocks(ImportRegistry &registry) {
  registry.add("SpaceToDepth", 1, {{"input"}}, [](OperandBinder &node) { importDepth(node, /*toDepth=*/true); });
  registry.add("DepthToSpace", 1, {{"input"}}, [](OperandBinder &node) { importDepth(node, /*toDepth=*/false); });
  registry.add("SpaceToBatchND", 1, {{"input"}, {"block_shape", Holds::Indices}, {"paddings", Holds::Indices}},
               importWithBlocks<importSpaceToBatch>);
  registry.add("BatchToSpaceND", 1, {{"input"}, {"block_shape", Holds::Indices}, {"crops", Holds::Indices}},
               importWithBlocks<importBatchToSpace>);
  registry.add("SpaceToBatch", 1, {{"input"}, {"paddings", Holds::Indices}}, importWithBlock<importSpaceToBatch>);
  registry.add("BatchToSpace", 1, {{"input"}, {"crops", Holds::Indices}}, importWithBlock<importBatchToSpace>);
  registry.add("ExtractImagePatches", 1, {{"images"}}, importPatches);
}

} // namespace nacre::importer::tensorflow_format
