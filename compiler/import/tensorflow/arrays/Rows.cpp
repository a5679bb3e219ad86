// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements Rows.h.
//
// How:  1. rows, 2. making arrays, 3. one row, 4. several rows, 5. sums.

#include "compiler/import/tensorflow/arrays/Rows.h"
#include "compiler/import/messages/TypeNames.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

constexpr int64_t mostRows = 65536;

SmallVector<int64_t> withRows(int64_t rows, Ints row) {
  SmallVector<int64_t> shape = {rows};
  shape.append(row.begin(), row.end());
  return shape;
}

} // namespace

//===----------------------------------------------------------------------===//
// 1. Rows
//===----------------------------------------------------------------------===//

int64_t countRows(Value array) {
  if (std::optional<ValueRange> list = getList(array))
    return static_cast<int64_t>(list->size());
  return getShape(array)[0];
}

void giveCount(OperandBinder &node, Value array) {
  Value count = node.nn.integers(countRows(array));
  node.setResult(node.nn.reshape(node.nn.cast(count, node.nn.types().getI32Type()), {}));
}

/// Returns the type of all rows, which comes from a written row or from a template. Returns null if the type is
/// unknown.
static RankedTensorType findRowType(Value array, Value rowTemplate) {
  if (std::optional<ValueRange> list = getList(array))
    for (Value row : *list)
      if (isTensor(row))
        return getType(row);
  Value source = isTensor(array) ? array : rowTemplate;
  return source && isTensor(source) && getRank(source) > 0
             ? RankedTensorType::get(getShape(source).drop_front(), getElementType(source))
             : RankedTensorType();
}

/// Returns the row `index` of a list. Returns zeros for a row that was not written.
static Value takeRow(OperandBinder &node, Value array, int64_t index, Value rowTemplate) {
  Value row = (*getList(array))[index];
  if (!isNothing(row))
    return row;
  if (RankedTensorType type = findRowType(array, rowTemplate))
    return node.nn.splat(type, 0);
  node.error() << "row " << index << " must be written before it is read, because its shape is unknown";
  return {};
}

Value templateOf(OperandBinder &node, Value array) {
  RankedTensorType type = findRowType(array, /*rowTemplate=*/Value());
  return type ? makeTemplate(node, type.getShape(), type.getElementType()) : node.nn.nothing();
}

Value joinRows(OperandBinder &node, Value array, Value rowTemplate) {
  if (!array)
    return {};
  if (isTensor(array))
    return array;
  NnBuilder &nn = node.nn;
  if (ValueRange rows = *getList(array); llvm::any_of(rows, [](Value row) { return getList(row).has_value(); })) {
    SmallVector<Value> joined; // lists of lists become tensors of tensors
    for (Value row : rows)
      if (!joined.emplace_back(getList(row) ? joinRows(node, row, nn.nothing()) : row))
        return {};
    return joinRows(node, nn.list(joined), rowTemplate);
  }
  RankedTensorType type = findRowType(array, rowTemplate);
  if (!type) {
    node.error() << "the rows' shape must be stated by the array or by a written row, but is unknown";
    return {};
  }
  int64_t count = countRows(array);
  if (llvm::all_of(*getList(array), isNothing))
    return nn.splat(RankedTensorType::get(withRows(count, type.getShape()), type.getElementType()), 0);
  if (count > 1 && llvm::all_equal(*getList(array)))
    return nn.broadcast((*getList(array))[0], withRows(count, type.getShape()));
  SmallVector<Value> rows;
  for (int64_t index = 0; index < count; ++index) {
    Value row = takeRow(node, array, index, rowTemplate);
    if (!row)
      return {};
    if (row.getType() != type) {
      node.error() << "the rows must have the same type to become a tensor, but are " << describe(type) << " and "
                   << describe(row);
      return {};
    }
    rows.push_back(nn.reshape(row, withRows(1, type.getShape())));
  }
  return nn.concat(rows, 0);
}

