// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. values and places; 2. operations; 3. control flow.

#include "codegen/form/serial/SerialProgram.h"

#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nacre::codegen {

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

static bool isParallel(scf::ForOp loop) { return loop->hasAttr(plan::kParallel); }

/// Returns the parallel loop that is the only content of the body of `loop`; null if there is other content.
static scf::ForOp wholeBodyOf(scf::ForOp loop) {
  scf::ForOp only;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<arith::ConstantOp>(op))
      continue;
    auto inner = dyn_cast<scf::ForOp>(op);
    if (only || !inner || !isParallel(inner))
      return nullptr;
    only = inner;
  }
  return only;
}

//===----------------------------------------------------------------------===//
// 1. Values and places
//===----------------------------------------------------------------------===//

Value SerialProgram::valueOf(Value value) {
  if (Value known = values.lookup(value))
    return known;
  TypedAttr constant;
  [[maybe_unused]] const bool isConstant = matchPattern(value, m_Constant(&constant));
  assert(isConstant && "a program reads what it has computed, and constants");
  return engine.constant(constant); // Not cached: the constant may be inside a loop.
}

Place SerialProgram::placeIn(const StridedSlice &slice, Type elementType) const {
  return {slice.argument, {}, {}, slice.offset, slice.strides, elementType};
}

/// Returns the place of `tensor`. A tensor from outside of the program is in its storage.
Place SerialProgram::placeOf(Value tensor) {
  if (auto known = places.find(tensor); known != places.end())
    return known->second;
  FailureOr<StridedSlice> slice = findSlice(tensor);
  assert(succeeded(slice) && !slice->padding && "a program reads storages");
  return placeIn(*slice, cast<RankedTensorType>(tensor.getType()).getElementType());
}

Value SerialProgram::add(Value a, Value b) const {
  if (!a || !b)
    return a ? a : b;
  return ops.createOrFold<arith::AddIOp>(loc, a, b);
}

Value SerialProgram::scaled(Value index, int64_t by) const {
  if (by == 0 || matchPattern(index, m_Zero()))
    return {};
  return by == 1
             ? index
             : ops.createOrFold<arith::MulIOp>(loc, index, arith::ConstantIndexOp::create(ops, loc, by).getResult());
}

Value SerialProgram::address(const Place &place, ValueRange indices) {
  Value sum = place.offset;
  for (auto [index, stride] : llvm::zip_equal(indices, place.strides))
    sum = add(sum, scaled(valueOf(index), stride));
  if (!sum || place.constantOffset != 0)
    sum = add(sum, arith::ConstantIndexOp::create(ops, loc, place.constantOffset));
  return sum;
}

Place SerialProgram::slice(Place place, ArrayRef<OpFoldResult> offsets) {
  for (auto [offset, stride] : llvm::zip_equal(offsets, place.strides)) {
    if (std::optional<int64_t> constant = getConstantIntValue(offset))
      place.constantOffset += *constant * stride;
    else
      place.offset = add(place.offset, scaled(valueOf(cast<Value>(offset)), stride));
  }
  return place;
}

//===----------------------------------------------------------------------===//
// 2. Operations
//===----------------------------------------------------------------------===//

void SerialProgram::emit(ValueRange indices) {
  scf::ForallOp points = form.points;
  for (auto [counter, index] : llvm::zip_equal(points.getInductionVars(), indices))
    values[counter] = index;
  for (auto [whole, written] : llvm::zip_equal(points.getRegionIterArgs(), form.written))
    places[whole] = placeIn(written.slice, written.elementType);
  emitBlock(*points.getBody());
}

void SerialProgram::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    emitOperation(&op);
}

