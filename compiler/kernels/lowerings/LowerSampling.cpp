// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers operators that compute each element from elements of the source at other positions. For resampling and pads,
// the positions are known when the model is compiled. For sampling, the kernel computes them.
//
// 1. One element, from the taps of its axes.
// 2. Tables of taps as small weights: resampling and pads.
// 3. Taps at computed positions, whose indices are clamped to the axis.

#include "compiler/kernels/bodies/AxisTables.h"
#include "compiler/kernels/bodies/FloatBodies.h"
#include "compiler/kernels/lowerings/Lowering.h"
#include "dialects/TensorTypes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace nacre::kernels {

//===----------------------------------------------------------------------===//
// 1. One element
//===----------------------------------------------------------------------===//

namespace {

/// Element of the source along one axis that contributes to an element of the result.
struct Tap {
  Value index;
  Value weight; ///< Weight; null if the element is copied, and for the first of two interpolated taps.
  Value inside; ///< Condition that the tap lies in the source; null if this is certain. Other taps count as 0.
};

struct SampledAxis {
  int64_t axis;
  SmallVector<Tap> taps;
};

struct Source {
  Value tensor;
  Type elementType;
  SmallVector<Value> position; ///< Position of the current tap along the axes that have taps.
};

} // namespace

static Value combineTaps(Scalars s, ArrayRef<Tap> taps, ArrayRef<Value> values) {
  if (taps.size() == 1)
    return taps.front().weight ? s.make<arith::MulFOp>(values.front(), taps.front().weight) : values.front();
  if (!taps.front().weight) {
    Value difference = s.make<arith::SubFOp>(values[1], values[0]);
    return s.make<arith::AddFOp>(values[0], s.make<arith::MulFOp>(difference, taps[1].weight));
  }
  Value sum;
  for (auto [tap, value] : llvm::zip_equal(taps, values)) {
    Value weighted = s.make<arith::MulFOp>(value, tap.weight);
    sum = sum ? s.make<arith::AddFOp>(sum, weighted) : weighted;
  }
  return sum;
}

/// Combines the elements at the taps of all axes, from the outermost axis to the innermost one. `inside` is the
/// combined condition of the outer axes.
static Value readTaps(Scalars s, Source &source, ArrayRef<SampledAxis> axes, Value inside = {}) {
  if (axes.empty()) {
    Value stored = s.make<tensor::ExtractOp>(source.tensor, source.position);
    Value element = fromStorage(s.builder, s.loc, stored, source.elementType);
    return inside ? s.select(inside, element, s.like(element, 0)) : element;
  }
  SmallVector<Value> values;
  for (const Tap &tap : axes.front().taps) {
    source.position[axes.front().axis] = tap.index;
    Value both = inside && tap.inside ? s.make<arith::AndIOp>(inside, tap.inside) : inside ? inside : tap.inside;
    values.push_back(readTaps(s, source, axes.drop_front(), both));
  }
  return combineTaps(s, axes.front().taps, values);
}

static Value toIndex(Scalars s, Value integer) { return s.make<arith::IndexCastOp>(s.builder.getIndexType(), integer); }

static Value toFloat(Scalars s, Value value, Type type) {
  if (value.getType() == type)
    return value;
  bool isWider = type.getIntOrFloatBitWidth() > value.getType().getIntOrFloatBitWidth();
  return isWider ? s.make<arith::ExtFOp>(type, value) : s.make<arith::TruncFOp>(type, value);
}

//===----------------------------------------------------------------------===//
// 2. Tables
//===----------------------------------------------------------------------===//

namespace {

/// Lists of values: one list per tap, with one value for each position of an axis.
template <typename T> using TapLists = SmallVector<SmallVector<T, 0>>;

struct TapTable {
  int64_t axis;
  TapLists<int32_t> indices;
  /// Weights of the taps: no list for copies, one list (for the second tap) for interpolation, else a list per tap.
  TapLists<float> weights;
};

/// Operands of the kernel that hold the tables.
class TableOperands {
public:
  TableOperands(KernelBody &body, int64_t rank) : body(body), rank(rank) {}

