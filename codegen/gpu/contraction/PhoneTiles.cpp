// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/contraction/PhoneTiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <optional>

namespace nacre::codegen::gpu {
namespace {

/// Winograd tiles for phones. Each uses at most 16 KiB of shared memory, so that a unit can run several workgroups. One
/// of them multiplies while others transform.
constexpr GpuTile::Winograd kWinograd[] = {
    {/*outputs=*/4, /*tiles=*/8, /*quads=*/4}, // 128 pixels x 16
    {/*outputs=*/2, /*tiles=*/8, /*quads=*/8}, // 32 pixels x 32
};

/// Work of a workgroup for each step of the reduction, or for each channel of a Winograd tile: multiply-adds, and words
/// that it reads or writes.
struct Work {
  double products = 0, words = 0;
};

/// Returns the work of a direct tile. An invocation reads an element for each of its rows, and its quads of columns.
Work workOf(const GpuTile::Direct &tile) {
  const double invocations = double(tile.invocations());
  return {invocations * double(tile.rows * 4 * tile.quads), invocations * double(tile.rows + 4 * tile.quads)};
}

Work workOf(const GpuTile::Winograd &tile) {
  const double numbers = double(tile.numbers()), inputs = double(tile.inputs());
  const double columns = double(tile.tileColumns()), tiles = double(tile.tiles), taps = double(kWinogradTaps);
  const double groups = inputs / kWinogradRows;
  // Numbers of operations along one dimension. A filter needs three for each pair of points. Those of the input are
  // the operations of its transform.
  const double ofFilter = taps * (inputs - 2) / 2, ofInput = tile.outputs == 2 ? 4 : 14;
  Work work;
  work.products = numbers * columns * tiles + columns * ofFilter * (taps + inputs) + tiles * ofInput * 2 * inputs;
  // An invocation that computes some rows of transformed values reads all inputs of these rows.
  work.words = numbers * columns / 4 * (tiles + 4) + columns * (groups * taps * taps + numbers) +
               tiles * (groups * numbers + numbers);
  return work;
}

/// Returns a phone's fastest Winograd tile for the request. Returns null if it saves less time than an estimate's
/// error.
const GpuTile::Winograd *soonestWinograd(const TileRequest &request, const PhoneGpu &phone, const GpuTile &direct) {
  constexpr double worthIt = 0.75;
  double least = worthIt * phoneCycles(request, phone, direct);
  const GpuTile::Winograd *best = nullptr;
  for (const GpuTile::Winograd &tile : kWinograd)
    if (const double cycles = phoneCycles(request, phone, {tile}); cycles < least) {
      least = cycles;
      best = &tile;
    }
  return best;
}

} // namespace

double phoneCycles(const TileRequest &request, const PhoneGpu &phone, const GpuTile &tile) {
  const auto *winograd = tile.as<GpuTile::Winograd>();
  const Work work = winograd ? workOf(*winograd) : workOf(*tile.as<GpuTile::Direct>());
  const int64_t workgroups = winograd ? countWinogradTiles(*request.winograd, *winograd) *
                                            llvm::divideCeil(request.columns, tile.tileColumns())
                                      : countTiles(request, tile);
  const int64_t steps = winograd ? llvm::alignTo(request.winograd->inputs, kWinogradPart) : request.depth;
  // Assumes that arithmetic and reads of a unit do not overlap, as measured on other GPUs.
  return double(llvm::divideCeil(workgroups, phone.units)) * double(steps) *
         (work.products / phone.lanes + work.words / phone.words);
}

void pushPhoneTiles(const TileRequest &request, const GpuTile &direct, llvm::SmallVectorImpl<GpuTile> &tiles) {
  if (!request.winograd || !request.mayBePhone)
    return;
  const size_t before = tiles.size();
  for (const PhoneGpu &phone : phoneGpus()) {
    const GpuTile::Winograd *best = soonestWinograd(request, phone, direct);
    if (!best)
      continue;
    auto chosen = llvm::find_if(llvm::drop_begin(tiles, before), [&](const GpuTile &tile) {
      return tile.as<GpuTile::Winograd>()->outputs == best->outputs;
    });
    if (chosen == tiles.end())
      chosen = tiles.insert(tiles.end(), GpuTile{*best});
    chosen->families |= maskOf(phone.family);
  }
}

} // namespace nacre::codegen::gpu
