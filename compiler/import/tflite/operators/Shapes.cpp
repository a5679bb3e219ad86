// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same elements in another shape or order, and repeated.
//
// How:  1. shapes, 2. orders, 3. blocks of rows and columns, 4. repetition.

#include "compiler/import/compositions/Movement.h"
#include "compiler/import/tflite/Handlers.h"

#include "dialects/nn/ShapeRules.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Shapes
//===----------------------------------------------------------------------===//

/// The shape is operand 1, or an option in old files; one size of it may be -1. A list of one 0 is a scalar there.
void importReshape(TfliteNode &node) {
  Value x = node.getOperand(0);
  SmallVector<int64_t> shape = node->getInts("new_shape");
  if (node.getOperand(1)) {
    FailureOr<SmallVector<int64_t>> given = node->getIntegers(1);
    if (failed(given))
      return;
    shape = std::move(*given);
  }
  if (Ints(shape) == Ints({0}) && getType(x).getNumElements() == 1)
    shape.clear();
  int64_t known = 1, *open = nullptr, count = getType(x).getNumElements();
  bool isShape = shape.size() <= static_cast<size_t>(maxRank);
  for (int64_t &size : shape) {
    if (size == -1 && !open)
      open = &size;
    else
      isShape &= size >= 0 && !llvm::MulOverflow(known, size, known);
  }
  if (isShape && open) {
    isShape = known > 0 && count % known == 0;
    *open = isShape ? count / known : -1;
    known = count;
  }
  if (!isShape || known != count) {
    node.error() << "the new shape must hold the " << count << " elements of " << describe(x) << ", but is ["
                 << Ints(shape) << "]";
    return;
  }
  if (node->checkFits(shape))
    node.setResult(node.nn.reshape(x, shape));
}

void importExpandDims(TfliteNode &node) {
  Value x = node.getOperand(0);
  FailureOr<int64_t> axis = node.readAxis(1, getRank(x) + 1);
  if (failed(axis) || !node->checkRank(0, 0, maxRank - 1))
    return;
  SmallVector<int64_t> shape(getShape(x));
  shape.insert(shape.begin() + *axis, 1);
  node.setResult(node.nn.reshape(x, shape));
}

/// The axes that are named, or all of one element where none is.
void importSqueeze(TfliteNode &node) {
  Value x = node.getOperand(0);
  FailureOr<SmallVector<int64_t>> axes = node->getAxes(node->getInts("squeeze_dims"), getRank(x));
  if (failed(axes))
    return;
  SmallVector<int64_t> shape;
  for (auto [axis, size] : llvm::enumerate(getShape(x))) {
    const bool isNamed = llvm::is_contained(*axes, static_cast<int64_t>(axis));
    if (isNamed && size != 1) {
      node.error() << "axis " << axis << " must have size 1 to be removed, but has " << size << " in " << describe(x);
      return;
    }
    if (axes->empty() ? size != 1 : !isNamed)
      shape.push_back(size);
  }
  node.setResult(node.nn.reshape(x, shape));
}

//===----------------------------------------------------------------------===//
// 2. Orders
//===----------------------------------------------------------------------===//

void importTranspose(TfliteNode &node) {
  Value x = node.getOperand(0);
  FailureOr<SmallVector<int64_t>> axes = node.readAxes(1, getRank(x));
  if (failed(axes))
    return;
  if (static_cast<int64_t>(axes->size()) != getRank(x)) {
    node.error() << node->nameOf(1) << " must name each of the " << getRank(x) << " axes of " << describe(x)
                 << " once, but is [" << Ints(*axes) << "]";
    return;
  }
  node.setResult(node.nn.transpose(x, *axes));
}

void importReverse(TfliteNode &node) {
  Value x = node.getOperand(0);
  FailureOr<SmallVector<int64_t>> axes = node.readAxes(1, getRank(x));
  if (succeeded(axes))
    node.setResult(reverse(node.nn, x, *axes));
}

