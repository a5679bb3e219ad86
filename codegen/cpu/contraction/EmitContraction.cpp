// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits matmuls and convolutions as register tiles over packed panels of columns.
// Why:   models spend most of their time here. Code that is emitted directly reaches the machine's peak rate of
//        multiply-adds.
// How:   1. divide the cut axis into blocks, and a block into parts: batches, groups and panels (ContractionUnits.h);
//        2. a unit is one part of a block: it multiplies the block's rows by one panel;
//        3. a panel that is not a packed weight is first packed into scratch. Two kinds of rows are copied to scratch,
//           too. The first kind has rows side by side in memory, as in the gradient of a weight; a unit is then a block
//           of rows with all panels. The second kind is bytes that must be widened; a unit then has several panels;
//        4. PanelWalk.h multiplies the rows by the panel, tile by tile.

#include "codegen/cpu/Emitters.h"
#include "codegen/cpu/Halo.h"
#include "codegen/cpu/Units.h"
#include "codegen/cpu/VectorMath.h"
#include "codegen/cpu/contraction/ContractionUnits.h"
#include "codegen/cpu/panels/PackColumns.h"
#include "codegen/cpu/panels/PanelWalk.h"
#include "codegen/cpu/panels/UnitPanel.h"
#include "codegen/cpu/panels/WideRows.h"
#include "codegen/cpu/tiles/TileTables.h"
#include "dialects/StoredBytes.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::cpu;

namespace {

class ContractionEmitter {
public:
  ContractionEmitter(KernelFunction &function, const MatrixProduct &contraction)
      : function(function), build(function), contraction(contraction),
        walked(contraction.panels ? contraction : inScratch(function.target, contraction)),
        machine(machineOf(build.target, walked, columnType(), columnsOfPanel())), lanes(machine.step.lanes),
        rowsAreWidened(machine.readsWideRows() && contraction.operands[Contraction::Lhs].elementType.isInteger(8)),
        units(
            divideContraction(build.target, machine, contraction, rowsAreWidened, [&](int64_t width, int64_t columns) {
              return UnitPanel(function, build, contraction, walked, width).isReadInPlace(columns, lanes);
            })) {}

  void emit() {
    function.keepsOrder |= machine.step.keepsOrder;
    function.unitExtent = units.extent;
    function.unitsPerBlock = units.parts;
    function.flops = 2 * contraction.multiplyAdds();
    function.unitCost = units.nanosecondsOf(build.target, machine, contraction);
    emitUnits();
    function.scratchBytes = scratchBytes;
  }

private:
  using Cut = LoopedContraction::Cut;

  /// Returns the element type of panels. An operand that is not a packed weight is converted when it is packed.
  Type columnType() const {
    return contraction.panels ? contraction.rightType() : typeInScratch(build.target, contraction);
  }
  /// Returns the width of panels if the form of the kernel states it; otherwise 0.
  int64_t columnsOfPanel() const { return contraction.panels ? contraction.panels->width : contraction.resultWidth; }

  //===--------------------------------------------------------------------===//
  // 1. Units
  //===--------------------------------------------------------------------===//

  UnitPanel unitPanel() { return {function, build, contraction, walked, units.width}; }

  /// Return the number of panels, and the number of parts of panels into which they are divided for units.
  int64_t panels() const { return llvm::divideCeil(contraction.columns.size, units.width); }
  int64_t parted() const { return llvm::divideCeil(panels(), units.panelsOfUnit); }

  Value difference(Value a, Value b) { return arith::SubIOp::create(build.ops, build.loc, a, b); }
  Value ceilDivide(Value a, Value b) { return arith::CeilDivUIOp::create(build.ops, build.loc, a, b); }
  Value least(Value a, Value b) { return arith::MinUIOp::create(build.ops, build.loc, a, b); }

  void emitUnits() {
    switch (units.order) {
    case ContractionUnits::Order::Blocks:
      return build.loop(function.begin, function.end, 1, [&](Position unit) {
        Value block = build.divide(unit.counter, units.parts);
        emitBlocks(block, build.add(block, 1), build.remainder(unit.counter, units.parts));
      });
    case ContractionUnits::Order::BlocksTogether:
      return build.loop(0, units.parts, 1, [&](Position part) {
        // Returns the block of the first unit from `unit` on that computes the part `part`.
        auto blockFrom = [&](Value unit) {
          return build.divide(difference(build.add(unit, units.parts - 1), part.counter), units.parts);
        };
        emitAnyBlocks(blockFrom(function.begin), blockFrom(function.end), part.counter);
      });
    case ContractionUnits::Order::Parts: {
      // The share may be empty, and then has no units.
      Value share = difference(function.shareEnd, function.shareBegin);
      Value blocks =
          arith::MaxUIOp::create(build.ops, build.loc, ceilDivide(share, build.index(units.extent)), build.index(1));
      Value first = arith::DivUIOp::create(build.ops, build.loc, function.begin, blocks);
      return build.loop(first, ceilDivide(function.end, blocks), 1, [&](Position part) {
        Value before = arith::MulIOp::create(build.ops, build.loc, part.counter, blocks);
        auto blockFrom = [&](Value unit) {
          return least(arith::MaxSIOp::create(build.ops, build.loc, difference(unit, before), build.index(0)), blocks);
        };
        emitBlocks(blockFrom(function.begin), blockFrom(function.end), part.counter);
      });
    }
    }
  }

