// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits the gradient of a filter by Winograd: taps and channels of the input by columns, added up over all
//        pixels.
// Why:   tiles of 4x4 need a quarter of the multiply-adds. The transforms are transposes of the transforms of a
//        convolution by Winograd (codegen/form/Winograd.h).
// How:   1. a unit is some channels by some columns. It processes the tiles of all images, a few at a time;
//        2. the unit transforms the tiles' input, and the gradient of their outputs, into scratch. The gradient is zero
//           beyond the image;
//        3. for each transformed value of a tile, it adds one matrix product, channels by columns, to sums in scratch;
//        4. at the end, it transforms the sums back for the epilogue.

#include "codegen/cpu/Units.h"
#include "codegen/cpu/panels/PanelWalk.h"
#include "codegen/cpu/tiles/TileEpilogue.h"
#include "codegen/cpu/tiles/TileTables.h"
#include "codegen/cpu/winograd/EmitWinograd.h"
#include "codegen/cpu/winograd/WinogradFilters.h"
#include "codegen/cpu/winograd/WinogradTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

class WinogradGradientEmitter {
public:
  WinogradGradientEmitter(KernelFunction &function, const WinogradGradient &gradient)
      : function(function), build(function), gradient(gradient), plan(planOf(gradient)), tile(plan.method.outputs),
        inputs(plan.method.inputs()), machine(machineOf(build.target, kWinogradTypes)), lanes(machine.step.lanes),
        convolution(convolutionOf(gradient)), tiles(build, convolution) {}

  void emit() {
    divide();
    Type type = gradient.accumulatorType;
    transformed = allocateScratch(function, build, inputs * inputs * inputPlane, type);
    outputs = allocateScratch(function, build, inputs * inputs * outputPlane, type);
    sums = allocateScratch(function, build, inputs * inputs * sumsPlane, type);
    // The products read and write scratch as buffers of operands.
    function.buffers.append({transformed, sums});
    build.loop(function.begin, function.end, 1, [&](Position unit) { emitUnit(unit.counter); });
    function.buffers.pop_back_n(2);
  }

private:
  //===--------------------------------------------------------------------===//
  // 1. Units
  //===--------------------------------------------------------------------===//

  int64_t columnParts() const { return gradient.columns.size / blocks.columns; }

  void divide() {
    blocks = divideGradient(machine, plan.shape, tile, build.target.model.l2Bytes);
    function.unitExtent = gradient.cutExtent;
    function.unitsPerBlock = gradient.channels.size / blocks.channels * columnParts();
    noteFlops(function, plan);
    function.unitCost = machine.nanosecondsOf(*function.executedFlops / double(function.unitsPerBlock));
    inputPlane = spreadOverSets(blocks.tiles * blocks.channels, gradient.accumulatorType);
    outputPlane = spreadOverSets(blocks.tiles * blocks.columns, gradient.accumulatorType);
    sumsPlane = spreadOverSets(blocks.channels * blocks.columns, gradient.accumulatorType);
  }

  void emitUnit(Value unit) {
    firstChannel = build.address({{build.divide(unit, columnParts()), 0}}, {blocks.channels}, 0);
    firstColumn = build.address({{build.remainder(unit, columnParts()), 0}}, {blocks.columns}, 0);
    clear(sums, build.index(0), inputs * inputs * sumsPlane);
    build.loop(0, plan.tiles(), blocks.tiles, [&](Position first) {
      Value firstTile = build.address({first}, {1}, 0);
      tiles.beginAt(build.index(0), Value(), firstTile);
      emitTiles(firstTile);
      emitProducts();
    });
    // Channels of a panel of the result are consecutive.
    const int64_t panel = gradient.resultWidth;
    const int64_t side = panel && blocks.columns % panel == 0 ? panel : blocks.columns;
    build.loop(0, blocks.columns, side, [&](Position first) {
      build.loop(0, blocks.channels, 1, [&](Position channel) {
        askAhead(channel, first, side);
        finishChannel(channel, first, side);
      });
    });
  }

