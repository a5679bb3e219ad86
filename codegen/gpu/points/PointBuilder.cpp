// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. positions; 2. constants and digits; 3. addresses; 4. memory and vectors; 5. control flow. A digit is
//        computed directly after its counter, so that all later code can use it.

#include "codegen/gpu/points/PointBuilder.h"

#include "codegen/gpu/InlineBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace nacre::codegen::gpu {

//===----------------------------------------------------------------------===//
// 1. Positions
//===----------------------------------------------------------------------===//

Position Position::lane(unsigned lane) const {
  Position one = *this;
  one.constant += lane;
  one.lanes = 1;
  return one;
}

Point splitCounter(Value counter, ArrayRef<int64_t> sizes) {
  Point digits(sizes.size());
  int64_t divisor = 1;
  std::optional<unsigned> leading;
  for (unsigned axis = sizes.size(); axis-- > 0;) {
    if (sizes[axis] == 1)
      continue;
    digits[axis].counter = counter;
    digits[axis].divisor = divisor;
    digits[axis].size = sizes[axis];
    digits[axis].leading = false;
    divisor *= sizes[axis];
    leading = axis;
  }
  if (leading)
    digits[*leading].leading = true;
  return digits;
}

std::optional<unsigned> laneLoop(ArrayRef<Position> at) {
  for (auto [loop, position] : llvm::enumerate(at))
    if (position.lanes > 1)
      return loop;
  return std::nullopt;
}

bool isMultiple(ArrayRef<Position> at, ArrayRef<int64_t> strides, int64_t offset, int64_t unit) {
  for (auto [position, stride] : llvm::zip_equal(at, strides)) {
    offset += position.constant * stride;
    if ((position.counter && position.scale * stride % unit != 0) ||
        (position.base && position.baseMultiple * stride % unit != 0))
      return false;
  }
  return offset % unit == 0;
}

std::optional<unsigned> contiguousAxis(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  for (unsigned axis = sizes.size(); axis-- > 0;)
    if (strides[axis] == 1 && sizes[axis] > 1)
      return axis;
  return std::nullopt;
}

Point pointsInOrder(Value counter, ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides, unsigned lanes) {
  std::optional<unsigned> along = contiguousAxis(sizes, strides);
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, sizes.size()));
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return strides[a] > strides[b]; });
  SmallVector<int64_t> counts;
  for (unsigned axis : order)
    counts.push_back(lanes > 1 && axis == along ? sizes[axis] / lanes : sizes[axis]);
  Point digits = splitCounter(counter, counts), point(sizes.size());
  for (auto [axis, digit] : llvm::zip_equal(order, digits)) {
    if (lanes > 1 && axis == along) {
      digit.scale = lanes;
      digit.lanes = lanes;
    }
    point[axis] = digit;
  }
  return point;
}

//===----------------------------------------------------------------------===//
// 2. Constants and digits
//===----------------------------------------------------------------------===//

PointBuilder::PointBuilder(KernelFunction &function)
    : TermBuilder(function.builder, function.loc, /*isShader=*/true), function(function),
      atEntry(OpBuilder::atBlockBegin(function.builder.getInsertionBlock())) {
  // All other constants are inserted before this one, and so before all other code.
  atEntry.setInsertionPoint(index(0).getDefiningOp());
}

Value PointBuilder::constant(TypedAttr value) {
  value = storedConstant(value);
  Value &cached = constants[value];
  if (!cached)
    cached = arith::ConstantOp::create(atEntry, loc, value);
  return cached;
}

Value PointBuilder::index(int64_t value) { return constant(ops.getIndexAttr(value)); }

Value PointBuilder::digit(Value counter, int64_t divisor, int64_t size, bool leading) {
  Value &known = digits[{counter.getAsOpaquePointer(), divisor, leading ? 0 : size}];
  if (known)
    return known;
  Value by = index(divisor), range = index(size);
  OpBuilder after(ops);
  after.setInsertionPointAfterValue(counter);
  known = counter;
  if (divisor != 1)
    known = arith::DivUIOp::create(after, loc, known, by);
  if (!leading)
    known = arith::RemUIOp::create(after, loc, known, range);
  return known;
}

Value PointBuilder::value(const Position &position) { return address(position, {1}, 0); }

//===----------------------------------------------------------------------===//
// 3. Addresses
//===----------------------------------------------------------------------===//