//===----------------------------------------------------------------------===//
// 2. Arrays
//===----------------------------------------------------------------------===//

Value makeArray(OperandBinder &node, int64_t count) {
  if (count < 0 || count > mostRows) {
    node.error() << "an array must have 0 to " << mostRows << " rows, but has " << count;
    return {};
  }
  return node.nn.list(SmallVector<Value>(count, node.nn.nothing()));
}

Value makeTemplate(OperandBinder &node, std::optional<Ints> shape, Type elementType) {
  if (!shape || llvm::any_of(*shape, ShapedType::isDynamic))
    return node.nn.nothing();
  return node.nn.splat(RankedTensorType::get(withRows(0, *shape), elementType), 0);
}

//===----------------------------------------------------------------------===//
// 3. One row
//===----------------------------------------------------------------------===//

/// Returns the index of a row, which is the value of the operand `index`, or nullopt if it is only known at run time.
/// Fails after an error.
static FailureOr<std::optional<int64_t>> findPlace(OperandBinder &node, size_t index, int64_t count) {
  if (!node.checkRank(index, 0, 0))
    return failure();
  if (!getConstant(node.getOperand(index)))
    return std::optional<int64_t>();
  FailureOr<int64_t> place = node.getInteger(index);
  if (failed(place))
    return failure();
  if (*place < 0 || *place >= count)
    return node.error() << node.nameOf(index) << " must be a row of " << count << ", but is " << *place;
  return std::optional<int64_t>(place);
}

/// Returns the indices of rows as coordinates of shape [rows, 1].
static Value asCoordinates(NnBuilder &nn, Value indices) {
  return nn.reshape(indices, {getType(indices).getNumElements(), 1});
}

Value readRow(OperandBinder &node, Value array, size_t index, Value rowTemplate) {
  NnBuilder &nn = node.nn;
  FailureOr<std::optional<int64_t>> place = findPlace(node, index, countRows(array));
  if (failed(place))
    return {};
  if (*place && !isTensor(array))
    return takeRow(node, array, **place, rowTemplate);
  Value joined = joinRows(node, array, rowTemplate);
  return joined ? nn.gather(joined, node.getOperand(index), 0) : Value();
}

/// True if `written`, whose rows have the shape `row`, matches the rows of `joined`. Otherwise, reports an error.
static bool checkRow(OperandBinder &node, Value joined, Ints row, Value written) {
  if (getShape(joined).drop_front() == row && getElementType(joined) == getElementType(written))
    return true;
  node.error() << "a written row must match the other rows, [" << getShape(joined).drop_front() << "] of "
               << getTypeName(getElementType(joined)) << ", but is " << describe(written);
  return false;
}

Value writeRow(OperandBinder &node, Value array, size_t index, Value row) {
  NnBuilder &nn = node.nn;
  FailureOr<std::optional<int64_t>> place = findPlace(node, index, getList(array) ? mostRows : countRows(array));
  if (failed(place))
    return {};
  if (std::optional<ValueRange> list = getList(array); list && *place) {
    SmallVector<Value> rows(list->begin(), list->end());
    rows.resize(std::max<int64_t>(countRows(array), **place + 1), nn.nothing()); // the array may grow
    rows[**place] = row;
    return nn.list(rows);
  }
  Value rowTemplate = makeTemplate(node, getShape(row), getElementType(row));
  Value joined = joinRows(node, array, rowTemplate);
  if (!joined)
    return {};
  if (!checkRow(node, joined, getShape(row), row))
    return {};
  Value update = nn.reshape(row, withRows(1, getShape(row)));
  return nn.infer<nn::ScatterNdOp>(nn::ScatterKind::Set, joined, asCoordinates(nn, node.getOperand(index)), update);
}

//===----------------------------------------------------------------------===//
// 4. Several rows
//===----------------------------------------------------------------------===//

