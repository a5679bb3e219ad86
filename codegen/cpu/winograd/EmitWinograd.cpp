// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. units: some tiles, some columns, and blocks of channels; 2. transforms of the input and of the filters; 3.
//        products. WinogradOutput emits the inverse transform.

#include "codegen/cpu/winograd/EmitWinograd.h"

#include "codegen/cpu/Emitters.h"
#include "codegen/cpu/Halo.h"
#include "codegen/cpu/Units.h"
#include "codegen/cpu/panels/PanelWalk.h"
#include "codegen/cpu/tiles/TileTables.h"
#include "codegen/cpu/winograd/HalfTransforms.h"
#include "codegen/cpu/winograd/WinogradFilters.h"
#include "codegen/cpu/winograd/WinogradOutput.h"
#include "codegen/cpu/winograd/WinogradTiles.h"
#include "codegen/form/Winograd.h"
#include "dialects/StoredBytes.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::cpu {

int64_t elementsOfLine(Type type) { return kLineBytes / bytesOfElement(type); }

int64_t spreadOverSets(int64_t elements, Type type) {
  return (llvm::divideCeil(elements, elementsOfLine(type)) | 1) * elementsOfLine(type);
}

void noteFlops(KernelFunction &function, const WinogradPlan &plan) {
  function.flops = 2 * plan.multiplyAdds();
  function.executedFlops = function.flops * plan.method.share();
}

namespace {

class WinogradEmitter {
public:
  WinogradEmitter(KernelFunction &function, const WinogradConvolution &contraction)
      : function(function), build(function), contraction(contraction), plan(planOf(contraction)),
        tile(plan.method.outputs), inputs(plan.method.inputs()), machine(*winogradRow(build.target, contraction)),
        lanes(machine.numbersOfRegister()), pairs(pairsOf(machine)),
        number(contraction.isOfIntegers() ? Type(build.ops.getI16Type())
               : isOfHalves(machine)      ? Type(build.ops.getF16Type())
                                          : contraction.accumulatorType),
        tiles(build, contraction) {}

  void emit() {
    divide();
    const WinogradScratch scratch = {inputs * inputs * inputPlane, inputs * inputs * filterPlane,
                                     inputs * inputs * sumsPlane};
    transformed = allocateScratch(function, build, scratch.inputs, number);
    filters = allocateScratch(function, build, scratch.filters, number);
    sums = allocateScratch(function, build, scratch.sums, contraction.accumulatorType);
    if (WinogradSweeps::suit(machine) && !contraction.isOfIntegers())
      sweeps.emplace(build, machine, inputs, contraction.accumulatorType,
                     allocateScratch(function, build, WinogradSweeps::scratchOf(inputs), contraction.accumulatorType));
    // The products read and write scratch as buffers of operands.
    function.buffers.append({transformed, sums});
    emitUnits();
    function.buffers.pop_back_n(2);
  }

private:
  const ContractionLoop &across() const { return contraction.across; }
  int64_t channels() const { return contraction.channels.size; }
  int64_t width() const { return contraction.panels.width; }
  /// Returns the number of units of a block in one group of channels.
  int64_t unitsOfGroup() const { return blocks.groups * blocks.columnParts; }
  bool cutAmongImages() const { return contraction.cutAmongImages; }

  //===--------------------------------------------------------------------===//
  // 1. Units
  //===--------------------------------------------------------------------===//

  void divide() {
    blocks = divideWinograd(machine, plan.shape, tile, width(), build.target.model.l2Bytes);
    function.unitExtent = blocks.extent;
    function.unitsPerBlock = contraction.groups.size * unitsOfGroup();
    noteFlops(function, plan);
    const double units = double(llvm::divideCeil(contraction.cutExtent, blocks.extent)) * function.unitsPerBlock;
    function.unitCost = machine.nanosecondsOf(*function.executedFlops / units);
    inputRow = llvm::alignTo(blocks.channels, elementsOfLine(number));
    inputPlane = spreadOverSets(blocks.tiles * inputRow, number);
    filterPlane = spreadOverSets(blocks.channels * width(), number);
    sumsRow = spreadOverSets(blocks.partsAtOnce * blocks.panelsPerPart * width(), contraction.accumulatorType);
    sumsPlane = spreadOverSets(blocks.tiles * sumsRow, contraction.accumulatorType);
  }

