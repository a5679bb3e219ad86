// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that return shapes or change them.

#include "compiler/import/operands/Shapes.h"
#include "compiler/import/builder/LinearForms.h"
#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/onnx/movement/Handlers.h"
#include "compiler/import/options/Limits.h"

#include "dialects/NumberText.h"
#include "dialects/nn/shapes/ShapeRules.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

//===----------------------------------------------------------------------===//
// Shapes as values
//===----------------------------------------------------------------------===//

void importShape(OperandBinder &node) {
  Ints shape = getShape(node.getOperand(0));
  auto rank = static_cast<int64_t>(shape.size());
  auto clamp = [&](int64_t position) {
    return std::clamp<int64_t>(position < 0 ? position + rank : position, 0, rank);
  };
  int64_t start = clamp(node.getInt("start", 0)), end = clamp(node.getInt("end", rank));
  node.setResult(node.nn.sizesOf(node.getOperand(0), start, std::max<int64_t>(end - start, 0)));
}

void importSize(OperandBinder &node) {
  Value x = node.getOperand(0);
  if (node.nn.isOpen(x))
    return node.setResult(
        node.nn.reduce(nn::ReduceKind::Prod, node.nn.sizesOf(x, 0, getRank(x)), {0}, /*keepDims=*/false));
  auto type = RankedTensorType::get({}, node.nn.types().getI64Type());
  node.setResult(node.nn.constant(DenseElementsAttr::get(type, getType(x).getNumElements())));
}

//===----------------------------------------------------------------------===//
// The same elements
//===----------------------------------------------------------------------===//

/// Imports a reshape. The shape is an attribute before version 5, and an operand since then.
void importReshape(OperandBinder &node) {
  bool zeroIsZero = node.getFlag("allowzero", false), isAttribute = node.getVersion() < 5;
  if (!isAttribute && node.nn.isOpen(node.getOperand(0)))
    if (std::optional<SmallVector<Size>> sizes = node.nn.readSizes(node.getOperand(1)))
      return reshapeToSizes(node, node.nameOf(1), std::move(*sizes), zeroIsZero);
  FailureOr<SmallVector<int64_t>> shape = isAttribute ? node.getInts("shape") : node.getIntegers(1);
  if (failed(shape))
    return;
  reshapeOperand(node, isAttribute ? "attribute 'shape'" : node.nameOf(1), std::move(*shape), zeroIsZero);
}

void importFlatten(OperandBinder &node) {
  Value x = node.getOperand(0);
  int64_t rank = getRank(x), axis = node.getInt("axis", 1);
  if (axis < -rank || axis > rank) {
    node.error() << "attribute 'axis' must lie between " << -rank << " and " << rank << " for " << describe(x)
                 << ", but is " << axis;
    return;
  }
  if (axis < 0)
    axis += rank;
  if (!node.nn.isOpen(x))
    return node.setResult(toMatrix(node.nn, x, axis));
  const SmallVector<Size> sizes = node.nn.getSizes(x);
  const std::optional<Size> rows = node.nn.divideSizes(ArrayRef(sizes).take_front(axis), {}),
                            columns = node.nn.divideSizes(ArrayRef(sizes).drop_front(axis), {});
  if (!rows || !columns) {
    node.nn.refuseOpen(x);
    return node.fail();
  }
  if (node.checkFits({rows->bound, columns->bound}))
    node.setResult(node.nn.reshapeTo(x, {*rows, *columns}));
}

/// Reads the axes of Squeeze and Unsqueeze. They are an attribute before version 13, and an operand since then. Returns
/// `nullopt` if the node does not have them.
FailureOr<std::optional<SmallVector<int64_t>>> readAxes(OperandBinder &node) {
  if (node.getVersion() < 13) {
    SmallVector<int64_t> axes = node.getInts("axes");
    return node.has("axes") ? std::optional(axes) : std::nullopt;
  }
  if (!node.getOperand(1))
    return std::optional<SmallVector<int64_t>>();
  FailureOr<SmallVector<int64_t>> axes = node.getIntegers(1);
  if (failed(axes))
    return failure();
  return std::optional<SmallVector<int64_t>>(std::in_place, std::move(*axes));
}

void importSqueeze(OperandBinder &node) {
  FailureOr<std::optional<SmallVector<int64_t>>> axes = readAxes(node);
  if (succeeded(axes))
    removeAxes(node, *axes ? std::optional<Ints>(**axes) : std::nullopt);
}