void SerialProgram::emitOperation(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tensor::ExtractOp read) {
        const Place place = placeOf(read.getTensor());
        values[read.getResult()] = engine.load(read.getResult(), place, address(place, read.getIndices()));
      })
      .Case([&](tensor::InsertOp write) {
        const Place place = placeOf(write.getDest());
        engine.store(valueOf(write.getScalar()), place, address(place, write.getIndices()));
        places[write.getResult()] = place;
      })
      .Case([&](tensor::ExtractSliceOp part) {
        places[part.getResult()] = slice(placeOf(part.getSource()), part.getMixedOffsets());
      })
      .Case([&](tensor::EmptyOp empty) {
        RankedTensorType type = empty.getType();
        places[empty.getResult()] = {{}, engine.allocate(type),           {},
                                     0,  computeStrides(type.getShape()), type.getElementType()};
      })
      .Case([&](scf::ForOp loop) { emitFor(loop); })
      .Case([&](scf::WhileOp loop) { emitWhile(loop); })
      .Case([&](scf::IfOp branch) { emitIf(branch); })
      .Case([&](arith::ConstantOp) {})
      .Default([&](Operation *) {
        SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), [&](Value v) { return valueOf(v); });
        values[op->getResult(0)] = engine.compute(op, operands);
      });
}

//===----------------------------------------------------------------------===//
// 3. Control flow
//===----------------------------------------------------------------------===//

SmallVector<Value> SerialProgram::carried(ValueRange given, ValueRange as) {
  SmallVector<Value> scalars;
  for (auto [value, becomes] : llvm::zip_equal(given, as))
    if (!isTensor(value))
      scalars.push_back(engine.carry(valueOf(value), becomes));
  return scalars;
}

SmallVector<Type> SerialProgram::typesOf(ValueRange given) {
  SmallVector<Type> types;
  for (Value value : given)
    if (!isTensor(value))
      types.push_back(engine.typeOf(value));
  return types;
}

void SerialProgram::bind(ValueRange given, ValueRange emitted) {
  for (Value value : given)
    if (!isTensor(value)) {
      values[value] = emitted.front();
      emitted = emitted.drop_front();
    }
}

void SerialProgram::bindPlaces(ValueRange given, ValueRange from) {
  for (auto [value, source] : llvm::zip(given, from))
    if (isTensor(value) && isTensor(source)) {
      Place place = placeOf(source);
      places[value] = std::move(place);
    }
}

void SerialProgram::emitIterations(scf::ForOp loop, ArrayRef<Value> inits) {
  const int64_t iterations = engine.iterationsAtOnce(loop);
  auto emitFrom = [&](Value first, SmallVector<Value> next) {
    for (int64_t iteration = 0; iteration < iterations; ++iteration) {
      values[loop.getInductionVar()] =
          iteration == 0 ? first : add(first, arith::ConstantIndexOp::create(ops, loc, iteration));
      bind(loop.getRegionIterArgs(), next);
      emitBlock(*loop.getBody());
      next = carried(loop.getYieldedValues(), loop.getRegionIterArgs());
    }
    return next;
  };
  if (iterations > 1 && iterations == loop.getStaticTripCount()->getSExtValue())
    return bind(loop.getResults(), emitFrom(valueOf(loop.getLowerBound()), SmallVector<Value>(inits)));
  Value step =
      iterations == 1 ? valueOf(loop.getStep()) : arith::ConstantIndexOp::create(ops, loc, iterations).getResult();
  auto made = scf::ForOp::create(ops, loc, valueOf(loop.getLowerBound()), valueOf(loop.getUpperBound()), step, inits);
  {
    OpBuilder::InsertionGuard guard(ops);
    if (inits.empty())
      ops.setInsertionPoint(made.getBody()->getTerminator());
    else
      ops.setInsertionPointToEnd(made.getBody());
    SmallVector<Value> next = emitFrom(made.getInductionVar(), SmallVector<Value>(made.getRegionIterArgs()));
    if (!inits.empty())
      scf::YieldOp::create(ops, loc, next);
  }
  bind(loop.getResults(), made.getResults());
}

