// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  blocks of a 3x3 convolution by Winograd's F(2x2, 3x3) on desktop GPUs: sixteen products of matrices, one for each number
//        that the transforms make of a tile of pixels.
// Why:   4/9 of a direct convolution's multiplications. Such a GPU reaches its peak only with many sums in registers for each
//        element that it reads from shared memory, and with loads that are on their way while it multiplies.
// How:   1. a part is some channels. An invocation loads the pixels of a row of numbers of a tile, in four channels, and a filter of
//           four columns in one channel. Which numbers it makes is a matter of addresses and signs: a branch would cost more;
//        2. a group of invocations has all tiles and columns of one number. While it multiplies a part, the next part's pixels
//           and filters are loaded; then they are transformed into the same shared memory;
//        3. in the end sums meet in shared memory, some tiles at a time, and become pixels.
//        Tiles are those of the whole image, whatever the share. The transforms are those of A. Lavin and S. Gray, "Fast Algorithms
//        for Convolutional Neural Networks", 2015.

#include "codegen/gpu/contraction/Templates.h"
#include "codegen/gpu/contraction/WinogradNumbers.h"
#include "codegen/gpu/contraction/WinogradPixels.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

class WinogradBlock : WinogradNumbers {
public:
  WinogradBlock(ContractionGrid &grid, const GpuTile &tile, const WinogradConvolution &convolution)
      : WinogradNumbers(grid, tile), tiles(tile.rows * tile.rowThreads), channelQuads(tile.depth / 4),
        channels(convolution.channels.size), pixels(grid, convolution, tile.outputs, tiles) {}

  void emit() {
    build.onlyIf(pixels.writesAny(), [&] {
      filters = grid.function.shared(kNumbers * tile.depth * quads, grid.quadType());
      patches = grid.function.shared(kNumbers * channelQuads * tiles, grid.quadType());
      patchItem = findPatch();
      filterItem = findFilter();
      const SmallVector<Value> sums = reduce(
          channels / tile.depth, [&](Value part) { return loadPart(part); },
          [&](ArrayRef<Value> loaded) { transformPart(loaded); },
          [&](ValueRange before) { return multiplyPart(before); });
      const int64_t rowsAtOnce = tile.depth / tile.rowThreads;
      for (int64_t from = 0; from < tile.rows; from += rowsAtOnce)
        finish(from, rowsAtOnce, sums);
    });
  }

private:
  //===--------------------------------------------------------------------===//
  // 1. Who loads what
  //===--------------------------------------------------------------------===//

  /// A row of the numbers of a tile, in four channels: a row of its pixels, and another times `sign`.
  struct PatchItem {
    SmallVector<Value, 2 * kSide> addresses;
    Value channelQuad, sign;
    Value at; ///< Where its first number is stored.
  };
  /// Two rows of a filter's numbers, in four columns and a channel: an outer one, which is a row of the filter, and an inner one.
  struct FilterItem {
    Value channel, quad, isUpper, sign;
    Value outer, inner; ///< Where their first numbers are stored.
  };

  PatchItem findPatch() {
    PatchItem item;
    item.channelQuad = build.remainder(me, channelQuads);
    Value mine = build.remainder(build.divide(me, channelQuads), tiles);
    Value line = build.divide(me, channelQuads * tiles);
    const PixelRows rows = pixelRowsOf(line);
    item.sign = rows.sign;
    const WinogradPixels::Origin origin = pixels.originOf(mine);
    for (Value row : {rows.first, rows.second})
      for (int64_t j = 0; j < kSide; ++j)
        item.addresses.push_back(pixels.addressOf(origin, row, build.constant(j)));
    // Tiles are permuted by the channels, so that what neighbours store lies in different banks.
    Value place = arith::XOrIOp::create(build.ops, build.loc, mine, build.multiply(item.channelQuad, tile.rowThreads));
    item.at = build.add(build.multiply(build.add(build.multiply(line, kSide * channelQuads), item.channelQuad), tiles),
                        place);
    return item;
  }

  FilterItem findFilter() {
    FilterItem item;
    Value quad = build.remainder(me, quads);
    item.channel = build.remainder(build.divide(me, quads), tile.depth);
    Value half = build.divide(me, quads * tile.depth);
    Value isUpper = build.isEqual(half, build.constant(0));
    item.quad = grid.clampedQuad(build.add(grid.firstQuad, quad));
    item.isUpper = mask(isUpper);
    item.sign = select(item.isUpper, quadOf(0.5), quadOf(-0.5));
    auto place = [&](Value row) {
      return build.add(build.multiply(build.add(build.multiply(row, kSide * tile.depth), item.channel), quads), quad);
    };
    item.outer = place(build.multiply(half, 3));
    item.inner = place(build.add(half, 1));
    return item;
  }

  /// The pixels, then the filter, that this invocation's numbers of a part are made of.
  SmallVector<Value> loadPart(Value part) {
    const unsigned rhs = Contraction::Rhs;
    SmallVector<Value> loaded;
    Value firstChannel = build.multiply(part, tile.depth);
    for (Value address : patchItem.addresses)
      loaded.push_back(pixels.loadChannels(address, build.add(firstChannel, build.multiply(patchItem.channelQuad, 4))));
    for (int64_t tap = 0; tap < kTaps * kTaps; ++tap) {
      Value step = build.add(build.add(firstChannel, filterItem.channel), tap * channels);
      Value address = build.add(grid.base(rhs), grid.depthAddress(rhs, step));
      loaded.push_back(grid.extended(grid.loadQuad(rhs, address, filterItem.quad)));
    }
    return loaded;
  }

