// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determinants of small matrices, written out.
//
// How:  up to three rows by cofactors; more by elimination, in which the row with the largest element of a column comes to
//       its top, by comparing and choosing.

#include "compiler/import/compositions/Determinant.h"

using namespace mlir;

namespace nacre::importer {
namespace {

using nn::BinaryKind;
using nn::UnaryKind;

/// The rows of a matrix, each [batch, columns].
using Rows = SmallVector<Value>;

Value element(NnBuilder &nn, Value row, int64_t column) { return row ? nn.slice(row, 1, column, 1) : Value(); }

/// Of the columns `a` and `b`.
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

/// The row with the largest first element comes to the top; what comes down changes its sign, and so keeps the
/// determinant.
void pivot(NnBuilder &nn, Rows &rows) {
  for (Value &row : MutableArrayRef<Value>(rows).drop_front()) {
    Value own = nn.unary(UnaryKind::Abs, element(nn, row, 0)), top = nn.unary(UnaryKind::Abs, element(nn, rows[0], 0));
    Value isLarger = nn.binary(BinaryKind::Greater, own, top);
    Value larger = nn.select(isLarger, row, rows[0]);
    row = nn.select(isLarger, nn.unary(UnaryKind::Neg, rows[0]), row);
    rows[0] = larger;
  }
}

/// The rows and columns behind the first, with what makes the first column zero below its top taken away.
Rows eliminate(NnBuilder &nn, const Rows &rows) {
  Value top = element(nn, rows[0], 0);
  // A column of zeros has nothing to take away.
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

} // namespace

Value determinant(NnBuilder &nn, Value matrices) {
  Ints shape = getShape(matrices);
  int64_t size = shape.back(), batch = 1;
  for (int64_t dim : shape.drop_back(2))
    batch *= dim;
  if (size == 0) // the empty product
    return nn.splat(RankedTensorType::get(shape.drop_back(2), getElementType(matrices)), 1);
  Value stack = nn.reshape(matrices, {batch, size * size});
  Rows rows;
  for (int64_t row = 0; row < size; ++row)
    rows.push_back(nn.slice(stack, 1, row * size, size));
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

} // namespace nacre::importer