  Value difference(Value a, Value b) {
    return arith::SubIOp::create(build.ops, build.loc, a, b, arith::IntegerOverflowFlags::nsw);
  }

  /// Emits units. Units that differ only in their columns share the transformed input. The units of a call and the
  /// scratch for sums limit how many share it.
  void emitUnits() {
    if (blocks.partsAtOnce == 1)
      return build.loop(function.begin, function.end, 1,
                        [&](Position unit) { emitUnit(unit.counter, build.index(1)); });
    const int64_t most = blocks.partsAtOnce;
    assert(unitsOfGroup() % most == 0 && "units at once have the same tiles");
    Value end = build.divide(build.add(function.end, most - 1), most);
    build.loop(build.divide(function.begin, most), end, 1, [&](Position group) {
      Value from = build.scaled(group.counter, most);
      Value first = emitMax(build, from, function.begin);
      emitUnit(first, difference(emitMin(build, build.add(from, most), function.end), first));
    });
  }

  /// Emits `parts` parts of the columns, beginning with the unit `unit`.
  void emitUnit(Value unit, Value parts) {
    Value low = build.sum(function.shareBegin, build.scaled(build.divide(unit, function.unitsPerBlock), blocks.extent));
    Value high = emitMin(build, build.add(low, blocks.extent), function.shareEnd);
    Value part = build.remainder(unit, function.unitsPerBlock);
    emitHaloOfFirst(build, part, function.buffers[contraction.written->slice.argument], *contraction.written,
                    contraction.cutAxis, low, high);

    group = Value();
    if (contraction.groups.size > 1) {
      group = build.divide(part, unitsOfGroup());
      part = build.remainder(part, unitsOfGroup());
    }
    Value firstTile = build.scaled(build.divide(part, blocks.columnParts), blocks.tiles);
    tiles.beginAt(low, group, firstTile);
    Value steps = difference(high, low);
    Value all = cutAmongImages() ? build.scaled(steps, plan.tilesOfImage())
                                 : build.scaled(build.divide(build.add(steps, tile - 1), tile), plan.across());
    Value count = emitMax(build, emitMin(build, difference(all, firstTile), build.index(blocks.tiles)), build.index(0));
    firstPanel = build.scaled(build.remainder(part, blocks.columnParts), blocks.panelsPerPart);
    const int64_t allPanels = llvm::divideCeil(contraction.columns.size, width());
    panels = build.scaled(parts, blocks.panelsPerPart);
    if (allPanels % blocks.panelsPerPart != 0)
      panels = emitMin(build, difference(build.index(allPanels), firstPanel), panels);
    if (blocks.channels < channels())
      clearSums(count);
    const int64_t whole = channels() - channels() % blocks.channels;
    build.loop(0, whole, blocks.channels, [&](Position first) { emitBlock(first, blocks.channels, count); });
    if (whole < channels())
      emitBlock({Value(), whole}, channels() - whole, count);
    WinogradOutput output(function, build, contraction, tiles, sweeps ? &*sweeps : nullptr, {sums, sumsRow, sumsPlane});
    build.loop(build.index(0), count, 1, [&](Position number) { output.emit(number, firstPanel, panels); });
  }

