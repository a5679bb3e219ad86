// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. units: some tiles, some columns, channels block by block; 2. where a tile begins: what lies beyond the image
//       is clamped to its edge, so that edge tiles read what there is, and write their last rows and pixels again and
//       again, right at the last; 3. the transforms of the input and of the filters; 4. the products; 5. the way back.

#include "codegen/cpu/contraction/EmitWinograd.h"

#include "codegen/cpu/Halo.h"
#include "codegen/cpu/Units.h"
#include "codegen/cpu/contraction/PanelWalk.h"
#include "codegen/form/Winograd.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

constexpr int64_t kLine = 16; ///< Elements of a cache line.

class WinogradEmitter {
public:
  WinogradEmitter(KernelFunction &function, const WinogradConvolution &contraction)
      : function(function), build(function), contraction(contraction), method(contraction.method), tile(method.outputs),
        inputs(method.inputs()), lanes(machineOf(build.target, kWinogradTypes).lanes),
        registers(machineOf(build.target, kWinogradTypes).registers) {}

  void emit() {
    divide();
    const WinogradScratch scratch = {inputs * inputs * inputPlane, inputs * inputs * filterPlane,
                                     inputs * inputs * sumsPlane};
    transformed = allocateScratch(function, build, scratch.inputs, contraction.accumulatorType);
    filters = allocateScratch(function, build, scratch.filters, contraction.accumulatorType);
    sums = allocateScratch(function, build, scratch.sums, contraction.accumulatorType);
    // The products see them as operands.
    function.buffers.append({transformed, sums});
    build.loop(function.begin, function.end, 1, [&](Position unit) { emitUnit(unit.counter); });
    function.buffers.pop_back_n(2);
  }

private:
  const ContractionLoop &images() const { return contraction.images; }
  const ContractionLoop &down() const { return contraction.down; }
  const ContractionLoop &across() const { return contraction.across; }
  int64_t channels() const { return contraction.channels.size; }
  int64_t width() const { return contraction.panels.width; }
  int64_t tilesDown() const { return llvm::divideCeil(down().size, tile); }
  int64_t tilesAcross() const { return llvm::divideCeil(across().size, tile); }
  /// In a block.
  int64_t unitsOfGroup() const { return blocks.groups * blocks.columnParts; }
  bool cutAmongImages() const { return contraction.cutAmongImages; }

  //===--------------------------------------------------------------------===//
  // 1. Units
  //===--------------------------------------------------------------------===//

  /// An odd number of lines: what is so far apart is in other sets of a cache.
  static int64_t spread(int64_t elements) { return (llvm::divideCeil(elements, kLine) | 1) * kLine; }

  void divide() {
    const MachineRow &machine = machineOf(build.target, kWinogradTypes);
    blocks = divideWinograd(machine, shapeOf(contraction), tile, width(), build.target.l2Bytes);
    function.unitExtent = blocks.extent;
    function.unitsPerBlock = contraction.groups.size * unitsOfGroup();
    function.flops = 2 * contraction.multiplyAdds();
    function.executedFlops = function.flops * method.share();
    const double units = double(llvm::divideCeil(contraction.cutExtent, blocks.extent)) * function.unitsPerBlock;
    function.unitCost = function.flops / units / (4.0 * lanes * 2.5) * method.share();
    inputRow = llvm::alignTo(blocks.channels, kLine);
    inputPlane = spread(blocks.tiles * inputRow);
    filterPlane = spread(blocks.channels * width());
    sumsRow = spread(blocks.panelsPerPart * width());
    sumsPlane = spread(blocks.tiles * sumsRow);
  }

  Value scaled(Value value, int64_t by) { return build.address({{value, 0}}, {by}, 0); }
  Value sum(Value a, Value b) { return build.address({{a, 0}, {b, 0}}, {1, 1}, 0); }
  Value difference(Value a, Value b) {
    return arith::SubIOp::create(build.ops, build.loc, a, b, arith::IntegerOverflowFlags::nsw);
  }

