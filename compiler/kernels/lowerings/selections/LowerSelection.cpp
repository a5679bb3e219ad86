// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers sorting, selecting and compacting to serial programs. Their reads depend on the data, and they have few steps
// per element. A point is a row.
//
// 1. Orders of elements.
// 2. top_k: a heap of the k best elements so far, with the worst of them at its root.
// 3. compact: one pass.
// 4. unique: sorts indices by their rows, then numbers the equal rows.

#include "compiler/kernels/bodies/ElementTypes.h"
#include "compiler/kernels/bodies/SerialBody.h"
#include "compiler/kernels/lowerings/Lowering.h"
#include "compiler/kernels/lowerings/selections/SerialHeap.h"
#include "compiler/kernels/lowerings/selections/SerialWriter.h"
#include "dialects/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace nacre::kernels {
namespace {

using Writer = SerialWriter;

//===----------------------------------------------------------------------===//
// 1. Orders
//===----------------------------------------------------------------------===//

/// Emits true if a is larger than b. Both have their storage type. NaN is larger than all other values.
Value isLarger(Writer w, Type elementType, Value a, Value b) {
  a = fromStorage(w.ops, w.loc, a, elementType);
  b = fromStorage(w.ops, w.loc, b, elementType);
  if (!isa<FloatType>(elementType)) {
    bool isSigned = !elementType.isUnsignedInteger() && !elementType.isInteger(1);
    return arith::CmpIOp::create(w.ops, w.loc, isSigned ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::ugt, a, b);
  }
  auto compare = [&](arith::CmpFPredicate how, Value x, Value y) -> Value {
    return arith::CmpFOp::create(w.ops, w.loc, how, x, y);
  };
  Value isNumber = compare(arith::CmpFPredicate::ORD, b, b), isNan = compare(arith::CmpFPredicate::UNO, a, a);
  return w.either(compare(arith::CmpFPredicate::OGT, a, b), w.both(isNan, isNumber));
}

/// Emits true if a goes first, or if neither goes first and the index of a is lower.
Value goesFirst(Writer w, Value aFirst, Value bFirst, Value aIndex, Value bIndex) {
  Value isTie = w.negate(w.either(aFirst, bFirst));
  return w.either(aFirst, w.both(isTie, w.less(aIndex, bIndex)));
}

/// Stores `value` at all positions from `begin` to `end` - 1. `at` returns the indices of a position.
Value emitFill(Writer w, Value tensor, Value begin, Value end, Value value,
               function_ref<SmallVector<Value>(Value)> at) {
  return emitLoop(w.ops, w.loc, begin, end, tensor,
                  [&](OpBuilder &inside, Value iteration, ValueRange values) -> SmallVector<Value> {
                    return {Writer{inside, w.loc}.store(values[0], at(iteration), value)};
                  })
      .front();
}

} // namespace

//===----------------------------------------------------------------------===//
// 2. The k largest or smallest
//===----------------------------------------------------------------------===//

LogicalResult lowerTopK(KernelBody &body, nn::TopKOp op) {
  RankedTensorType type = typeOf(op.getOperand());
  const int64_t axis = op.getAxis(), k = op.getK(), length = type.getDimSize(axis);
  Type elementType = type.getElementType();
  Location loc = body.getLoc();
  Value source = body.read(op.getOperand());
  SerialPoints points;
  for (int64_t other = 0; other < type.getRank(); ++other)
    if (other != axis)
      points.axes.push_back(other);
  const bool smallest = op.getSmallest();
  auto isBetter = [=](Writer w, Value a, Value b) {
    return smallest ? isLarger(w, elementType, b, a) : isLarger(w, elementType, a, b);
  };
  return finishSerial(body, points, [&](OpBuilder &ops, const SerialPoint &point, ValueRange parts) {
    Writer w{ops, loc};
    auto inSource = [&](Value position) {
      SmallVector<Value> at(point.at);
      at[axis] = position;
      return at;
    };
    // Parts begin at index 0 on all axes and contain only elements of the point.
    Value zero = w.index(0);
    auto inPart = [&](Value position) {
      SmallVector<Value> at(type.getRank(), zero);
      at[axis] = position;
      return at;
    };
    SerialHeap heap{loc,
                    [=](OpBuilder &b, ValueRange tensors, Value position) -> Scalars {
                      Writer w{b, loc};
                      return {w.load(tensors[0], inPart(position)), w.load(tensors[1], inPart(position))};
                    },
                    [=](OpBuilder &b, ValueRange tensors, Value position, ValueRange element) -> Scalars {
                      Writer w{b, loc};
                      return {w.store(tensors[0], inPart(position), element[0]),
                              w.store(tensors[1], inPart(position), element[1])};
                    },
                    [=](OpBuilder &b, ValueRange x, ValueRange y) -> Value {
                      Writer w{b, loc};
                      return goesFirst(w, isBetter(w, y[0], x[0]), isBetter(w, x[0], y[0]), y[1], x[1]);
                    }};
    auto put = [&](OpBuilder &inside, Value position, ValueRange tensors, Value at) {
      Writer w{inside, loc};
      return heap.store(inside, tensors, at, {w.load(source, inSource(position)), w.toInteger(position)});
    };
    Scalars kept(emitLoop(ops, loc, zero, w.index(k), parts,
                          [&](OpBuilder &inside, Value iteration, ValueRange tensors) -> SmallVector<Value> {
                            return SmallVector<Value>(put(inside, iteration, tensors, iteration));
                          }));
    kept = makeHeap(ops, heap, kept, w.index(k));
    // A later element must be better than the worst one. If both are equal, the later element loses because its index
    // is higher.
    kept = Scalars(
        emitLoop(ops, loc, w.index(k), w.index(length), kept,
                 [&](OpBuilder &outside, Value iteration, ValueRange tensors) -> SmallVector<Value> {
                   Writer w{outside, loc};
                   Value element = w.load(source, inSource(iteration)), worst = w.load(tensors[0], inPart(zero));
                   return emitIf(outside, loc, isBetter(w, element, worst), tensors,
                                 [&](OpBuilder &inside, ValueRange values) -> SmallVector<Value> {
                                   Writer w{inside, loc};
                                   return SmallVector<Value>(
                                       sink(inside, heap, values, {element, w.toInteger(iteration)}, zero, w.index(k)));
                                 });
                 }));
    return SmallVector<Value>(sortHeap(ops, heap, kept, w.index(k)));
  });
}