  void clearSums(Value count) {
    const unsigned lanes = lanesOfSums(machine);
    Value zero = build.constant(cast<TypedAttr>(build.ops.getZeroAttr(vectorOf(contraction.accumulatorType, lanes))));
    build.loop(0, inputs * inputs, 1, [&](Position plane) {
      build.loop(build.index(0), count, 1, [&](Position number) {
        build.loop(build.index(0), panels, 1, [&](Position panel) {
          for (int64_t column = 0; column < width(); column += lanes)
            build.store(zero, sums, build.address({plane, number, panel}, {sumsPlane, sumsRow, width()}, column),
                        {0, lanes, lanes});
        });
      });
    });
  }

  /// Emits the block of `size` channels that begins at `first`.
  void emitBlock(Position first, int64_t size, Value count) {
    build.loop(build.index(0), count, 1, [&](Position number) { emitInput(number, first, size); });
    build.loop(build.index(0), panels, 1, [&](Position panel) {
      emitFilters(panel, first, size);
      emitProducts(panel, size, count);
    });
  }

  //===--------------------------------------------------------------------===//
  // 2. The input and the filters
  //===--------------------------------------------------------------------===//

  Value buffer(unsigned operand) const { return function.buffers[contraction.operands[operand].argument]; }

  void emitInput(Position number, Position first, int64_t size) {
    const WinogradTiles::Origin origin = tiles.originOf(number);
    const SmallVector<Value> rows = tiles.rowsOf(origin, Contraction::Lhs, inputs);
    Value to = build.address({number}, {inputRow}, 0);
    const int64_t swept = sweeps ? size - size % WinogradSweeps::vectorLanes(machine) : 0;
    if (swept)
      sweepInput(origin, rows, to, first, swept);
    if (swept == size)
      return;
    tiles.forTilesOfRow(origin, [&](int64_t valid) {
      // Each group of rows has its own loop over the channels, so that all its values fit in registers.
      for (ArrayRef<int64_t> group : winograd::rowsAtOnce(inputs, inputs, machine.geometry.registers))
        emitInputRows(group, rows, plan.lastElement(valid, inputs) + 1, to, first, swept, size);
    });
  }

  /// Transforms `size` channels in whole vectors of sweeps.
  void sweepInput(const WinogradTiles::Origin &origin, ArrayRef<Value> rows, Value to, Position first, int64_t size) {
    const int64_t vectorLanes = WinogradSweeps::vectorLanes(machine);
    int64_t atOnce = std::min(size, WinogradSweeps::mostElements);
    while (size % atOnce != 0)
      atOnce -= vectorLanes;
    auto transform = [&](ArrayRef<Term> d) { return SmallVector<Term>(winograd::transformInput(d, pairs)); };
    Value lastPixel = tiles.lastPixelOf(origin), vectors = build.index(atOnce / vectorLanes);
    build.loop(0, size, atOnce, [&](Position channel) {
      auto from = [&](int64_t row, Position column) {
        Value pixel = column.counter;
        if (lastPixel)
          pixel = emitMin(build, pixel, lastPixel);
        Value address = build.address({{rows[row], 0}, first, channel, {pixel, 0}},
                                      {1, 1, 1, across().strides[Contraction::Lhs]}, 0);
        return build.pointer(buffer(Contraction::Lhs), address);
      };
      sweeps->down(vectors, inputs, contraction.operands[Contraction::Lhs].elementType, from, transform);
      sweeps->acrossTo(vectors, inputs, transform, [&](int64_t column, Position row) {
        Value address = build.address({{to, 0}, channel, row}, {1, 1, inputs * inputPlane}, column * inputPlane);
        return build.pointer(transformed, address);
      });
    });
  }

