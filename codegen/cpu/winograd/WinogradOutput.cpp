// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/winograd/WinogradOutput.h"

#include "codegen/cpu/Units.h"
#include "codegen/cpu/tiles/TileEpilogue.h"
#include "codegen/cpu/winograd/HalfTransforms.h"
#include "codegen/cpu/winograd/WinogradTables.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nacre::codegen::cpu {

WinogradOutput::WinogradOutput(KernelFunction &function, VectorBuilder &build, const WinogradConvolution &contraction,
                               WinogradTiles &tiles, WinogradSweeps *sweeps, const Sums &sums)
    : function(function), build(build), contraction(contraction), tiles(tiles), sweeps(sweeps), sums(sums),
      machine(*winogradRow(build.target, contraction)), lanes(lanesOfSums(machine)), tile(contraction.method.outputs),
      inputs(contraction.method.inputs()) {}

Value WinogradOutput::difference(Value a, Value b) {
  return arith::SubIOp::create(build.ops, build.loc, a, b, arith::IntegerOverflowFlags::nsw);
}

void WinogradOutput::emit(Position number, Value firstPanel, Value panels) {
  const WinogradTiles::Origin origin = tiles.originOf(number);
  const int64_t columns = contraction.columns.size, whole = columns - columns % lanes;
  const int64_t step = sweeps ? WinogradSweeps::vectorLanes(machine) : lanes;
  Value from = build.address({number}, {sums.row}, 0), firstColumn = build.scaled(firstPanel, width());
  Value end = build.scaled(panels, width());
  if (columns % width() != 0)
    end = emitMin(build, difference(build.index(whole), firstColumn), end);
  Value swept = build.index(0);
  if (sweeps)
    sweep(origin, from, firstColumn, swept = build.scaled(build.divide(end, step), step));
  if (sweeps && columns % step == 0 && width() % step == 0)
    return;
  SmallVector<SmallVector<Value>> to; // Addresses of the tile's rows in each operand
  for (unsigned operand = 0; operand < contraction.operands.size(); ++operand)
    to.push_back(operand < Contraction::Result ? SmallVector<Value>() : tiles.rowsOf(origin, operand, tile));
  tiles.forTilesOfRow(origin, [&](int64_t pixels) { emitPixels(pixels, to, from, firstColumn, panels, {swept, end}); });
}

SmallVector<Term> WinogradOutput::transform(ArrayRef<Term> products) const {
  if (isOfHalves(machine))
    return SmallVector<Term>(winograd::transformHalfProducts(products));
  return SmallVector<Term>(winograd::transformProducts(tile, products, pairsOf(machine)));
}

/// Divides integer outputs by the scale of both dimensions. All arithmetic is modulo 2^32, where an odd factor has an
/// inverse. The remaining power of two is a shift.
Term WinogradOutput::unscaled(Term output) const {
  if (!contraction.isOfIntegers())
    return output;
  const auto scale = uint32_t(winograd::scaleOf(inputs) * winograd::scaleOf(inputs));
  const unsigned shift = llvm::countr_zero(scale);
  uint32_t inverse = 1;
  for (int step = 0; step < 5; ++step) // Newton's method doubles the number of correct bits in each iteration.
    inverse *= 2 - (scale >> shift) * inverse;
  if (inverse != 1)
    output =
        output.make(arith::MulIOp::create(build.ops, build.loc, output.value, output.integer(int32_t(inverse)).value));
  return output.op<arith::ShRSIOp>(output.value, output.integer(shift).value);
}

void WinogradOutput::finish(ArrayRef<Value> to, Value column, ArrayRef<Term> row, int64_t pixels, unsigned width,
                            int64_t valid) {
  const Distances none(contraction.operands.size(), 0);
  for (int64_t j = 0; j < pixels; ++j) {
    Addresses at(contraction.operands.size(), Value());
    for (unsigned operand = Contraction::Result; operand < at.size(); ++operand)
      at[operand] = build.address({{to[operand], 0}, {column, 0}}, {1, contraction.columns.strides[operand]},
                                  j * contraction.across.strides[operand]);
    TileEpilogue(build, contraction, function.buffers, at).finish(unscaled(row[j]).value, width, none, 0, valid);
  }
}

