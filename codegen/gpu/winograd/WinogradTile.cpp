// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits tiles of a Winograd convolution. Transformed inputs and filters exist only in shared memory.
// Why:   if about every second multiplication waits for a cache, a quarter of the products saves time. Filters
//        transformed in advance would be 1.8 or 4 times as large. Transformed inputs would need additional memory of
//        the input's size.
// How:   1. a part is four channels. Some invocations transform the filters of the workgroup's columns, others its
//           tiles of the input. Each computes two rows of values, which fit into its registers;
//        2. an invocation has one of the values in a quad of columns, for all tiles, and keeps their sums;
//        3. at the end, the sums of some tiles at a time go through shared memory. Some invocations transform two rows
//           of pixels each, and finish them. Tiles cover the whole image for any share.

#include "codegen/gpu/InlineBody.h"
#include "codegen/gpu/contraction/Templates.h"
#include "codegen/gpu/winograd/WinogradPixels.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

class WinogradTile {
public:
  WinogradTile(ContractionGrid &grid, const GpuTile::Winograd &tile, const WinogradConvolution &convolution)
      : grid(grid), build(grid.build), tile(tile), convolution(convolution), terms(build.ops, build.loc),
        inputs(convolution.method.inputs()), numbers(convolution.method.numbers()), quads(tile.quads),
        channels(convolution.channels.size), pixels(grid, convolution, tile.tiles), me(grid.function.invocation) {}

  void emit() {
    build.onlyIf(pixels.writesAny(), [&] {
      filters = grid.function.shared(kWinogradPart * numbers * quads, grid.quadType());
      patches = grid.function.shared(tile.tiles * numbers, grid.quadType());
      const SmallVector<Value> sums = reduce();
      for (int64_t from = 0; from < tile.tiles; from += kWinogradPart)
        finish(from, ArrayRef(sums).slice(from, kWinogradPart));
    });
  }

private:
  /// Emits `body` for `items` items. Each invocation gets the index of its item. Prefers invocations that have no items
  /// yet.
  void forItems(int64_t items, llvm::function_ref<void(Value)> body) {
    if (taken + items > tile.invocations())
      taken = 0;
    Value number = build.subtract(me, build.constant(taken)); // The difference wraps around for other invocations.
    taken += items;
    build.onlyIf(build.isBelow(number, build.constant(items)), [&] { body(number); });
  }

  void barrier() { mlir::gpu::BarrierOp::create(build.ops, build.loc); }
  Value load(Value array, Value at) { return memref::LoadOp::create(build.ops, build.loc, array, ValueRange{at}); }
  void store(Value value, Value array, Value at) {
    memref::StoreOp::create(build.ops, build.loc, value, array, ValueRange{at});
  }
  /// Returns the address of a transformed value. `major` is the channel or tile of a part.
  Value filterAt(Value major, Value number, Value quad) {
    return build.add(build.multiply(build.add(build.multiply(major, numbers), number), quads), quad);
  }
  Value zeroUnless(Value inside, Value quad) {
    return arith::SelectOp::create(build.ops, build.loc, inside, quad, grid.zeroQuad());
  }

  //===--------------------------------------------------------------------===//
  // 1. Transformed values
  //===--------------------------------------------------------------------===//

  bool hasTail() const { return channels % kWinogradPart != 0; }
  Value isChannel(Value channel) { return build.isBelow(channel, build.constant(channels)); }
  Value broadcastMask(Value inside) {
    return vector::BroadcastOp::create(build.ops, build.loc, VectorType::get({4}, build.ops.getI1Type()), inside);
  }

  /// Computes two rows of the transformed values of each filter, which has one channel and a quad of columns.
  void transformFilters(Value part, ArrayRef<int64_t> rows) {
    const unsigned rhs = Contraction::Rhs;
    const int64_t taps = convolution.method.taps;
    forItems(kWinogradPart * quads, [&](Value item) {
      Value major = build.divide(item, quads), quad = build.remainder(item, quads);
      Value channel = build.add(build.multiply(part, kWinogradPart), major), inside;
      Value columns = grid.clampedQuad(build.add(grid.firstQuad, quad));
      if (hasTail()) {
        inside = broadcastMask(isChannel(channel));
        channel = build.least(channel, build.constant(channels - 1));
      }
      auto tap = [&](int64_t i, int64_t j) -> Term {
        Value step = build.add(channel, (i * taps + j) * channels);
        Value loaded =
            grid.extended(grid.loadQuad(rhs, build.add(grid.base(rhs), grid.depthAddress(rhs, step)), columns));
        return {&terms, inside ? zeroUnless(inside, loaded) : loaded};
      };
      auto transform = [&](ArrayRef<Term> g) { return winograd::transformFilter(inputs, g); };
      winograd::transformBoth<Term>(taps, rows, tap, transform, [&](int64_t i, ArrayRef<Term> row) {
        for (auto [j, number] : llvm::enumerate(row))
          store(number.value, filters, filterAt(major, build.constant(i * inputs + int64_t(j)), quad));
      });
    });
  }

