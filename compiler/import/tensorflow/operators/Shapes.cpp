// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that return shapes, change shapes, and create constants.
//
// How:  1. shapes of operands,
//       2. operators that reshape, reorder or repeat elements,
//       3. constants,
//       4. lists of integers, which graphs use to compute shapes.

#include "compiler/import/operands/Shapes.h"
#include "compiler/import/compositions/Tables.h"
#include "compiler/import/tensorflow/arrays/Rows.h"
#include "compiler/import/tensorflow/operands/IndexType.h"
#include "compiler/import/tensorflow/operators/Handlers.h"
#include "dialects/NumberText.h"

#include <array>
#include <cmath>

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Shapes of operands
//===----------------------------------------------------------------------===//

void importShape(OperandBinder &node) {
  node.ignore({"N"});
  Type type = readIndexType(node, "out_type");
  if (!type)
    return;
  for (auto [index, operand] : llvm::enumerate(node.getOperands()))
    if (node.wantsResult(index))
      node.setResult(index, node.nn.cast(node.nn.sizesOf(operand, 0, getRank(operand)), type));
}

void setScalar(OperandBinder &node, Type type, int64_t value) {
  auto attribute = DenseElementsAttr::get(RankedTensorType::get({}, type), IntegerAttr::get(type, value));
  node.setResult(node.nn.constant(attribute));
}

void importSize(OperandBinder &node) {
  if (Type type = readIndexType(node, "out_type"))
    setScalar(node, type, getType(node.getOperand(0)).getNumElements());
}

void importRank(OperandBinder &node) { setScalar(node, node.nn.types().getI32Type(), getRank(node.getOperand(0))); }

//===----------------------------------------------------------------------===//
// 2. The same elements
//===----------------------------------------------------------------------===//

void importReshape(OperandBinder &node) {
  FailureOr<SmallVector<int64_t>> shape = node.getIntegers(1);
  if (succeeded(shape))
    reshapeOperand(node, node.nameOf(1), std::move(*shape), /*zeroIsZero=*/true);
}

/// Imports Squeeze: removes the listed axes of size 1, or all axes of size 1 if the node lists no axes.
void importSqueeze(OperandBinder &node) {
  SmallVector<int64_t> axes = node.getInts(node.has("axis") ? "axis" : "squeeze_dims");
  removeAxes(node, axes.empty() ? std::nullopt : std::optional<Ints>(axes));
}

//===----------------------------------------------------------------------===//
// 3. Constants
//===----------------------------------------------------------------------===//

void importFill(OperandBinder &node) {
  node.ignore({"index_type"});
  if (Value dims = node.getOperand(0); !getConstant(dims) && node.checkShape(1, {}, "one element"))
    if (std::optional<SmallVector<Size>> sizes = node.nn.readSizes(dims);
        sizes && llvm::none_of(*sizes, [](const Size &size) { return size.bound < 0; }) &&
        broadcastToSizes(node, node.getOperand(1), *sizes))
      return;
  FailureOr<SmallVector<int64_t>> shape = readShape(node, 0);
  if (succeeded(shape) && node.checkShape(1, {}, "one element"))
    node.setResult(node.nn.broadcast(node.getOperand(1), *shape));
}

void importEmpty(OperandBinder &node) {
  node.ignore({"init"});
  Type type = node.getType("dtype", node.nn.types().getF32Type());
  FailureOr<SmallVector<int64_t>> shape = readShape(node, 0);
  if (succeeded(shape))
    node.setResult(node.nn.splat(RankedTensorType::get(*shape, type), 0));
}

void importLike(OperandBinder &node, double value) {
  Value like = node.getOperand(0);
  node.setResult(node.nn.splat(getType(like), value));
}

/// Returns the number of elements of the sequence from `start` to before `limit`, in steps of `delta`. Fails after an
/// error.
FailureOr<int64_t> countRange(OperandBinder &node, double start, double limit, double delta) {
  double count = std::max(std::ceil((limit - start) / delta), 0.0);
  if (delta != 0 && count < 1e15)
    return static_cast<int64_t>(count);
  return node.error() << "must have a finite number of elements, but goes from " << describeNumber(start) << " to "
                      << describeNumber(limit) << " in steps of " << describeNumber(delta);
}

void importRange(OperandBinder &node) {
  if (countToSize(node))
    return;
  FailureOr<double> start = node.getNumber(0), limit = node.getNumber(1), delta = node.getNumber(2);
  if (failed(start) || failed(limit) || failed(delta))
    return;
  FailureOr<int64_t> count = countRange(node, *start, *limit, *delta);
  if (failed(count))
    return;
  auto type = RankedTensorType::get(*count, getElementType(node.getOperand(0)));
  if (isFloat(node.getOperand(0)))
    node.setResult(
        makeTable<double>(node.nn, type, [&](int64_t index) { return *start + static_cast<double>(index) * *delta; }));
  else
    node.setResult(makeTable<int64_t>(node.nn, type, [&](int64_t index) {
      return static_cast<int64_t>(*start) + index * static_cast<int64_t>(*delta);
    }));
}