void importUnsqueeze(OperandBinder &node) {
  Value x = node.getOperand(0);
  FailureOr<std::optional<SmallVector<int64_t>>> given = readAxes(node);
  if (failed(given))
    return;
  if (!*given) {
    node.error() << (node.getVersion() < 13 ? "attribute 'axes'" : node.nameOf(1))
                 << " is required to name the axes to insert, but is missing";
    return;
  }
  int64_t rank = getRank(x) + static_cast<int64_t>((*given)->size());
  if (rank > maxRank) {
    node.error() << "the result must have at most " << maxRank << " axes, but has " << rank;
    return;
  }
  FailureOr<SmallVector<int64_t>> axes = node.getAxes(**given, rank);
  if (failed(axes))
    return;
  llvm::sort(*axes);
  SmallVector<int64_t> shape(getShape(x));
  for (int64_t axis : *axes)
    shape.insert(shape.begin() + axis, 1);
  node.setResult(node.nn.reshape(x, shape));
}

//===----------------------------------------------------------------------===//
// Another order
//===----------------------------------------------------------------------===//

void importTranspose(OperandBinder &node) {
  Value x = node.getOperand(0);
  SmallVector<int64_t> reversed = axisRange(0, getRank(x));
  std::reverse(reversed.begin(), reversed.end());
  SmallVector<int64_t> permutation = node.getInts("perm", reversed), sorted = permutation;
  llvm::sort(sorted);
  if (Ints(sorted) != Ints(axisRange(0, getRank(x)))) {
    node.error() << "attribute 'perm' must name each of the " << getRank(x) << " axes of " << describe(x)
                 << " once, but is [" << Ints(permutation) << "]";
    return;
  }
  node.setResult(node.nn.transpose(x, permutation));
}

/// Returns the block size of DepthToSpace and SpaceToDepth, checked against a 4-D operand. Returns `nullopt` after an
/// error.
std::optional<int64_t> readBlockSize(OperandBinder &node, bool dividesChannels) {
  Value x = node.getOperand(0);
  if (!node.checkRank(0, 4, 4))
    return std::nullopt;
  int64_t block = node.getInt("blocksize", 0);
  bool fits = block >= 1 && block < (1 << 15);
  if (fits)
    fits = dividesChannels ? getShape(x)[1] % (block * block) == 0
                           : getShape(x)[2] % block == 0 && getShape(x)[3] % block == 0;
  if (fits)
    return block;
  node.error() << "attribute 'blocksize' must be 1 or more and divide the "
               << (dividesChannels ? "channels, squared, of " : "rows and columns of ") << describe(x) << ", but is "
               << block;
  return std::nullopt;
}

void importDepthToSpace(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  bool columnsFirst = node.getChoice("mode", {"DCR", "CRD"}) == "CRD";
  std::optional<int64_t> block = readBlockSize(node, /*dividesChannels=*/true);
  if (!block)
    return;
  int64_t batch = getShape(x)[0], channels = getShape(x)[1] / (*block * *block), rows = getShape(x)[2],
          columns = getShape(x)[3];
  Value blocks =
      columnsFirst ? nn.transpose(nn.reshape(x, {batch, channels, *block, *block, rows, columns}), {0, 1, 4, 2, 5, 3})
                   : nn.transpose(nn.reshape(x, {batch, *block, *block, channels, rows, columns}), {0, 3, 4, 1, 5, 2});
  node.setResult(nn.reshape(blocks, {batch, channels, rows * *block, columns * *block}));
}

void importSpaceToDepth(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  std::optional<int64_t> block = readBlockSize(node, /*dividesChannels=*/false);
  if (!block)
    return;
  int64_t batch = getShape(x)[0], channels = getShape(x)[1], rows = getShape(x)[2] / *block,
          columns = getShape(x)[3] / *block;
  Value blocks = nn.transpose(nn.reshape(x, {batch, channels, rows, *block, columns, *block}), {0, 3, 5, 1, 2, 4});
  node.setResult(nn.reshape(blocks, {batch, channels * *block * *block, rows, columns}));
}

//===----------------------------------------------------------------------===//
// Repeating
//===----------------------------------------------------------------------===//

/// Returns the shape of an Expand. PyTorch's exporter writes it as `where(sizes == -1, 1, sizes)`, which is `sizes` if
/// none of them can be negative.
Value withoutMinusOnes(NnBuilder &nn, Value shape) {
  auto select = shape ? shape.getDefiningOp<nn::SelectOp>() : nn::SelectOp();
  auto equal = select ? select.getCondition().getDefiningOp<nn::BinaryOp>() : nn::BinaryOp();
  if (!equal || equal.getKind() != nn::BinaryKind::Equal)
    return shape;
  Value sizes = select.getOnFalse(), other = equal.getLhs() == sizes ? equal.getRhs() : equal.getLhs();
  ElementsAttr numbers = getConstant(other);
  if ((equal.getLhs() != sizes && equal.getRhs() != sizes) || !numbers ||
      !llvm::all_of(numbers.getValues<APInt>(), [](const APInt &number) { return number.isNegative(); }))
    return shape;
  const std::optional<SmallVector<Size>> read = nn.readSizes(sizes);
  if (!read)
    return shape;
  for (auto [index, size] : llvm::enumerate(*read)) {
    // A count is 0 or more. readSizes() raises other elements to 0.
    const bool isCount =
        size.count && differenceOf(formOf(size.count, 0), formOf(sizes, static_cast<int64_t>(index))) == 0;
    if (size.count ? !isCount : size.bound < 0)
      return shape;
  }
  return sizes;
}

