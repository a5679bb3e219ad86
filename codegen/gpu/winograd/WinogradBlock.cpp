// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits blocks of a 3x3 convolution by Winograd's F(2x2, 3x3) on desktop GPUs: 16 products of matrices, one for
//        each transformed value of a tile of pixels.
// Why:   this method needs 4/9 of a direct convolution's multiplications. To reach its peak, a desktop GPU needs many
//        sums in registers for each element that it reads from shared memory. It also needs loads in flight while it
//        multiplies.
// How:   1. a part is some channels. An invocation loads the pixels for a row of values of a tile, in four channels,
//           and a filter of four columns in one channel. Addresses and signs select the values that it computes,
//           because a branch would cost more;
//        2. a group of invocations has all tiles and columns of one value. While it multiplies a part, the next part's
//           pixels and filters are loaded. They are then transformed into the same shared memory;
//        3. at the end, the sums of some tiles at a time go through shared memory and are transformed to pixels.
//
// Tiles cover the whole image for any share. The transforms are from A. Lavin and S. Gray, "Fast Algorithms for
// Convolutional Neural Networks", 2015.

#include "codegen/gpu/contraction/Templates.h"
#include "codegen/gpu/winograd/WinogradNumbers.h"
#include "codegen/gpu/winograd/WinogradPixels.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

class WinogradBlock : WinogradNumbers {
public:
  WinogradBlock(ContractionGrid &grid, const GpuTile::WinogradBlock &tile, const WinogradConvolution &convolution)
      : WinogradNumbers(grid, tile), tiles(tile.rows * tile.rowThreads), channelQuads(tile.depth / 4),
        channels(convolution.channels.size), pixels(grid, convolution, tiles) {}

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
  // 1. Loads of each invocation
  //===--------------------------------------------------------------------===//

  /// A row of the transformed values of a tile, in four channels. It is a row of pixels, plus `sign` times another row.
  struct PatchItem {
    SmallVector<Value, 2 * kSide> addresses;
    Value channelQuad, sign;
    Value at; ///< Address of the first of these values.
  };
  /// Two rows of a filter's transformed values, in four columns and one channel. The outer row is a row of the filter;
  /// the inner row is a sum of rows.
  struct FilterItem {
    Value channel, quad, isUpper, sign;
    Value outer, inner; ///< Addresses of the first value of each row.
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
    // Tiles are permuted by the index of the channels, so that adjacent invocations store to different banks.
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

  /// Loads the pixels, then the filter, from which this invocation computes its values of a part.
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
      for (int64_t i = 0; i < tile.rows; ++i) // findPatch() permutes the tiles by the channels.
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

  /// Writes the pixels of `tile.depth` tiles. Their values overwrite the filters in shared memory.
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

  /// Emits a row of pixels of a tile in a quad of columns: a row of values, plus the next two rows with a sign.
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

  const int64_t tiles, channelQuads; ///< Number of tiles of the block; number of quads of channels of a part.
  const int64_t channels;
  WinogradPixels pixels;
  Value filters, patches; ///< Arrays in shared memory: [value][channel][quad], [value][quad of channels][tile].
  PatchItem patchItem;
  FilterItem filterItem;
};

} // namespace

void emitWinogradBlock(ContractionGrid &grid, const GpuTile::WinogradBlock &tile,
                       const WinogradConvolution &convolution) {
  WinogradBlock(grid, tile, convolution).emit();
}

} // namespace nacre::codegen::gpu
