// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/tiles/InOrderLoop.h"

#include "dialects/StoredBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

/// Number of rows whose elements must be loaded before a step begins. The elements of the other rows are loaded during
/// the step.
constexpr size_t firstRows = 2;

/// Loads a step's columns in advance: one load for each half of a vector, then one move for each vector.
class ColumnsAhead {
public:
  ColumnsAhead(VectorBuilder &build, VectorType type, int64_t vectors, Value pointer)
      : build(build), type(type), pointer(pointer), halves(2 * vectors) {}

  bool done() const { return columns.size() == halves.size() / 2; }

  void next() {
    constexpr int64_t halfBytes = 8;
    if (loaded < halves.size()) {
      halves[loaded] = build.loadHalfAt(build.add(pointer, int64_t(loaded) * halfBytes), loaded % 2 == 1);
      ++loaded;
    } else if (!done()) {
      columns.push_back(build.joinHalves(halves[2 * columns.size()], halves[2 * columns.size() + 1], type));
    }
  }

  SmallVector<Value> all() {
    while (!done())
      next();
    return columns;
  }

private:
  VectorBuilder &build;
  const VectorType type;
  const Value pointer;
  SmallVector<Value> halves, columns;
  size_t loaded = 0; ///< Number of `halves` that are loaded
};

} // namespace

Value InOrderLoop::elementsOf(Value row, int64_t step) {
  Value at = build.add(row, step * bytesOfElement(element));
  auto elements = VectorType::get({half()}, element);
  return element.isInteger() ? build.loadWordsAt(at, elements) : extend(build.loadAt(at, elements));
}

SmallVector<Value> InOrderLoop::begin(const Stand &at) {
  SmallVector<Value> begun = ColumnsAhead(build, type, vectors, at.columns).all();
  for (Value row : ArrayRef(at.rows).take_front(firstRows))
    begun.push_back(elementsOf(row, 0));
  return begun;
}

SmallVector<Value> InOrderLoop::multiplyAdd(ValueRange before, ValueRange begun, const Stand &at,
                                            llvm::function_ref<Stand()> next) {
  const size_t rows = at.rows.size(), first = std::min(firstRows, rows);
  SmallVector<Value> sums(before), now(begun.take_front(vectors)), elements(begun.drop_front(vectors));
  elements.resize(rows);
  for (int64_t step = 0; step < unroll; ++step) {
    const bool isLast = step + 1 == unroll;
    const Stand after = isLast ? next() : Stand{at.rows, build.add(at.columns, (step + 1) * stepBytes)};
    ColumnsAhead ahead(build, type, vectors, after.columns);
    for (size_t row = 0; row < rows; ++row) {
      if (step == 0 && row + first < rows)
        elements[row + first] = elementsOf(at.rows[row + first], 0);
      Value a = build.broadcast(build.lane(elements[row], step % half()), type.getNumElements());
      for (int64_t vector = 0; vector < vectors; ++vector) {
        Value &sum = sums[int64_t(row) * vectors + vector];
        sum = machine.step.multiplyAdd(build, a, now[vector], sum);
        ahead.next();
      }
      if (isLast && row < first)
        elements[row] = elementsOf(after.rows[row], 0);
      else if (!isLast && (step + 1) % half() == 0)
        elements[row] = elementsOf(at.rows[row], step + 1);
    }
    now = ahead.all();
  }
  sums.append(now);
  sums.append(elements.begin(), elements.begin() + first);
  return sums;
}

/// Each iteration loads the first operands of the next one. The last iteration loads its own first operands again.
SmallVector<Value> InOrderLoop::reduce(ValueRange sums, const Stand &first, int64_t steps) {
  assert(steps >= 2 * unroll && "a single iteration is no loop");
  SmallVector<Value> carried(sums);
  carried.append(begin(first));
  const size_t begun = carried.size() - sums.size(), pointers = carried.size();
  carried.append(first.rows);
  carried.push_back(first.columns);
  SmallVector<Value> results = build.loop(-steps, 0, unroll, carried, [&](Position step, ValueRange carried) {
    const Stand at = {llvm::to_vector(carried.slice(pointers, first.rows.size())), carried.back()};
    SmallVector<Value> moved;
    auto next = [&] {
      Value isLast =
          arith::CmpIOp::create(build.ops, build.loc, arith::CmpIPredicate::eq, step.counter, build.index(-unroll));
      auto move = [&](Value pointer, int64_t bytes) -> Value {
        moved.push_back(build.moved(pointer, bytes));
        return arith::SelectOp::create(build.ops, build.loc, isLast, pointer, moved.back());
      };
      Stand next;
      for (Value row : at.rows)
        next.rows.push_back(move(row, unroll * bytesOfElement(element)));
      next.columns = move(at.columns, unroll * stepBytes);
      return next;
    };
    SmallVector<Value> values =
        multiplyAdd(carried.take_front(sums.size()), carried.slice(sums.size(), begun), at, next);
    values.append(moved);
    return values;
  });
  results.truncate(sums.size());
  return results;
}

} // namespace nacre::codegen::cpu
