// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagonals and bands of matrices.

#include "compiler/import/compositions/Tables.h"
#include "compiler/import/tensorflow/Handlers.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

/// Where `isIn` holds of row and column: i1 [rows, columns].
template <typename IsIn> Value makeMask(NnBuilder &nn, int64_t rows, int64_t columns, IsIn isIn) {
  auto type = RankedTensorType::get({rows, columns}, nn.types().getI1Type());
  return makeTable<int64_t>(
      nn, type, [&](int64_t index) { return static_cast<int64_t>(isIn(index / columns, index % columns)); });
}

Value diagonalMask(NnBuilder &nn, int64_t rows, int64_t columns) {
  return makeMask(nn, rows, columns, [](int64_t row, int64_t column) { return row == column; });
}

/// `shape` without the last `dropped` sizes, and with `added` behind.
SmallVector<int64_t> replaceLast(Ints shape, size_t dropped, Ints added) {
  SmallVector<int64_t> result(shape.drop_back(dropped));
  result.append(added.begin(), added.end());
  return result;
}

/// `matrices` with `diagonal`, [..., min(rows, columns)], on theirs.
Value setDiagonal(NnBuilder &nn, Value matrices, Value diagonal) {
  if (!matrices || !diagonal)
    return {};
  Ints shape = getShape(matrices);
  int64_t rows = shape[shape.size() - 2], columns = shape.back(), length = std::min(rows, columns);
  // A row of the result takes from one of the diagonal's own length.
  Value row = nn.reshape(diagonal, replaceLast(getShape(diagonal), 1, {1, length}));
  if (length < columns) {
    SmallVector<int64_t> none(shape.size(), 0), behind(shape.size(), 0);
    behind.back() = columns - length;
    row = nn.pad(nn::PadMode::Constant, row, none, behind, 0);
  }
  return nn.select(diagonalMask(nn, rows, columns), row, matrices);
}

/// [..., n] to [..., n, n]
void importMatrixDiag(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  if (!node.checkRank(0, 1))
    return;
  Value diagonal = node.getOperand(0);
  int64_t length = getShape(diagonal).back();
  SmallVector<int64_t> shape = replaceLast(getShape(diagonal), 1, {length, length});
  if (node.checkFits(shape))
    node.setResult(setDiagonal(nn, nn.splat(RankedTensorType::get(shape, getElementType(diagonal)), 0), diagonal));
}

/// [..., rows, columns] to [..., min(rows, columns)]
Value takeDiagonal(NnBuilder &nn, Value matrices) {
  if (!matrices)
    return {};
  Ints shape = getShape(matrices);
  int64_t rows = shape[shape.size() - 2], columns = shape.back(), length = std::min(rows, columns);
  auto axis = static_cast<int64_t>(shape.size()) - 2;
  Value flat = nn.reshape(matrices, replaceLast(shape, 2, {rows * columns}));
  Value places = makeTable<int64_t>(nn, RankedTensorType::get({length}, nn.types().getI64Type()),
                                    [&](int64_t index) { return index * (columns + 1); });
  return nn.gather(flat, places, axis);
}

void importMatrixDiagPart(OperandBinder &node) {
  if (node.checkRank(0, 2))
    node.setResult(takeDiagonal(node.nn, node.getOperand(0)));
}

void importMatrixSetDiag(OperandBinder &node) {
  if (!node.checkRank(0, 2))
    return;
  Ints shape = getShape(node.getOperand(0));
  int64_t length = std::min(shape.back(), shape[shape.size() - 2]);
  if (node.checkShape(1, replaceLast(shape, 2, {length}), "a diagonal for each matrix"))
    node.setResult(setDiagonal(node.nn, node.getOperand(0), node.getOperand(1)));
}

/// (input, num_lower, num_upper): as many diagonals below and above the main one; all where the number is negative.
void importMatrixBandPart(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  FailureOr<int64_t> below = node.getInteger(1), above = node.getInteger(2);
  if (failed(below) || failed(above) || !node.checkRank(0, 2))
    return;
  Value x = node.getOperand(0);
  Ints shape = getShape(x);
  Value mask = makeMask(nn, shape[shape.size() - 2], shape.back(), [&](int64_t row, int64_t column) {
    return (*below < 0 || row - column <= *below) && (*above < 0 || column - row <= *above);
  });
  node.setResult(mask ? nn.select(mask, x, nn.scalar(x, 0)) : Value());
}

/// [sizes...] to [sizes..., sizes...], with the elements where both halves of the place are equal.
void importDiag(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  SmallVector<int64_t> shape(getShape(x));
  shape.append(shape.begin(), shape.end());
  int64_t count = getType(x).getNumElements();
  if (!node.checkFits(shape))
    return;
  Value zeros = nn.splat(RankedTensorType::get({count, count}, getElementType(x)), 0);
  node.setResult(nn.reshape(setDiagonal(nn, zeros, nn.reshape(x, {count})), shape));
}

/// [sizes..., sizes...] to [sizes...]
void importDiagPart(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Ints shape = getShape(node.getOperand(0)), half = shape.take_front(shape.size() / 2);
  if (shape.empty() || shape.size() % 2 || half != shape.drop_front(half.size())) {
    node.error() << node.nameOf(0) << " must have a shape of two equal halves, but is " << describe(node.getOperand(0));
    return;
  }
  int64_t count = 1;
  for (int64_t size : half)
    count *= size;
  node.setResult(nn.reshape(takeDiagonal(nn, nn.reshape(node.getOperand(0), {count, count})), half));
}

} // namespace

void registerMatrices(ImportRegistry &registry) {
  const OperandRule input = {"input", Holds::Anything, 'T'};
  registry.add("MatrixDiag", 1, {{"diagonal"}}, importMatrixDiag);
  registry.add("MatrixDiagPart", 1, {input}, importMatrixDiagPart);
  registry.add("MatrixSetDiag", 1, {input, {"diagonal", Holds::Anything, 'T'}}, importMatrixSetDiag);
  registry.add("MatrixBandPart", 1, {input, {"num_lower", Holds::Indices}, {"num_upper", Holds::Indices}},
               importMatrixBandPart);
  registry.add("Diag", 1, {{"diagonal"}}, importDiag);
  registry.add("DiagPart", 1, {input}, importDiagPart);
}

} // namespace nacre::importer::tensorflow_format