  template <typename T> void add(int64_t axis, const TapLists<T> &lists, Type elementType) {
    if (lists.empty())
      return;
    SmallVector<T, 0> all;
    for (const auto &list : lists)
      all.append(list.begin(), list.end());
    SmallVector<int64_t> shape = {int64_t(lists.front().size())};
    if (lists.size() > 1)
      shape.insert(shape.begin(), int64_t(lists.size()));
    Value table = body.readTable(DenseElementsAttr::get(RankedTensorType::get(shape, elementType), ArrayRef<T>(all)));
    OpBuilder &builder = body.getBuilder();
    for (int64_t tap = 0; tap < int64_t(lists.size()); ++tap) {
      SmallVector<AffineExpr> at = {builder.getAffineDimExpr(axis)};
      if (lists.size() > 1)
        at.insert(at.begin(), builder.getAffineConstantExpr(tap));
      definition.tensors.push_back(table);
      definition.maps.push_back(AffineMap::get(rank, 0, at, body.getContext()));
    }
  }

  Definition definition;

private:
  KernelBody &body;
  int64_t rank;
};

} // namespace

/// Defines `result` as `operand`, with indices from tables along some axes. The other axes keep their indices.
static LogicalResult finishWithTables(KernelBody &body, Value result, Value operand, ArrayRef<TapTable> tables) {
  auto type = typeOf(operand);
  OpBuilder &builder = body.getBuilder();
  Location loc = body.getLoc();
  Value source = body.read(operand);
  TableOperands operands(body, type.getRank());
  struct Counts {
    int64_t axis;
    size_t indices, weights;
  };
  SmallVector<Counts> counts;
  for (const TapTable &table : tables) {
    operands.add(table.axis, table.indices, builder.getI32Type());
    operands.add(table.axis, table.weights, builder.getF32Type());
    counts.push_back({table.axis, table.indices.size(), table.weights.size()});
  }

  Type elementType = type.getElementType();
  int64_t rank = type.getRank();
  operands.definition.scalar = [=](OpBuilder &b, ValueRange scalars) -> Value {
    Scalars s{b, loc};
    Source from{source, elementType, {}};
    for (int64_t axis = 0; axis < rank; ++axis)
      from.position.push_back(s.make<linalg::IndexOp>(uint64_t(axis)));
    SmallVector<SampledAxis> axes;
    for (const Counts &count : counts) {
      SampledAxis sampled{count.axis, {}};
      for (Value index : scalars.take_front(count.indices))
        sampled.taps.push_back({toIndex(s, index), {}, {}});
      scalars = scalars.drop_front(count.indices);
      MutableArrayRef<Tap> weighted = MutableArrayRef(sampled.taps).take_back(count.weights);
      for (auto [tap, weight] : llvm::zip_equal(weighted, scalars.take_front(count.weights)))
        tap.weight = toFloat(s, weight, getComputeType(elementType));
      scalars = scalars.drop_front(count.weights);
      axes.push_back(std::move(sampled));
    }
    return readTaps(s, from, axes);
  };
  body.define(result, std::move(operands.definition));
  return body.finish();
}

/// True if there are two taps whose weights add up to 1, so that the result is an interpolation.
static bool isInterpolation(const TapLists<float> &weights) {
  return weights.size() == 2 && llvm::all_of(llvm::zip_equal(weights[0], weights[1]),
                                             [](auto pair) { return std::get<0>(pair) == 1.0F - std::get<1>(pair); });
}

LogicalResult lowerResample(KernelBody &body, nn::ResampleOp op) {
  SmallVector<TapTable> tables;
  for (auto [number, axis] : llvm::enumerate(op.getAxes())) {
    auto indices = cast<DenseElementsAttr>(op.getIndices()[number]),
         weights = cast<DenseElementsAttr>(op.getWeights()[number]);
    size_t taps = indices.getType().getDimSize(1);
    TapTable table{axis, TapLists<int32_t>(taps), TapLists<float>(op.isMove(number) ? 0 : taps)};
    for (auto [entry, index] : llvm::enumerate(indices.getValues<int32_t>()))
      table.indices[entry % taps].push_back(index);
    if (!op.isMove(number))
      for (auto [entry, weight] : llvm::enumerate(weights.getValues<float>()))
        table.weights[entry % taps].push_back(weight);
    if (isInterpolation(table.weights))
      table.weights.erase(table.weights.begin());
    tables.push_back(std::move(table));
  }
  return finishWithTables(body, op.getResult(), op.getOperand(), tables);
}