void importExpand(OperandBinder &node) {
  Value x = node.getOperand(0);
  if (node.nn.isOpen(x) || !getConstant(node.getOperand(1)))
    if (std::optional<SmallVector<Size>> sizes = node.nn.readSizes(withoutMinusOnes(node.nn, node.getOperand(1)));
        sizes && broadcastToSizes(node, x, *sizes))
      return;
  FailureOr<SmallVector<int64_t>> given = node.getIntegers(1);
  if (failed(given))
    return;
  // Both shapes broadcast: a size of 1 in either of them becomes the size in the other. Exporters also write -1 for a
  // size that does not change.
  SmallVector<int64_t> shape(std::max<size_t>(given->size(), getRank(x)), 1);
  llvm::copy(*given, shape.end() - given->size());
  for (auto [dim, own] : llvm::zip(MutableArrayRef(shape).take_back(getRank(x)), getShape(x)))
    if (dim == 1 || dim == -1)
      dim = own;
  bool isShape = llvm::all_of(shape, [](int64_t dim) { return dim >= 0; });
  llvm::Expected<nn::Shape> together = nn::broadcastShapes({getShape(x), shape});
  if (isShape && together && Ints(*together) == Ints(shape)) {
    if (node.checkFits(shape))
      node.setResult(node.nn.broadcast(x, shape));
    return;
  }
  llvm::consumeError(together.takeError());
  node.error() << node.nameOf(1) << " must broadcast with " << node.nameOf(0) << ", but is [" << Ints(*given)
               << "] for " << describe(x) << "; make their sizes along each axis, counted from the last, equal or 1";
}

/// Returns the number of repetitions of each axis. Before version 6, only one axis was repeated. Two values of any type
/// were its repetitions and its index.
FailureOr<SmallVector<int64_t>> readRepeats(OperandBinder &node) {
  if (node.getVersion() >= 6)
    return node.getIntegers(1);
  FailureOr<double> tiles = node.getNumber(1), given = node.getNumber(2);
  if (failed(tiles) || failed(given))
    return failure();
  if (!(std::abs(*given) <= maxRank) || !(*tiles >= 0 && *tiles <= INT32_MAX))
    return node.error() << node.nameOf(1) << " must be a number of 0 or more and " << node.nameOf(2)
                        << " an axis, but are " << describeNumber(*tiles) << " and " << describeNumber(*given);
  FailureOr<int64_t> axis = node.getAxis(static_cast<int64_t>(*given), getRank(node.getOperand(0)));
  if (failed(axis))
    return failure();
  SmallVector<int64_t> repeats(getRank(node.getOperand(0)), 1);
  repeats[*axis] = static_cast<int64_t>(*tiles);
  return repeats;
}

void importTile(OperandBinder &node) {
  if (node.getVersion() >= 6 && repeatBySizes(node))
    return;
  FailureOr<SmallVector<int64_t>> repeats = readRepeats(node);
  if (succeeded(repeats))
    repeatAxes(node, *repeats);
}

} // namespace

void registerShapes(ImportRegistry &registry) {
  registry.add("DepthToSpace", 1, {{"input"}}, importDepthToSpace);
  registry.add("Expand", 8, {{"input", Holds::Stored}, {"shape", Holds::Integers}}, importExpand);
  registry.add("Flatten", 1, {{"input", Holds::Stored}}, importFlatten);
  registry.add("Reshape", 1, {{"data", Holds::Stored}}, importReshape);
  registry.add("Reshape", 5, {{"data", Holds::Stored}, {"shape", Holds::Integers}}, importReshape);
  registry.add("Shape", 1, {{"data", Holds::Stored}}, importShape);
  registry.add("Size", 1, {{"data", Holds::Stored}}, importSize);
  registry.add("SpaceToDepth", 1, {{"input"}}, importSpaceToDepth);
  registry.add("Squeeze", 1, {{"data", Holds::Stored}, {"axes?", Holds::Integers}}, importSqueeze);
  registry.add("Tile", 1, {{"input"}, {"tiles", Holds::Numbers}, {"axis", Holds::Numbers}}, importTile);
  registry.add("Tile", 6, {{"input"}, {"repeats", Holds::Integers}}, importTile);
  registry.add("Transpose", 1, {{"data", Holds::Stored}}, importTranspose);
  registry.add("Unsqueeze", 1, {{"data", Holds::Stored}, {"axes?", Holds::Integers}}, importUnsqueeze);
}

} // namespace nacre::importer::onnx_format
