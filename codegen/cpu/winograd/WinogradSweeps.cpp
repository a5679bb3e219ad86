// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/winograd/WinogradSweeps.h"

#include "codegen/cpu/VectorMath.h"
#include "dialects/StoredBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

/// Addresses after a pointer, within the range of instructions that load or store a pair. It adds pointers if an
/// address is out of range. All offsets are positive: a single vector cannot have as large a negative offset, and LLVM
/// makes pairs only of accesses with offsets.
class Places {
public:
  Places(VectorBuilder &build, Value pointer) : build(build), first(pointer) {}

  Value at(int64_t bytes) {
    constexpr int64_t reach = 1024;
    const int64_t from = bytes / reach * reach;
    Value &pointer = from == 0 ? first : further[from];
    if (!pointer)
      pointer = build.moved(first, from);
    return build.add(pointer, bytes - from);
  }

private:
  VectorBuilder &build;
  Value first;
  llvm::DenseMap<int64_t, Value> further;
};

} // namespace

WinogradSweeps::WinogradSweeps(VectorBuilder &build, const MachineRow &machine, int64_t inputs, Type element,
                               Value between)
    : build(build), inputs(inputs), type(VectorType::get({vectorLanes(machine)}, element)),
      bytes(vectorLanes(machine) * bytesOfElement(element)), between(build.pointer(between, build.index(0))) {}

/// Emits a loop over vectors. The body returns the carried values for the next vector. If the number of vectors is a
/// constant, the loop counts up to zero, which saves a comparison.
void WinogradSweeps::overVectors(Value vectors, ValueRange carried, VectorBuilder::Body body) {
  const int64_t step = type.getNumElements();
  if (const std::optional<int64_t> count = getConstantIntValue(vectors)) {
    const int64_t end = *count * step;
    build.loop(-end, 0, step, carried, [&](Position left, ValueRange values) { return body(left + end, values); });
    return;
  }
  Value end = build.scaled(vectors, step);
  build.loop(build.index(0), end, step, carried, body);
}

Term WinogradSweeps::load(Value pointer, Type stored) {
  return {&build,
          emitExtend(build, build.loadAt(pointer, VectorType::get(type.getShape(), stored)), type.getElementType())};
}

SmallVector<Value> WinogradSweeps::moved(ValueRange pointers, Type stored) {
  const int64_t size = type.getNumElements() * bytesOfElement(stored);
  return llvm::map_to_vector(pointers, [&](Value pointer) { return build.moved(pointer, size); });
}

void WinogradSweeps::store(ArrayRef<Term> numbers, ValueRange to) {
  for (auto [number, pointer] : llvm::zip_equal(numbers, to))
    build.storeAt(number.value, pointer);
}

void WinogradSweeps::down(Value vectors, int64_t rows, Type stored, PointerOfRow from, Transform transform) {
  build.loop(0, inputs, 1, [&](Position column) {
    SmallVector<Value> pointers;
    for (int64_t row = 0; row < inputs; ++row)
      pointers.push_back(from(row, column));
    pointers.push_back(build.address({{between, 0}, column}, {1, bytes}, 0));
    overVectors(vectors, pointers, [&](Position, ValueRange at) {
      SmallVector<Term> numbers;
      for (Value pointer : at.drop_back())
        numbers.push_back(load(pointer, stored));
      SmallVector<Value> next = moved(at.drop_back(), stored);
      Places to(build, at.back());
      for (auto [row, number] : llvm::enumerate(transform(numbers)))
        build.storeAt(number.value, to.at(int64_t(row) * inputs * bytes));
      next.push_back(build.moved(at.back(), rows * inputs * bytes));
      return next;
    });
  });
}

void WinogradSweeps::across(Value vectors, int64_t rows, Position row, Transform transform, ValueRange carried,
                            Take take) {
  SmallVector<Value> all(carried);
  all.push_back(build.address({{between, 0}, row}, {1, inputs * bytes}, 0));
  overVectors(vectors, all, [&](Position element, ValueRange values) {
    SmallVector<Term> numbers;
    Places from(build, values.back());
    for (int64_t column = 0; column < inputs; ++column)
      numbers.push_back(load(from.at(column * bytes)));
    SmallVector<Value> next = take(values.drop_back(), element, transform(numbers));
    next.push_back(build.moved(values.back(), rows * inputs * bytes));
    return next;
  });
}

void WinogradSweeps::acrossTo(Value vectors, int64_t rows, Transform transform, PointerOfRow to) {
  build.loop(0, rows, 1, [&](Position row) {
    SmallVector<Value> pointers;
    for (int64_t column = 0; column < inputs; ++column)
      pointers.push_back(to(column, row));
    across(vectors, rows, row, transform, pointers, [&](ValueRange at, Position, ArrayRef<Term> numbers) {
      store(numbers, at);
      return moved(at);
    });
  });
}

void WinogradSweeps::filters(Value vectors, winograd::Pairs pairs, Type stored, PointerOf from, PointerOf to) {
  constexpr int64_t taps = 3;
  auto transform = [&](ArrayRef<Term> g) { return winograd::transformFilter(inputs, g, pairs); };
  // Take two rows at a time. The rows for the points 0 and infinity are rows of the filter. All others are computed
  // from all three rows of the filter.
  for (int64_t pair = 0; pair < inputs / 2; ++pair) {
    const SmallVector<int64_t> rows =
        pair == 0 ? SmallVector<int64_t>{0, inputs - 1} : SmallVector<int64_t>{2 * pair - 1, 2 * pair};
    const SmallVector<int64_t> read = pair == 0 ? SmallVector<int64_t>{0, taps - 1} : SmallVector<int64_t>{0, 1, 2};
    SmallVector<Value> pointers;
    for (int64_t column = 0; column < taps; ++column)
      for (int64_t row : read)
        pointers.push_back(from(row, column));
    for (int64_t row : rows)
      for (int64_t column = 0; column < inputs; ++column)
        pointers.push_back(to(row, column));
    overVectors(vectors, pointers, [&](Position, ValueRange at) {
      SmallVector<SmallVector<Term>, 2> transformed(rows.size());
      for (int64_t column = 0; column < taps; ++column) {
        SmallVector<Term> g;
        for (Value pointer : at.slice(column * read.size(), read.size()))
          g.push_back(load(pointer, stored));
        if (pair != 0) {
          const auto all = transform(g);
          g = {all[rows[0]], all[rows[1]]};
        }
        for (auto [row, number] : llvm::zip_equal(transformed, g))
          row.push_back(number);
      }
      const ValueRange sources = at.take_front(taps * read.size()), targets = at.drop_front(sources.size());
      ValueRange left = targets;
      for (ArrayRef<Term> row : transformed) {
        store(transform(row), left.take_front(inputs));
        left = left.drop_front(inputs);
      }
      SmallVector<Value> next = moved(sources, stored);
      llvm::append_range(next, moved(targets));
      return next;
    });
  }
}

} // namespace nacre::codegen::cpu
