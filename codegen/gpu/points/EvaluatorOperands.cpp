// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. elements, or aligned vectors of contiguous elements; 2. paddings, which are not in memory, so another
//        element is read and discarded; 3. packed weights; 4. elements at computed indices; 5. stores.

#include "codegen/gpu/points/Evaluator.h"

#include "codegen/PackWeights.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {

//===----------------------------------------------------------------------===//
// 1. Elements
//===----------------------------------------------------------------------===//

namespace {

/// Largest number of bits of one load.
constexpr unsigned kVectorBits = 128;

Point laneOf(const Point &at, unsigned loop, unsigned lane) {
  Point one = at;
  one[loop] = at[loop].lane(lane);
  return one;
}

/// Returns the point of the first lane. It represents all lanes if an access does not move with them.
Point withoutLanes(const Point &at) {
  Point one = at;
  if (std::optional<unsigned> loop = laneLoop(at))
    one[*loop].lanes = 1;
  return one;
}

} // namespace

bool Evaluator::canLoadVector(const Access &access, const Point &at, unsigned lanes) const {
  return isMultiple(at, access.strides, access.offset, lanes) && build.function.liesInVectors(access.argument, lanes) &&
         access.elementType.getIntOrFloatBitWidth() * lanes <= kVectorBits;
}

Value Evaluator::load(const Access &access, const Point &at) {
  const std::optional<unsigned> vectorized = laneLoop(at);
  const int64_t stride = vectorized ? access.strides[*vectorized] : 0;
  const unsigned lanes = stride != 0 ? at[*vectorized].lanes : 1;
  if (lanes > 1 && (stride != 1 || !canLoadVector(access, at, lanes))) {
    SmallVector<Value> values;
    for (unsigned lane = 0; lane < lanes; ++lane)
      values.push_back(load(access, laneOf(at, *vectorized, lane)));
    return build.join(values);
  }
  LoadKey key{access.argument, lanes, access.offset, {}};
  for (auto [position, step] : llvm::zip_equal(at, access.strides))
    if (step != 0)
      std::get<3>(key).emplace_back(position, step);
  for (const auto &scope : llvm::reverse(loaded))
    if (auto found = scope.find(key); found != scope.end())
      return found->second;
  Value value = build.load(access.argument, build.address(at, access.strides, access.offset, lanes), lanes);
  loaded.back()[key] = value;
  return value;
}

Value Evaluator::readInput(const Work &work, unsigned number, const Point &at) {
  const Input &input = work.inputs[number];
  if (input.source == Input::Source::Unread || work.body->getArgument(number).use_empty())
    return Value();
  if (input.source == Input::Source::Work)
    return evaluate(input.work, input.result, producerPoint(input, at));
  const unsigned argument = input.access.argument;
  if (int64_t(argument) < kernel.getNumInputs())
    if (plan::EncodingAttr encoding = kernel.getEncoding(argument);
        encoding && encoding.getKind() == plan::EncodingKind::Panel)
      return loadPacked(input, at);
  if (input.access.padded.empty())
    return load(input.access, at);
  Value tensor = cast<linalg::GenericOp>(work.op).getDpsInputOperand(number)->get();
  return loadPadded(input.access, findSlice(tensor)->padding, at);
}

//===----------------------------------------------------------------------===//
// 2. Paddings
//===----------------------------------------------------------------------===//