LogicalResult lowerPad(KernelBody &body, nn::PadOp op) {
  assert(op.getMode() != nn::PadMode::Constant && "is no kernel");
  auto type = typeOf(op.getOperand());
  SmallVector<TapTable> tables;
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    if (op.getLow()[axis] == 0 && op.getHigh()[axis] == 0)
      continue;
    int64_t from = type.getDimSize(axis), to = op.getType().getDimSize(axis);
    if (from > INT32_MAX || to > maxTableEntries)
      return op->emitOpError("axis ") << axis << " must have at most " << INT32_MAX << " elements and become at most "
                                      << maxTableEntries << ", but has " << from << " and becomes " << to;
    tables.push_back({axis, {makePadTable(from, op.getLow()[axis], op.getHigh()[axis], op.getMode())}, {}});
  }
  return finishWithTables(body, op.getResult(), op.getOperand(), tables);
}

//===----------------------------------------------------------------------===//
// 3. Computed positions
//===----------------------------------------------------------------------===//

/// Clamps `position` so that it and its neighbours fit into an i32. Axes are shorter than this range. NaN becomes a
/// position far outside of the axis.
static Value bound(Scalars s, Value position) {
  constexpr double most = double(1 << 30);
  Value low = s.like(position, -most), high = s.like(position, most);
  Value above = s.select(s.compare(arith::CmpFPredicate::OGT, position, low), position, low);
  return s.select(s.compare(arith::CmpFPredicate::OLT, above, high), above, high);
}

/// Emits the index for position `i` if the axis and its mirror image alternate in both directions.
static Value reflect(Scalars s, Value i, int64_t extent, bool alignCorners) {
  int64_t period = alignCorners ? 2 * (extent - 1) : 2 * extent, last = alignCorners ? period : period - 1;
  if (period == 0)
    return s.like(i, 0);
  Value rest = s.make<arith::RemSIOp>(i, s.like(i, double(period)));
  Value isNegative = s.compare(arith::CmpIPredicate::slt, rest, s.like(i, 0));
  Value within = s.select(isNegative, s.make<arith::AddIOp>(rest, s.like(i, double(period))), rest);
  return s.make<arith::MinSIOp>(within, s.make<arith::SubIOp>(s.like(i, double(last)), within));
}

static Tap makeTap(Scalars s, Value i, int64_t extent, nn::SampleOp op) {
  if (op.getPadding() == nn::SamplePadding::Reflection)
    return {toIndex(s, reflect(s, i, extent, op.getAlignCorners())), {}, {}};
  Tap tap;
  if (op.getPadding() == nn::SamplePadding::Zeros)
    tap.inside = s.compare(arith::CmpIPredicate::ult, i, s.like(i, double(extent)));
  Value least = s.make<arith::MaxSIOp>(i, s.like(i, 0));
  tap.index = toIndex(s, s.make<arith::MinSIOp>(least, s.like(i, double(extent - 1))));
  return tap;
}

/// Emits the weights of Keys' cubic kernel (a = -0.75) for the four neighbours of a position. `t` is the distance from
/// the second neighbour.
static SmallVector<Value> weighCubic(Scalars s, Value t) {
  constexpr double a = -0.75;
  auto multiply = [&](Value x, Value y) { return s.make<arith::MulFOp>(x, y); };
  auto plus = [&](Value x, double y) { return s.make<arith::AddFOp>(x, s.like(x, y)); };
  // The kernel is ((a + 2) x - (a + 3)) x^2 + 1 for distances up to 1, and ((a x - 5a) x + 8a) x - 4a from 1 to 2.
  auto near = [&](Value x) { return plus(multiply(multiply(plus(multiply(x, s.like(x, a + 2)), -(a + 3)), x), x), 1); };
  auto far = [&](Value x) {
    return plus(multiply(plus(multiply(plus(multiply(x, s.like(x, a)), -5 * a), x), 8 * a), x), -4 * a);
  };
  Value rest = s.make<arith::SubFOp>(s.like(t, 1), t);
  return {far(plus(t, 1)), near(t), near(rest), far(plus(rest, 1))};
}

