// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/winograd/WinogradFilters.h"

#include "codegen/cpu/VectorMath.h"
#include "codegen/cpu/winograd/HalfTransforms.h"
#include "codegen/cpu/winograd/WinogradTables.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::cpu {

void storePlanes(VectorBuilder &build, int64_t row, ArrayRef<Term> values, const WinogradPlanes &planes, Value to,
                 Piece piece) {
  for (auto [j, value] : llvm::enumerate(values))
    build.store(value.value, planes.buffer, build.add(to, (row * int64_t(values.size()) + int64_t(j)) * planes.stride),
                piece);
}

Position hiddenPosition(VectorBuilder &build, Position at) {
  return at.counter && !build.target.arm64 ? Position{build.hidden(at.counter), at.constant} : at;
}

Value widenedTo(VectorBuilder &build, Value element, Type number, bool isUnsigned) {
  const Type type = withElement(element.getType(), number);
  if (type == element.getType())
    return element;
  if (isa<FloatType>(number))
    return emitExtend(build, element, number);
  return isUnsigned ? arith::ExtUIOp::create(build.ops, build.loc, type, element).getResult()
                    : arith::ExtSIOp::create(build.ops, build.loc, type, element).getResult();
}

WinogradFilters::WinogradFilters(VectorBuilder &build, const WinogradConvolution &contraction,
                                 const MachineRow &machine, WinogradSweeps *sweeps, const WinogradPlanes &filters)
    : build(build), contraction(contraction), machine(machine), sweeps(sweeps), filters(filters),
      method(contraction.method), inputs(method.inputs()), width(contraction.panels.width), pairs(pairsOf(machine)) {}

int64_t WinogradFilters::tapStride(int64_t i, int64_t j) const {
  return (i * method.taps + j) * contraction.channels.size * width;
}

void WinogradFilters::emit(Value weight, Value from, int64_t size) {
  if (contraction.isOfIntegers())
    return emitBytes(weight, from, size);
  const int64_t elements = size * width;
  const bool sweeps =
      WinogradSweeps::takesFilters(machine, method) && elements % WinogradSweeps::vectorLanes(machine) == 0;
  sweeps ? sweep(weight, from, elements) : emitFloats(weight, from, elements);
}

void WinogradFilters::sweep(Value weight, Value from, int64_t elements) {
  auto fromTap = [&](int64_t i, int64_t j) { return build.pointer(weight, build.add(from, tapStride(i, j))); };
  auto to = [&](int64_t i, int64_t j) {
    return build.pointer(filters.buffer, build.index((i * inputs + j) * filters.stride));
  };
  sweeps->filters(build.index(elements / WinogradSweeps::vectorLanes(machine)), pairs,
                  contraction.operands[Contraction::Rhs].elementType, fromTap, to);
}

void WinogradFilters::transform(ArrayRef<int64_t> group, llvm::function_ref<Term(int64_t i, int64_t j)> tap, Value to,
                                Piece piece) {
  auto ofFilter = [&](ArrayRef<Term> g) {
    return isOfHalves(machine) ? winograd::transformHalfFilter(inputs, g) : winograd::transformFilter(inputs, g, pairs);
  };
  winograd::transformBoth<Term>(method.taps, group, tap, ofFilter,
                                [&](int64_t i, ArrayRef<Term> row) { storePlanes(build, i, row, filters, to, piece); });
}

void WinogradFilters::emitFloats(Value weight, Value from, int64_t elements) {
  const auto lanes = unsigned(machine.step.lanes);
  const Piece piece = {0, lanes, lanes};
  for (ArrayRef<int64_t> group : winograd::rowsAtOnce(inputs, method.taps, machine.geometry.registers))
    build.loop(0, elements, lanes, [&](Position position) {
      const Position at = hiddenPosition(build, position);
      Value here = build.address({{from, 0}, at}, {1, 1}, 0);
      auto tap = [&](int64_t i, int64_t j) -> Term {
        Value element = build.load(weight, build.add(here, tapStride(i, j)), piece);
        return {&build, widenedTo(build, element, filters.number, /*isUnsigned=*/false)};
      };
      transform(group, tap, build.address({at}, {1}, 0), piece);
    });
}

void WinogradFilters::emitBytes(Value weight, Value from, int64_t size) {
  const int64_t k = contraction.panels.k, atOnce = machine.step.types.k, columns = machine.step.lanes;
  const Piece read = {0, unsigned(columns * k), unsigned(columns * k)},
              written = {0, unsigned(columns * atOnce), unsigned(columns * atOnce)};
  // Emits the channels from `first` of a group on that are multiplied together.
  auto emitColumns = [&](Position channel, ArrayRef<int64_t> group, int64_t column, int64_t first) {
    SmallVector<int64_t> taken;
    for (int64_t each = 0; each < columns; ++each)
      for (int64_t number = 0; number < atOnce; ++number)
        taken.push_back(each * k + first + number);
    Value here = build.address({{from, 0}, channel}, {1, width}, column * k);
    auto tap = [&](int64_t i, int64_t j) -> Term {
      Value bytes = build.load(weight, build.add(here, tapStride(i, j)), read);
      Value some = vector::ShuffleOp::create(build.ops, build.loc, bytes, bytes, taken);
      return {&build, widenedTo(build, some, filters.number, /*isUnsigned=*/false)};
    };
    transform(group, tap, build.address({channel}, {width}, first * width + column * atOnce), written);
  };
  for (ArrayRef<int64_t> group : winograd::rowsAtOnce(inputs, method.taps, machine.geometry.registers))
    build.loop(0, size, k, [&](Position position) {
      const Position channel = hiddenPosition(build, position);
      for (int64_t column = 0; column < width; column += columns)
        for (int64_t first = 0; first < k; first += atOnce)
          emitColumns(channel, group, column, first);
    });
}

} // namespace nacre::codegen::cpu