  void clear(Value buffer, Value from, int64_t elements) {
    Value zero = build.floatConstant(0.0, vectorOf(gradient.accumulatorType, lanes));
    build.loop(0, elements, lanes, [&](Position at) {
      build.store(zero, buffer, build.address({{from, 0}, at}, {1, 1}, 0), {0, lanes, lanes});
    });
  }

  //===--------------------------------------------------------------------===//
  // 2. The input, and the outputs' gradient
  //===--------------------------------------------------------------------===//

  void emitTiles(Value firstTile) {
    Value count = build.index(blocks.tiles);
    if (plan.tiles() % blocks.tiles != 0) {
      Value left = arith::SubIOp::create(build.ops, build.loc, build.index(plan.tiles()), firstTile,
                                         arith::IntegerOverflowFlags::nsw);
      count = emitMin(build, left, count);
    }
    build.loop(build.index(0), count, 1, [&](Position number) {
      const WinogradTiles::Origin origin = tiles.originOf(number);
      tiles.forTilesOfRow(origin, [&](int64_t valid) {
        emitInput(origin, number, valid);
        emitOutputs(origin, number, valid);
      });
    });
    if (plan.tiles() % blocks.tiles == 0)
      return;
    // The transformed values of missing tiles are zero, and add nothing.
    build.loop(count, build.index(blocks.tiles), 1, [&](Position number) {
      build.loop(0, inputs * inputs, 1, [&](Position plane) {
        clear(transformed, build.address({number, plane}, {blocks.channels, inputPlane}, 0), blocks.channels);
        for (int64_t column = 0; column < blocks.columns; column += blocks.width)
          clear(outputs, build.address({number, plane}, {blocks.width, outputPlane}, column * blocks.tiles),
                blocks.width);
      });
    });
  }

  Value buffer(unsigned operand) const { return function.buffers[gradient.operands[operand].argument]; }
  Piece vector() const { return {0, lanes, lanes}; }

  /// Transforms the values that `element` loads for a tile of `size` x `size`. `group` has rows that fit in registers
  /// together. Stores one plane after another, beginning at `to`.
  template <typename Element, typename Transform>
  void transformTo(int64_t size, ArrayRef<int64_t> group, Element element, Transform transform, Value to, Value buffer,
                   int64_t plane) {
    winograd::transformBoth<Term>(size, group, element, transform, [&](int64_t i, ArrayRef<Term> row) {
      for (auto [j, value] : llvm::enumerate(row))
        build.store(value.value, buffer, build.add(to, (i * inputs + int64_t(j)) * plane), vector());
    });
  }

  /// Transforms the input of a tile that has `valid` outputs across. Pixels that these outputs do not read repeat the
  /// last pixel that they read.
  void emitInput(const WinogradTiles::Origin &origin, Position number, int64_t valid) {
    const SmallVector<Value> rows = tiles.rowsOf(origin, Contraction::Lhs, inputs);
    const int64_t last = plan.lastElement(valid, inputs);
    for (ArrayRef<int64_t> group : winograd::rowsAtOnce(inputs, inputs, machine.geometry.registers))
      build.loop(0, blocks.channels, lanes, [&](Position vectorAt) {
        const Position channel = hiddenPosition(build, vectorAt);
        auto element = [&](int64_t i, int64_t j) -> Term {
          const int64_t pixel = std::min(j, last) * gradient.across.strides[Contraction::Lhs];
          Value address = build.address({{rows[i], 0}, {firstChannel, 0}, channel}, {1, 1, 1}, pixel);
          return {&build, build.load(buffer(Contraction::Lhs), address, vector())};
        };
        auto transform = [&](ArrayRef<Term> d) { return winograd::transformInput(d); };
        transformTo(inputs, group, element, transform, build.address({number, channel}, {blocks.channels, 1}, 0),
                    transformed, inputPlane);
      });
  }