void importReverseSequence(TfliteNode &node) {
  Value x = node.getOperand(0);
  FailureOr<int64_t> time = node->getAxis(node->getInt("seq_dim", 0), getRank(x)),
                     batch = node->getAxis(node->getInt("batch_dim", 0), getRank(x));
  if (failed(time) || failed(batch))
    return;
  if (*time == *batch) {
    node.error() << "attributes 'seq_dim' and 'batch_dim' must differ, but both are " << *time;
    return;
  }
  if (!node->checkShape(1, getShape(x)[*batch], "the length of each sequence") ||
      !node->allowsConstant(getShape(x)[*batch] + getShape(x)[*time], sizeof(int64_t)))
    return;
  Value lengths = node.nn.cast(node.getOperand(1), node.nn.types().getI64Type());
  node.setResult(reverseSequence(node.nn, x, lengths, *batch, *time));
}

//===----------------------------------------------------------------------===//
// 3. Blocks
//===----------------------------------------------------------------------===//

/// The size of a block; 0 after an error. It must divide rows and columns, or twice the channels.
int64_t readBlock(TfliteNode &node, bool dividesChannels) {
  const int64_t block = node->getInt("block_size", 0);
  if (!node->checkRank(0, 4, 4))
    return 0;
  Ints shape = getShape(node.getOperand(0));
  const bool isSize = block >= 1 && block < (1 << 15);
  if (isSize && (dividesChannels ? shape[3] % (block * block) == 0 : shape[1] % block == 0 && shape[2] % block == 0))
    return block;
  node.error() << "attribute 'block_size' must be 1 or more and divide the "
               << (dividesChannels ? "channels, twice, of " : "rows and columns of ") << describe(node.getOperand(0))
               << ", but is " << block;
  return 0;
}

void importDepthToSpace(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  const int64_t block = readBlock(node, /*dividesChannels=*/true);
  if (!block)
    return;
  Ints shape = getShape(node.getOperand(0));
  const int64_t batch = shape[0], rows = shape[1], columns = shape[2], channels = shape[3] / (block * block);
  Value blocks = nn.reshape(node.getOperand(0), {batch, rows, columns, block, block, channels});
  node.setResult(
      nn.reshape(nn.transpose(blocks, {0, 1, 3, 2, 4, 5}), {batch, rows * block, columns * block, channels}));
}

void importSpaceToDepth(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  const int64_t block = readBlock(node, /*dividesChannels=*/false);
  if (!block)
    return;
  Ints shape = getShape(node.getOperand(0));
  const int64_t batch = shape[0], rows = shape[1] / block, columns = shape[2] / block, channels = shape[3];
  Value blocks = nn.reshape(node.getOperand(0), {batch, rows, block, columns, block, channels});
  node.setResult(
      nn.reshape(nn.transpose(blocks, {0, 1, 3, 2, 4, 5}), {batch, rows, columns, block * block * channels}));
}

/// Blocks along the axes behind the first, and what is added or cut at both ends of each.
struct BatchBlocks {
  SmallVector<int64_t> blocks, low, high;
};

FailureOr<BatchBlocks> readBatchBlocks(TfliteNode &node) {
  FailureOr<SmallVector<int64_t>> blocks = node->getIntegers(1);
  if (failed(blocks))
    return failure();
  const auto count = static_cast<int64_t>(blocks->size());
  if (!node->checkRank(0, count + 1) || !node->checkShape(2, {count, 2}, "both ends of each axis"))
    return failure();
  FailureOr<SmallVector<int64_t>> numbers = node->getIntegers(2, /*mostAxes=*/2);
  if (failed(numbers))
    return failure();
  BatchBlocks result{std::move(*blocks), {}, {}};
  for (int64_t axis = 0; axis < count; ++axis) {
    result.low.push_back((*numbers)[2 * axis]);
    result.high.push_back((*numbers)[2 * axis + 1]);
  }
  auto isBad = [](int64_t number) { return number < 0 || number > INT32_MAX; };
  if (llvm::any_of(*numbers, isBad) ||
      llvm::any_of(result.blocks, [](int64_t block) { return block < 1 || block > INT32_MAX; }))
    return node.error() << "blocks must have 1 element or more and ends 0 or more, but they are ["
                        << Ints(result.blocks) << "] and [" << Ints(*numbers) << "]";
  return result;
}