  void emitUnit(Value unit) {
    low = sum(function.shareBegin, scaled(build.divide(unit, function.unitsPerBlock), blocks.extent));
    Value high = emitMin(build, build.add(low, blocks.extent), function.shareEnd);
    Value part = build.remainder(unit, function.unitsPerBlock);
    emitHaloOfFirst(build, part, function.buffers[contraction.written->slice.argument], *contraction.written,
                    contraction.cutAxis, low, high);

    if (contraction.groups.size > 1) {
      group = build.divide(part, unitsOfGroup());
      part = build.remainder(part, unitsOfGroup());
    }
    firstTile = scaled(build.divide(part, blocks.columnParts), blocks.tiles);
    Value steps = difference(high, low);
    Value tiles = cutAmongImages() ? scaled(steps, tilesDown() * tilesAcross())
                                   : scaled(build.divide(build.add(steps, tile - 1), tile), tilesAcross());
    Value count =
        emitMax(build, emitMin(build, difference(tiles, firstTile), build.index(blocks.tiles)), build.index(0));
    firstPanel = scaled(build.remainder(part, blocks.columnParts), blocks.panelsPerPart);
    if (blocks.channels < channels())
      clearSums();
    const int64_t whole = channels() - channels() % blocks.channels;
    build.loop(0, whole, blocks.channels, [&](Position first) { emitBlock(first, blocks.channels, count); });
    if (whole < channels())
      emitBlock({Value(), whole}, channels() - whole, count);
    build.loop(build.index(0), count, 1, [&](Position number) { emitOutput(number); });
  }

  void clearSums() {
    Value zero = build.floatConstant(0.0, vectorOf(contraction.accumulatorType, lanes));
    build.loop(0, inputs * inputs * sumsPlane, lanes,
               [&](Position at) { build.store(zero, sums, build.address({at}, {1}, 0), {0, lanes, lanes}); });
  }

  /// `size` channels from `first` on.
  void emitBlock(Position first, int64_t size, Value count) {
    build.loop(build.index(0), count, 1, [&](Position number) { emitInput(number, first, size); });
    const int64_t panels = llvm::divideCeil(contraction.columns.size, width());
    Value most = panels % blocks.panelsPerPart == 0
                     ? build.index(blocks.panelsPerPart)
                     : emitMin(build, difference(build.index(panels), firstPanel), build.index(blocks.panelsPerPart));
    build.loop(build.index(0), most, 1, [&](Position panel) {
      emitFilters(panel, first, size);
      emitProducts(panel, size, count);
    });
  }

  //===--------------------------------------------------------------------===//
  // 2. Tiles
  //===--------------------------------------------------------------------===//

  /// The image of a tile and its first row, and which of the row's it is.
  struct TileOrigin {
    Value image, row, column;
  };

  TileOrigin originOf(Position number) {
    Value inBlock = build.address({{firstTile, 0}, number}, {1, 1}, 0);
    Value inImage = cutAmongImages() ? build.remainder(inBlock, tilesDown() * tilesAcross()) : inBlock;
    Value row = scaled(build.divide(inImage, tilesAcross()), tile);
    Value column = build.remainder(inImage, tilesAcross());
    if (!cutAmongImages())
      return {build.index(0), sum(low, row), column};
    return {sum(low, build.divide(inBlock, tilesDown() * tilesAcross())), row, column};
  }

