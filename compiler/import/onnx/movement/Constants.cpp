// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that make constants, and Identity.

#include "compiler/import/onnx/movement/Handlers.h"
#include "compiler/import/onnx/operands/TypeAttribute.h"
#include "compiler/import/operands/Shapes.h"
#include "dialects/NumberText.h"

#include "dialects/StoredBytes.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/shapes/ShapeRules.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <cmath>

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

void importConstant(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Builder &types = nn.types();
  if (ElementsAttr value = node.has("sparse_value") ? node.getTensor("sparse_value") : node.getTensor("value")) {
    node.setResult(nn.constant(value));
  } else if (node.has("value_int")) {
    auto type = RankedTensorType::get({}, types.getI64Type());
    node.setResult(nn.constant(DenseElementsAttr::get(type, node.getInt("value_int", 0))));
  } else if (node.has("value_ints")) {
    node.setResult(nn.integers(node.getInts("value_ints")));
  } else if (node.has("value_float")) {
    node.setResult(nn.splat(RankedTensorType::get({}, types.getF32Type()), node.getFloat("value_float", 0)));
  } else if (node.has("value_floats")) {
    auto values = llvm::to_vector_of<float>(node.getFloats("value_floats"));
    auto type = RankedTensorType::get(static_cast<int64_t>(values.size()), types.getF32Type());
    node.setResult(nn.constant(DenseElementsAttr::get(type, ArrayRef<float>(values))));
  } else if (!node.hasFailed()) {
    node.error() << "must have an attribute 'value', 'value_int', 'value_ints', 'value_float' or 'value_floats', but "
                    "has none of these; strings are not supported";
  }
}

void importConstantOfShape(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  ElementsAttr value = node.getTensor("value");
  if (value && value.getNumElements() != 1) {
    node.error() << "attribute 'value' must have one element, but has " << value.getNumElements();
    return;
  }
  Value element =
      value ? nn.reshape(nn.constant(value), {}) : nn.splat(RankedTensorType::get({}, nn.types().getF32Type()), 0);
  if (!getConstant(node.getOperand(0)))
    if (std::optional<SmallVector<Size>> sizes = nn.readSizes(node.getOperand(0));
        sizes && llvm::none_of(*sizes, [](const Size &size) { return size.bound < 0; }) &&
        broadcastToSizes(node, element, *sizes))
      return;
  FailureOr<SmallVector<int64_t>> shape = readShape(node, 0);
  if (succeeded(shape))
    node.setResult(nn.broadcast(element, *shape));
}

/// Returns a constant of `type`, or null after an error. `makeElement` computes an element from its index.
template <typename T, typename Make> Value makeConstant(OperandBinder &node, RankedTensorType type, Make makeElement) {
  int64_t count = type.getNumElements();
  if (!node.allowsConstant(count, bytesOfElement(type.getElementType())))
    return {};
  nn::ConstantBuilder builder(type);
  for (int64_t index = 0; index < count; ++index) {
    T element = makeElement(index);
    builder.write(index, ArrayRef<T>(element));
  }
  return node.nn.constant(std::move(builder).take());
}

/// Reads the element of each of Range's operands by `read`. Returns `nullopt` after an error.
template <typename T, typename Read> std::optional<std::array<T, 3>> readBounds(OperandBinder &node, Read read) {
  std::array<T, 3> bounds;
  for (size_t index = 0; index < 3; ++index) {
    FailureOr<T> element = read(index);
    if (failed(element))
      return std::nullopt;
    bounds[index] = *element;
  }
  if (bounds[2] == 0) {
    node.error() << node.nameOf(2) << " must not be 0, but is";
    return std::nullopt;
  }
  return bounds;
}

void importIntegerRange(OperandBinder &node) {
  auto bounds = readBounds<int64_t>(node, [&](size_t index) { return node.getInteger(index); });
  if (!bounds)
    return;
  // The types are unsigned, because they can hold the difference of any two integers, and wrapping is defined.
  auto [start, limit, delta] = *bounds;
  uint64_t distance = delta > 0 ? uint64_t(limit) - uint64_t(start) : uint64_t(start) - uint64_t(limit);
  uint64_t step = delta > 0 ? uint64_t(delta) : -uint64_t(delta);
  bool isEmpty = delta > 0 ? limit <= start : limit >= start;
  uint64_t count = isEmpty ? 0 : (distance - 1) / step + 1;
  auto type = RankedTensorType::get(static_cast<int64_t>(std::min<uint64_t>(count, INT64_MAX)),
                                    getElementType(node.getOperand(0)));
  node.setResult(makeConstant<int64_t>(node, type, [first = uint64_t(start), delta = uint64_t(delta)](int64_t index) {
    return static_cast<int64_t>(first + uint64_t(index) * delta);
  }));
}

void importFloatRange(OperandBinder &node) {
  node.ignore({"stash_type"}); // computed with more digits than any type has
  auto bounds = readBounds<double>(node, [&](size_t index) { return node.getNumber(index); });
  if (!bounds)
    return;
  auto [start, limit, delta] = *bounds;
  double count = std::max(std::ceil((limit - start) / delta), 0.0);
  if (!(count < 1e15)) {
    node.error() << "must have a finite number of elements, but goes from " << describeNumber(start) << " to "
                 << describeNumber(limit) << " in steps of " << describeNumber(delta);
    return;
  }
  auto type = RankedTensorType::get(static_cast<int64_t>(count), getElementType(node.getOperand(0)));
  node.setResult(makeConstant<double>(node, type, [start = start, delta = delta](int64_t index) {
    return start + static_cast<double>(index) * delta;
  }));
}