//===----------------------------------------------------------------------===//
// 3. Compacting
//===----------------------------------------------------------------------===//

LogicalResult lowerCompact(KernelBody &body, nn::CompactOp op) {
  Location loc = body.getLoc();
  const int64_t length = typeOf(op.getMask()).getDimSize(0);
  Value mask = body.read(op.getMask());
  return finishSerial(body, {}, [&](OpBuilder &ops, const SerialPoint &, ValueRange parts) -> SmallVector<Value> {
    Writer w{ops, loc};
    // Each index is written after the indices found so far. The next write replaces it unless its element is true.
    Scalars carried{parts[0], w.index(0)};
    SmallVector<Value> found =
        emitLoop(ops, loc, w.index(0), w.index(length), carried,
                 [&](OpBuilder &inside, Value iteration, ValueRange values) -> SmallVector<Value> {
                   Writer w{inside, loc};
                   Value isTrue =
                       fromStorage(inside, loc, w.load(mask, iteration), op.getMask().getType().getElementType());
                   Value next = w.choose(isTrue, w.add(values[1], 1), values[1]);
                   return {w.store(values[0], values[1], w.toInteger(iteration)), next};
                 });
    return {emitFill(w, found[0], found[1], w.index(length), w.integer(length),
                     [](Value at) { return SmallVector<Value>{at}; })};
  });
}

//===----------------------------------------------------------------------===//
// 4. Unique rows
//===----------------------------------------------------------------------===//

namespace {

/// Emits -1, 0 or 1 (i64) if row a precedes, equals or follows row b.
Value compareRows(Writer w, Value rows, Type elementType, int64_t columns, Value a, Value b) {
  Location loc = w.loc;
  auto compareAt = [&](OpBuilder &builder, Value column) -> Value {
    Writer w{builder, loc};
    Value x = w.load(rows, {a, column}), y = w.load(rows, {b, column});
    Value ifNotLarger = w.choose(isLarger(w, elementType, y, x), w.integer(-1), w.integer(0));
    return w.choose(isLarger(w, elementType, x, y), w.integer(1), ifNotLarger);
  };
  if (columns == 1)
    return compareAt(w.ops, w.index(0));
  Type carried[] = {w.ops.getI64Type(), w.ops.getIndexType()};
  auto loop = scf::WhileOp::create(
      w.ops, loc, TypeRange(carried), ValueRange{w.integer(0), w.index(0)},
      [&](OpBuilder &inside, Location, ValueRange values) {
        Writer w{inside, loc};
        Value goesOn = w.both(w.equal(values[0], w.integer(0)), w.less(values[1], w.index(columns)));
        scf::ConditionOp::create(inside, loc, goesOn, values);
      },
      [&](OpBuilder &inside, Location, ValueRange values) {
        scf::YieldOp::create(inside, loc, {compareAt(inside, values[1]), Writer{inside, loc}.add(values[1], 1)});
      });
  return loop.getResult(0);
}

/// Renumbers classes of equal rows in the order of their first rows. Returns the new `inverse`, and `counts` with the
/// new index of each class.
Scalars renumber(Writer w, Value inverse, Value counts, int64_t number) {
  Location loc = w.loc;
  auto at = [](Value position) { return SmallVector<Value>{position}; };
  Value renamed = emitFill(w, counts, w.index(0), w.index(number), w.integer(-1), at);
  SmallVector<Value> done =
      emitLoop(w.ops, loc, w.index(0), w.index(number), {inverse, renamed, w.integer(0)},
               [&](OpBuilder &inside, Value iteration, ValueRange values) -> SmallVector<Value> {
                 Writer w{inside, loc};
                 Value kind = w.toIndex(w.load(values[0], iteration)), known = w.load(values[1], kind);
                 Value isNew = w.less(known, w.integer(0)), name = w.choose(isNew, values[2], known);
                 Value next = w.choose(isNew, arith::AddIOp::create(inside, loc, values[2], w.integer(1)), values[2]);
                 return {w.store(values[0], iteration, name), w.store(values[1], kind, name), next};
               });
  return {done[0], done[1]};
}

} // namespace

