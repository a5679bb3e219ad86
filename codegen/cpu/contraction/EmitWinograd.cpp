// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. units: some tiles, some columns; 2. where a tile begins: what lies beyond the image is clamped to its edge,
//       so that edge tiles read what there is, and write their last rows and pixels again and again, right at the last;
//       3. the input's transform; 4. the products; 5. the way back.

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
      : function(function), build(function), contraction(contraction), tile(contraction.tile),
        inputs(winograd::inputsOf(tile)),
        lanes(machineOf(build.target, productsOf(contraction.accumulatorType)).lanes) {}

  void emit() {
    divide();
    transformed = allocateScratch(function, build, inputs * inputs * transformedPlane, contraction.accumulatorType);
    sums = allocateScratch(function, build, inputs * inputs * sumsPlane, contraction.accumulatorType);
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
  int64_t tilesDown() const { return llvm::divideCeil(down().size, tile); }
  int64_t tilesAcross() const { return llvm::divideCeil(across().size, tile); }
  bool cutAmongImages() const { return contraction.cutAmongImages; }

  //===--------------------------------------------------------------------===//
  // 1. Units
  //===--------------------------------------------------------------------===//

  /// An odd number of lines: what is so far apart is in other sets of a cache.
  static int64_t spread(int64_t elements) { return (llvm::divideCeil(elements, kLine) | 1) * kLine; }

  void divide() {
    const int64_t panels = llvm::divideCeil(contraction.columns.size, contraction.panels.width);
    blocks = divideWinograd(shapeOf(contraction), tile, panels);
    function.unitExtent = blocks.extent;
    function.unitsPerBlock = blocks.groups * blocks.columnParts;
    function.flops = 2 * contraction.multiplyAdds();
    const double units = double(llvm::divideCeil(contraction.cutExtent, blocks.extent)) * function.unitsPerBlock;
    function.unitCost = function.flops / units / (4.0 * lanes * 2.5) * (inputs * inputs) / double(9 * tile * tile);
    transformedRow = spread(channels());
    transformedPlane = spread(blocks.tiles * transformedRow);
    sumsRow = spread(blocks.panelsPerPart * contraction.panels.width);
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

    firstTile = scaled(build.divide(part, blocks.columnParts), blocks.tiles);
    Value steps = difference(high, low);
    Value tiles = cutAmongImages() ? scaled(steps, tilesDown() * tilesAcross())
                                   : scaled(build.divide(build.add(steps, tile - 1), tile), tilesAcross());
    Value count =
        emitMax(build, emitMin(build, difference(tiles, firstTile), build.index(blocks.tiles)), build.index(0));
    firstPanel = scaled(build.remainder(part, blocks.columnParts), blocks.panelsPerPart);
    build.loop(build.index(0), count, 1, [&](Position number) { emitInput(number); });
    emitProducts(count);
    build.loop(build.index(0), count, 1, [&](Position number) { emitOutput(number); });
  }

  //===--------------------------------------------------------------------===//
  // 2. Tiles
  //===--------------------------------------------------------------------===//

  /// The image of a tile and its first row and pixel.
  struct TileOrigin {
    Value image, row, pixel;
  };

  TileOrigin originOf(Position number) {
    Value inBlock = build.address({{firstTile, 0}, number}, {1, 1}, 0);
    Value inImage = cutAmongImages() ? build.remainder(inBlock, tilesDown() * tilesAcross()) : inBlock;
    Value row = scaled(build.divide(inImage, tilesAcross()), tile);
    Value pixel = scaled(build.remainder(inImage, tilesAcross()), tile);
    if (!cutAmongImages())
      return {build.index(0), sum(low, row), pixel};
    return {sum(low, build.divide(inBlock, tilesDown() * tilesAcross())), row, pixel};
  }

  /// `count` rows or pixels from `first` on, none beyond `limit`, as addresses that `base` begins; `isWhole` where
  /// they never reach it.
  SmallVector<Value> lines(Value base, Value first, int64_t count, int64_t stride, int64_t limit, bool isWhole) {
    SmallVector<Value> result;
    for (int64_t i = 0; i < count; ++i) {
      Value index = build.add(first, i);
      if (!isWhole)
        index = emitMin(build, index, build.index(limit - 1));
      result.push_back(isWhole ? build.address({{base, 0}, {first, i}}, {1, stride}, 0)
                               : build.address({{base, 0}, {index, 0}}, {1, stride}, 0));
    }
    return result;
  }

  /// The addresses of a tile's elements of `operand`, row by row, where the first image's begin at `base`.
  SmallVector<Value> elements(const TileOrigin &origin, unsigned operand, Value base, int64_t size) {
    const int64_t beyond = size - tile;
    base = build.address({{base, 0}, {origin.image, 0}}, {1, images().strides[operand]}, 0);
    SmallVector<Value> result;
    for (Value row :
         lines(base, origin.row, size, down().strides[operand], down().size + beyond, down().size % tile == 0))
      result.append(
          lines(row, origin.pixel, size, across().strides[operand], across().size + beyond, across().size % tile == 0));
    return result;
  }

  //===--------------------------------------------------------------------===//
  // 3. The input
  //===--------------------------------------------------------------------===//

  Value buffer(unsigned operand) const { return function.buffers[contraction.operands[operand].argument]; }

  /// `size` x `size` values along both dimensions, `transform` along one.
  template <typename Transform>
  SmallVector<Term> transformBoth(int64_t size, llvm::function_ref<Value(int64_t, int64_t)> element,
                                  Transform transform) {
    SmallVector<SmallVector<Term>> columns;
    for (int64_t j = 0; j < size; ++j) {
      SmallVector<Term> column;
      for (int64_t i = 0; i < size; ++i)
        column.push_back({&build, element(i, j)});
      columns.push_back(SmallVector<Term>(transform(tile, ArrayRef<Term>(column))));
    }
    SmallVector<Term> result;
    for (size_t i = 0; i < columns.front().size(); ++i) {
      SmallVector<Term> row;
      for (int64_t j = 0; j < size; ++j)
        row.push_back(columns[j][i]);
      result.append(transform(tile, ArrayRef<Term>(row)));
    }
    return result;
  }

  void emitInput(Position number) {
    SmallVector<Value> from = elements(originOf(number), Contraction::Lhs,
                                       build.index(contraction.operands[Contraction::Lhs].offset), inputs);
    Value to = build.address({number}, {transformedRow}, 0);
    auto transform = [&](Position channel, Piece piece) {
      auto element = [&](int64_t i, int64_t j) {
        return build.load(buffer(Contraction::Lhs), build.address({{from[i * inputs + j], 0}, channel}, {1, 1}, 0),
                          piece);
      };
      SmallVector<Term> values = transformBoth(inputs, element, winograd::transformInput<Term>);
      for (auto [plane, value] : llvm::enumerate(values))
        build.store(value.value, transformed,
                    build.address({{to, 0}, channel}, {1, 1}, int64_t(plane) * transformedPlane), piece);
    };
    const int64_t whole = channels() - channels() % lanes;
    build.loop(0, whole, lanes, [&](Position channel) { transform(channel, {0, lanes, lanes}); });
    for (Piece piece : cutIntoPieces(channels() - whole, lanes, hasMasks(build.target, 32)))
      transform({Value(), whole + piece.offset}, {0, piece.lanes, piece.width});
  }

  //===--------------------------------------------------------------------===//
  // 4. Products
  //===--------------------------------------------------------------------===//

  void emitProducts(Value count) {
    const int64_t width = contraction.panels.width;
    LoopedContraction product;
    product.accumulatorType = contraction.accumulatorType;
    product.operands.resize(Contraction::Extra, contraction.operands[Contraction::Rhs]);
    product.operands[Contraction::Lhs].argument = function.buffers.size() - 2;
    product.operands[Contraction::Result].argument = function.buffers.size() - 1;
    // As many rows as tell how many the last unit has, so that there is a tile of registers for what is left.
    const int64_t rows = cutAmongImages() ? blocks.extent * tilesDown() : tilesDown();
    product.rows = {{rows * tilesAcross(), {transformedRow, 0, sumsRow}}};
    product.depth = {{channels(), {1, width, 0}}};
    product.columns = {width, {0, 1, 1}};
    product.cut = LoopedContraction::Cut::Rows;
    product.cutExtent = blocks.tiles;

    PanelWalk walk;
    walk.panel = {buffer(Contraction::Rhs), width, {width}};
    walk.columns = width; // those beyond the last are zero
    walk.cutLow = build.index(0);
    walk.cutHigh = count;
    walk.cutExtent = blocks.tiles;
    const int64_t panels = llvm::divideCeil(contraction.columns.size, width);
    Value most = panels % blocks.panelsPerPart == 0
                     ? build.index(blocks.panelsPerPart)
                     : emitMin(build, difference(build.index(panels), firstPanel), build.index(blocks.panelsPerPart));
    build.loop(0, inputs * inputs, 1, [&](Position plane) {
      build.loop(build.index(0), most, 1, [&](Position panel) {
        const Addresses at = {build.address({plane}, {transformedPlane}, 0),
                              build.address({{firstPanel, 0}, panel, plane},
                                            {contraction.panels.stride, contraction.panels.stride, channels() * width},
                                            0),
                              build.address({plane, panel}, {sumsPlane, width}, 0)};
        emitPanelWalk(function, build, product, walk, at);
      });
    });
  }

  //===--------------------------------------------------------------------===//
  // 5. The way back
  //===--------------------------------------------------------------------===//

  void emitOutput(Position number) {
    const int64_t width = contraction.panels.width, columns = contraction.columns.size;
    const TileOrigin origin = originOf(number);
    SmallVector<SmallVector<Value>> to; // by operand
    for (auto [operand, description] : llvm::enumerate(contraction.operands)) {
      const bool isWritten = operand >= Contraction::Result;
      to.push_back(isWritten ? elements(origin, operand, build.index(description.offset), tile) : SmallVector<Value>());
    }
    Value firstColumn = scaled(firstPanel, width), from = build.address({number}, {sumsRow}, 0);
    auto transform = [&](Position inPart, int64_t valid) {
      Value column = build.address({{firstColumn, 0}, inPart}, {1, 1}, 0);
      auto element = [&](int64_t i, int64_t j) {
        return build.load(sums, build.address({{from, 0}, inPart}, {1, 1}, (i * inputs + j) * sumsPlane),
                          {0, lanes, lanes});
      };
      SmallVector<Term> values = transformBoth(inputs, element, winograd::transformProducts<Term>);
      const Distances here(contraction.operands.size(), 0);
      for (int64_t pixel = tile * tile; pixel-- > 0;) {
        Addresses at(contraction.operands.size(), Value());
        for (unsigned operand = Contraction::Result; operand < at.size(); ++operand)
          at[operand] =
              build.address({{to[operand][pixel], 0}, {column, 0}}, {1, contraction.columns.strides[operand]}, 0);
        TileEpilogue(build, contraction, function.buffers, at).finish(values[pixel].value, lanes, here, 0, valid);
      }
    };
    const int64_t whole = columns - columns % lanes, partColumns = blocks.panelsPerPart * width;
    Value end = columns % partColumns == 0
                    ? build.index(partColumns)
                    : emitMin(build, difference(build.index(whole), firstColumn), build.index(partColumns));
    build.loop(build.index(0), end, lanes, [&](Position inPart) { transform(inPart, lanes); });
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
  const int64_t tile, inputs; ///< Of a tile along a dimension: outputs, and elements of the input.
  const unsigned lanes;
  WinogradBlocks blocks;
  int64_t transformedRow = 0,
          transformedPlane = 0; ///< Elements from one tile to the next, and from product to product.
  int64_t sumsRow = 0, sumsPlane = 0;
  Value transformed, sums; ///< Scratch: what is multiplied, [product][tile][channel], and [product][tile][column].
  Value low, firstTile, firstPanel; ///< Of the unit.
};

} // namespace

void emitWinograd(KernelFunction &function, const WinogradConvolution &convolution) {
  WinogradEmitter(function, convolution).emit();
}

} // namespace nacre::codegen::cpu