static SmallVector<Tap> makeTaps(Scalars s, Value position, int64_t extent, nn::SampleOp op) {
  Value x = bound(s, position);
  bool isNearest = op.getInterpolation() == nn::Interpolation::Nearest;
  Value first = isNearest ? s.make<math::RoundEvenOp>(x) : s.make<math::FloorOp>(x);
  Value i = s.make<arith::FPToSIOp>(s.builder.getI32Type(), first);
  auto at = [&](double offset) {
    return makeTap(s, offset ? s.make<arith::AddIOp>(i, s.like(i, offset)) : i, extent, op);
  };
  if (isNearest)
    return {at(0)};
  Type weightType = getComputeType(typeOf(op.getInput()).getElementType());
  Value t = toFloat(s, s.make<arith::SubFOp>(x, first), weightType);
  if (op.getInterpolation() == nn::Interpolation::Linear) {
    SmallVector<Tap> taps = {at(0), at(1)};
    taps[1].weight = t;
    return taps;
  }
  SmallVector<Tap> taps = {at(-1), at(0), at(1), at(2)};
  for (auto [tap, weight] : llvm::zip_equal(taps, weighCubic(s, t)))
    tap.weight = weight;
  return taps;
}

LogicalResult lowerSample(KernelBody &body, nn::SampleOp op) {
  auto type = typeOf(op.getInput());
  int64_t rank = typeOf(op.getResult()).getRank(), spatial = type.getRank() - 2;
  OpBuilder &builder = body.getBuilder();
  Location loc = body.getLoc();
  Value source = body.read(op.getInput()), positions = body.read(op.getPositions());
  Definition definition;
  for (int64_t axis = 0; axis < spatial; ++axis) {
    SmallVector<AffineExpr> at;
    for (int64_t dim = 0; dim + 1 < rank; ++dim)
      at.push_back(builder.getAffineDimExpr(dim));
    at.push_back(builder.getAffineConstantExpr(axis));
    definition.tensors.push_back(positions);
    definition.maps.push_back(AffineMap::get(rank, 0, at, body.getContext()));
  }
  if (op.getImages()) {
    definition.tensors.push_back(body.read(op.getImages()));
    definition.maps.push_back(AffineMap::get(rank, 0, builder.getAffineDimExpr(0), body.getContext()));
  }
  Type positionType = typeOf(op.getPositions()).getElementType();
  definition.scalar = [=](OpBuilder &b, ValueRange scalars) mutable -> Value {
    Scalars s{b, loc};
    Value image = op.getImages() ? scalars.back() : Value();
    if (image) {
      Value least = s.make<arith::MaxSIOp>(image, s.like(image, 0));
      image = toIndex(s, s.make<arith::MinSIOp>(least, s.like(image, double(type.getDimSize(0) - 1))));
    } else {
      image = s.make<linalg::IndexOp>(uint64_t(0));
    }
    Source from{source, type.getElementType(), SmallVector<Value>(type.getRank(), image)};
    from.position.back() = s.make<linalg::IndexOp>(uint64_t(rank - 1));
    SmallVector<SampledAxis> axes;
    for (int64_t axis = 0; axis < spatial; ++axis) {
      Value position = fromStorage(b, loc, scalars[axis], positionType);
      axes.push_back({axis + 1, makeTaps(s, position, type.getDimSize(axis + 1), op)});
    }
    return readTaps(s, from, axes);
  };
  body.define(op.getResult(), std::move(definition));
  return body.finish();
}

} // namespace nacre::kernels
