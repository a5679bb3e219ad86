// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/GpuTile.h"

#include <algorithm>

namespace nacre::codegen::gpu {

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

int64_t kinds::Shared::sharedBytes() const {
  return 2 * 16 * (tileRows() * sharedRowQuads(depth) + depth * tileColumns() / 4);
}

int64_t kinds::Cooperative::sharedBytes() const { // Lines of an operand are along the reduction, or across it.
  return buffers * 16 *
         (depth * (tileRows() + tileColumns()) / 8 +
          kMatrixPadChunks * (std::max(depth, tileRows()) + std::max(depth, tileColumns())));
}

int64_t kinds::Winograd::sharedBytes() const { return 16 * numbers() * (tiles + kWinogradPart * quads); }

int64_t kinds::WinogradProducts::sharedBytes() const {
  return 16 * numbers() * depth * (rows * rowThreads / 4 + quads * columnThreads);
}

const GpuTile::Staging *GpuTile::staging() const {
  if (const auto *shared = as<Shared>())
    return shared;
  return as<Cooperative>();
}

int64_t GpuTile::tileRows() const {
  return std::visit([](const auto &kind) { return kind.tileRows(); }, shape);
}

int64_t GpuTile::tileColumns() const {
  return std::visit([](const auto &kind) { return kind.tileColumns(); }, shape);
}

int64_t GpuTile::invocations() const {
  return std::visit([](const auto &kind) { return kind.invocations(); }, shape);
}

namespace {

int64_t sharedBytesOf(const GpuTile::Direct &) { return 0; }
int64_t sharedBytesOf(const GpuTile::Split &) { return 0; }
template <typename Kind> int64_t sharedBytesOf(const Kind &kind) { return kind.sharedBytes(); }

} // namespace

int64_t GpuTile::sharedBytes() const {
  return std::visit([](const auto &kind) { return sharedBytesOf(kind); }, shape);
}

//===----------------------------------------------------------------------===//
// Requirements of the templates
//===----------------------------------------------------------------------===//

namespace {

const char *faultIn(const GpuTile::Direct &) { return nullptr; }

const char *faultIn(const GpuTile::Shared &tile) {
  if (tile.columnThreads % 8 != 0 || tile.rowThreads % 4 != 0)
    return "invocations must form groups of 8 by 4";
  if (tile.depth % (4 * tile.parts) != 0)
    return "parts must divide the depth, in units of four, evenly";
  if (tile.unroll > 2)
    return "at most two parts of the reduction can form an iteration";
  return nullptr;
}

const char *faultIn(const GpuTile::Split &tile) {
  return tile.rows > tile.parts ? "each row must have a part that finishes it" : nullptr;
}

const char *faultIn(const GpuTile::Cooperative &tile) {
  if (tile.depth % (kMatrixSize * tile.parts) != 0)
    return "parts must divide the depth, in whole matrices, evenly";
  if (tile.buffers > 2 || (tile.buffers == 1 && tile.ahead > 1))
    return "there must be at most two buffers, and loads can be further ahead only with two";
  if (tile.invocations() / kSubgroup * kMatrixSize * 4 >
      tile.buffers *
          std::max(tile.depth * tile.tileRows() / 8 + kMatrixPadChunks * std::min(tile.depth, tile.tileRows()),
                   tile.depth * tile.tileColumns() / 8 + kMatrixPadChunks * std::min(tile.depth, tile.tileColumns())))
    return "an operand must take at least as much memory as a matrix of each subgroup";
  return nullptr;
}

const char *faultIn(const GpuTile::Winograd &tile) {
  if (tile.outputs != 2 && tile.outputs != 4)
    return "a Winograd tile must have 2 or 4 outputs";
  return tile.tiles % kWinogradPart != 0 ? "a workgroup must have Winograd tiles in fours" : nullptr;
}

const char *faultIn(const GpuTile::WinogradProducts &tile) {
  if (tile.outputs != 2 || tile.depth % 8 != 0 || tile.rowThreads != 4)
    return "a Winograd block must have 2 outputs, channels in eights and four rows of invocations for a number";
  if (tile.rows * tile.rowThreads * tile.depth != tile.invocations() ||
      2 * tile.depth * tile.quads * tile.columnThreads != tile.invocations())
    return "an invocation must have one row of numbers of a tile and two of a filter to make";
  return nullptr;
}

} // namespace

const char *faultOf(const GpuTile &tile) {
  bool isInRange = true;
  GpuTile numbers = tile;
  visitNumbers(numbers, [&](const char *, int64_t number) { isInRange &= number >= 1 && number <= 1024; });
  if (!isInRange)
    return "every number must be from 1 to 1024";
  if (tile.invocations() > 1024)
    return "there must be at most 1024 invocations";
  return std::visit([](const auto &kind) { return faultIn(kind); }, tile.shape);
}

} // namespace nacre::codegen::gpu