  /// Computes two rows of the transformed values of each tile.
  void transformPatches(Value part, ArrayRef<int64_t> rows) {
    Value channel = build.multiply(part, kWinogradPart);
    forItems(tile.tiles, [&](Value item) {
      const WinogradPixels::Origin origin = pixels.originOf(item);
      auto pixel = [&](int64_t i, int64_t j) -> Term {
        Value address = pixels.addressOf(origin, build.constant(i), build.constant(j));
        return {&terms, pixels.loadChannels(address, channel)};
      };
      auto transform = [&](ArrayRef<Term> d) { return winograd::transformInput(d); };
      winograd::transformBoth<Term>(inputs, rows, pixel, transform, [&](int64_t i, ArrayRef<Term> row) {
        for (auto [j, number] : llvm::enumerate(row))
          store(number.value, patches, build.add(build.multiply(item, numbers), i * inputs + int64_t(j)));
      });
    });
  }

  //===--------------------------------------------------------------------===//
  // 2. Products
  //===--------------------------------------------------------------------===//

  SmallVector<Value> reduce() {
    const SmallVector<Value> zeros(tile.tiles, grid.zeroQuad());
    auto loop = scf::ForOp::create(build.ops, build.loc, build.constant(0),
                                   build.constant(llvm::divideCeil(channels, kWinogradPart)), build.constant(1), zeros);
    OpBuilder::InsertionGuard guard(build.ops);
    build.ops.setInsertionPointToStart(loop.getBody());
    barrier();
    taken = 0;
    const auto groups = winograd::rowsAtOnce(inputs, inputs, /*registers=*/16);
    for (ArrayRef<int64_t> rows : groups)
      transformFilters(loop.getInductionVar(), rows);
    for (ArrayRef<int64_t> rows : groups)
      transformPatches(loop.getInductionVar(), rows);
    barrier();
    scf::YieldOp::create(build.ops, build.loc, multiply(loop.getRegionIterArgs()));
    return loop.getResults();
  }

  SmallVector<Value> multiply(ValueRange before) {
    Value number = build.divide(me, quads), quad = build.remainder(me, quads);
    SmallVector<Value> sums(before), columns;
    for (int64_t channel = 0; channel < kWinogradPart; ++channel)
      columns.push_back(load(filters, filterAt(build.constant(channel), number, quad)));
    for (auto [row, sum] : llvm::enumerate(sums)) {
      Value ofTile = load(patches, build.add(number, int64_t(row) * numbers));
      for (int64_t channel = 0; channel < kWinogradPart; ++channel) {
        Value factor = vector::ExtractOp::create(build.ops, build.loc, ofTile, channel);
        factor = vector::BroadcastOp::create(build.ops, build.loc, grid.quadType(), factor);
        sum = vector::FMAOp::create(build.ops, build.loc, factor, columns[channel], sum);
      }
    }
    return sums;
  }

  //===--------------------------------------------------------------------===//
  // 3. Pixels
  //===--------------------------------------------------------------------===//

  /// Finishes as many tiles as a part has channels. Their values overwrite the filters.
  void finish(int64_t from, ArrayRef<Value> sums) {
    Value number = build.divide(me, quads), quad = build.remainder(me, quads);
    barrier();
    for (auto [row, sum] : llvm::enumerate(sums))
      store(sum, filters, filterAt(build.constant(int64_t(row)), number, quad));
    barrier();
    taken = 0;
    for (int64_t first = 0; first < tile.outputs; first += kWinogradRows)
      forItems(kWinogradPart * quads, [&](Value item) { finishRows(from, item, {first, first + 1}); });
  }

  void finishRows(int64_t from, Value item, ArrayRef<int64_t> rows) {
    Value major = build.divide(item, quads), quad = build.remainder(item, quads);
    const WinogradPixels::Origin origin = pixels.originOf(build.add(major, from));
    auto product = [&](int64_t i, int64_t j) -> Term {
      return {&terms, load(filters, filterAt(major, build.constant(i * inputs + j), quad))};
    };
    auto transform = [&](ArrayRef<Term> m) { return winograd::transformProducts(tile.outputs, m); };
    winograd::transformBoth<Term>(inputs, rows, product, transform, [&](int64_t i, ArrayRef<Term> row) {
      for (auto [j, sum] : llvm::enumerate(row))
        pixels.finish(sum.value, origin, build.constant(i), build.constant(int64_t(j)),
                      build.add(grid.firstQuad, quad));
    });
  }

  ContractionGrid &grid;
  IndexBuilder &build;
  const GpuTile::Winograd &tile;
  const WinogradConvolution &convolution;
  ShaderTerms terms;
  const int64_t inputs, numbers; ///< Number of transformed values of a tile, along one dimension and along both.
  const int64_t quads;           ///< Number of quads of columns.
  const int64_t channels;
  WinogradPixels pixels;
  Value me;
  Value filters, patches; ///< Arrays in shared memory: [channel][value][quad], [tile][value] with quads of channels.
  int64_t taken = 0;      ///< Number of invocations that already have items.
};

} // namespace

void emitWinogradTile(ContractionGrid &grid, const GpuTile::Winograd &tile, const WinogradConvolution &convolution) {
  WinogradTile(grid, tile, convolution).emit();
}

} // namespace nacre::codegen::gpu