void importSpaceToBatch(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  FailureOr<BatchBlocks> read = readBatchBlocks(node);
  if (failed(read))
    return;
  Value x = node.getOperand(0);
  const auto count = static_cast<int64_t>(read->blocks.size());
  SmallVector<int64_t> low(getRank(x), 0), high(getRank(x), 0), padded(getShape(x)), split{padded[0]}, order, merged,
      inner, outer;
  int64_t batch = padded[0];
  for (int64_t axis = 0; axis < count; ++axis) {
    low[axis + 1] = read->low[axis];
    high[axis + 1] = read->high[axis];
    padded[axis + 1] += low[axis + 1] + high[axis + 1];
    if (padded[axis + 1] % read->blocks[axis] || llvm::MulOverflow(batch, read->blocks[axis], batch)) {
      node.error() << "blocks must divide the padded axes, but are [" << Ints(read->blocks) << "] for "
                   << describeShape(padded);
      return;
    }
    split.append({padded[axis + 1] / read->blocks[axis], read->blocks[axis]});
    outer.push_back(2 * axis + 1);
    inner.push_back(2 * axis + 2);
  }
  merged.push_back(batch);
  for (int64_t axis = 0; axis < count; ++axis)
    merged.push_back(padded[axis + 1] / read->blocks[axis]);
  for (int64_t axis = count + 1; axis < getRank(x); ++axis) {
    split.push_back(padded[axis]);
    merged.push_back(padded[axis]);
  }
  order = inner;
  order.push_back(0);
  order.append(outer);
  for (int64_t axis = 2 * count + 1; axis < static_cast<int64_t>(split.size()); ++axis)
    order.push_back(axis);
  if (!node->checkFits(padded) || split.size() > static_cast<size_t>(maxRank)) {
    node->checkRank(0, 0, maxRank / 2);
    return;
  }
  const Quantization *quantization = node.getQuantization(0);
  Value whole =
      nn.pad(nn::PadMode::Constant, x, low, high, quantization ? static_cast<double>(quantization->zeros[0]) : 0);
  node.setResult(nn.reshape(nn.transpose(nn.reshape(whole, split), order), merged));
}

void importBatchToSpace(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  FailureOr<BatchBlocks> read = readBatchBlocks(node);
  if (failed(read))
    return;
  Value x = node.getOperand(0);
  const auto count = static_cast<int64_t>(read->blocks.size());
  int64_t batch = getShape(x)[0];
  SmallVector<int64_t> split(read->blocks), order{count}, merged{0}, begin(getRank(x), 0), sizes, steps(getRank(x), 1);
  for (int64_t block : read->blocks)
    batch = batch % block == 0 ? batch / block : -1;
  split.push_back(batch);
  bool fits = batch >= 0 && getRank(x) + count <= maxRank;
  for (int64_t axis = 0; axis < count && fits; ++axis) {
    int64_t size;
    fits &= !llvm::MulOverflow(getShape(x)[axis + 1], read->blocks[axis], size);
    split.push_back(getShape(x)[axis + 1]);
    order.append({count + 1 + axis, axis});
    merged.push_back(size);
    begin[axis + 1] = read->low[axis];
    fits &= read->low[axis] + read->high[axis] <= size;
  }
  if (!fits) {
    node.error() << "blocks must divide the batch and what is cut must be there, but they are [" << Ints(read->blocks)
                 << "] for " << describe(x);
    return;
  }
  merged[0] = batch;
  for (int64_t axis = count + 1; axis < getRank(x); ++axis) {
    order.push_back(static_cast<int64_t>(split.size()));
    split.push_back(getShape(x)[axis]);
    merged.push_back(getShape(x)[axis]);
  }
  sizes = merged;
  for (int64_t axis = 0; axis < count; ++axis)
    sizes[axis + 1] -= read->low[axis] + read->high[axis];
  Value whole = nn.reshape(nn.transpose(nn.reshape(x, split), order), merged);
  node.setResult(nn.slice(whole, begin, sizes, steps));
}

