// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what is computed at once of a depthwise convolution: a tile of pixels for a block of channels.
// Why:   floats multiply element by element; of integers an instruction adds up several taps of a channel. The loops around both
//        are the same.
// How:   the loops ask for the tile's size and its block of channels, announce each row of tiles, then each of its tiles.

#ifndef NACRE_CODEGEN_CPU_DEPTHWISE_DEPTHWISETILE_H
#define NACRE_CODEGEN_CPU_DEPTHWISE_DEPTHWISETILE_H

#include "codegen/cpu/contraction/TileEpilogue.h"
#include <memory>

namespace nacre::codegen::cpu {

/// A weight of the filter: how far its elements are from the window's first.
struct Tap {
  int64_t lhs = 0, rhs = 0;
};

/// Outputs: `high` rows of `wide` pixels.
struct TileSize {
  int64_t high = 1, wide = 1;

  int64_t outputs() const { return high * wide; }
};

class DepthwiseTile {
public:
  DepthwiseTile(KernelFunction &function, VectorBuilder &build, const DepthwiseConvolution &contraction)
      : function(function), build(build), contraction(contraction) {}
  virtual ~DepthwiseTile() = default;

  TileSize size;          ///< The largest.
  unsigned block = 1;     ///< Channels.
  double nanoseconds = 0; ///< That the whole convolution takes, about.

  /// The vectors that `count` channels, fewer than a block, are computed in.
  virtual llvm::SmallVector<Piece> piecesOf(int64_t count) const = 0;

  /// Of the next tiles, which are of `high` rows: loads what they share. `at` is where the first stands.
  virtual void beginRow(int64_t high, Piece channels, const Addresses &at) = 0;
  virtual void emit(TileSize size, Piece channels, const Addresses &at) = 0;

  const ContractionLoop &across() const { return contraction.rows.back(); }
  /// The loop over rows of tiles, if there is one around the loop across.
  std::optional<unsigned> down() const {
    return contraction.rows.size() > 1 ? std::optional<unsigned>(contraction.rows.size() - 2) : std::nullopt;
  }

protected:
  int64_t downSize() const { return down() ? contraction.rows[*down()].size : 1; }
  /// Of an operand, from a tile's first output to the one `row` rows below and `pixel` pixels behind.
  int64_t distanceOf(unsigned operand, int64_t row, int64_t pixel) const {
    return (down() ? row * contraction.rows[*down()].strides[operand] : 0) + pixel * across().strides[operand];
  }
  Distances distancesOf(int64_t row, int64_t pixel) const;
  /// Makes tiles smaller whose products, which are written one by one, would be too many.
  void boundSize(int64_t productsOfOutput);

  KernelFunction &function;
  VectorBuilder &build;
  const DepthwiseConvolution &contraction;
};

std::unique_ptr<DepthwiseTile> makeFloatTile(KernelFunction &function, VectorBuilder &build,
                                             const DepthwiseConvolution &contraction);
std::unique_ptr<DepthwiseTile> makeIntegerTile(KernelFunction &function, VectorBuilder &build,
                                               const DepthwiseConvolution &contraction);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_DEPTHWISE_DEPTHWISETILE_H
