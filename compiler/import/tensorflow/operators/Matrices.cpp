// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagonals and bands of matrices, and linear systems with small matrices.

#include "compiler/import/compositions/Movement.h"
#include "compiler/import/compositions/SmallMatrices.h"
#include "compiler/import/compositions/Tables.h"
#include "compiler/import/operands/Diagonals.h"
#include "compiler/import/tensorflow/operands/IndexType.h"
#include "compiler/import/tensorflow/operators/Handlers.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

/// Returns a mask of i1, [rows, columns], with the values `isIn(row, column)`.
template <typename IsIn> Value makeMask(NnBuilder &nn, int64_t rows, int64_t columns, IsIn isIn) {
  auto type = RankedTensorType::get({rows, columns}, nn.types().getI1Type());
  return makeTable<int64_t>(
      nn, type, [&](int64_t index) { return static_cast<int64_t>(isIn(index / columns, index % columns)); });
}

/// Returns `shape` without the last `dropped` sizes, followed by `added`.
SmallVector<int64_t> replaceLast(Ints shape, size_t dropped, Ints added) {
  SmallVector<int64_t> result(shape.drop_back(dropped));
  result.append(added.begin(), added.end());
  return result;
}

void importMatrixDiagPart(OperandBinder &node) {
  if (node.checkRank(0, 2))
    node.setResult(takeDiagonal(node.nn, node.getOperand(0)));
}

/// Operands: input, num_lower, num_upper. Keeps num_lower diagonals below and num_upper above the main one. A negative
/// number keeps all.
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

/// Imports Diag, from [sizes...] to [sizes..., sizes...]. The elements are placed where both halves of the coordinates
/// are equal; all others are 0.
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

/// Imports DiagPart, the inverse of Diag: from [sizes..., sizes...] to [sizes...].
void importDiagPart(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Ints shape = getShape(node.getOperand(0)), half = shape.take_front(shape.size() / 2);
  if (shape.empty() || shape.size() % 2 || half != shape.drop_front(half.size())) {
    node.error() << node.nameOf(0) << " must have a shape with two equal halves, but is "
                 << describe(node.getOperand(0));
    return;
  }
  int64_t count = 1;
  for (int64_t size : half)
    count *= size;
  node.setResult(nn.reshape(takeDiagonal(nn, nn.reshape(node.getOperand(0), {count, count})), half));
}

//===----------------------------------------------------------------------===//
// Systems
//===----------------------------------------------------------------------===//

/// True if operand 0 has square matrices that are small enough to be unrolled. Otherwise, reports an error.
bool checkSmall(OperandBinder &node) {
  Ints shape = getShape(node.getOperand(0));
  if (shape.size() >= 2 && shape.back() == shape[shape.size() - 2] && shape.back() <= mostMatrixRows)
    return true;
  node.error() << node.nameOf(0) << " must hold square matrices of at most " << mostMatrixRows << " rows, but is "
               << describe(node.getOperand(0));
  return false;
}

/// Like checkSmall(), but operand 1 must also have a right-hand side for each matrix.
bool checkSystems(OperandBinder &node) {
  if (!checkSmall(node) || !node.checkRank(1, 2))
    return false;
  Ints shape = getShape(node.getOperand(0));
  return node.checkShape(1, replaceLast(shape, 1, {getShape(node.getOperand(1)).back()}),
                         "a right side for each matrix");
}

/// Returns operand 0, or its adjoint if the attribute `adjoint` is set.
Value readMatrices(OperandBinder &node) {
  Value matrices = node.getOperand(0);
  if (!node.getFlag("adjoint", false))
    return matrices;
  SmallVector<int64_t> order = axisRange(0, getRank(matrices));
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return node.nn.transpose(matrices, order);
}

void importDeterminant(OperandBinder &node) {
  if (checkSmall(node))
    node.setResult(determinant(node.nn, node.getOperand(0)));
}

/// Imports LogMatrixDeterminant: the sign of the determinant, and the logarithm of its absolute value.
void importLogDeterminant(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  if (!checkSmall(node))
    return;
  Value value = determinant(nn, node.getOperand(0));
  node.setResult(0, nn.unary(nn::UnaryKind::Sign, value));
  node.setResult(1, nn.unary(nn::UnaryKind::Log, nn.unary(nn::UnaryKind::Abs, value)));
}

void importInverse(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  if (!checkSmall(node))
    return;
  Value matrices = readMatrices(node);
  Ints shape = getShape(node.getOperand(0));
  Value zeros = nn.splat(getType(node.getOperand(0)), 0), mask = diagonalMask(nn, shape.back(), shape.back());
  node.setResult(mask ? solve(nn, matrices, nn.select(mask, nn.scalar(zeros, 1), zeros)) : Value());
}

void importSolve(OperandBinder &node) {
  if (checkSystems(node))
    node.setResult(solve(node.nn, readMatrices(node), node.getOperand(1)));
}

void importTriangularSolve(OperandBinder &node) {
  bool isLower = node.getFlag("lower", true), isAdjoint = node.getFlag("adjoint", false);
  if (checkSystems(node))
    node.setResult(solveTriangular(node.nn, readMatrices(node), node.getOperand(1), isLower != isAdjoint));
}

void importCholesky(OperandBinder &node) {
  if (checkSmall(node))
    node.setResult(cholesky(node.nn, node.getOperand(0)));
}

void importFactors(OperandBinder &node) {
  Type type = readIndexType(node, "output_idx_type");
  if (!type || !checkSmall(node))
    return;
  TriangularFactors factors = factorize(node.nn, node.getOperand(0));
  node.setResult(0, factors.both);
  node.setResult(1, factors.order ? node.nn.cast(factors.order, type) : Value());
}

} // namespace

void registerMatrices(ImportRegistry &registry) {
  const OperandRule input = {"input", Holds::Anything, 'T'};
  registry.add("MatrixDiag", 1, {{"diagonal"}}, makeDiagonals);
  registry.add("MatrixDiagPart", 1, {input}, importMatrixDiagPart);
  registry.add("MatrixSetDiag", 1, {input, {"diagonal", Holds::Anything, 'T'}}, replaceDiagonals);
  registry.add("MatrixBandPart", 1, {input, {"num_lower", Holds::Indices}, {"num_upper", Holds::Indices}},
               importMatrixBandPart);
  registry.add("Diag", 1, {{"diagonal"}}, importDiag);
  registry.add("DiagPart", 1, {input}, importDiagPart);
  const OperandRule numbers = {"input", Holds::Floats, 'T'}, matrix = {"matrix", Holds::Floats, 'T'},
                    sides = {"rhs", Holds::Floats, 'T'};
  registry.add("MatrixDeterminant", 1, {numbers}, importDeterminant);
  registry.add("LogMatrixDeterminant", 1, {numbers}, importLogDeterminant);
  registry.add("MatrixInverse", 1, {numbers}, importInverse);
  registry.add("MatrixSolve", 1, {matrix, sides}, importSolve);
  registry.add("MatrixTriangularSolve", 1, {matrix, sides}, importTriangularSolve);
  registry.add("Cholesky", 1, {numbers}, importCholesky);
  registry.add("Lu", 1, {numbers}, importFactors);
  for (const char *op : {"MatrixDeterminant", "LogMatrixDeterminant", "MatrixInverse", "MatrixSolve",
                         "MatrixTriangularSolve", "Cholesky", "Lu"})
    registry.setLimit(op, "more than 8 rows");
}

} // namespace nacre::importer::tensorflow_format
