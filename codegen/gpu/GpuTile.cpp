// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/GpuTile.h"

#include <algorithm>

namespace nacre::codegen::gpu {

int64_t GpuTile::tileRows() const {
  if (kind == Kind::Winograd || kind == Kind::WinogradBlock)
    return rows * rowThreads * outputs * outputs;
  if (kind == Kind::WinogradGradient)
    return rows * rowThreads * kWinogradTaps * kWinogradTaps;
  return (kind == Kind::Cooperative ? kMatrixSize : 1) * rows * rowThreads;
}

int64_t GpuTile::tileColumns() const { return (kind == Kind::Cooperative ? kMatrixSize : 4) * quads * columnThreads; }

int64_t GpuTile::invocations() const {
  if (kind == Kind::Winograd)
    return winogradNumbers(*this) * columnThreads;
  if (kind == Kind::WinogradBlock || kind == Kind::WinogradGradient)
    return winogradNumbers(*this) * columnThreads * rowThreads;
  const int64_t each = kind == Kind::Cooperative ? kSubgroup * parts : kind == Kind::Split ? depth : parts;
  return each * columnThreads * rowThreads;
}

int64_t GpuTile::sharedBytes() const {
  if (kind == Kind::Cooperative) // Lines of an operand are along the reduction, or across it.
    return buffers * 16 *
           (depth * (tileRows() + tileColumns()) / 8 +
            kMatrixPadChunks * (std::max(depth, tileRows()) + std::max(depth, tileColumns())));
  if (kind == Kind::Winograd)
    return 16 * winogradNumbers(*this) * (rows + kWinogradPart * columnThreads);
  if (kind == Kind::WinogradBlock || kind == Kind::WinogradGradient)
    return 16 * winogradNumbers(*this) * depth * (rows * rowThreads / 4 + quads * columnThreads);
  return 2 * 16 * (tileRows() * sharedRowQuads(depth) + depth * tileColumns() / 4);
}

const char *faultOf(const GpuTile &tile) {
  for (int64_t number : {tile.rows, tile.quads, tile.columnThreads, tile.rowThreads, tile.depth, tile.parts,
                         tile.buffers, tile.ahead, tile.band, tile.unroll, tile.outputs})
    if (number < 1 || number > 1024)
      return "every number must be from 1 to 1024";
  if (tile.invocations() > 1024)
    return "there must be at most 1024 invocations";
  switch (tile.kind) {
  case GpuTile::Kind::Shared:
    if (tile.columnThreads % 8 != 0 || tile.rowThreads % 4 != 0)
      return "invocations must form groups of 8 by 4";
    if (tile.depth % (4 * tile.parts) != 0)
      return "parts must divide the depth, in units of four, evenly";
    if (tile.unroll > 2)
      return "at most two parts of the reduction can form an iteration";
    return nullptr;
  case GpuTile::Kind::Cooperative:
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
  case GpuTile::Kind::Split:
    if (tile.quads != 1 || tile.rowThreads != 1 || tile.rows > tile.depth)
      return "an invocation must have one quad, a workgroup one row of quads, and each row a part that finishes it";
    return nullptr;
  case GpuTile::Kind::Winograd:
    if (tile.outputs != 2 && tile.outputs != 4)
      return "a Winograd tile must have 2 or 4 outputs";
    if (tile.rows % kWinogradPart != 0 || tile.quads != 1 || tile.rowThreads != 1)
      return "a workgroup must have Winograd tiles in fours and one row of quads, and an invocation one quad";
    return nullptr;
  case GpuTile::Kind::WinogradBlock:
  case GpuTile::Kind::WinogradGradient:
    if (tile.outputs != 2 || tile.depth % 8 != 0 || tile.rowThreads != 4)
      return "a Winograd block must have 2 outputs, channels in eights and four rows of invocations for a number";
    if (tile.rows * tile.rowThreads * tile.depth != tile.invocations() ||
        2 * tile.depth * tile.quads * tile.columnThreads != tile.invocations())
      return "an invocation must have one row of numbers of a tile and two of a filter to make";
    return nullptr;
  case GpuTile::Kind::Direct:
    break;
  }
  return nullptr;
}

} // namespace nacre::codegen::gpu