  /// Transforms the gradient of the outputs into panels whose steps are the tiles.
  void emitOutputs(const WinogradTiles::Origin &origin, Position number, int64_t valid) {
    const SmallVector<Value> rows = tiles.rowsOf(origin, Contraction::Rhs, tile);
    const SmallVector<Value> inImage = rowsInImage(origin);
    Value zero = build.floatConstant(0.0, vectorOf(gradient.accumulatorType, lanes));
    for (ArrayRef<int64_t> group : winograd::rowsAtOnce(inputs, tile, machine.geometry.registers))
      build.loop(0, blocks.columns / blocks.width, 1, [&](Position panel) {
        build.loop(0, blocks.width, lanes, [&](Position vectorAt) {
          const Position column = hiddenPosition(build, vectorAt);
          auto element = [&](int64_t i, int64_t j) -> Term {
            if (j >= valid)
              return {&build, zero};
            Value address = build.address({{rows[i], 0}, {firstColumn, 0}, panel, column}, {1, 1, blocks.width, 1},
                                          j * gradient.across.strides[Contraction::Rhs]);
            Value loaded = build.load(buffer(Contraction::Rhs), address, vector());
            if (inImage[i])
              loaded = arith::SelectOp::create(build.ops, build.loc, inImage[i], loaded, zero);
            return {&build, loaded};
          };
          auto transform = [&](ArrayRef<Term> y) { return winograd::transformOutputs(inputs, y); };
          Value to = build.address({panel, number, column}, {blocks.tiles * blocks.width, blocks.width, 1}, 0);
          transformTo(tile, group, element, transform, to, outputs, outputPlane);
        });
      });
  }

  /// Returns for each row of a tile whether it is in the image; null for rows that always are.
  SmallVector<Value> rowsInImage(const WinogradTiles::Origin &origin) {
    SmallVector<Value> inImage(tile);
    if (plan.rest(gradient.down.size) == 0)
      return inImage;
    for (int64_t i = 1; i < tile; ++i)
      inImage[i] = arith::CmpIOp::create(build.ops, build.loc, arith::CmpIPredicate::ult, build.add(origin.row, i),
                                         build.index(gradient.down.size));
    return inImage;
  }

  //===--------------------------------------------------------------------===//
  // 3. Products
  //===--------------------------------------------------------------------===//

  void emitProducts() {
    LoopedContraction product;
    product.accumulatorType = gradient.accumulatorType;
    product.operands.resize(Contraction::Extra, gradient.operands[Contraction::Rhs]);
    product.operands[Contraction::Lhs].argument = function.buffers.size() - 2;
    product.operands[Contraction::Result].argument = function.buffers.size() - 1;
    product.rows = {{blocks.channels, {1, 0, blocks.columns}}};
    product.depth = {{blocks.tiles, {blocks.channels, blocks.width, 0}}};
    product.columns = {blocks.width, {0, 1, 1}};
    product.cut = LoopedContraction::Cut::Rows;
    product.cutExtent = blocks.channels;

    PanelWalk walk;
    walk.panel = {outputs, blocks.width, {blocks.width}};
    walk.columns = blocks.width;
    walk.cutLow = build.index(0);
    walk.cutHigh = build.index(blocks.channels);
    walk.cutExtent = walk.cutMost = blocks.channels;
    walk.addsToResult = true;
    walk.goesOn = plan.tiles() <= kSerialSteps;
    build.loop(0, inputs * inputs, 1, [&](Position plane) {
      build.loop(0, blocks.columns / blocks.width, 1, [&](Position panel) {
        emitPanelWalk(function, build, product, walk,
                      {build.address({plane}, {inputPlane}, 0),
                       build.address({plane, panel}, {outputPlane, blocks.tiles * blocks.width}, 0),
                       build.address({plane, panel}, {sumsPlane, blocks.width}, 0)});
      });
    });
  }

  //===--------------------------------------------------------------------===//
  // 4. The way back
  //===--------------------------------------------------------------------===//

  /// Prefetches the epilogue's inputs for a later channel. Each tap is at another address, and hardware prefetchers do
  /// not follow that many streams.
  void askAhead(Position channel, Position firstOfSide, int64_t side) {
    constexpr int64_t channelsAhead = 4, line = kLineBytes / 4;
    const int64_t taps = gradient.method.taps;
    for (unsigned operand = Contraction::Extra; operand < gradient.operands.size(); ++operand) {
      if (llvm::is_contained(gradient.results, operand) || gradient.columns.strides[operand] != 1)
        continue;
      for (int64_t tap = 0; tap < taps * taps; ++tap) {
        Value at = addressOf(operand, tap / taps, tap % taps, channel + channelsAhead, firstOfSide);
        for (int64_t column = 0; column < side; column += line)
          memref::PrefetchOp::create(build.ops, build.loc, buffer(operand), build.add(at, column), /*isWrite=*/true,
                                     /*localityHint=*/3, /*isDataCache=*/true);
      }
    }
  }

