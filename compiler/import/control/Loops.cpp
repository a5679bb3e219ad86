// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements RegionBuilder::buildLoop(). The parts of this file are:
// 1. Checks the operands, and finds the count of scanned values with an open first axis.
// 2. Builds the body in an operator without results.
// 3. Chooses nn.for or nn.while by the result of the body, and moves the body there.

#include "compiler/import/control/RegionBuilder.h"

#include "compiler/import/messages/TypeNames.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace nacre::importer {

namespace {

RankedTensorType scalarOf(Type element) { return RankedTensorType::get({}, element); }

/// Returns the type of a stack of `rows` rows.
RankedTensorType stackOf(Value row, int64_t rows) {
  SmallVector<int64_t> shape(getShape(row));
  shape.insert(shape.begin(), rows);
  return RankedTensorType::get(shape, getElementType(row));
}

bool isTrue(Value condition) {
  ElementsAttr known = getConstant(condition);
  return known && known.isSplat() && known.getSplatValue<bool>();
}

/// Returns the number of loops around `block`.
unsigned depthOf(Block *block) {
  unsigned depth = 0;
  for (Operation *op = block->getParentOp(); op; op = op->getParentOp())
    depth += isa<nn::ForOp, nn::WhileOp>(op);
  return depth;
}

} // namespace

//===----------------------------------------------------------------------===//
// 1. Operands
//===----------------------------------------------------------------------===//

LogicalResult RegionBuilder::refuseAnyOpen(ValueRange values) {
  for (Value value : values)
    if (nn.isOpen(value)) {
      nn.refuseOpen(value);
      return failure();
    }
  return success();
}

LogicalResult RegionBuilder::checkLoop(const Loop &loop) {
  if (depthOf(builder.getInsertionBlock()) >= nn::maxLoopDepth)
    return nn.error() << "must be nested in at most " << nn::maxLoopDepth - 1
                      << " loops, but is in more; merge some of them";
  for (auto [index, value] : llvm::enumerate(loop.initial))
    if (!isTensor(value))
      return nn.error() << "carried value " << index
                        << " must be a tensor if the iterations are counted at run time, but is " << describe(value);
  for (Value value : loop.scanned)
    if (getRank(value) == 0 || getShape(value)[0] != loop.bound)
      return nn.error() << "a scanned operand must have a row for each of " << *loop.bound << " iterations, but is "
                        << describe(value);
  for (Value value : {loop.count, loop.goesOn})
    if (value && getType(value).getNumElements() != 1)
      return nn.error() << "the end condition of a loop must be one element, but is " << describe(value);
  return refuseAnyOpen(loop.initial);
}

/// Returns the number of iterations if it is computed before the first iteration. Returns null if it is constant or
/// unknown.
FailureOr<Value> RegionBuilder::findCount(const Loop &loop) {
  Value count = loop.count ? nn.cast(nn.reshape(loop.count, /*shape=*/{}), builder.getI64Type()) : Value();
  for (Value value : loop.scanned) {
    nn::AxisCounts counts = nn.getCounts(value);
    if (counts.empty())
      continue;
    Value rows = counts.front();
    bool isOtherwiseOpen = llvm::any_of(ArrayRef(counts).drop_front(), [](Value other) { return bool(other); });
    if (isOtherwiseOpen || !rows || (count && count != rows)) {
      nn.refuseOpen(value);
      return failure();
    }
    count = rows;
  }
  return count;
}

//===----------------------------------------------------------------------===//
// 2. The body
//===----------------------------------------------------------------------===//

LogicalResult RegionBuilder::checkIteration(const Loop &loop, const Iteration &iteration) {
  if (iteration.carried.size() != loop.initial.size())
    return nn.error() << "an iteration must carry " << describeCount(loop.initial.size(), "value") << ", but carries "
                      << iteration.carried.size();
  for (auto [index, before, after] : llvm::enumerate(loop.initial, iteration.carried))
    if (!after || before.getType() != after.getType())
      return nn.error() << "carried value " << index << " must have the same type in every iteration, but is "
                        << describe(before) << " before one and " << (after ? describe(after) : "nothing")
                        << " after it; pass --set for the input that decides the number of iterations";
  for (auto [index, row] : llvm::enumerate(iteration.rows))
    if (!row || !isTensor(row))
      return nn.error() << "the row that an iteration adds to stack " << index << " must be a tensor, but is "
                        << (row ? describe(row) : "nothing");
  if (iteration.goesOn && getType(iteration.goesOn).getNumElements() != 1)
    return nn.error() << "the condition that an iteration computes must be one element, but is "
                      << describe(iteration.goesOn);
  return success(succeeded(refuseAnyOpen(iteration.carried)) && succeeded(refuseAnyOpen(iteration.rows)));
}