//===----------------------------------------------------------------------===//
// 4. Repetition
//===----------------------------------------------------------------------===//

void importBroadcastTo(TfliteNode &node) {
  Value x = node.getOperand(0);
  FailureOr<SmallVector<int64_t>> shape = node->getIntegers(1);
  if (failed(shape) || llvm::any_of(*shape, [](int64_t size) { return size < 0; }) ||
      shape->size() > static_cast<size_t>(maxRank)) {
    if (succeeded(shape))
      node.error() << node->nameOf(1) << " must be a shape, but is [" << Ints(*shape) << "]";
    return;
  }
  if (node->checkFits(*shape) && node->checkBroadcastsTo(0, *shape, node->nameOf(1)))
    node.setResult(node.nn.broadcast(x, *shape));
}

/// Each repeated axis gets a new one before it, which is broadcast and merged: [a] to [1, a], [r, a], [r * a].
void importTile(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  FailureOr<SmallVector<int64_t>> repeats = node->getIntegers(1);
  if (failed(repeats) || !node->checkRank(0, 0, maxRank / 2))
    return;
  SmallVector<int64_t> split, repeated, merged;
  bool fits = static_cast<int64_t>(repeats->size()) == getRank(x);
  for (auto [repeat, size] : llvm::zip(*repeats, getShape(x))) {
    int64_t product = 0;
    fits &= repeat >= 0 && !llvm::MulOverflow(size, repeat, product);
    split.append({1, size});
    repeated.append({repeat, size});
    merged.push_back(product);
  }
  if (!fits) {
    node.error() << node->nameOf(1) << " must hold a number, 0 or more, for each axis of " << describe(x)
                 << ", but is [" << Ints(*repeats) << "]";
    return;
  }
  if (node->checkFits(merged) && node->checkFits(repeated))
    node.setResult(nn.reshape(nn.broadcast(nn.reshape(x, split), repeated), merged));
}

} // namespace

void registerShapes(ImportRegistry &registry) {
  const Signature blocks{{"x"}, {"block_shape", Holds::Indices}, {"ends", Holds::Indices}},
      stored{{"x", Holds::Stored}};
  const Signature shaped{{"x", Holds::Stored}, {"shape", Holds::Indices}},
      moved{{"x", Holds::Stored}, {"axes", Holds::Indices}};
  add(registry, "RESHAPE", Integers::Moved, {{"x", Holds::Stored}, {"shape?", Holds::Indices}}, importReshape);
  add(registry, "EXPAND_DIMS", Integers::Moved, moved, importExpandDims);
  add(registry, "SQUEEZE", Integers::Moved, stored, importSqueeze);
  add(registry, "TRANSPOSE", Integers::Moved, moved, importTranspose);
  add(registry, "REVERSE_V2", Integers::Moved, {{"x"}, {"axes", Holds::Indices}}, importReverse);
  add(registry, "REVERSE_SEQUENCE", Integers::Moved, {{"x"}, {"lengths", Holds::Indices}}, importReverseSequence);
  add(registry, "DEPTH_TO_SPACE", Integers::Moved, {{"x"}}, importDepthToSpace);
  add(registry, "SPACE_TO_DEPTH", Integers::Moved, {{"x"}}, importSpaceToDepth);
  add(registry, "SPACE_TO_BATCH_ND", Integers::Moved, blocks, importSpaceToBatch);
  add(registry, "BATCH_TO_SPACE_ND", Integers::Moved, blocks, importBatchToSpace);
  add(registry, "BROADCAST_TO", Integers::Moved, shaped, importBroadcastTo);
  add(registry, "TILE", Integers::Moved, {{"x"}, {"repeats", Holds::Indices}}, importTile);
}

} // namespace nacre::importer::tflite_format