/// Imports LinSpace. The last element exactly equals `stop`.
void importLinSpace(OperandBinder &node) {
  FailureOr<double> start = node.getNumber(0), stop = node.getNumber(1);
  FailureOr<int64_t> count = node.getInteger(2);
  if (failed(start) || failed(stop) || failed(count))
    return;
  if (*count < 1) {
    node.error() << node.nameOf(2) << " must be 1 or more, but is " << *count;
    return;
  }
  double step = *count > 1 ? (*stop - *start) / static_cast<double>(*count - 1) : 0;
  auto type = RankedTensorType::get(*count, getElementType(node.getOperand(0)));
  node.setResult(makeTable<double>(node.nn, type, [&](int64_t index) {
    return index > 0 && index == *count - 1 ? *stop : *start + static_cast<double>(index) * step;
  }));
}

//===----------------------------------------------------------------------===//
// 4. Lists of integers
//===----------------------------------------------------------------------===//

/// Returns integers as a tensor of `type`. The type can represent them, because they come from values of this type.
Value makeIntegers(OperandBinder &node, Ints values, Type type) { return node.nn.cast(node.nn.integers(values), type); }

/// Returns the integers in both operands. Fails after an error.
FailureOr<std::pair<SmallVector<int64_t>, SmallVector<int64_t>>> readTwoLists(OperandBinder &node) {
  FailureOr<SmallVector<int64_t>> first = node.getIntegers(0), second = node.getIntegers(1);
  if (failed(first) || failed(second))
    return failure();
  return std::pair(std::move(*first), std::move(*second));
}

void importBroadcastArgs(OperandBinder &node) {
  auto shapes = readTwoLists(node);
  if (failed(shapes))
    return;
  llvm::Expected<nn::Shape> together = nn::broadcastShapes({shapes->first, shapes->second});
  if (!checkRule(node, together ? llvm::Expected<nn::Shape>(*together) : together.takeError()))
    return;
  node.setResult(makeIntegers(node, *together, getElementType(node.getOperand(0))));
}

/// Imports BroadcastGradientArgs: for each of the two shapes, the axes along which it is broadcast.
void importBroadcastGradientArgs(OperandBinder &node) {
  auto shapes = readTwoLists(node);
  if (failed(shapes))
    return;
  llvm::Expected<nn::Shape> together = nn::broadcastShapes({shapes->first, shapes->second});
  if (!checkRule(node, together ? llvm::Expected<nn::Shape>(*together) : together.takeError()))
    return;
  auto rank = static_cast<int64_t>(together->size());
  const std::array operands{ArrayRef(shapes->first), ArrayRef(shapes->second)};
  for (auto [index, shape] : llvm::enumerate(operands)) {
    SmallVector<int64_t> axes;
    for (int64_t axis = 0, ahead = rank - static_cast<int64_t>(shape.size()); axis < rank; ++axis)
      if (axis < ahead || (shape[axis - ahead] == 1 && (*together)[axis] != 1))
        axes.push_back(axis);
    node.setResult(index, makeIntegers(node, axes, getElementType(node.getOperand(0))));
  }
}

void importInvertPermutation(OperandBinder &node) {
  FailureOr<SmallVector<int64_t>> given = node.getIntegers(0);
  if (failed(given))
    return;
  FailureOr<SmallVector<int64_t>> axes = node.getAxes(*given, static_cast<int64_t>(given->size()));
  if (failed(axes))
    return;
  SmallVector<int64_t> inverse(axes->size());
  for (auto [position, axis] : llvm::enumerate(*axes))
    inverse[axis] = static_cast<int64_t>(position);
  node.setResult(makeIntegers(node, inverse, getElementType(node.getOperand(0))));
}

/// Imports ListDiff: the elements of the first list that are not in the second list, and their indices.
void importListDiff(OperandBinder &node) {
  Type indexType = readIndexType(node, "out_idx");
  if (!indexType)
    return;
  auto lists = readTwoLists(node);
  if (failed(lists))
    return;
  llvm::DenseSet<int64_t> left(lists->second.begin(), lists->second.end());
  SmallVector<int64_t> kept, positions;
  for (auto [position, value] : llvm::enumerate(lists->first)) {
    if (left.contains(value))
      continue;
    kept.push_back(value);
    positions.push_back(static_cast<int64_t>(position));
  }
  node.setResult(0, makeIntegers(node, kept, getElementType(node.getOperand(0))));
  node.setResult(1, makeIntegers(node, positions, indexType));
}