Value PointBuilder::address(ArrayRef<Position> at, ArrayRef<int64_t> strides, int64_t offset, int64_t unit) {
  struct Term {
    Position digit;
    int64_t factor;
    unsigned order; // Order of the loops. Pointers have no fixed order, but equal kernels must get equal code.
  };
  SmallVector<Term> terms;
  Value sum;
  auto accumulate = [&](Value term, int64_t factor) {
    term = multiply(term, factor);
    sum = sum ? add(sum, term) : term;
  };
  for (auto [position, stride] : llvm::zip_equal(at, strides)) {
    offset += position.constant * stride;
    if (stride == 0)
      continue;
    if (position.base && stride % unit == 0)
      accumulate(position.base, stride / unit);
    else if (position.base)
      accumulate(arith::DivUIOp::create(ops, loc, multiply(position.base, stride), index(unit)), 1);
    if (position.counter)
      terms.push_back({position, stride * position.scale / unit, unsigned(terms.size())});
  }

  // Merge digits of one counter, from the fastest on, if the factor of the next digit continues the factor of this one.
  llvm::stable_sort(terms, [](const Term &a, const Term &b) {
    void *left = a.digit.counter.getAsOpaquePointer(), *right = b.digit.counter.getAsOpaquePointer();
    return left != right ? left < right : a.digit.divisor < b.digit.divisor;
  });
  for (unsigned i = 0; i + 1 < terms.size();) {
    Position &low = terms[i].digit;
    const Position &high = terms[i + 1].digit;
    if (low.counter != high.counter || low.leading || high.divisor != low.divisor * low.size ||
        terms[i + 1].factor != terms[i].factor * low.size) {
      ++i;
      continue;
    }
    low.size *= high.size;
    low.leading = high.leading;
    terms.erase(terms.begin() + i + 1);
  }
  llvm::sort(terms, [](const Term &a, const Term &b) { return a.order < b.order; });
  for (const Term &term : terms)
    accumulate(digit(term.digit.counter, term.digit.divisor, term.digit.size, term.digit.leading), term.factor);
  offset /= unit;
  if (!sum)
    return index(offset);
  return offset == 0 ? sum : add(sum, index(offset));
}

//===----------------------------------------------------------------------===//
// 4. Memory and vectors
//===----------------------------------------------------------------------===//

Value PointBuilder::load(unsigned operand, Value address, unsigned width) {
  return memref::LoadOp::create(ops, loc, function.buffer(operand, width), address);
}

void PointBuilder::store(Value value, unsigned operand, Value address) {
  auto vector = dyn_cast<VectorType>(value.getType());
  memref::StoreOp::create(ops, loc, value, function.buffer(operand, vector ? vector.getNumElements() : 1), address);
}

Value PointBuilder::broadcast(Value value, unsigned width) {
  if (width == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(ops, loc, VectorType::get({int64_t(width)}, value.getType()), value);
}

Value PointBuilder::lane(Value value, unsigned lane) {
  if (!isa<VectorType>(value.getType()))
    return value;
  return vector::ExtractOp::create(ops, loc, value, int64_t(lane));
}

Value PointBuilder::join(ArrayRef<Value> lanes) {
  if (lanes.size() == 1)
    return lanes.front();
  return vector::FromElementsOp::create(ops, loc, VectorType::get({int64_t(lanes.size())}, lanes.front().getType()),
                                        lanes);
}

Value PointBuilder::add(Value a, Value b) { return arith::AddIOp::create(ops, loc, a, b); }

Value PointBuilder::subtract(Value a, Value b) { return arith::SubIOp::create(ops, loc, a, b); }

Value PointBuilder::multiply(Value a, int64_t b) {
  return b == 1 ? a : Value(arith::MulIOp::create(ops, loc, a, index(b)));
}

Value PointBuilder::below(Value a, Value b) { return arith::CmpIOp::create(ops, loc, arith::CmpIPredicate::ult, a, b); }

Value PointBuilder::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return arith::AndIOp::create(ops, loc, a, b);
}

//===----------------------------------------------------------------------===//
// 5. Control flow
//===----------------------------------------------------------------------===//

SmallVector<Value> PointBuilder::loop(int64_t count, ValueRange carried, LoopBody body) {
  return count == 1 ? body(index(0), carried) : loopBetween(index(0), index(count), carried, body);
}

SmallVector<Value> PointBuilder::loop(Value low, Value high, ValueRange carried, LoopBody body) {
  SmallVector<Value> results = loopBetween(low, high, carried, body);
  if (results.empty())
    return results;
  // MLIR lowers the results to variables that only iterations write.
  Value hasIterations = below(low, high);
  for (auto [result, before] : llvm::zip_equal(results, carried)) {
    auto vector = dyn_cast<VectorType>(result.getType());
    Value lanes = vector ? broadcast(hasIterations, vector.getNumElements()) : hasIterations;
    result = arith::SelectOp::create(ops, loc, lanes, result, before);
  }
  return results;
}

SmallVector<Value> PointBuilder::loopBetween(Value low, Value high, ValueRange carried, LoopBody body) {
  auto loop = scf::ForOp::create(ops, loc, low, high, index(1), carried);
  OpBuilder::InsertionGuard guard(ops);
  ops.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!carried.empty())
    scf::YieldOp::create(ops, loc, next);
  return SmallVector<Value>(loop.getResults());
}

void PointBuilder::loop(int64_t count, llvm::function_ref<void(Value)> body) {
  loop(count, ValueRange(), [&](Value counter, ValueRange) {
    body(counter);
    return SmallVector<Value>();
  });
}

void PointBuilder::onlyIf(Value condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(ops, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(ops);
  ops.setInsertionPointToStart(branch.thenBlock());
  body();
}

void PointBuilder::barrier() { mlir::gpu::BarrierOp::create(ops, loc); }

} // namespace nacre::codegen::gpu