bool SerialProgram::emitParallel(scf::ForOp loop) {
  SmallVector<scf::ForOp, 2> loops;
  for (; loop; loop = wholeBodyOf(loop)) {
    bindPlaces(loop.getRegionIterArgs(), loop.getInits());
    bindPlaces(loop.getResults(), loop.getInits());
    loops.push_back(loop);
  }
  return engine.parallel(loops, [&](ValueRange counters) {
    for (auto [each, counter] : llvm::zip_equal(loops, counters))
      values[each.getInductionVar()] = counter;
    emitBlock(*loops.back().getBody());
  });
}

void SerialProgram::emitFor(scf::ForOp loop) {
  if (isParallel(loop) && emitParallel(loop))
    return;
  SmallVector<Value> inits = carried(loop.getInits(), loop.getRegionIterArgs());
  bindPlaces(loop.getRegionIterArgs(), loop.getInits());
  bindPlaces(loop.getResults(), loop.getInits());
  std::optional<APInt> known = loop.getStaticTripCount();
  if (inits.empty() || !engine.mustIterate() || (known && !known->isZero()))
    return emitIterations(loop, inits);
  Value isEntered = arith::CmpIOp::create(ops, loc, arith::CmpIPredicate::slt, valueOf(loop.getLowerBound()),
                                          valueOf(loop.getUpperBound()));
  auto guarded = scf::IfOp::create(ops, loc, TypeRange(ValueRange(inits)), isEntered, /*addThenBlock=*/true,
                                   /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(ops);
  ops.setInsertionPointToEnd(guarded.elseBlock());
  scf::YieldOp::create(ops, loc, inits);
  ops.setInsertionPointToEnd(guarded.thenBlock());
  emitIterations(loop, inits);
  scf::YieldOp::create(ops, loc, carried(loop.getResults(), loop.getRegionIterArgs()));
  bind(loop.getResults(), guarded.getResults());
}

void SerialProgram::emitWhile(scf::WhileOp loop) {
  SmallVector<Value> inits = carried(loop.getInits(), loop.getBeforeArguments());
  bindPlaces(loop.getBeforeArguments(), loop.getInits());
  bindPlaces(loop.getAfterArguments(), loop.getInits());
  bindPlaces(loop.getResults(), loop.getInits());
  SmallVector<Type> types = typesOf(loop.getResults());
  auto made = scf::WhileOp::create(ops, loc, types, inits);
  OpBuilder::InsertionGuard guard(ops);
  Block *before =
      ops.createBlock(&made.getBefore(), {}, TypeRange(ValueRange(inits)), SmallVector<Location>(inits.size(), loc));
  bind(loop.getBeforeArguments(), before->getArguments());
  emitBlock(*loop.getBeforeBody());
  scf::ConditionOp::create(ops, loc, valueOf(loop.getConditionOp().getCondition()),
                           carried(loop.getConditionOp().getArgs(), loop.getResults()));
  Block *after = ops.createBlock(&made.getAfter(), {}, types, SmallVector<Location>(types.size(), loc));
  bind(loop.getAfterArguments(), after->getArguments());
  emitBlock(*loop.getAfterBody());
  scf::YieldOp::create(ops, loc, carried(loop.getYieldedValues(), loop.getBeforeArguments()));
  bind(loop.getResults(), made.getResults());
}

void SerialProgram::emitIf(scf::IfOp branch) {
  SmallVector<Type> types = typesOf(branch.getResults());
  const bool hasElse = branch.elseBlock() != nullptr;
  auto made = scf::IfOp::create(ops, loc, types, valueOf(branch.getCondition()), /*addThenBlock=*/true, hasElse);
  auto fill = [&](Block *from, Block *to) {
    OpBuilder::InsertionGuard guard(ops);
    if (!to->empty())
      to->back().erase();
    ops.setInsertionPointToEnd(to);
    emitBlock(*from);
    scf::YieldOp::create(ops, loc, carried(from->getTerminator()->getOperands(), branch.getResults()));
    bindPlaces(branch.getResults(), from->getTerminator()->getOperands());
  };
  fill(branch.thenBlock(), made.thenBlock());
  if (hasElse)
    fill(branch.elseBlock(), made.elseBlock());
  bind(branch.getResults(), made.getResults());
}

} // namespace nacre::codegen