LogicalResult lowerUnique(KernelBody &body, nn::UniqueOp op) {
  RankedTensorType type = typeOf(op.getRows());
  const int64_t number = type.getDimSize(0), columns = type.getDimSize(1);
  Type elementType = type.getElementType();
  Location loc = body.getLoc();
  Value rows = body.read(op.getRows());
  return finishSerial(body, {}, [&](OpBuilder &ops, const SerialPoint &, ValueRange parts) -> SmallVector<Value> {
    Writer w{ops, loc};
    Value zero = w.index(0), end = w.index(number), none = w.integer(0);
    auto compare = [=](Writer w, Value a, Value b) {
      return compareRows(w, rows, elementType, columns, w.toIndex(a), w.toIndex(b));
    };
    // The first result holds the order until the end.
    Value order = emitLoop(ops, loc, zero, end, parts[0],
                           [&](OpBuilder &inside, Value iteration, ValueRange values) -> SmallVector<Value> {
                             Writer w{inside, loc};
                             return {w.store(values[0], iteration, w.toInteger(iteration))};
                           })
                      .front();
    SerialHeap heap{loc,
                    [=](OpBuilder &b, ValueRange tensors, Value position) -> Scalars {
                      return {Writer{b, loc}.load(tensors[0], position)};
                    },
                    [=](OpBuilder &b, ValueRange tensors, Value position, ValueRange element) -> Scalars {
                      return {Writer{b, loc}.store(tensors[0], position, element[0])};
                    },
                    [=](OpBuilder &b, ValueRange x, ValueRange y) -> Value {
                      Writer w{b, loc};
                      Value zero = w.integer(0), order = compare(w, x[0], y[0]);
                      return w.either(w.less(zero, order), w.both(w.equal(zero, order), w.less(y[0], x[0])));
                    }};
    order = sortHeap(ops, heap, makeHeap(ops, heap, order, end), end).front();

    // Index of the class of each row, from 0 on.
    Value inverse = w.store(parts[1], w.toIndex(w.load(order, zero)), none);
    inverse = emitLoop(ops, loc, w.index(1), end, {inverse, none},
                       [&](OpBuilder &inside, Value iteration, ValueRange values) -> SmallVector<Value> {
                         Writer w{inside, loc};
                         Value row = w.load(order, iteration), former = w.load(order, w.sub(iteration, 1));
                         Value zero = w.integer(0);
                         Value step = w.choose(w.equal(compare(w, former, row), zero), zero, w.integer(1));
                         Value kind = arith::AddIOp::create(inside, loc, values[1], step);
                         return {w.store(values[0], w.toIndex(row), kind), kind};
                       })
                  .front();
    Value counts = parts[2];
    if (!op.getSorted()) {
      Scalars renamed = renumber(w, inverse, counts, number);
      inverse = renamed[0];
      counts = renamed[1];
    }
    auto at = [](Value position) { return SmallVector<Value>{position}; };
    counts = emitFill(w, counts, zero, end, none, at);
    Value first = emitFill(w, order, zero, end, w.toInteger(end), at);
    SmallVector<Value> counted =
        emitLoop(ops, loc, zero, end, {first, counts},
                 [&](OpBuilder &inside, Value iteration, ValueRange values) -> SmallVector<Value> {
                   Writer w{inside, loc};
                   Value kind = w.toIndex(w.load(inverse, iteration)), row = w.toInteger(iteration);
                   Value known = w.load(values[0], kind), count = w.load(values[1], kind);
                   count = arith::AddIOp::create(inside, loc, count, w.integer(1));
                   return {w.store(values[0], kind, arith::MinSIOp::create(inside, loc, known, row)),
                           w.store(values[1], kind, count)};
                 });
    return {counted[0], inverse, counted[1]};
  });
}

} // namespace nacre::kernels