  /// Emits `body` for tiles of so many pixels across: all have `tile`, but for the last of a row where the image's are no
  /// multiple of it.
  void forTilesOfRow(const TileOrigin &origin, llvm::function_ref<void(int64_t valid)> body) {
    const int64_t rest = across().size % tile;
    if (rest == 0 || tilesAcross() == 1)
      return body(rest ? rest : tile);
    Value isWhole = arith::CmpIOp::create(build.ops, build.loc, arith::CmpIPredicate::ult, origin.column,
                                          build.index(tilesAcross() - 1));
    auto either = scf::IfOp::create(build.ops, build.loc, isWhole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(build.ops);
    build.ops.setInsertionPointToStart(either.thenBlock());
    body(tile);
    build.ops.setInsertionPointToStart(either.elseBlock());
    body(rest);
  }

  /// Where a tile's rows begin in an operand, `count` of them: those beyond the image at its last.
  SmallVector<Value> rowsOf(const TileOrigin &origin, unsigned operand, int64_t count) {
    const int64_t last = down().size + count - tile - 1, stride = down().strides[operand];
    Value begin = build.address(
        {{origin.image, 0}, {origin.column, 0}, {group, 0}},
        {images().strides[operand], tile * across().strides[operand], contraction.groups.strides[operand]},
        contraction.operands[operand].offset);
    SmallVector<Value> rows;
    for (int64_t i = 0; i < count; ++i) {
      Value row = build.add(origin.row, i);
      if (down().size % tile != 0)
        row = emitMin(build, row, build.index(last));
      rows.push_back(build.address({{begin, 0}, {row, 0}}, {1, stride}, 0));
    }
    return rows;
  }

  //===--------------------------------------------------------------------===//
  // 3. The input and the filters
  //===--------------------------------------------------------------------===//

  /// From which a transform's addresses are so far. NEON's instructions have no offset beside an index: there the search for
  /// what to have in registers pays.
  Position hidden(Position at) {
    return at.counter && !build.target.arm64 ? Position{build.hidden(at.counter), at.constant} : at;
  }

  Value buffer(unsigned operand) const { return function.buffers[contraction.operands[operand].argument]; }

  /// `size` x `size` values along both dimensions, `transform` along one; `take` gets those of the transformed `rows`, one
  /// after the other.
  template <typename Transform>
  void transformBoth(int64_t size, ArrayRef<int64_t> rows, llvm::function_ref<Value(int64_t, int64_t)> element,
                     Transform transform, llvm::function_ref<void(int64_t, ArrayRef<Term>)> take) {
    SmallVector<SmallVector<Term>> columns;
    for (int64_t j = 0; j < size; ++j) {
      SmallVector<Term> column;
      for (int64_t i = 0; i < size; ++i)
        column.push_back({&build, element(i, j)});
      columns.push_back(SmallVector<Term>(transform(ArrayRef<Term>(column))));
    }
    for (int64_t i : rows) {
      SmallVector<Term> row;
      for (int64_t j = 0; j < size; ++j)
        row.push_back(columns[j][i]);
      take(i, SmallVector<Term>(transform(ArrayRef<Term>(row))));
    }
  }

  /// To `to` and on, plane by plane.
  void storePlanes(int64_t row, ArrayRef<Term> values, Value buffer, Value to, int64_t plane, Piece piece) {
    for (auto [j, value] : llvm::enumerate(values))
      build.store(value.value, buffer, build.add(to, (row * inputs + int64_t(j)) * plane), piece);
  }

  void emitInput(Position number, Position first, int64_t size) {
    const TileOrigin origin = originOf(number);
    const SmallVector<Value> rows = rowsOf(origin, Contraction::Lhs, inputs);
    Value to = build.address({number}, {inputRow}, 0);
    forTilesOfRow(origin, [&](int64_t valid) {
      // A loop over the channels for each group of rows, whose numbers all stay in registers.
      for (ArrayRef<int64_t> group : winograd::rowsAtOnce(inputs, inputs, registers))
        emitInputRows(group, rows, valid + inputs - tile, to, first, size);
    });
  }

  /// Of a tile that begins at `from` and has `valid` pixels across; those beyond are its last.
  void emitInputRows(ArrayRef<int64_t> group, ArrayRef<Value> from, int64_t valid, Value to, Position first,
                     int64_t size) {
    auto transform = [&](Position channel, Piece piece) {
      auto element = [&](int64_t i, int64_t j) {
        const int64_t pixel = std::min(j, valid - 1) * across().strides[Contraction::Lhs];
        return build.load(buffer(Contraction::Lhs), build.address({{from[i], 0}, first, channel}, {1, 1, 1}, pixel),
                          piece);
      };
      Value at = build.address({{to, 0}, channel}, {1, 1}, 0);
      transformBoth(inputs, group, element, winograd::transformInput<Term>,
                    [&](int64_t i, ArrayRef<Term> row) { storePlanes(i, row, transformed, at, inputPlane, piece); });
    };
    const int64_t whole = size - size % lanes;
    build.loop(0, whole, lanes, [&](Position channel) { transform(hidden(channel), {0, lanes, lanes}); });
    for (Piece piece : cutIntoPieces(size - whole, lanes, hasMasks(build.target, 32)))
      transform({Value(), whole + piece.offset}, {0, piece.lanes, piece.width});
  }

  /// Of a panel, which has the columns of a tap's channels one after another.
  void emitFilters(Position panel, Position first, int64_t size) {
    const int64_t panelStride = contraction.panels.stride, tapStride = channels() * width();
    const int64_t panels = llvm::divideCeil(contraction.columns.size, width());
    Value from = build.address({{firstPanel, 0}, panel, first, {group, 0}},
                               {panelStride, panelStride, width(), panels * panelStride}, 0);
    auto transform = [&](Position at, ArrayRef<int64_t> group) {
      const Piece piece = {0, lanes, lanes};
      Value here = build.address({{from, 0}, at}, {1, 1}, 0), to = build.address({at}, {1}, 0);
      auto tap = [&](int64_t i, int64_t j) {
        return build.load(buffer(Contraction::Rhs), build.add(here, (i * method.taps + j) * tapStride), piece);
      };
      auto ofFilter = [&](ArrayRef<Term> g) { return winograd::transformFilter(inputs, g); };
      transformBoth(method.taps, group, tap, ofFilter,
                    [&](int64_t i, ArrayRef<Term> row) { storePlanes(i, row, filters, to, filterPlane, piece); });
    };
    for (ArrayRef<int64_t> group : winograd::rowsAtOnce(inputs, method.taps, registers))
      build.loop(0, size * width(), lanes, [&](Position at) { transform(hidden(at), group); });
  }

  //===--------------------------------------------------------------------===//
  // 4. Products
  //===--------------------------------------------------------------------===//

  /// Of all numbers of the tiles, of `size` channels by a panel.
  void emitProducts(Position panel, int64_t size, Value count) {
    LoopedContraction product;
    product.accumulatorType = contraction.accumulatorType;
    product.operands.resize(Contraction::Extra, contraction.operands[Contraction::Rhs]);
    product.operands[Contraction::Lhs].argument = function.buffers.size() - 2;
    product.operands[Contraction::Result].argument = function.buffers.size() - 1;
    // As many rows as tell how many the last unit has, so that there is a tile of registers for what is left.
    const int64_t rows = cutAmongImages() ? blocks.extent * tilesDown() : tilesDown();
    product.rows = {{rows * tilesAcross(), {inputRow, 0, sumsRow}}};
    product.depth = {{size, {1, width(), 0}}};
    product.columns = {width(), {0, 1, 1}};
    product.cut = LoopedContraction::Cut::Rows;
    product.cutExtent = blocks.tiles;

    PanelWalk walk;
    walk.panel = {filters, width(), {width()}};
    walk.columns = width(); // those beyond the last are zero
    walk.cutLow = build.index(0);
    walk.cutHigh = count;
    walk.cutExtent = walk.cutMost = blocks.tiles;
    walk.addsToResult = blocks.channels < channels();
    build.loop(0, inputs * inputs, 1, [&](Position plane) {
      emitPanelWalk(function, build, product, walk,
                    {build.address({plane}, {inputPlane}, 0), build.address({plane}, {filterPlane}, 0),
                     build.address({plane, panel}, {sumsPlane, width()}, 0)});
    });
  }

  //===--------------------------------------------------------------------===//
  // 5. The way back
  //===--------------------------------------------------------------------===//

  void emitOutput(Position number) {
    const TileOrigin origin = originOf(number);
    SmallVector<SmallVector<Value>> to; // rows by operand
    for (unsigned operand = 0; operand < contraction.operands.size(); ++operand)
      to.push_back(operand < Contraction::Result ? SmallVector<Value>() : rowsOf(origin, operand, tile));
    Value from = build.address({number}, {sumsRow}, 0);
    forTilesOfRow(origin, [&](int64_t pixels) { emitPixels(pixels, to, from); });
  }

  /// All rows of a tile, the last first: what lies beyond the image is overwritten by what lies in it.
  void emitPixels(int64_t pixels, ArrayRef<SmallVector<Value>> to, Value from) {
    const int64_t columns = contraction.columns.size;
    Value firstColumn = scaled(firstPanel, width());
    const auto backwards = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, tile)));
    auto transform = [&](Position inPart, int64_t valid) {
      Value column = build.address({{firstColumn, 0}, inPart}, {1, 1}, 0);
      Value here = build.address({{from, 0}, inPart}, {1, 1}, 0);
      auto element = [&](int64_t i, int64_t j) {
        return build.load(sums, build.add(here, (i * inputs + j) * sumsPlane), {0, lanes, lanes});
      };
      const Distances none(contraction.operands.size(), 0);
      auto finish = [&](int64_t i, ArrayRef<Term> row) {
        for (int64_t j = 0; j < pixels; ++j) {
          Addresses at(contraction.operands.size(), Value());
          for (unsigned operand = Contraction::Result; operand < at.size(); ++operand)
            at[operand] = build.address({{to[operand][i], 0}, {column, 0}}, {1, contraction.columns.strides[operand]},
                                        j * across().strides[operand]);
          TileEpilogue(build, contraction, function.buffers, at).finish(row[j].value, lanes, none, 0, valid);
        }
      };
      auto ofProducts = [&](ArrayRef<Term> m) { return winograd::transformProducts(tile, m); };
      transformBoth(inputs, backwards, element, ofProducts, finish);
    };
    const int64_t whole = columns - columns % lanes, partColumns = blocks.panelsPerPart * width();
    Value end = columns % partColumns == 0
                    ? build.index(partColumns)
                    : emitMin(build, difference(build.index(whole), firstColumn), build.index(partColumns));
    build.loop(build.index(0), end, lanes, [&](Position inPart) { transform(hidden(inPart), lanes); });
    if (whole == columns)
      return;
    const int64_t lastColumn = (blocks.columnParts - 1) * partColumns;
    Value isLast =
        arith::CmpIOp::create(build.ops, build.loc, arith::CmpIPredicate::eq, firstColumn, build.index(lastColumn));
    auto branch = scf::IfOp::create(build.ops, build.loc, isLast, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(build.ops);
    build.ops.setInsertionPointToStart(branch.thenBlock());
    transform({Value(), whole - lastColumn}, columns - whole);
  }

  KernelFunction &function;
  VectorBuilder build;
  const WinogradConvolution &contraction;
  const winograd::Method method;
  const int64_t tile, inputs; ///< Of a tile along a dimension: outputs, and elements of the input.
  const unsigned lanes;
  const int64_t registers;
  WinogradBlocks blocks;
  // Elements from one tile to the next, and from one of the tiles' numbers to the next.
  int64_t inputRow = 0, inputPlane = 0, filterPlane = 0, sumsRow = 0, sumsPlane = 0;
  /// Scratch: [number][tile][channel], [number][channel][column of the panel], and [number][tile][column].
  Value transformed, filters, sums;
  Value low, firstTile, firstPanel; ///< Of the unit.
  Value group;                      ///< The unit's; null where there is one.
};

} // namespace

bool fitsWinograd(const Target &target, const WinogradConvolution &convolution) {
  return convolution.panels.width % machineOf(target, kWinogradTypes).lanes == 0;
}

void emitWinograd(KernelFunction &function, const WinogradConvolution &convolution) {
  WinogradEmitter(function, convolution).emit();
}

} // namespace nacre::codegen::cpu