FailureOr<LoopResults> RegionBuilder::buildLoop(const Loop &loop, Body body, Condition condition) {
  if (failed(checkLoop(loop)))
    return failure();
  FailureOr<Value> count = findCount(loop);
  if (failed(count))
    return failure();
  if (*count && loop.reverse)
    return nn.error() << "must scan rows in forward order, because their number is known only at run time";
  auto scaffold = nn::ForOp::create(builder, nn.getLoc(), TypeRange(), /*trip_count=*/0, /*count=*/Value(),
                                    /*initial=*/ValueRange(), /*scanned=*/ValueRange(), loop.reverse);
  Block &block = scaffold.getBody().emplaceBlock();
  Value counter = block.addArgument(scalarOf(builder.getI64Type()), nn.getLoc());
  Values carried, rows;
  for (Value value : loop.initial)
    carried.push_back(block.addArgument(value.getType(), nn.getLoc()));
  for (Value value : loop.scanned)
    rows.push_back(
        block.addArgument(RankedTensorType::get(getShape(value).drop_front(), getElementType(value)), nn.getLoc()));
  const uint32_t numRandomNodes = shared.randomNodes.size();
  FailureOr<Iteration> iteration = Iteration();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&block);
    iteration = body(counter, carried, rows);
    if (failed(iteration) || failed(checkIteration(loop, *iteration)))
      return failure();
    if (iteration->goesOn)
      iteration->goesOn = isTrue(iteration->goesOn) ? Value() : scalarBoolean(iteration->goesOn);
  }
  if (shared.randomNodes.size() != numRandomNodes)
    return nn.error() << "a loop that counts its iterations at run time must not draw random numbers: each iteration "
                         "would draw the same ones; draw them outside the loop";
  const bool isCounted = !condition && !iteration->goesOn && !loop.goesOn && loop.bound;
  FailureOr<LoopResults> results = isCounted ? finishFor(loop, *count, scaffold.getBody(), *iteration)
                                             : finishWhile(loop, *count, scaffold.getBody(), *iteration, condition);
  if (succeeded(results))
    scaffold.erase();
  return results;
}

//===----------------------------------------------------------------------===//
// 3. The operator
//===----------------------------------------------------------------------===//

Value RegionBuilder::scalarBoolean(Value value) {
  return nn.cast(nn.reshape(value, /*shape=*/{}), builder.getI1Type());
}

/// Verifies `op`. Replaces MLIR's messages, because they name operators of `nn`, which users do not know.
LogicalResult RegionBuilder::check(Operation *op) {
  {
    ScopedDiagnosticHandler silence(builder.getContext(), [](Diagnostic &) { return success(); });
    if (succeeded(verify(op)))
      return success();
  }
  return nn.error() << "the results of its graphs must be numeric or boolean tensors of matching types, but are not; "
                       "validate the model with its format's checker";
}

FailureOr<LoopResults> RegionBuilder::finishFor(const Loop &loop, Value count, Region &body,
                                                const Iteration &iteration) {
  SmallVector<Type> types(ValueRange(loop.initial).getTypes());
  for (Value row : iteration.rows)
    types.push_back(stackOf(row, *loop.bound));
  auto op =
      nn::ForOp::create(builder, nn.getLoc(), types, *loop.bound, count, loop.initial, loop.scanned, loop.reverse);
  op.getBody().takeBody(body);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&op.getBody().front());
    nn::YieldOp::create(builder, nn.getLoc(), iteration.carried, iteration.rows);
  }
  if (failed(check(op)))
    return failure();
  LoopResults results{llvm::to_vector_of<Value>(op.getFinals()), llvm::to_vector_of<Value>(op.getStacks())};
  if (!count)
    return results;
  // A count that is known to be within the bound stays the same value, so that the stacks agree with what it counts.
  std::optional<SmallVector<Size>> known = nn.readSizes(count);
  Value iterations = known && known->front().count && known->front().bound <= *loop.bound
                         ? known->front().count
                         : nn.binary(nn::BinaryKind::Min, nn.binary(nn::BinaryKind::Max, count, 0.0),
                                     static_cast<double>(*loop.bound));
  for (Value &stack : results.stacks)
    stack = nn.limit(stack, 0, iterations);
  return results;
}

