// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the probabilities p that minimize the sum of squares of r[j][i] p[i] - r[i][j] p[j] over all pairs. This is
// the second method of Wu, Lin and Weng (Probability Estimates for Multi-class Classification by Pairwise Coupling,
// 2004). libsvm and ONNX Runtime stop its iterations early, so exact methods compute other values.
//
// The operators are a loop over rounds, which ends when all rows have converged. A converged row no longer changes. A
// round is a loop over classes.

#include "compiler/import/onnx/classical/Coupling.h"

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/compositions/Movement.h"
#include "compiler/import/control/RegionBuilder.h"

using namespace mlir;

namespace nacre::importer::onnx_format::classical {
namespace {

using nn::BinaryKind;
using nn::ReduceKind;
using nn::UnaryKind;

constexpr int64_t maxRounds = 100;
constexpr double precision = 0.005; ///< tolerance for all classes together

class Coupling {
public:
  Coupling(NnBuilder &nn, int64_t rows, int64_t classes) : nn(nn), rows(rows), classes(classes) {}

  Value run(Value wins);

private:
  Value sum(Value x) { return x ? nn.reduce(ReduceKind::Sum, x, getRank(x) - 1, /*keepDims=*/true) : Value(); }
  Value arrangePairs(Value wins);
  Value makeMatrix(Value pairs);
  FailureOr<Iteration> improve(ArrayRef<Value> carried, Value matrixRow, Value isClass);
  FailureOr<Iteration> runRound(Value shares);

  NnBuilder &nn;
  int64_t rows, classes;
  Value matrix, matrixRows, isClasses;
};

/// Returns r [rows, classes, classes]: element [i, j] is the probability that class i wins against class j.
Value Coupling::arrangePairs(Value wins) {
  const int64_t pairs = getShape(wins)[1];
  SmallVector<int64_t> places(classes * classes, 2 * pairs);
  int64_t pair = 0;
  for (int64_t i = 0; i < classes; ++i)
    for (int64_t j = i + 1; j < classes; ++j, ++pair) {
      places[i * classes + j] = pair;
      places[j * classes + i] = pairs + pair;
    }
  Value none = nn.splat(RankedTensorType::get({rows, 1}, getElementType(wins)), 0);
  Value all = nn.concat({wins, nn.sub(nn.scalar(wins, 1), wins), none}, 1);
  return nn.reshape(nn.gather(all, nn.integers(places), 1), {rows, classes, classes});
}

/// Returns the matrix Q. On the diagonal, it is the sum of r[j][i]^2 over j. Elsewhere, it is -r[j][i] r[i][j].
Value Coupling::makeMatrix(Value pairs) {
  Value products = nn.unary(UnaryKind::Neg, nn.mul(nn.transpose(pairs, {0, 2, 1}), pairs));
  Value squares = nn.reduce(ReduceKind::Sum, nn.mul(pairs, pairs), 1, /*keepDims=*/false);
  return nn.select(diagonalMask(nn, classes, classes), nn.reshape(squares, {rows, classes, 1}), products);
}

/// Optimizes the probability of one class. Updates p, Q p and p Q p.
FailureOr<Iteration> Coupling::improve(ArrayRef<Value> carried, Value matrixRow, Value isClass) {
  auto [shares, products, total] = std::tuple(carried[0], carried[1], carried[2]);
  Value own = sum(nn.mul(matrixRow, isClass)), product = sum(nn.mul(products, isClass));
  Value change = nn.div(nn.sub(total, product), own), scale = nn.add(change, 1);
  shares = nn.div(nn.add(shares, nn.mul(change, isClass)), scale);
  total = nn.add(total, nn.mul(change, nn.add(nn.mul(change, own), nn.mul(product, 2))));
  total = nn.div(nn.div(total, scale), scale);
  products = nn.div(nn.add(products, nn.mul(change, matrixRow)), scale);
  if (!shares || !products || !total)
    return failure();
  return Iteration{{shares, products, total}};
}

FailureOr<Iteration> Coupling::runRound(Value shares) {
  Value products = nn.reduce(ReduceKind::Sum, nn.mul(matrix, nn.reshape(shares, {rows, 1, classes})), 2,
                             /*keepDims=*/false);
  Value total = sum(nn.mul(shares, products));
  Value error = nn.reduce(ReduceKind::Max, nn.unary(UnaryKind::Abs, nn.sub(products, total)), 1, /*keepDims=*/true);
  Value hasEnded = nn.binary(BinaryKind::Less, error, precision / static_cast<double>(classes));
  Loop loop;
  loop.bound = classes;
  loop.initial = {shares, products, total};
  loop.scanned = {matrixRows, isClasses};
  if (!hasEnded || !products || !total)
    return failure();
  FailureOr<LoopResults> results = RegionBuilder(nn).buildLoop(
      loop, [&](Value, ArrayRef<Value> carried, ArrayRef<Value> row) { return improve(carried, row[0], row[1]); });
  if (failed(results))
    return failure();
  Iteration round{{nn.select(hasEnded, shares, results->finals.front())}};
  round.goesOn = nn.unary(UnaryKind::Not, reduceBooleans(nn, ReduceKind::Min, hasEnded, {0, 1}, /*keepDims=*/false));
  if (!round.carried.front() || !round.goesOn)
    return failure();
  return round;
}

Value Coupling::run(Value wins) {
  Type type = getElementType(wins);
  matrix = makeMatrix(arrangePairs(wins));
  Value diagonal = nn.cast(diagonalMask(nn, classes, classes), type);
  if (!matrix || !diagonal)
    return {};
  matrixRows = nn.transpose(matrix, {1, 0, 2});
  isClasses = nn.reshape(diagonal, {classes, 1, classes});
  if (!matrixRows || !isClasses)
    return {};
  Loop loop;
  loop.bound = maxRounds;
  loop.initial = {nn.splat(RankedTensorType::get({rows, classes}, type), 1.0 / static_cast<double>(classes))};
  if (!loop.initial.front())
    return {};
  FailureOr<LoopResults> results = RegionBuilder(nn).buildLoop(
      loop, [&](Value, ArrayRef<Value> carried, ArrayRef<Value>) { return runRound(carried.front()); });
  return succeeded(results) ? results->finals.front() : Value();
}

} // namespace

Value couplePairs(NnBuilder &nn, Value wins, int64_t classes) {
  return wins ? Coupling(nn, getShape(wins)[0], classes).run(wins) : Value();
}

} // namespace nacre::importer::onnx_format::classical
