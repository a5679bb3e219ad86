// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determinants, factorizations and linear systems of small matrices, unrolled.
//
// Determinants of up to three rows are computed by cofactors, and larger ones by elimination. Comparisons and selects
// move the row with the largest element of a column to the top. Linear systems use the same elimination, also above the
// diagonal; triangular systems need no pivoting. Cholesky's factor is computed column by column. The factors of LU come
// from the elimination.

#include "compiler/import/compositions/SmallMatrices.h"
#include "compiler/import/compositions/Tables.h"

using namespace mlir;

namespace nacre::importer {
namespace {

using nn::BinaryKind;
using nn::UnaryKind;

/// Rows of matrices, each [batch, columns].
using Rows = SmallVector<Value>;

/// Returns the rows of [..., rows, columns], or no rows after an error.
Rows splitRows(NnBuilder &nn, Value matrices) {
  if (!matrices)
    return {};
  Ints shape = getShape(matrices);
  int64_t size = shape[shape.size() - 2], columns = shape.back(), batch = 1;
  for (int64_t dim : shape.drop_back(2))
    batch *= dim;
  Value stack = nn.reshape(matrices, {batch, size * columns});
  if (!stack)
    return {};
  Rows rows;
  for (int64_t row = 0; row < size; ++row)
    rows.push_back(nn.slice(stack, 1, row * columns, columns));
  return rows;
}

/// Joins rows to a tensor of `shape`.
Value joinRows(NnBuilder &nn, const Rows &rows, Ints shape) {
  return llvm::is_contained(rows, Value()) ? Value() : nn.reshape(nn.concat(rows, 1), shape);
}

Value element(NnBuilder &nn, Value row, int64_t column) { return row ? nn.slice(row, 1, column, 1) : Value(); }

/// Returns the 2x2 minor of the columns `a` and `b`.
Value minorOf(NnBuilder &nn, const Rows &rows, int64_t a, int64_t b) {
  return nn.sub(nn.mul(element(nn, rows[0], a), element(nn, rows[1], b)),
                nn.mul(element(nn, rows[0], b), element(nn, rows[1], a)));
}

Value byCofactors(NnBuilder &nn, const Rows &rows) {
  if (rows.size() == 1)
    return rows[0];
  if (rows.size() == 2)
    return minorOf(nn, rows, 0, 1);
  Value last = rows[2];
  Value sum = nn.sub(nn.mul(element(nn, last, 0), minorOf(nn, rows, 1, 2)),
                     nn.mul(element(nn, last, 1), minorOf(nn, rows, 0, 2)));
  return nn.add(sum, nn.mul(element(nn, last, 2), minorOf(nn, rows, 0, 1)));
}

/// Moves the row with the largest first element to the top. The row that moves down changes its sign, so that the
/// determinant does not change.
void pivot(NnBuilder &nn, MutableArrayRef<Value> rows) {
  for (Value &row : rows.drop_front()) {
    Value own = nn.unary(UnaryKind::Abs, element(nn, row, 0)), top = nn.unary(UnaryKind::Abs, element(nn, rows[0], 0));
    Value isLarger = nn.binary(BinaryKind::Greater, own, top);
    Value larger = nn.select(isLarger, row, rows[0]);
    row = nn.select(isLarger, nn.unary(UnaryKind::Neg, rows[0]), row);
    rows[0] = larger;
  }
}

/// Eliminates the first column below the first row. Returns the remaining rows and columns.
Rows eliminate(NnBuilder &nn, const Rows &rows) {
  Value top = element(nn, rows[0], 0);
  // If the whole column is zero, there is nothing to eliminate.
  Value divisor = nn.select(nn.binary(BinaryKind::Equal, top, 0.0), nn.scalar(top, 1), top);
  auto columns = static_cast<int64_t>(rows.size()) - 1;
  Rows rest;
  for (Value row : ArrayRef<Value>(rows).drop_front()) {
    if (!row || !rows[0])
      return Rows(rows.size() - 1);
    Value factor = nn.div(element(nn, row, 0), divisor);
    rest.push_back(nn.sub(nn.slice(row, 1, 1, columns), nn.mul(nn.slice(rows[0], 1, 1, columns), factor)));
  }
  return rest;
}

/// Returns `row` - factor * `other`.
Value subtract(NnBuilder &nn, Value row, Value other, Value factor) { return nn.sub(row, nn.mul(other, factor)); }

} // namespace

//===----------------------------------------------------------------------===//
// 1. Determinants
//===----------------------------------------------------------------------===//

Value determinant(NnBuilder &nn, Value matrices) {
  if (!matrices)
    return {};
  Ints shape = getShape(matrices);
  if (shape.back() == 0) // the empty product
    return nn.splat(RankedTensorType::get(shape.drop_back(2), getElementType(matrices)), 1);
  Rows rows = splitRows(nn, matrices);
  if (rows.empty())
    return {};
  Value product;
  while (rows.size() > 3) {
    pivot(nn, rows);
    Value top = element(nn, rows[0], 0);
    product = product ? nn.mul(product, top) : top;
    rows = eliminate(nn, rows);
  }
  Value rest = byCofactors(nn, rows);
  return nn.reshape(product ? nn.mul(product, rest) : rest, shape.drop_back(2));
}

//===----------------------------------------------------------------------===//
// 2. Systems
//===----------------------------------------------------------------------===//

Value solve(NnBuilder &nn, Value a, Value b) {
  if (!a || !b)
    return {};
  if (getType(b).getNumElements() == 0)
    return b;
  SmallVector<int64_t> shape(getShape(b));
  auto size = static_cast<int64_t>(shape[shape.size() - 2]);
  Rows rows = splitRows(nn, nn.concat({a, b}, getRank(a) - 1));
  if (rows.empty())
    return {};
  // After each step, the first column is a column of the unit matrix, and is removed.
  for (int64_t step = 0; step < size && !llvm::is_contained(rows, Value()); ++step) {
    pivot(nn, MutableArrayRef<Value>(rows).drop_front(step));
    Value top = nn.div(rows[step], element(nn, rows[step], 0));
    for (auto [number, row] : llvm::enumerate(rows)) {
      row = static_cast<int64_t>(number) == step ? top : subtract(nn, row, top, element(nn, row, 0));
      row = row ? nn.slice(row, 1, 1, getShape(row)[1] - 1) : Value();
    }
  }
  return joinRows(nn, rows, shape);
}

Value solveTriangular(NnBuilder &nn, Value a, Value b, bool isLower) {
  if (!a || !b)
    return {};
  if (getType(b).getNumElements() == 0)
    return b;
  Rows matrix = splitRows(nn, a), result = splitRows(nn, b);
  if (matrix.empty() || result.empty())
    return {};
  auto size = static_cast<int64_t>(matrix.size());
  for (int64_t step = 0; step < size; ++step) {
    const int64_t own = isLower ? step : size - 1 - step;
    result[own] = nn.div(result[own], element(nn, matrix[own], own));
    for (int64_t left = step + 1; left < size; ++left) {
      const int64_t row = isLower ? left : size - 1 - left;
      result[row] = subtract(nn, result[row], result[own], element(nn, matrix[row], own));
    }
  }
  return joinRows(nn, result, getShape(b));
}

//===----------------------------------------------------------------------===//
// 3. Factors
//===----------------------------------------------------------------------===//

Value cholesky(NnBuilder &nn, Value a) {
  if (!a || getType(a).getNumElements() == 0)
    return a;
  // The columns of the lower half are rows of the transposed matrix. Each of them gives a row of the transposed factor,
  // from its diagonal on.
  SmallVector<int64_t> order = axisRange(0, getRank(a));
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  Rows rows = splitRows(nn, nn.transpose(a, order));
  if (rows.empty())
    return {};
  auto size = static_cast<int64_t>(rows.size());
  for (int64_t step = 0; step < size; ++step) {
    Value own = rows[step] ? nn.slice(rows[step], 1, step, size - step) : Value();
    own = nn.div(own, nn.unary(UnaryKind::Sqrt, element(nn, own, 0)));
    rows[step] = own ? nn.pad(nn::PadMode::Constant, own, {0, step}, {0, 0}, 0) : Value();
    for (int64_t row = step + 1; row < size; ++row)
      rows[row] = subtract(nn, rows[row], rows[step], element(nn, rows[step], row));
  }
  Value transposed = joinRows(nn, rows, getShape(a));
  return nn.transpose(transposed, order);
}

/// Exchanges row `step` with the row whose element in column `step` has the largest absolute value, among it and the
/// later rows.
static void exchange(NnBuilder &nn, Rows &rows, int64_t step) {
  auto count = static_cast<int64_t>(rows.size());
  Value largest = nn.unary(UnaryKind::Abs, element(nn, rows[step], step)), chosen;
  for (int64_t row = step + 1; row < count; ++row) {
    Value own = nn.unary(UnaryKind::Abs, element(nn, rows[row], step));
    Value isLarger = nn.binary(BinaryKind::Greater, own, largest);
    chosen = nn.select(isLarger, nn.scalar(own, static_cast<double>(row)), chosen ? chosen : nn.scalar(own, 0));
    largest = nn.select(isLarger, own, largest);
  }
  const Value top = rows[step];
  for (int64_t row = step + 1; row < count; ++row) {
    Value isChosen = nn.binary(BinaryKind::Equal, chosen, static_cast<double>(row));
    rows[step] = nn.select(isChosen, rows[row], rows[step]);
    rows[row] = nn.select(isChosen, top, rows[row]);
  }
}

TriangularFactors factorize(NnBuilder &nn, Value a) {
  if (!a)
    return {};
  Ints shape = getShape(a);
  const int64_t size = shape.back();
  Value numbers = makeTable<double>(nn, RankedTensorType::get({size, 1}, getElementType(a)),
                                    [](int64_t row) { return static_cast<double>(row); });
  if (getType(a).getNumElements() == 0)
    return {a, nn.splat(RankedTensorType::get(shape.drop_back(), getElementType(a)), 0)};
  // An additional last column holds the index of each row, and moves with it.
  SmallVector<int64_t> beside(shape.drop_back()), wider(shape);
  beside.push_back(1);
  wider.back() = size + 1;
  Rows rows = splitRows(nn, nn.concat({a, nn.broadcast(numbers, beside)}, getRank(a) - 1));
  if (rows.empty())
    return {};
  for (int64_t step = 0; step + 1 < size && !llvm::is_contained(rows, Value()); ++step) {
    exchange(nn, rows, step);
    Value top = element(nn, rows[step], step);
    Value divisor = nn.select(nn.binary(BinaryKind::Equal, top, 0.0), nn.scalar(top, 1), top);
    for (int64_t row = step + 1; row < size; ++row) {
      auto part = [&](Value of, int64_t from, int64_t to) { return nn.slice(of, 1, from, to - from); };
      Value factor = nn.div(element(nn, rows[row], step), divisor);
      Value rest = subtract(nn, part(rows[row], step + 1, size), part(rows[step], step + 1, size), factor);
      SmallVector<Value> parts = {factor, rest, part(rows[row], size, size + 1)};
      if (step)
        parts.insert(parts.begin(), part(rows[row], 0, step));
      rows[row] = nn.concat(parts, 1);
    }
  }
  Value joined = joinRows(nn, rows, wider);
  if (!joined)
    return {};
  const int64_t last = getRank(a) - 1;
  return {nn.slice(joined, last, 0, size), nn.reshape(nn.slice(joined, last, size, 1), shape.drop_back())};
}

} // namespace nacre::importer
