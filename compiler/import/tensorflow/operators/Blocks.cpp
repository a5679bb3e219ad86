// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that move blocks of neighbouring elements to the depth or batch axis or back, and that extract the patches
// under a window.

#include "compiler/import/compositions/Blocks.h"
#include "compiler/import/operands/Blocks.h"
#include "compiler/import/tensorflow/operators/Handlers.h"
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
  Value x = layout.toLast(nn, node.getOperand(0));
  if (x && checkBlock(node, "attribute 'block_size'", x, block, /*ofChannels=*/!toDepth))
    node.setResult(layout.fromLast(nn, toDepth ? spaceToDepth(nn, x, block) : depthToSpace(nn, x, block)));
}

//===----------------------------------------------------------------------===//
// Batch
//===----------------------------------------------------------------------===//

void importSpaceToBatch(OperandBinder &node, Ints blocks, size_t pads) {
  moveToBatch(node, blocks, pads, /*filler=*/0);
}

using BatchImport = void (*)(OperandBinder &, Ints blocks, size_t margins);

/// Calls `import` with the block sizes in operand 1, and with the index of the operand that contains pads or crops.
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
               importWithBlocks<moveFromBatch>);
  registry.add("SpaceToBatch", 1, {{"input"}, {"paddings", Holds::Indices}}, importWithBlock<importSpaceToBatch>);
  registry.add("BatchToSpace", 1, {{"input"}, {"crops", Holds::Indices}}, importWithBlock<moveFromBatch>);
  registry.add("ExtractImagePatches", 1, {{"images"}}, importPatches);
}

} // namespace nacre::importer::tensorflow_format
