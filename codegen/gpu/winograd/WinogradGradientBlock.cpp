// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits blocks of the gradient of a 3x3 filter by Winograd's F(2x2, 3x3) on desktop GPUs: 32 channels by 64
//        columns.
// Why:   it has the same products as WinogradBlock, and needs 4/9 of the multiplications.
// How:   the convolution is y = A^T [(G g G^T) * (B^T d B)] A. So the gradient of g is the sum of G^T [(A y' A^T) *
//        (B^T d B)] G over all tiles of pixels. A part is some tiles. An invocation transforms a tile's pixels to a row
//        of values in four channels, and its gradients to two rows of values in four columns. Sums stay transformed
//        until the end, when they go through shared memory, some channels at a time.

#include "codegen/form/WinogradForm.h"
#include "codegen/gpu/contraction/Templates.h"
#include "codegen/gpu/winograd/WinogradNumbers.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

class WinogradGradientBlock : WinogradNumbers {
public:
  WinogradGradientBlock(ContractionGrid &grid, const GpuTile::WinogradGradient &tile, const WinogradGradient &gradient)
      : WinogradNumbers(grid, tile), gradient(gradient), plan(planOf(gradient)),
        channelQuads(tile.rows * tile.rowThreads / 4) {}

  void emit() {
    gradients = grid.function.shared(kNumbers * tile.depth * quads, grid.quadType());
    patches = grid.function.shared(kNumbers * tile.depth * channelQuads, grid.quadType());
    firstChannel = build.divide(grid.firstRow, kTaps * kTaps);
    findItems();
    const SmallVector<Value> sums = reduce(
        plan.tiles() / tile.depth, [&](Value part) { return loadPart(part); },
        [&](ArrayRef<Value> loaded) { transformPart(loaded); },
        [&](ValueRange before) { return multiplyPart(before); });
    for (int64_t from = 0; from < tile.rows; from += kTogether)
      finish(from, ArrayRef(sums).slice(from * tile.quads, kTogether * tile.quads));
  }

private:
  /// Number of rows of each invocation whose values are in shared memory simultaneously.
  static constexpr int64_t kTogether = 2;

  //===--------------------------------------------------------------------===//
  // 1. Transformed values
  //===--------------------------------------------------------------------===//

  void findItems() {
    channelQuad = build.remainder(me, channelQuads);
    patchTile = build.remainder(build.divide(me, channelQuads), tile.depth);
    Value line = build.divide(me, channelQuads * tile.depth);
    pixelRows = pixelRowsOf(line);
    patchAt = build.add(build.multiply(build.add(build.multiply(line, kSide * tile.depth), patchTile), channelQuads),
                        channelQuad);

    Value mine = build.remainder(me, quads), half = build.divide(me, quads * tile.depth);
    gradientTile = build.remainder(build.divide(me, quads), tile.depth);
    quad = grid.clampedQuad(build.add(grid.firstQuad, mine));
    isUpper = mask(build.isEqual(half, build.constant(0)));
    sign = select(isUpper, quadOf(1), quadOf(-1));
    auto place = [&](Value row) {
      return build.add(build.multiply(build.add(build.multiply(row, kSide * tile.depth), gradientTile), quads), mine);
    };
    outer = place(build.multiply(half, 3));
    inner = place(build.add(half, 1));
  }

  /// Returns the address in an operand of a pixel of the tile with index `tileNumber`. The pixel is `rows` rows and
  /// `columns` columns after the tile's first pixel.
  Value pixelOf(unsigned operand, Value tileNumber, Value rows, Value columns) {
    auto steps = [&](const ContractionLoop &loop, Value count) {
      return build.multiply(count, grid.scaled(operand, loop.strides[operand]));
    };
    Value y = build.multiply(build.remainder(build.divide(tileNumber, plan.across()), plan.down()), tile.outputs);
    Value x = build.multiply(build.remainder(tileNumber, plan.across()), tile.outputs);
    Value image = build.divide(tileNumber, plan.tilesOfImage());
    return build.add(build.add(steps(gradient.images, image), steps(gradient.down, build.add(y, rows))),
                     steps(gradient.across, build.add(x, columns)));
  }

  /// Loads the pixels, then their gradients, from which this invocation computes its values of a part.
  SmallVector<Value> loadPart(Value part) {
    const unsigned lhs = Contraction::Lhs, rhs = Contraction::Rhs;
    SmallVector<Value> loaded;
    Value first = build.multiply(part, tile.depth);
    Value channel = build.add(firstChannel, build.multiply(channelQuad, 4));
    Value from = build.add(grid.base(lhs), grid.rowAddress(lhs, channel));
    for (Value row : {pixelRows.first, pixelRows.second})
      for (int64_t j = 0; j < kSide; ++j)
        loaded.push_back(
            grid.load(lhs, build.add(from, pixelOf(lhs, build.add(first, patchTile), row, build.constant(j)))));
    for (int64_t i = 0; i < tile.outputs; ++i)
      for (int64_t j = 0; j < tile.outputs; ++j) {
        Value at = pixelOf(rhs, build.add(first, gradientTile), build.constant(i), build.constant(j));
        loaded.push_back(grid.loadQuad(rhs, build.add(grid.base(rhs), at), quad));
      }
    return loaded;
  }