/// Returns the elements of the operand `index`, which must be indices of rows, or nullopt if they are only known at run
/// time. Fails after an error.
static FailureOr<std::optional<SmallVector<int64_t>>> findPlaces(OperandBinder &node, size_t index, int64_t count) {
  if (!node.checkRank(index, 1, 1))
    return failure();
  if (!getConstant(node.getOperand(index)))
    return std::optional<SmallVector<int64_t>>();
  FailureOr<SmallVector<int64_t>> places = node.getIntegers(index);
  if (failed(places))
    return failure();
  for (int64_t place : *places)
    if (place < 0 || place >= count)
      return node.error() << node.nameOf(index) << " must be rows of " << count << ", but has " << place;
  return std::optional<SmallVector<int64_t>>(places);
}

static bool isIdentity(Ints places, int64_t count) {
  return static_cast<int64_t>(places.size()) == count && llvm::equal(places, llvm::seq<int64_t>(0, count));
}

Value gatherRows(OperandBinder &node, Value array, size_t index, Value rowTemplate) {
  NnBuilder &nn = node.nn;
  auto places = findPlaces(node, index, countRows(array));
  if (failed(places))
    return {};
  if (*places && getList(array)) {
    SmallVector<Value> rows;
    for (int64_t place : **places)
      rows.push_back((*getList(array))[place]);
    return joinRows(node, nn.list(rows), rowTemplate);
  }
  Value joined = joinRows(node, array, rowTemplate);
  if (!joined || (*places && isIdentity(**places, countRows(array))))
    return joined;
  return nn.gather(joined, node.getOperand(index), 0);
}

Value scatterRows(OperandBinder &node, Value array, size_t index, Value values) {
  NnBuilder &nn = node.nn;
  int64_t count = countRows(array), numValues = getShape(values)[0];
  auto places = findPlaces(node, index, getList(array) ? mostRows : count);
  if (failed(places))
    return {};
  if (getType(node.getOperand(index)).getNumElements() != numValues) {
    node.error() << node.nameOf(index) << " must name one row for each of " << numValues << " values, but is "
                 << describe(node.getOperand(index));
    return {};
  }
  if (*places && isIdentity(**places, std::max(count, numValues)))
    return values;
  Value rowTemplate = nn.slice(values, 0, 0, 0);
  if (*places && getList(array)) {
    SmallVector<Value> rows(getList(array)->begin(), getList(array)->end());
    for (auto [row, place] : llvm::enumerate(**places)) {
      rows.resize(std::max<int64_t>(static_cast<int64_t>(rows.size()), place + 1), nn.nothing());
      rows[place] = nn.reshape(nn.slice(values, 0, static_cast<int64_t>(row), 1), getShape(values).drop_front());
    }
    return nn.list(rows);
  }
  Value joined = joinRows(node, array, rowTemplate);
  if (!joined || !checkRow(node, joined, getShape(values).drop_front(), values))
    return {};
  return nn.infer<nn::ScatterNdOp>(nn::ScatterKind::Set, joined, asCoordinates(nn, node.getOperand(index)), values);
}

FailureOr<SmallVector<Value>> takeRows(OperandBinder &node, Value array, Value rowTemplate) {
  int64_t count = countRows(array);
  if (count > mostRows)
    return node.error() << "an array must have at most " << mostRows << " rows, but has " << count;
  SmallVector<Value> rows;
  for (int64_t index = 0; index < count; ++index) {
    rows.push_back(isTensor(array) ? node.nn.reshape(node.nn.slice(array, 0, index, 1), getShape(array).drop_front())
                                   : takeRow(node, array, index, rowTemplate));
    if (!rows.back())
      return failure();
  }
  return rows;
}