void WinogradOutput::sweep(const WinogradTiles::Origin &origin, Value from, Value firstColumn, Value end) {
  const int64_t vectorLanes = WinogradSweeps::vectorLanes(machine);
  auto ofProducts = [&](ArrayRef<Term> m) { return transform(m); };
  build.loop(build.index(0), end, WinogradSweeps::mostElements, [&](Position columns) {
    Value count = emitMin(build, difference(end, columns.counter), build.index(WinogradSweeps::mostElements));
    Value vectors = build.divide(count, vectorLanes);
    sweeps->down(
        vectors, tile, contraction.accumulatorType,
        [&](int64_t row, Position column) {
          return build.pointer(
              sums.buffer, build.address({{from, 0}, columns, column}, {1, 1, sums.plane}, row * inputs * sums.plane));
        },
        ofProducts);
    Value first = build.sum(firstColumn, columns.counter);
    build.loop(0, tile, 1, [&](Position backwards) {
      Value row = difference(build.index(tile - 1), backwards.counter);
      SmallVector<Value> to(contraction.operands.size());
      for (unsigned operand = Contraction::Result; operand < to.size(); ++operand)
        to[operand] = tiles.rowOf(origin, operand, tile, {row, 0});
      tiles.forTilesOfRow(origin, [&](int64_t pixels) {
        sweeps->across(vectors, tile, {row, 0}, ofProducts, {},
                       [&](ValueRange, Position element, ArrayRef<Term> numbers) {
                         Value column = build.address({{first, 0}, element}, {1, 1}, 0);
                         finish(to, column, numbers, pixels, vectorLanes, vectorLanes);
                         return SmallVector<Value>();
                       });
      });
    });
  });
}

void WinogradOutput::emitPixels(int64_t pixels, ArrayRef<SmallVector<Value>> to, Value from, Value firstColumn,
                                Value panels, std::pair<Value, Value> range) {
  const int64_t columns = contraction.columns.size;
  const auto backwards = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, tile)));
  auto transformed = [&](Position inPart, int64_t valid) {
    Value column = build.address({{firstColumn, 0}, inPart}, {1, 1}, 0);
    Value here = build.address({{from, 0}, inPart}, {1, 1}, 0);
    auto element = [&](int64_t i, int64_t j) -> Term {
      return {&build, build.load(sums.buffer, build.add(here, (i * inputs + j) * sums.plane), {0, lanes, lanes})};
    };
    auto finishRow = [&](int64_t i, ArrayRef<Term> row) {
      SmallVector<Value> ofRow(contraction.operands.size());
      for (unsigned operand = Contraction::Result; operand < ofRow.size(); ++operand)
        ofRow[operand] = to[operand][i];
      finish(ofRow, column, row, pixels, lanes, valid);
    };
    winograd::transformBoth<Term>(
        inputs, backwards, element, [&](ArrayRef<Term> m) { return transform(m); }, finishRow);
  };
  build.loop(range.first, range.second, lanes, [&](Position inPart) {
    // LLVM then uses offsets from one register (see hiddenPosition() in WinogradFilters.h).
    if (inPart.counter && !build.target.arm64)
      inPart.counter = build.hidden(inPart.counter);
    transformed(inPart, lanes);
  });
  const int64_t whole = columns - columns % lanes;
  if (whole == columns)
    return;
  // If the unit has the last panel, the last columns of this panel do not fill a vector.
  Value isLast = arith::CmpIOp::create(build.ops, build.loc, arith::CmpIPredicate::ugt,
                                       build.sum(firstColumn, build.scaled(panels, width())), build.index(whole));
  auto branch = scf::IfOp::create(build.ops, build.loc, isLast, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(build.ops);
  build.ops.setInsertionPointToStart(branch.thenBlock());
  transformed({difference(build.index(whole), firstColumn), 0}, columns - whole);
}

} // namespace nacre::codegen::cpu