/// Imports UnravelIndex: converts linear indices of elements to coordinates. The result has one row for each size in
/// operand 1.
void importUnravelIndex(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  FailureOr<SmallVector<int64_t>> sizes = node.getIntegers(1);
  if (failed(sizes) || !node.checkRank(0, 0, 1) || !node.checkRank(1, 1, 1))
    return;
  if (sizes->empty() || llvm::any_of(*sizes, [](int64_t size) { return size < 1; })) {
    node.error() << node.nameOf(1) << " must hold sizes of 1 or more, but holds [" << Ints(*sizes) << "]";
    return;
  }
  if (!node.checkFits(*sizes, "the tensor"))
    return;
  Value index = node.getOperand(0);
  SmallVector<int64_t> one(getShape(index));
  one.insert(one.begin(), 1);
  SmallVector<Value> rows;
  int64_t apart = 1;
  for (int64_t size : llvm::reverse(*sizes)) {
    Value row = nn.div(index, static_cast<double>(apart));
    rows.push_back(nn.reshape(nn.binary(nn::BinaryKind::Mod, row, static_cast<double>(size)), one));
    apart *= size;
  }
  std::reverse(rows.begin(), rows.end());
  node.setResult(llvm::is_contained(rows, Value()) ? Value() : nn.concat(rows, 0));
}

/// Imports ConcatOffset: the coordinates at which each part of a concatenation starts. They are 0 except along the
/// axis.
void importConcatOffset(OperandBinder &node) {
  node.ignore({"N"});
  FailureOr<int64_t> given = node.getInteger(0);
  if (failed(given))
    return;
  int64_t begin = 0;
  for (size_t index = 1; index < node.getNumOperands(); ++index) {
    FailureOr<SmallVector<int64_t>> shape = node.getIntegers(index);
    if (failed(shape))
      return;
    FailureOr<int64_t> axis = node.getAxis(*given, static_cast<int64_t>(shape->size()));
    if (failed(axis))
      return;
    SmallVector<int64_t> offset(shape->size(), 0);
    offset[*axis] = begin;
    begin = static_cast<int64_t>(uint64_t(begin) + uint64_t((*shape)[*axis]));
    node.setResult(index - 1, makeIntegers(node, offset, node.nn.types().getI32Type()));
  }
}

} // namespace

void registerShapes(ImportRegistry &registry) {
  registry.add("Shape", 1, {{"input"}}, importShape);
  registry.add("ShapeN", 1, {{"input..."}}, importShape);
  registry.add("Size", 1, {{"input"}}, importSize);
  registry.add("Rank", 1, {{"input"}}, importRank);
  registry.add("Reshape", 1, {{"tensor"}, {"shape", Holds::Indices}}, importReshape);
  registry.add("ExpandDims", 1, {{"input"}, {"dim", Holds::Indices}}, insertAxis);
  registry.add("Squeeze", 1, {{"input"}}, importSqueeze);
  registry.add("Transpose", 1, {{"x"}, {"perm", Holds::Indices}}, transposeAxes);
  registry.add("Tile", 1, {{"input"}, {"multiples", Holds::Indices}}, repeatOperand);
  registry.add("BroadcastTo", 1, {{"input"}, {"shape", Holds::Indices}}, broadcastOperand);
  registry.add("Fill", 1, {{"dims", Holds::Indices}, {"value"}}, importFill);
  registry.add("Empty", 1, {{"shape", Holds::Indices}}, importEmpty);
  registry.add("ZerosLike", 1, {{"x", Holds::Anything, /*group=*/0, /*mayBeRows=*/true}},
               [](OperandBinder &node) { node.setResult(zerosLike(node, node.getOperand(0))); });
  registry.add("OnesLike", 1, {{"x"}}, [](OperandBinder &node) { importLike(node, 1); });
  registry.add("Range", 1,
               {{"start", Holds::Numbers, 'T'}, {"limit", Holds::Numbers, 'T'}, {"delta", Holds::Numbers, 'T'}},
               importRange);
  registry.add("LinSpace", 1, {{"start", Holds::Floats}, {"stop", Holds::Floats}, {"num", Holds::Indices}},
               importLinSpace);
  const Signature lists{{"x", Holds::Indices, 'T'}, {"y", Holds::Indices, 'T'}};
  registry.add("BroadcastArgs", 1, lists, importBroadcastArgs);
  registry.add("BroadcastGradientArgs", 1, lists, importBroadcastGradientArgs);
  registry.add("ListDiff", 1, lists, importListDiff);
  registry.add("InvertPermutation", 1, {{"x", Holds::Indices}}, importInvertPermutation);
  registry.add("UnravelIndex", 1, {{"indices", Holds::Indices, 'T'}, {"dims", Holds::Indices, 'T'}},
               importUnravelIndex);
  registry.add("ConcatOffset", 1, {{"concat_dim", Holds::Indices}, {"shape...", Holds::Indices}}, importConcatOffset);
}

} // namespace nacre::importer::tensorflow_format