  void emitAnyBlocks(Value first, Value end, Value part) {
    Value any = arith::CmpIOp::create(build.ops, build.loc, arith::CmpIPredicate::ult, first, end);
    auto ifAny = scf::IfOp::create(build.ops, build.loc, any, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(build.ops);
    build.ops.setInsertionPointToStart(ifAny.thenBlock());
    emitBlocks(first, end, part);
  }

  void emitBlocks(Value first, Value end, Value part) {
    auto boundary = [&](Value block) { return build.sum(function.shareBegin, build.scaled(block, units.extent)); };
    low = boundary(first);
    high = least(boundary(end), function.shareEnd);
    rows.cutLow = low;
    rows.cutHigh = high;
    rows.cutExtent = units.extent;
    rows.cutMost = units.order == ContractionUnits::Order::Blocks ? units.extent : contraction.cutExtent;
    emitHaloOfFirst(build, part, function.buffers[contraction.written->slice.argument], *contraction.written,
                    contraction.cutAxis, low, high);

    Addresses at;
    for (const ContractionOperand &operand : contraction.operands)
      at.push_back(build.index(operand.offset));
    Value panel;
    if (contraction.cut != Cut::Columns && !units.rowsAreAcross) {
      panel = build.remainder(part, parted());
      part = build.divide(part, parted());
    }
    for (unsigned number = contraction.outer.size(); number-- > 0;) {
      const ContractionLoop &loop = contraction.outer[number];
      if (contraction.cut == Cut::Outer && contraction.cutLoop == number)
        continue;
      at = advanced(build, at, loop, {build.remainder(part, loop.size), 0});
      part = build.divide(part, loop.size);
    }
    switch (contraction.cut) {
    case Cut::Outer: {
      const ContractionLoop &loop = contraction.outer[contraction.cutLoop];
      build.loop(build.scaled(low, contraction.cutFactor), build.scaled(high, contraction.cutFactor), 1,
                 [&](Position index) { emitPart(panel, advanced(build, at, loop, index)); });
      break;
    }
    case Cut::Columns:
      emitPanels(build.divide(low, units.width), build.divide(build.add(high, units.width - 1), units.width), at);
      break;
    case Cut::None:
    case Cut::Rows:
      if (units.rowsAreAcross) {
        copyRows(at);
        build.loop(0, panels(), 1, [&](Position index) { emitPanel(build.address({index}, {1}, 0), at); });
        function.buffers.pop_back();
        break;
      }
      emitPart(panel, at);
      break;
    }
  }

  /// Emits the panels of one part of the columns.
  void emitPart(Value part, const Addresses &at) {
    if (!rowsAreWidened)
      return emitPanel(part, at);
    Value first = build.scaled(part, units.panelsOfUnit), end = build.add(first, units.panelsOfUnit);
    emitPanels(first, panels() % units.panelsOfUnit == 0 ? end : least(end, build.index(panels())), at);
  }

  void emitPanels(Value first, Value end, const Addresses &at) {
    auto emit = [&](const Addresses &at) {
      build.loop(first, end, 1, [&](Position index) { emitPanel(index.counter, at); });
    };
    if (!rowsAreWidened)
      return emit(at);
    const PanelWalk all = rows;
    forWideRows(function, build, walked, all, at, [&](const PanelWalk &block, const Addresses &at) {
      scratchOfRows = function.scratchBytes;
      rows = block;
      emit(at);
    });
    rows = all;
  }

  /// Copies the unit's rows to scratch, step by step of the reduction. Sets the address of Lhs in `at`, and changes
  /// `walked` to the product of the copy.
  void copyRows(Addresses &at) {
    const int64_t lines = llvm::divideCeil(units.extent * contraction.cutFactor, lanes) | 1;
    int64_t stride = lines * lanes;
    Value rows = allocateScratch(function, build, stride * contraction.depthSize(), contraction.accumulatorType);
    scratchOfRows = function.scratchBytes;
    SmallVector<PackedLoop> loops;
    for (ContractionLoop &loop : llvm::reverse(walked.depth)) {
      loops.insert(loops.begin(), {loop.size, loop.strides[Contraction::Lhs], stride});
      loop.strides[Contraction::Lhs] = std::exchange(stride, stride * loop.size);
    }
    Value first = build.sum(at[Contraction::Lhs], build.scaled(low, contraction.cutFactor));
    copyNeighbours(build, {function.buffers[contraction.operands[Contraction::Lhs].argument], first}, loops,
                   {rows, build.index(0)}, build.scaled(difference(high, low), contraction.cutFactor));
    walked.operands[Contraction::Lhs].argument = function.buffers.size();
    function.buffers.push_back(rows);
    at[Contraction::Lhs] = build.scaled(low, -contraction.cutFactor);
  }

  //===--------------------------------------------------------------------===//
  // 2. and 3. A panel
  //===--------------------------------------------------------------------===//

  void emitPanel(Value number, Addresses at) {
    const int64_t full = contraction.columns.size / units.width, tail = contraction.columns.size % units.width;
    for (auto [operand, address] : llvm::enumerate(at)) {
      const bool packed = operand == Contraction::Rhs && contraction.panels;
      const int64_t inPanels = packed ? contraction.panels->stride : contraction.operands[operand].panelStride;
      const int64_t stride = inPanels ? inPanels : contraction.columns.strides[operand] * units.width;
      address = build.address({{address, 0}, {number, 0}}, {1, stride}, 0);
    }
    auto emitColumns = [&](int64_t columns) {
      const int64_t whole = columns / units.slice, rest = columns % units.slice;
      build.loop(0, whole, 1, [&](Position index) { emitSlice(units.slice, sliceAt(at, index)); });
      if (rest != 0)
        emitSlice(rest, sliceAt(at, {Value(), whole}));
    };
    if (full == 0 || tail == 0)
      return emitColumns(full == 0 ? tail : units.width);
    Value isFull = arith::CmpIOp::create(build.ops, build.loc, arith::CmpIPredicate::ult, number, build.index(full));
    auto either = scf::IfOp::create(build.ops, build.loc, isFull, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(build.ops);
    build.ops.setInsertionPointToStart(either.thenBlock());
    emitColumns(units.width);
    build.ops.setInsertionPointToStart(either.elseBlock());
    emitColumns(tail);
  }

  /// Returns the operands' addresses at the slice of a panel that begins at the column `index`.
  Addresses sliceAt(const Addresses &at, Position index) {
    Addresses moved;
    for (auto [operand, address] : llvm::enumerate(at)) {
      const int64_t column = operand == Contraction::Rhs ? walked.groups.k : contraction.columns.strides[operand];
      moved.push_back(units.slice == units.width ? address
                                                 : build.address({{address, 0}, index}, {1, column * units.slice}, 0));
    }
    return moved;
  }

  void emitSlice(int64_t columns, const Addresses &at) {
    function.scratchBytes = scratchOfRows; // Both calls of this function share the scratch after the rows.
    PanelWalk walk = rows;
    walk.followed = contraction.panels.has_value();
    walk.columns = columns;
    Addresses from = at;
    walk.panel = contraction.panels || unitPanel().isReadInPlace(columns, lanes) ? unitPanel().inPlace()
                                                                                 : unitPanel().pack(columns, from);
    emitPanelWalk(function, build, walked, walk, from);
    scratchBytes = std::max(scratchBytes, function.scratchBytes);
  }

  KernelFunction &function;
  VectorBuilder build;
  const MatrixProduct &contraction;
  MatrixProduct walked; ///< Product whose rows are at the addresses that tiles read
  const MachineRow &machine;
  const unsigned lanes;
  const bool rowsAreWidened;
  const ContractionUnits units;
  Value low, high; ///< Range of the unit on the cut axis
  PanelWalk rows;  ///< Rows of the unit that are multiplied by panels
  uint64_t scratchBytes = 0, scratchOfRows = 0;
};

} // namespace

LogicalResult nacre::codegen::cpu::emitContraction(plan::KernelOp kernel, KernelFunction &function) {
  function.keepsOrder = keepsOrderOfTiles(function.target);
  FailureOr<ContractionForm> contraction = parseContraction(kernel);
  const auto *product = succeeded(contraction) ? std::get_if<MatrixProduct>(&*contraction) : nullptr;
  if (!product || product->prologue || (product->isOfIntegers() && !canMultiply(function.target, *product)))
    return failure();
  ContractionEmitter(function, *product).emit();
  return success();
}