  void transformPart(ArrayRef<Value> loaded) {
    storePixelNumbers(loaded.take_front(2 * kSide), pixelRows.sign, patches, patchAt, tile.depth * channelQuads);
    loaded = loaded.drop_front(2 * kSide);
    auto storeRow = [&](Value at, Value left, Value right) {
      const Value numbers[] = {left, add(left, right), subtract(left, right), subtract(quadOf(0), right)};
      for (auto [j, value] : llvm::enumerate(numbers))
        store(value, gradients, build.add(at, int64_t(j) * tile.depth * quads));
    };
    // The rows of A y' are y0, y0 + y1, y0 - y1, -y1.
    Value none = quadOf(0), outerRow[2], innerRow[2];
    for (int64_t j = 0; j < 2; ++j) {
      outerRow[j] = select(isUpper, loaded[j], subtract(none, loaded[2 + j]));
      innerRow[j] = multiplyAdd(sign, loaded[2 + j], loaded[j]);
    }
    storeRow(outer, outerRow[0], outerRow[1]);
    storeRow(inner, innerRow[0], innerRow[1]);
  }

  //===--------------------------------------------------------------------===//
  // 2. Products
  //===--------------------------------------------------------------------===//

  /// Adds the products of a part to the sums. The quads of channels of an invocation are rowThreads quads apart.
  SmallVector<Value> multiplyPart(ValueRange before) {
    SmallVector<Value> sums(before);
    Value columns = build.add(build.multiply(number, tile.depth * quads), laneQuad);
    Value rows = build.add(build.multiply(number, tile.depth * channelQuads), laneRow);
    for (int64_t step = 0; step < tile.depth; ++step) {
      SmallVector<Value> factors;
      for (int64_t j = 0; j < tile.quads; ++j)
        factors.push_back(load(gradients, build.add(columns, step * quads + j * tile.columnThreads)));
      for (int64_t i = 0; i < tile.rows; i += 4) {
        Value patch = load(patches, build.add(rows, step * channelQuads + i / 4 * tile.rowThreads));
        for (int64_t lane = 0; lane < 4; ++lane)
          multiplyRow(MutableArrayRef(sums).slice((i + lane) * tile.quads, tile.quads), patch, lane, factors);
      }
    }
    return sums;
  }

  //===--------------------------------------------------------------------===//
  // 3. Taps
  //===--------------------------------------------------------------------===//

  /// Writes the taps of `tile.depth` channels, with two rows of each invocation. Their values overwrite the gradients
  /// in shared memory.
  void finish(int64_t from, ArrayRef<Value> sums) {
    if (from > 0)
      barrier();
    for (int64_t i = 0; i < kTogether; ++i)
      for (int64_t j = 0; j < tile.quads; ++j) {
        Value line = build.add(build.multiply(number, tile.depth), build.add(build.multiply(laneRow, kTogether), i));
        store(sums[i * tile.quads + j], gradients,
              build.add(build.multiply(line, quads), build.add(laneQuad, j * tile.columnThreads)));
      }
    barrier();
    build.onlyIf(build.isBelow(me, build.constant(tile.depth * quads)), [&] { finishChannel(from); });
  }

  /// Emits the taps of a channel in a quad of columns: the transform G^T of the values, along both dimensions.
  void finishChannel(int64_t from) {
    Value mine = build.remainder(me, quads), line = build.divide(me, quads), half = quadOf(0.5);
    auto transform = [&](ArrayRef<Value> u) {
      Value sum = multiply(add(u[1], u[2]), half);
      return std::array<Value, kTaps>{add(u[0], sum), multiply(subtract(u[1], u[2]), half), add(sum, u[3])};
    };
    std::array<Value, kTaps> columns[kSide];
    for (int64_t j = 0; j < kSide; ++j) {
      SmallVector<Value, kSide> numbers;
      for (int64_t i = 0; i < kSide; ++i)
        numbers.push_back(load(gradients, build.add(me, (i * kSide + j) * tile.depth * quads)));
      columns[j] = transform(numbers);
    }
    // An invocation's rows are four channels, then the four channels that are 4 * rowThreads later.
    Value channel = build.add(build.multiply(build.divide(line, kTogether), 4), build.remainder(line, kTogether));
    channel = build.add(build.add(firstChannel, channel), from / 4 * 4 * tile.rowThreads + from % 4);
    for (int64_t i = 0; i < kTaps; ++i) {
      const auto taps = transform({columns[0][i], columns[1][i], columns[2][i], columns[3][i]});
      for (auto [j, tap] : llvm::enumerate(taps))
        grid.finish(tap, build.add(channel, (i * kTaps + int64_t(j)) * gradient.channels.size),
                    build.add(grid.firstQuad, mine));
    }
  }

  const WinogradGradient &gradient;
  const WinogradPlan plan;
  const int64_t channelQuads; ///< Number of quads of channels in the block.
  Value firstChannel;
  Value gradients, patches; ///< Arrays in shared memory: [value][tile][quad], [value][tile][quad of channels].
  Value channelQuad, patchTile, patchAt;
  PixelRows pixelRows;
  Value quad, gradientTile, isUpper, sign, outer, inner;
};

} // namespace

void emitWinogradGradientBlock(ContractionGrid &grid, const GpuTile::WinogradGradient &tile,
                               const WinogradGradient &gradient) {
  WinogradGradientBlock(grid, tile, gradient).emit();
}

} // namespace nacre::codegen::gpu
