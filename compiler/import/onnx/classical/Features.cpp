// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators on features of rows: they select, join, compare or replace features. Replacements use tables of values.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/classical/Handlers.h"
#include "compiler/import/onnx/classical/Scores.h"

#include <cmath>
#include <set>

using namespace mlir;

namespace nacre::importer::onnx_format::classical {
namespace {

using nn::BinaryKind;
using nn::ReduceKind;
using nn::UnaryKind;

//===----------------------------------------------------------------------===//
// 1. Selections
//===----------------------------------------------------------------------===//

/// Selects columns of the last axis. If there are no other axes, the result has one row.
void importArrayFeatureExtractor(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), columns = node.getOperand(1);
  if (!node.checkRank(0, 1))
    return;
  const int64_t count = getType(columns).getNumElements();
  SmallVector<int64_t> shape(getShape(x));
  if (shape.back() == 0) {
    node.error() << node.nameOf(0) << " must have columns to select from, but is " << describe(x);
    return;
  }
  shape.back() = count;
  if (shape.size() == 1)
    shape.insert(shape.begin(), 1);
  if (node.checkFits(shape))
    node.setResult(nn.reshape(nn.gather(x, nn.reshape(columns, count), getRank(x) - 1), shape));
}

/// Joins columns of all operands. 'inputdimensions' has the number of columns of each. Missing columns are zeros.
void importFeatureVectorizer(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  SmallVector<int64_t> widths = node.getSizes("inputdimensions", node.getNumOperands(), 0, 0);
  if (node.hasFailed())
    return;
  SmallVector<Value> parts;
  SmallVector<int64_t> joined;
  for (auto [index, width] : llvm::enumerate(widths)) {
    Value x = node.getOperand(index);
    if (!node.checkRank(index, 1))
      return;
    Value rows = getRank(x) == 1 ? nn.reshape(x, {1, getShape(x)[0]}) : toMatrix(nn, x, 1);
    if (!rows)
      return;
    const int64_t given = getShape(rows)[1], height = getShape(rows)[0];
    if (joined.empty())
      joined = {height, 0};
    if (height != joined[0]) {
      node.error() << node.nameOf(index) << " must have " << describeCount(joined[0], "row") << " as operand 0, but is "
                   << describe(x);
      return;
    }
    joined[1] += width;
    if (!node.checkFits(joined))
      return;
    rows = nn.slice(nn.cast(rows, nn.types().getF32Type()), 1, 0, std::min(given, width));
    parts.push_back(given < width ? nn.pad(nn::PadMode::Constant, rows, {0, 0}, {0, width - given}, 0) : rows);
  }
  node.setResult(nn.concat(parts, 1));
}

//===----------------------------------------------------------------------===//
// 2. Comparisons
//===----------------------------------------------------------------------===//

/// Returns 1 for elements above 'threshold', and 0 for others.
void importBinarizer(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  node.setResult(nn.cast(nn.binary(BinaryKind::Greater, x, node.getFloat("threshold", 0)), getElementType(x)));
}

/// Reports an error if a value in `numbers` occurs twice.
bool checkDistinct(OperandBinder &node, StringRef name, ArrayRef<int64_t> numbers) {
  std::set<int64_t> known;
  for (int64_t number : numbers)
    if (!known.insert(number).second) {
      node.error() << "attribute '" << name << "' must have different numbers, but has " << number << " twice";
      return false;
    }
  return true;
}

/// Compares `x` with each of `numbers` [count]. The result has an additional axis. NaN equals NaN.
Value compareWithEach(NnBuilder &nn, Value x, Value numbers) {
  if (!x || !numbers)
    return {};
  SmallVector<int64_t> shape(getShape(x));
  shape.push_back(1);
  Value column = nn.reshape(x, shape), equal = nn.binary(BinaryKind::Equal, column, numbers);
  if (!isFloat(x))
    return equal;
  Value areNone = nn.binary(BinaryKind::And, nn.unary(UnaryKind::IsNaN, column), nn.unary(UnaryKind::IsNaN, numbers));
  return nn.binary(BinaryKind::Or, equal, areNone);
}

/// Returns 1 where an element equals a category, and 0 elsewhere. The categories are the last axis.
void importOneHotEncoder(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  SmallVector<int64_t> categories = node.getInts("cats_int64s");
  if (node.has("cats_strings")) {
    node.error() << "attribute 'cats_strings' is not supported: categories must be integers; encode texts before the "
                    "model";
    return;
  }
  if (!node.getFlag("zeros", true)) {
    node.error() << "attribute 'zeros' must be 1, but is 0: a run cannot fail for unknown categories";
    return;
  }
  SmallVector<int64_t> shape(getShape(node.getOperand(0)));
  shape.push_back(static_cast<int64_t>(categories.size()));
  if (!checkDistinct(node, "cats_int64s", categories) || !node.checkRank(0, 0, 2) || !node.checkFits(shape))
    return;
  Value x = nn.cast(node.getOperand(0), nn.types().getI64Type());
  node.setResult(nn.cast(compareWithEach(nn, x, nn.integers(categories)), nn.types().getF32Type()));
}

//===----------------------------------------------------------------------===//
// 3. Replacements
//===----------------------------------------------------------------------===//

/// Replaces one value by others: by one value for each column, or by the same for all.
void importImputer(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  const bool areFloats = isFloat(x);
  SmallVector<double> floats = node.getFloats("imputed_value_floats");
  SmallVector<int64_t> integers = node.getInts("imputed_value_int64s");
  const double replacedFloat = node.getFloat("replaced_value_float", 0);
  const int64_t replacedInteger = node.getInt("replaced_value_int64", 0);
  if (node.hasFailed() || !node.checkRank(0, 1))
    return;
  const auto count = static_cast<int64_t>(areFloats ? floats.size() : integers.size());
  if (count != 1 && (getRank(x) > 2 || count != getShape(x).back())) {
    node.error() << "attribute '" << (areFloats ? "imputed_value_floats" : "imputed_value_int64s")
                 << "' must have 1 number, or one for each column of a matrix, but has " << count << " for "
                 << describe(x);
    return;
  }
  Type type = getElementType(x);
  Value values = areFloats ? makeNumbers(nn, floats, count, type) : nn.cast(nn.integers(integers), type);
  Value isReplaced;
  if (!areFloats)
    isReplaced = nn.binary(BinaryKind::Equal, x, nn.cast(nn.integers(replacedInteger), type));
  else if (std::isnan(replacedFloat))
    isReplaced = nn.unary(UnaryKind::IsNaN, x);
  else
    isReplaced = nn.binary(BinaryKind::Equal, x, replacedFloat);
  node.setResult(nn.select(isReplaced, values, x));
}

/// Returns one list of a table, which is one of several attributes. Returns null after an error.
Value readColumn(OperandBinder &node, StringRef column, Type integer) {
  NnBuilder &nn = node.nn;
  const std::string floats = (column + "_floats").str(), integers = (column + "_int64s").str(),
                    tensor = (column + "_tensor").str();
  if (node.has(floats)) {
    SmallVector<double> numbers = node.getFloats(floats);
    return makeNumbers(nn, numbers, static_cast<int64_t>(numbers.size()), nn.types().getF32Type());
  }
  if (node.has(integers))
    return nn.cast(nn.integers(node.getInts(integers)), integer);
  if (ElementsAttr numbers = node.has(tensor) ? node.getTensor(tensor) : ElementsAttr()) {
    Value value = nn.constant(numbers);
    return value ? nn.reshape(value, getType(value).getNumElements()) : Value();
  }
  if (!node.hasFailed())
    node.error() << "attribute '" << floats << "' or '" << integers << "' must be given, but neither is";
  return {};
}

/// Returns the value for elements that are not keys.
Value readDefault(OperandBinder &node, Type type) {
  NnBuilder &nn = node.nn;
  const double integer = static_cast<double>(node.getInt("default_int64", -1)),
               real = node.getFloat("default_float", -0.0);
  ElementsAttr tensor = node.has("default_tensor") ? node.getTensor("default_tensor") : ElementsAttr();
  if (!tensor)
    return nn.splat(RankedTensorType::get({}, type), isa<FloatType>(type) ? real : integer);
  if (tensor.getNumElements() == 1 && tensor.getElementType() == type)
    return nn.reshape(nn.constant(tensor), {});
  node.error() << "attribute 'default_tensor' must have one element of the type of the values, but has "
               << tensor.getNumElements() << " of type " << getTypeName(tensor.getElementType());
  return {};
}

/// Replaces elements that are keys of a table by the values of these keys.
void importLabelEncoder(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  node.ignore({"default_string"}); // default for values that are strings
  Value keys = readColumn(node, "keys", nn.types().getI64Type());
  Value values = keys ? readColumn(node, "values", nn.types().getI64Type()) : Value();
  if (!values || node.hasFailed())
    return;
  Value otherwise = readDefault(node, getElementType(values));
  const int64_t count = getShape(keys)[0];
  if (count == 0 || getShape(values)[0] != count) {
    node.error() << "keys and values must be as many, at least one, but are " << count << " and "
                 << getShape(values)[0];
    return;
  }
  if (getElementType(keys) != getElementType(x)) {
    node.error() << node.nameOf(0) << " must have the type of the keys, " << getTypeName(getElementType(keys))
                 << ", but is " << describe(x);
    return;
  }
  SmallVector<int64_t> shape(getShape(x));
  shape.push_back(count);
  if (!node.checkFits(shape, "the comparisons with all keys"))
    return;
  const int64_t last = getRank(x);
  Value isKey = nn.cast(compareWithEach(nn, x, keys), nn.types().getI8Type());
  Value place = nn.argReduce(nn::ArgKind::Max, isKey, last, /*keepDims=*/false, /*selectLast=*/false);
  Value isAny = nn.cast(nn.reduce(ReduceKind::Max, isKey, last, /*keepDims=*/false), nn.types().getI1Type());
  node.setResult(nn.select(isAny, nn.gather(values, place, 0), otherwise));
}

} // namespace

void registerFeatures(ImportRegistry &registry) {
  const Signature numbers{{"X", Holds::Numbers}};
  registry.add("ArrayFeatureExtractor", 1, {{"X", Holds::Numbers}, {"Y", Holds::Indices}}, importArrayFeatureExtractor);
  registry.add("Binarizer", 1, numbers, importBinarizer);
  registry.add("FeatureVectorizer", 1, {{"X...", Holds::Numbers}}, importFeatureVectorizer);
  registry.add("Imputer", 1, numbers, importImputer);
  registry.add("LabelEncoder", 2, numbers, importLabelEncoder);
  registry.setLimit("LabelEncoder", "texts");
  registry.add("OneHotEncoder", 1, numbers, importOneHotEncoder);
  registry.setLimit("OneHotEncoder", "texts; an error for unknown categories");
}

} // namespace nacre::importer::onnx_format::classical