void concatRows(OperandBinder &node, Value array, Value rowTemplate) {
  NnBuilder &nn = node.nn;
  FailureOr<SmallVector<Value>> rows = takeRows(node, array, rowTemplate);
  if (failed(rows))
    return;
  if (rows->empty()) {
    node.error() << "the array must have rows to join, but is empty";
    return;
  }
  SmallVector<int64_t> lengths;
  for (Value row : *rows) {
    Value first = rows->front();
    bool fits = getRank(row) > 0 && getElementType(row) == getElementType(first) && getRank(row) == getRank(first) &&
                getShape(row).drop_front() == getShape(first).drop_front();
    if (!fits) {
      node.error() << "the rows must have a first axis to join, and the same sizes along the others, but are "
                   << describe(first) << " and " << describe(row);
      return;
    }
    lengths.push_back(getShape(row)[0]);
  }
  node.setResult(0, nn.concat(*rows, 0));
  node.setResult(1, nn.integers(lengths));
}

Value splitRows(OperandBinder &node, Value values, size_t lengthsIndex) {
  NnBuilder &nn = node.nn;
  FailureOr<SmallVector<int64_t>> lengths = node.getIntegers(lengthsIndex);
  if (failed(lengths))
    return {};
  int64_t start = 0, size = getRank(values) ? getShape(values)[0] : -1;
  SmallVector<Value> rows;
  for (int64_t length : *lengths) {
    if (length < 0 || length > size - start)
      break;
    rows.push_back(nn.slice(values, 0, start, length));
    start += length;
  }
  if (rows.size() == lengths->size() && start == size && size <= mostRows)
    return nn.list(rows);
  node.error() << node.nameOf(lengthsIndex) << " must add up to the " << describeCount(size, "element")
               << " of the first axis, but is [" << Ints(*lengths) << "]";
  return {};
}

//===----------------------------------------------------------------------===//
// 5. Sums
//===----------------------------------------------------------------------===//

/// True if the operation writes one row into an array of zeros. The gradient of reading a row has this form.
static bool isRowAmongZeros(nn::ScatterNdOp written) {
  ElementsAttr zeros = getConstant(written.getOperand());
  return written.getKind() == nn::ScatterKind::Set && getType(written.getIndices()).getNumElements() == 1 && zeros &&
         zeros.isSplat() && isa<FloatType>(zeros.getElementType()) && zeros.getSplatValue<APFloat>().isZero();
}

Value addArrays(OperandBinder &node, Value left, Value right) {
  if (isNothing(left) || isNothing(right))
    return isNothing(left) ? right : left;
  if (std::optional<ValueRange> rows = getList(left), others = getList(right); rows && others) {
    if (rows->size() != others->size()) {
      node.error() << "the arrays must have the same number of rows to be added, but have " << rows->size() << " and "
                   << others->size();
      return {};
    }
    SmallVector<Value> sums;
    for (auto [row, other] : llvm::zip_equal(*rows, *others))
      if (!sums.emplace_back(addArrays(node, row, other)))
        return {};
    return node.nn.list(sums);
  }
  if (isTensor(left) != isTensor(right)) {
    Value &array = isTensor(left) ? right : left, tensor = isTensor(left) ? left : right;
    array = joinRows(node, array, node.nn.slice(tensor, 0, 0, 0));
    if (!array)
      return {};
  }
  if (left.getType() != right.getType()) {
    node.error() << "arrays must hold the same to be added, but hold " << describe(left) << " and " << describe(right);
    return {};
  }
  for (bool isLeft : {false, true})
    if (auto written = (isLeft ? left : right).getDefiningOp<nn::ScatterNdOp>(); written && isRowAmongZeros(written))
      return node.nn.infer<nn::ScatterNdOp>(nn::ScatterKind::Add, isLeft ? right : left, written.getIndices(),
                                            written.getUpdates());
  return node.nn.add(left, right);
}

Value zerosLike(OperandBinder &node, Value value) {
  if (std::optional<ValueRange> rows = getList(value))
    return node.nn.list(llvm::map_to_vector(*rows, [&](Value row) { return zerosLike(node, row); }));
  return isTensor(value) ? node.nn.splat(getType(value), 0) : value;
}

} // namespace nacre::importer::tensorflow_format