Value Evaluator::loadPadded(const Access &access, TypedAttr padding, const Point &at) {
  if (std::optional<unsigned> loop = laneLoop(at))
    if (llvm::any_of(access.padded, [&](const PaddedAxis &axis) { return axis.coefficients[*loop] != 0; })) {
      SmallVector<Value> values;
      for (unsigned lane = 0; lane < at[*loop].lanes; ++lane)
        values.push_back(loadPadded(access, padding, laneOf(at, *loop, lane)));
      return build.join(values);
    }
  // A negative index wraps to a very large value, so one unsigned comparison suffices.
  Value inside;
  for (const PaddedAxis &axis : access.padded)
    inside = build.both(
        inside, build.below(build.address(withoutLanes(at), axis.coefficients, axis.constant), build.index(axis.size)));

  const std::optional<unsigned> vectorized = laneLoop(at);
  const int64_t stride = vectorized ? access.strides[*vectorized] : 0;
  const unsigned lanes = stride != 0 ? at[*vectorized].lanes : 1;
  auto guarded = [&](const Point &from, unsigned width) -> Value {
    Value address = build.address(from, access.strides, access.offset, width);
    return build.load(access.argument, arith::SelectOp::create(build.ops, build.loc, inside, address, build.index(0)),
                      width);
  };
  Value value;
  if (lanes == 1 || (stride == 1 && canLoadVector(access, at, lanes))) {
    value = guarded(at, lanes);
  } else {
    SmallVector<Value> values;
    for (unsigned lane = 0; lane < lanes; ++lane)
      values.push_back(guarded(laneOf(at, *vectorized, lane), 1));
    value = build.join(values);
  }
  Value outside = build.broadcast(build.constant(padding), lanes);
  return arith::SelectOp::create(build.ops, build.loc, build.broadcast(inside, lanes), value, outside);
}

//===----------------------------------------------------------------------===//
// 3. Packed weights
//===----------------------------------------------------------------------===//

/// Loads row r, column c of a weight. The element is in the panel of its column (PackWeights.h).
Value Evaluator::loadPacked(const Input &input, const Point &at) {
  const unsigned argument = input.access.argument;
  plan::EncodingAttr encoding = kernel.getEncoding(argument);
  auto type = cast<RankedTensorType>(kernel.getBody().getArgument(argument).getType());
  const int64_t width = encoding.getWidth(), columns = type.getShape().back();
  const int64_t rows = type.getNumElements() / columns, groupColumns = columns / encoding.getGroups();
  const int64_t panels = llvm::divideCeil(groupColumns, width);
  const DepthGroups depth = groupsOf(encoding);

  StridedSlice row, column;
  row.shape = column.shape = llvm::to_vector(type.getShape());
  row.strides.assign(type.getRank(), 0);
  column.strides = row.strides;
  column.strides.back() = 1;
  for (int64_t axis = type.getRank() - 1, stride = 1; axis-- > 0; stride *= type.getDimSize(axis))
    row.strides[axis] = stride;
  FailureOr<Access> rowAccess = composeAccess(row, input.map, input.elementType);
  FailureOr<Access> columnAccess = composeAccess(column, input.map, input.elementType);
  assert(succeeded(rowAccess) && succeeded(columnAccess) && "the map was composed before");

  const std::optional<unsigned> vectorized = laneLoop(at);
  const int64_t stride = vectorized ? columnAccess->strides[*vectorized] : 0;
  unsigned lanes = stride != 0 || (vectorized && rowAccess->strides[*vectorized] != 0) ? at[*vectorized].lanes : 1;
  const bool whole = depth.k == 1 && stride == 1 && rowAccess->strides[*vectorized] == 0 && width % lanes == 0 &&
                     groupColumns % lanes == 0 && isMultiple(at, columnAccess->strides, columnAccess->offset, lanes) &&
                     type.getElementTypeBitWidth() * lanes <= kVectorBits;
  if (lanes > 1 && !whole) {
    SmallVector<Value> values;
    for (unsigned lane = 0; lane < lanes; ++lane)
      values.push_back(loadPacked(input, laneOf(at, *vectorized, lane)));
    return build.join(values);
  }
  auto divided = [&](Value value, int64_t by) -> Value {
    return by == 1 ? value : Value(arith::DivUIOp::create(build.ops, build.loc, value, build.index(by)));
  };
  auto remainder = [&](Value value, int64_t by) -> Value {
    return arith::RemUIOp::create(build.ops, build.loc, value, build.index(by));
  };
  // Addresses count vectors of `lanes` elements.
  const Point first = withoutLanes(at);
  Value at0 = build.address(first, columnAccess->strides, columnAccess->offset, lanes);
  Value rowIndex = build.address(first, rowAccess->strides, rowAccess->offset);
  Value panel;
  if (encoding.getGroups() > 1) {
    panel = build.multiply(divided(at0, groupColumns / lanes), panels);
    at0 = remainder(at0, groupColumns / lanes);
  }
  if (panels > 1) {
    Value within = divided(at0, width / lanes);
    panel = panel ? build.add(panel, within) : within;
    at0 = remainder(at0, width / lanes);
  }
  if (depth.k > 1) {
    const int64_t rowsOfPanel = rows / depth.run * depth.groups();
    Value step = remainder(rowIndex, depth.run), group = divided(step, depth.k), within = remainder(step, depth.k);
    if (depth.overlap() > 0) {
      Value isLast =
          arith::CmpIOp::create(build.ops, build.loc, arith::CmpIPredicate::eq, group, build.index(depth.groups() - 1));
      Value shifted = build.add(within, build.index(depth.overlap()));
      within = arith::SelectOp::create(build.ops, build.loc, isLast, shifted, within);
    }
    rowIndex = build.add(build.multiply(divided(rowIndex, depth.run), depth.groups()), group);
    if (panel)
      rowIndex = build.add(build.multiply(panel, rowsOfPanel), rowIndex);
    Value word = build.add(build.multiply(rowIndex, width), at0);
    return build.load(argument, build.add(build.multiply(word, depth.k), within), 1);
  }
  if (panel)
    rowIndex = build.add(build.multiply(panel, rows), rowIndex);
  return build.load(argument, build.add(build.multiply(rowIndex, width / lanes), at0), lanes);
}