  void finishChannel(Position channel, Position firstOfSide, int64_t side) {
    const auto taps = llvm::to_vector(llvm::seq<int64_t>(0, gradient.method.taps));
    build.loop(0, side, lanes, [&](Position vectorAt) {
      const Position column = hiddenPosition(build, {build.address({firstOfSide, vectorAt}, {1, 1}, 0)});
      Value from = build.address({channel, column}, {blocks.columns, 1}, 0);
      auto element = [&](int64_t i, int64_t j) -> Term {
        return {&build, build.load(sums, build.add(from, (i * inputs + j) * sumsPlane), vector())};
      };
      auto transform = [&](ArrayRef<Term> m) { return winograd::transformGradients(gradient.method.taps, m); };
      winograd::transformBoth<Term>(inputs, taps, element, transform, [&](int64_t i, ArrayRef<Term> row) {
        for (auto [j, value] : llvm::enumerate(row))
          finish(i, int64_t(j), channel, column, value.value);
      });
    });
  }

  void finish(int64_t down, int64_t across, Position channel, Position column, Value value) {
    Addresses at(gradient.operands.size(), Value());
    for (unsigned operand = Contraction::Result; operand < at.size(); ++operand)
      at[operand] = addressOf(operand, down, across, channel, column);
    const Distances none(gradient.operands.size(), 0);
    TileEpilogue(build, gradient, function.buffers, at).finish(value, lanes, none, 0, lanes);
  }

  /// Returns the address of a tap in an operand, for a channel and a column of the unit.
  Value addressOf(unsigned operand, int64_t down, int64_t across, Position channel, Position column) {
    auto stride = [&](const ContractionLoop &loop) { return loop.strides[operand]; };
    return build.address({{firstChannel, 0}, channel, {columnsBefore(operand, column), 0}},
                         {stride(gradient.channels), stride(gradient.channels), stride(gradient.columns)},
                         gradient.operands[operand].offset + down * stride(gradient.tapsDown) +
                             across * stride(gradient.tapsAcross));
  }

  /// Returns the distance of the unit's column `column` from the first column of an operand.
  Value columnsBefore(unsigned operand, Position column) {
    Value number = build.address({{firstColumn, 0}, column}, {1, 1}, 0);
    const int64_t panel = gradient.operands[operand].panelStride, width = gradient.resultWidth;
    if (panel == 0)
      return number;
    return build.address({{build.divide(number, width), 0}, {build.remainder(number, width), 0}}, {panel, 1}, 0);
  }

  KernelFunction &function;
  VectorBuilder build;
  const WinogradGradient &gradient;
  const WinogradPlan plan;
  const int64_t tile, inputs; ///< Outputs of a tile along a dimension, and elements of its input along a dimension
  const MachineRow &machine;
  const unsigned lanes;
  const WinogradConvolution convolution; ///< Convolution whose tiles the gradient goes through
  WinogradTiles tiles;
  GradientBlocks blocks;
  int64_t inputPlane = 0, outputPlane = 0, sumsPlane = 0; ///< Number of elements between the values of a tile
  /// Buffers in scratch: [value][tile][channel], [value][panel][tile][column], and [value][channel][column].
  Value transformed, outputs, sums;
  Value firstChannel, firstColumn; ///< First channel and column of the unit
};

} // namespace

LogicalResult emitGradient(KernelFunction &function, const WinogradGradient &gradient) {
  const Target &target = function.target;
  const MachineRow &machine = machineOf(target, kWinogradTypes);
  // A vector must not extend over two panels of the result.
  if (gradient.resultWidth % machine.step.lanes != 0 ||
      divideGradient(machine, shapeOf(gradient), gradient.method.outputs, target.model.l2Bytes).channels == 0)
    return failure();
  WinogradGradientEmitter(function, gradient).emit();
  return success();
}

} // namespace nacre::codegen::cpu