  /// Transforms the rows `group` of a tile with `valid` pixels across. Pixels after these repeat the last one. Begins
  /// at channel `begin`.
  void emitInputRows(ArrayRef<int64_t> group, ArrayRef<Value> from, int64_t valid, Value to, Position first,
                     int64_t begin, int64_t size) {
    auto transform = [&](Position channel, Piece piece) {
      auto element = [&](int64_t i, int64_t j) -> Term {
        const int64_t pixel = std::min(j, valid - 1) * across().strides[Contraction::Lhs];
        Value address = build.address({{from[i], 0}, first, channel}, {1, 1, 1}, pixel);
        return {&build, widenedTo(build, build.load(buffer(Contraction::Lhs), address, piece), number,
                                  contraction.isUnsignedLhs)};
      };
      Value at = build.address({{to, 0}, channel}, {1, 1}, 0);
      auto ofInput = [&](ArrayRef<Term> d) {
        return isOfHalves(machine) ? winograd::transformHalfInput(d) : winograd::transformInput(d, pairs);
      };
      winograd::transformBoth<Term>(inputs, group, element, ofInput, [&](int64_t i, ArrayRef<Term> row) {
        storePlanes(build, i, row, {transformed, inputPlane, number}, at, piece);
      });
    };
    if (size < lanes) {
      const unsigned elementBits = contraction.operands[Contraction::Lhs].elementType.getIntOrFloatBitWidth();
      const bool masks = hasMasks(build.target, elementBits) && hasMasks(build.target, number.getIntOrFloatBitWidth());
      for (Piece piece : cutIntoPieces(size, lanes, masks))
        transform({Value(), piece.offset}, {0, piece.lanes, piece.width});
      return;
    }
    // The last vector ends with the block, and repeats some channels. This saves a second loop body.
    const int64_t last = size - lanes;
    build.loop(begin, size, lanes, [&](Position channel) {
      if (!channel.counter)
        channel.constant = std::min(channel.constant, last);
      else if (size % lanes != 0)
        channel = {emitMin(build, build.address({channel}, {1}, 0), build.index(last)), 0};
      transform(hiddenPosition(build, channel), {0, lanes, lanes});
    });
  }

  /// Transforms the filters of a panel.
  void emitFilters(Position panel, Position first, int64_t size) {
    const int64_t panelStride = contraction.panels.stride;
    const int64_t panelsOfGroup = llvm::divideCeil(contraction.columns.size, width());
    Value from = build.address({{firstPanel, 0}, panel, first, {group, 0}},
                               {panelStride, panelStride, width(), panelsOfGroup * panelStride}, 0);
    WinogradFilters(build, contraction, machine, sweeps ? &*sweeps : nullptr, {filters, filterPlane, number})
        .emit(buffer(Contraction::Rhs), from, size);
  }

  //===--------------------------------------------------------------------===//
  // 3. Products
  //===--------------------------------------------------------------------===//

  /// Multiplies all transformed values of the tiles, for `size` channels and one panel.
  void emitProducts(Position panel, int64_t size, Value count) {
    LoopedContraction product;
    product.accumulatorType = contraction.accumulatorType;
    product.operands.resize(Contraction::Extra, contraction.operands[Contraction::Rhs]);
    product.operands[Contraction::Lhs].argument = function.buffers.size() - 2;
    product.operands[Contraction::Lhs].elementType = number;
    product.operands[Contraction::Result].argument = function.buffers.size() - 1;
    if (isOfHalves(machine))
      product.halfSums = std::min(contraction.halfSums, kMostWinogradSteps);
    // Use the largest number of rows that a unit can have, so that a register tile exists for every remainder.
    const int64_t rows = cutAmongImages() ? blocks.extent * plan.down() : plan.down();
    product.rows = {{rows * plan.across(), {inputRow, 0, sumsRow}}};
    const int64_t k = machine.step.types.k;
    product.groups = {k, size};
    product.depth = {{product.groups.groups(), {k, width() * k, 0}}};
    product.columns = {width(), {0, 1, 1}};
    product.cut = LoopedContraction::Cut::Rows;
    product.cutExtent = blocks.tiles;

    PanelWalk walk;
    walk.panel = {filters, width(), {width() * k}};
    walk.columns = width(); // Columns after the last one are zero.
    walk.cutLow = build.index(0);
    walk.cutHigh = count;
    walk.cutExtent = walk.cutMost = blocks.tiles;
    walk.addsToResult = blocks.channels < channels();
    walk.goesOn = channels() <= kSerialSteps;
    build.loop(0, inputs * inputs, 1, [&](Position plane) {
      emitPanelWalk(function, build, product, walk,
                    {build.address({plane}, {inputPlane}, 0), build.address({plane}, {filterPlane}, 0),
                     build.address({plane, panel}, {sumsPlane, width()}, 0)});
    });
  }