//===----------------------------------------------------------------------===//
// 4. Elements at computed indices
//===----------------------------------------------------------------------===//

Value Evaluator::extract(tensor::ExtractOp read, const Point &at, const IRMapping &values) {
  StridedSlice slice = *findSlice(read.getTensor());
  const std::optional<unsigned> vectorized = laneLoop(at);
  unsigned lanes = 1;
  for (Value index : read.getIndices())
    if (auto vector = dyn_cast<VectorType>(values.lookup(index).getType()))
      lanes = vector.getNumElements();

  Access access;
  access.argument = slice.argument;
  access.offset = slice.offset;
  access.strides = slice.strides;
  access.elementType = read.getType();
  // Returns the point of one lane. If `counters` is true, positions of loops stay symbolic.
  auto pointOf = [&](unsigned lane, bool counters) {
    Point point;
    for (Value index : read.getIndices()) {
      auto counter = index.getDefiningOp<linalg::IndexOp>();
      Position position;
      if (counters && counter)
        position = at[counter.getDim()];
      else
        position.base = build.lane(values.lookup(index), lane);
      point.push_back(position);
    }
    return point;
  };
  if (lanes == 1)
    return build.load(access.argument, build.address(withoutLanes(pointOf(0, true)), access.strides, access.offset), 1);
  // A row of the source can be read as vectors.
  bool alongRow = true;
  unsigned moving = 0;
  for (auto [index, stride] : llvm::zip_equal(read.getIndices(), access.strides))
    if (isa<VectorType>(values.lookup(index).getType())) {
      auto counter = index.getDefiningOp<linalg::IndexOp>();
      alongRow &= counter && counter.getDim() == *vectorized && stride == 1;
      ++moving;
    }
  if (alongRow && moving == 1)
    if (Point row = pointOf(0, true); canLoadVector(access, row, lanes))
      return build.load(access.argument, build.address(row, access.strides, access.offset, lanes), lanes);
  SmallVector<Value> elements;
  for (unsigned lane = 0; lane < lanes; ++lane)
    elements.push_back(
        build.load(access.argument, build.address(pointOf(lane, false), access.strides, access.offset), 1));
  return build.join(elements);
}

//===----------------------------------------------------------------------===//
// 5. Stores
//===----------------------------------------------------------------------===//

void Evaluator::store(Value value, const Access &access, const Point &at) {
  const std::optional<unsigned> vectorized = laneLoop(at);
  const unsigned lanes = vectorized ? at[*vectorized].lanes : 1;
  if (lanes == 1 || (access.strides[*vectorized] == 1 && canLoadVector(access, at, lanes)))
    return build.store(build.broadcast(value, lanes), access.argument,
                       build.address(at, access.strides, access.offset, lanes));
  for (unsigned lane = 0; lane < lanes; ++lane)
    build.store(build.lane(value, lane), access.argument,
                build.address(laneOf(at, *vectorized, lane), access.strides, access.offset));
}

} // namespace nacre::codegen::gpu