  void transformPart(ArrayRef<Value> loaded) {
    storePixelNumbers(loaded.take_front(2 * kSide), patchItem.sign, patches, patchItem.at, channelQuads * tiles);
    transformFilter(loaded.drop_front(2 * kSide));
  }

  void transformFilter(ArrayRef<Value> taps) {
    Value half = quadOf(0.5);
    auto storeRow = [&](Value at, ArrayRef<Value> g) {
      Value sum = multiply(add(g[0], g[2]), half), middle = multiply(g[1], half);
      const Value numbers[] = {g[0], add(sum, middle), subtract(sum, middle), g[2]};
      for (auto [j, number] : llvm::enumerate(numbers))
        store(number, filters, build.add(at, int64_t(j) * tile.depth * quads));
    };
    Value outer[kTaps], inner[kTaps];
    for (int64_t j = 0; j < kTaps; ++j) {
      Value upper = taps[j], middle = taps[kTaps + j], lower = taps[2 * kTaps + j];
      outer[j] = select(filterItem.isUpper, upper, lower);
      inner[j] = multiplyAdd(add(upper, lower), half, multiply(middle, filterItem.sign));
    }
    storeRow(filterItem.outer, outer);
    storeRow(filterItem.inner, inner);
  }

  //===--------------------------------------------------------------------===//
  // 2. Products
  //===--------------------------------------------------------------------===//

  SmallVector<Value> multiplyPart(ValueRange before) {
    SmallVector<Value> sums(before);
    Value columns = build.add(build.multiply(number, tile.depth * quads), laneQuad);
    Value rows = build.add(build.multiply(number, channelQuads * tiles), laneRow);
    for (int64_t channelQuad = 0; channelQuad < channelQuads; ++channelQuad) {
      SmallVector<Value> patch;
      for (int64_t i = 0; i < tile.rows; ++i) // They were permuted by the channels.
        patch.push_back(load(patches, build.add(rows, channelQuad * tiles + (i ^ channelQuad) * tile.rowThreads)));
      for (int64_t channel = 0; channel < 4; ++channel) {
        SmallVector<Value> columnFactors;
        for (int64_t j = 0; j < tile.quads; ++j)
          columnFactors.push_back(
              load(filters, build.add(columns, (channelQuad * 4 + channel) * quads + j * tile.columnThreads)));
        for (int64_t i = 0; i < tile.rows; ++i)
          multiplyRow(MutableArrayRef(sums).slice(i * tile.quads, tile.quads), patch[i], channel, columnFactors);
      }
    }
    return sums;
  }

  //===--------------------------------------------------------------------===//
  // 3. Pixels
  //===--------------------------------------------------------------------===//

  /// Writes the pixels of `tile.depth` tiles, whose numbers overwrite the filters in shared memory.
  void finish(int64_t from, int64_t rows, ArrayRef<Value> sums) {
    if (from > 0)
      barrier();
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < tile.quads; ++j) {
        Value line = build.add(build.multiply(number, tile.depth), build.add(laneRow, i * tile.rowThreads));
        store(sums[(from + i) * tile.quads + j], filters,
              build.add(build.multiply(line, quads), build.add(laneQuad, j * tile.columnThreads)));
      }
    barrier();
    finishRow(build.constant(from * tile.rowThreads));
  }

  /// A row of pixels of a tile in a quad of columns: a row of numbers, and the sum of the next two times a sign.
  void finishRow(Value firstTile) {
    Value quad = build.remainder(me, quads), mine = build.remainder(build.divide(me, quads), tile.depth);
    Value line = build.divide(me, quads * tile.depth);
    Value sign = select(mask(build.isEqual(line, build.constant(0))), quadOf(1), quadOf(-1));
    Value at = build.add(build.multiply(build.add(build.multiply(line, kSide * tile.depth), mine), quads), quad);
    Value m[kSide];
    for (int64_t j = 0; j < kSide; ++j) {
      auto sum = [&](int64_t i) { return load(filters, build.add(at, (i * kSide + j) * tile.depth * quads)); };
      m[j] = multiplyAdd(sign, add(sum(1), sum(2)), sum(0));
    }
    const Value sums[] = {add(add(m[0], m[1]), m[2]), subtract(subtract(m[1], m[2]), m[3])};
    const WinogradPixels::Origin origin = pixels.originOf(build.add(firstTile, mine));
    for (auto [j, sum] : llvm::enumerate(sums))
      pixels.finish(sum, origin, line, build.constant(int64_t(j)), build.add(grid.firstQuad, quad));
  }

  const int64_t tiles, channelQuads; ///< Of the block, and of a part.
  const int64_t channels;
  WinogradPixels pixels;
  Value filters, patches; ///< Shared: [number][channel][quad], [number][quad of channels][tile].
  PatchItem patchItem;
  FilterItem filterItem;
};

} // namespace

void emitWinogradBlock(ContractionGrid &grid, const GpuTile &tile, const WinogradConvolution &convolution) {
  WinogradBlock(grid, tile, convolution).emit();
}

} // namespace nacre::codegen::gpu