void importRange(OperandBinder &node) {
  if (countToSize(node))
    return;
  if (isFloat(node.getOperand(0)))
    importFloatRange(node);
  else
    importIntegerRange(node);
}

void importEyeLike(OperandBinder &node) {
  Value like = node.getOperand(0);
  Type elementType = readElementType(node, "dtype", getElementType(like));
  if (!elementType || !node.checkRank(0, 2, 2))
    return;
  int64_t diagonal = node.getInt("k", 0), columns = getShape(like)[1];
  node.setResult(
      makeConstant<int64_t>(node, RankedTensorType::get(getShape(like), elementType),
                            [&](int64_t index) -> int64_t { return index % columns - index / columns == diagonal; }));
}

/// Keeps one triangle of the last two axes, from the diagonal in operand 1 on.
void importTrilu(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), diagonal = node.getOperand(1);
  bool isUpper = node.getFlag("upper", true);
  if (!node.checkRank(0, 2))
    return;
  if (diagonal && getType(diagonal).getNumElements() != 1) {
    node.error() << node.nameOf(1) << " must have one element, but is " << describe(diagonal);
    return;
  }
  Ints matrix = getShape(x).take_back(2);
  Type i64 = nn.types().getI64Type();
  Value rows = nn.reshape(nn.counting(matrix[0]), {matrix[0], 1}), columns = nn.counting(matrix[1]);
  Value least = diagonal ? nn.add(rows, nn.reshape(nn.cast(diagonal, i64), {})) : rows;
  Value isKept = nn.binary(isUpper ? nn::BinaryKind::GreaterEqual : nn::BinaryKind::LessEqual, columns, least);
  node.setResult(nn.select(isKept, x, nn.scalar(x, 0)));
}

/// Reads the number of classes, which a run may decide. Returns `nullopt` after an error.
std::optional<Size> readDepth(OperandBinder &node) {
  Value depth = node.getOperand(1);
  if (depth && !getConstant(depth) && getType(depth).getNumElements() == 1)
    if (std::optional<SmallVector<Size>> sizes = node.nn.readSizes(depth))
      return sizes->front();
  FailureOr<double> given = node.getNumber(1);
  if (failed(given))
    return std::nullopt;
  if (*given >= 0 && *given < 1e9)
    return Size{static_cast<int64_t>(*given), Value()};
  node.error() << node.nameOf(1) << " must be a number of classes from 0 to 1e9, but is " << describeNumber(*given);
  return std::nullopt;
}

void importOneHot(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  const std::optional<Size> size = readDepth(node);
  if (!size)
    return;
  const int64_t depth = size->bound;
  Value indices = nn.cast(node.getOperand(0), nn.types().getI64Type());
  int64_t rank = getRank(node.getOperand(0)) + 1;
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", -1), rank);
  if (failed(axis) || !indices)
    return;
  if (!node.checkShape(2, 2, "the off and on values"))
    return;
  Value fromEnd = size->count ? nn.add(indices, size->count) : nn.add(indices, static_cast<double>(depth));
  Value wrapped = nn.select(nn.binary(nn::BinaryKind::Less, indices, 0.0), fromEnd, indices);
  SmallVector<int64_t> shape(getShape(indices));
  shape.insert(shape.begin() + *axis, depth);
  if (!node.checkFits(shape))
    return;
  shape[*axis] = 1;
  Value classes = makeConstant<int64_t>(node, RankedTensorType::get(depth, nn.types().getI64Type()),
                                        [](int64_t index) { return index; });
  Value isClass = nn.binary(nn::BinaryKind::Equal, nn.reshape(wrapped, shape), nn.alignToAxis(classes, *axis, rank));
  Value off = nn.reshape(nn.slice(node.getOperand(2), 0, 0, 1), {});
  Value on = nn.reshape(nn.slice(node.getOperand(2), 0, 1, 1), {});
  Value codes = nn.select(isClass, on, off);
  node.setResult(size->count ? nn.limit(codes, *axis, size->count) : codes);
}

void importIdentity(OperandBinder &node) { node.setResult(node.getOperand(0)); }

} // namespace

void registerConstants(ImportRegistry &registry) {
  registry.add("Constant", 1, {}, importConstant);
  registry.setLimit("Constant", "strings");
  registry.add("ConstantOfShape", 9, {{"input", Holds::Integers}}, importConstantOfShape);
  registry.add("EyeLike", 9, {{"input"}}, importEyeLike);
  registry.add("Identity", 1, {{"input", Holds::AnyValue}}, importIdentity);
  registry.add("OneHot", 9, {{"indices", Holds::Numbers}, {"depth", Holds::Numbers}, {"values"}}, importOneHot);
  registry.add("Range", 11,
               {{"start", Holds::Numbers, 'T'}, {"limit", Holds::Numbers, 'T'}, {"delta", Holds::Numbers, 'T'}},
               importRange);
  registry.add("Trilu", 14, {{"input"}, {"k?", Holds::Integers}}, importTrilu);
}

} // namespace nacre::importer::onnx_format
