// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/lowerings/selections/SerialHeap.h"
#include "compiler/kernels/bodies/SerialBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nacre::kernels {
namespace {

Value index(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// Finds the child of `hole` that precedes its sibling and `element`. Returns whether there is such a child (i1), its
/// position, and its scalars. If there is no child, the position is `hole` and the scalars are `element`.
Scalars findChild(OpBuilder &builder, const SerialHeap &heap, ValueRange tensors, ValueRange element, Value hole,
                  Value size) {
  Location loc = heap.loc;
  Value left =
      arith::AddIOp::create(builder, loc, arith::AddIOp::create(builder, loc, hole, hole), index(builder, loc, 1));
  Value hasChild = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, left, size);
  Scalars none{hasChild, hole};
  none.append(element.begin(), element.end());
  auto branch = scf::IfOp::create(
      builder, loc, hasChild,
      [&](OpBuilder &inside, Location) {
        // If there is no right child, this reads the left one again, which does not precede itself.
        Value last = arith::SubIOp::create(inside, loc, size, index(inside, loc, 1));
        Value right =
            arith::MinSIOp::create(inside, loc, arith::AddIOp::create(inside, loc, left, index(inside, loc, 1)), last);
        Scalars first = heap.load(inside, tensors, left), second = heap.load(inside, tensors, right);
        Value takesRight = heap.before(inside, second, first);
        auto choose = [&](Value ifRight, Value ifLeft) -> Value {
          return arith::SelectOp::create(inside, loc, takesRight, ifRight, ifLeft);
        };
        Scalars child;
        for (auto [ifLeft, ifRight] : llvm::zip_equal(first, second))
          child.push_back(choose(ifRight, ifLeft));
        Scalars found{heap.before(inside, child, element), choose(right, left)};
        found.append(child);
        scf::YieldOp::create(inside, loc, found);
      },
      [&](OpBuilder &inside, Location) { scf::YieldOp::create(inside, loc, none); });
  return Scalars(branch.getResults());
}

} // namespace

Scalars sink(OpBuilder &builder, const SerialHeap &heap, ValueRange tensors, ValueRange element, Value at, Value size) {
  Location loc = heap.loc;
  // The tensors are carried first, so that their positions are the same in both regions. The hole follows. On the way
  // down, the position and the scalars of the child come after the hole.
  const size_t count = tensors.size();
  Scalars carried(tensors), passed(tensors);
  carried.push_back(at);
  passed.append({at, at});
  passed.append(element.begin(), element.end());
  auto loop = scf::WhileOp::create(
      builder, loc, ValueRange(passed).getTypes(), carried,
      [&](OpBuilder &inside, Location, ValueRange values) {
        Scalars found = findChild(inside, heap, values.take_front(count), element, values.back(), size);
        Scalars next(values);
        next.append(found.begin() + 1, found.end());
        scf::ConditionOp::create(inside, loc, found.front(), next);
      },
      [&](OpBuilder &inside, Location, ValueRange values) {
        Value hole = values[count], child = values[count + 1];
        Scalars next = heap.store(inside, values.take_front(count), hole, values.drop_front(count + 2));
        next.push_back(child);
        scf::YieldOp::create(inside, loc, next);
      });
  return heap.store(builder, loop.getResults().take_front(count), loop.getResult(count), element);
}

Scalars makeHeap(OpBuilder &builder, const SerialHeap &heap, ValueRange tensors, Value size) {
  Location loc = heap.loc;
  Value half = arith::ShRUIOp::create(builder, loc, size, index(builder, loc, 1));
  return Scalars(emitLoop(builder, loc, index(builder, loc, 0), half, tensors,
                          [&](OpBuilder &inside, Value iteration, ValueRange values) -> SmallVector<Value> {
                            Value last = arith::SubIOp::create(inside, loc, half, index(inside, loc, 1));
                            Value at = arith::SubIOp::create(inside, loc, last, iteration);
                            return SmallVector<Value>(
                                sink(inside, heap, values, heap.load(inside, values, at), at, size));
                          }));
}

Scalars sortHeap(OpBuilder &builder, const SerialHeap &heap, ValueRange tensors, Value size) {
  Location loc = heap.loc;
  return Scalars(emitLoop(builder, loc, index(builder, loc, 1), size, tensors,
                          [&](OpBuilder &inside, Value iteration, ValueRange values) -> SmallVector<Value> {
                            Value last = arith::SubIOp::create(inside, loc, size, iteration),
                                  zero = index(inside, loc, 0);
                            Scalars root = heap.load(inside, values, zero), moved = heap.load(inside, values, last);
                            Scalars rest = heap.store(inside, values, last, root);
                            return SmallVector<Value>(sink(inside, heap, rest, moved, zero, last));
                          }));
}

} // namespace nacre::kernels