  KernelFunction &function;
  VectorBuilder build;
  const WinogradConvolution &contraction;
  const WinogradPlan plan;
  const int64_t tile, inputs; ///< Outputs of a tile along a dimension, and elements of its input along a dimension
  const MachineRow &machine;
  const unsigned lanes; ///< Lanes of a register in a transform
  const winograd::Pairs pairs;
  const Type number;                    ///< Type of the factors
  std::optional<WinogradSweeps> sweeps; ///< Null if sweeps do not suit the machine
  WinogradTiles tiles;
  WinogradBlocks blocks;
  // Number of elements between tiles (rows), and between the values of a tile (planes).
  int64_t inputRow = 0, inputPlane = 0, filterPlane = 0, sumsRow = 0, sumsPlane = 0;
  /// Buffers in scratch: [value][tile][channel], [value][channel][column of the panel], and [value][tile][column].
  Value transformed, filters, sums;
  Value firstPanel, panels; ///< First panel of the unit, and number of its panels
  Value group;              ///< Group of the unit; null if there is only one
};

} // namespace

/// True if panels consist of whole vectors of the target. For integers, Winograd must also be faster than a direct
/// convolution. For floats, the choice was made before, because it affects rounding.
static bool isSuited(const Target &target, const WinogradConvolution &convolution) {
  const MachineRow *row = winogradRow(target, convolution);
  const auto [width, stride, k] = convolution.panels;
  if (!row || width % row->step.lanes != 0)
    return false;
  if (!convolution.isOfIntegers())
    return true;
  // Sums of integers are exact in either way, so each CPU uses the faster one.
  const Type columns = convolution.operands[Contraction::Rhs].elementType;
  const WinogradShape shape = shapeOf(convolution);
  return winogradCycles(*row, shape, convolution.method.outputs, width, target.model.l2Bytes) <
         directCycles(machineOf(target, *productsOf(convolution, columns, k)), shape, target.model.l2Bytes);
}

LogicalResult emitConvolution(KernelFunction &function, const WinogradConvolution &convolution) {
  if (!isSuited(function.target, convolution))
    return failure();
  WinogradEmitter(function, convolution).emit();
  return success();
}

/// Takes larger tiles than those which were chosen for halves, if `target` does not multiply halves.
static void takeTilesWithoutHalves(WinogradConvolution &convolution, const Target &target) {
  const MachineRow *row = winogradRow(target, convolution);
  const bool isForHalves = convolution.halfSums > 0 && fitsHalves(convolution.method);
  const bool mayBeLarger = convolution.cutAmongImages || convolution.kernel->grain % kTileWithoutHalves == 0;
  if (row && isForHalves && mayBeLarger && !isOfHalves(*row))
    convolution.method.outputs = kTileWithoutHalves;
}

LogicalResult emitWinograd(plan::KernelOp kernel, KernelFunction &function) {
  function.keepsOrder = keepsOrderOfTiles(function.target);
  if (FailureOr<WinogradConvolution> convolution = parseWinograd(kernel); succeeded(convolution)) {
    takeTilesWithoutHalves(*convolution, function.target);
    return emitConvolution(function, *convolution);
  }
  if (FailureOr<WinogradGradient> gradient = parseWinogradGradient(kernel); succeeded(gradient))
    return emitGradient(function, *gradient);
  return failure();
}

} // namespace nacre::codegen::cpu