FailureOr<LoopResults> RegionBuilder::finishWhile(const Loop &loop, Value count, Region &body, Iteration iteration,
                                                  Condition condition) {
  if (!iteration.rows.empty() && !loop.bound) {
    InFlightDiagnostic diagnostic = nn.error() << "must have a number of iterations, or a bound on it, that is known "
                                                  "at compile time, because the loop stacks rows; ";
    if (const StringRef size = nn.nameUnbounded(loop.count); !size.empty())
      diagnostic << "give the largest value of '" << size << "' with --bound " << size << "=<number>, or ";
    return diagnostic << "fix the input it depends on with --set";
  }
  assert(loop.scanned.empty() && "only a counted loop knows which row is whose");
  Location loc = nn.getLoc();
  // An additional carried value holds the condition that an iteration computes for the next one.
  const bool carriesOn = iteration.goesOn || loop.goesOn;
  Values initial;
  if (carriesOn) {
    Value yes = nn.splat(scalarOf(builder.getI1Type()), 1);
    initial.push_back(loop.goesOn ? scalarBoolean(loop.goesOn) : yes);
    if (!yes || !initial.front())
      return failure();
    iteration.carried.insert(iteration.carried.begin(), iteration.goesOn ? iteration.goesOn : yes);
    body.insertArgument(1u, initial.front().getType(), loc);
  }
  llvm::append_range(initial, loop.initial);
  if (llvm::is_contained(initial, Value()))
    return failure();
  SmallVector<Type> types(ValueRange(initial).getTypes());
  for (Value row : iteration.rows)
    types.push_back(stackOf(row, *loop.bound));
  types.push_back(scalarOf(builder.getI64Type()));
  IntegerAttr bound = loop.bound ? builder.getI64IntegerAttr(*loop.bound) : IntegerAttr();
  auto op = nn::WhileOp::create(builder, loc, types, bound, initial);
  op.getBody().takeBody(body);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&op.getBody().front());
  nn::YieldOp::create(builder, loc, iteration.carried, iteration.rows);

  Block &asked = op.getConditionRegion().emplaceBlock();
  asked.addArguments(op.getBody().getArgumentTypes(), SmallVector<Location>(op.getBody().getNumArguments(), loc));
  builder.setInsertionPointToEnd(&asked);
  Value counter = asked.getArgument(0), goesOn = carriesOn ? Value(asked.getArgument(1)) : Value();
  auto join = [&](Value other) { goesOn = goesOn ? nn.binary(nn::BinaryKind::And, goesOn, other) : other; };
  if (count)
    join(nn.binary(nn::BinaryKind::Less, counter, count));
  if (condition) {
    Values carried(asked.getArguments().drop_front(1 + carriesOn));
    FailureOr<Value> said = condition(counter, carried);
    if (failed(said) || !*said || failed(refuseAnyOpen(*said)))
      return failure();
    if (!isTensor(*said) || getType(*said).getNumElements() != 1)
      return nn.error() << "the condition of a loop must be one element, but is " << describe(*said);
    join(scalarBoolean(*said));
  }
  if (!goesOn) // only the bound, if there is one, ends the loop
    goesOn = nn.splat(scalarOf(builder.getI1Type()), 1);
  if (!goesOn)
    return failure();
  nn::ConditionOp::create(builder, loc, goesOn);
  if (failed(check(op)))
    return failure();
  for (Value stack : op.getStacks())
    nn.limit(stack, /*axis=*/0, op.getTrips());
  return LoopResults{llvm::to_vector_of<Value>(op.getFinals().drop_front(carriesOn)),
                     llvm::to_vector_of<Value>(op.getStacks())};
}

} // namespace nacre::importer
