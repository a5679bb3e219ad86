// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the interface of a tile: the pixels of a depthwise convolution that are computed together, for a block of
//        channels.
// Why:   floats are multiplied element by element, while one instruction for integers adds up several taps of a
//        channel. The loops around both kinds of tiles are the same.
// How:   the loops read the tile's size and its block of channels. They call beginRow() for each row of tiles, and then
//        emit() for each tile of the row.

#ifndef NACRE_CODEGEN_CPU_DEPTHWISE_DEPTHWISETILE_H
#define NACRE_CODEGEN_CPU_DEPTHWISE_DEPTHWISETILE_H

#include "codegen/cpu/tiles/TileEpilogue.h"
#include <memory>

namespace nacre::codegen::cpu {

/// Tap of the filter: distances of its elements from the window's first element, in both operands.
struct Tap {
  int64_t lhs = 0, rhs = 0;
};

/// Outputs of a tile: `high` rows of `wide` pixels.
struct TileSize {
  int64_t high = 1, wide = 1;

  int64_t outputs() const { return high * wide; }
};

class DepthwiseTile {
public:
  DepthwiseTile(KernelFunction &function, VectorBuilder &build, const DepthwiseConvolution &contraction)
      : function(function), build(build), contraction(contraction) {}
  virtual ~DepthwiseTile() = default;

  TileSize size;          ///< Largest size of a tile
  unsigned block = 1;     ///< Number of channels in a block
  double nanoseconds = 0; ///< Estimated time of the whole convolution

  /// Returns the vectors for `count` channels, a number smaller than a block.
  virtual llvm::SmallVector<Piece> piecesOf(int64_t count) const = 0;

  /// Loads the values that the next tiles share, which have `high` rows. `at` has the addresses of the first tile.
  virtual void beginRow(int64_t high, Piece channels, const Addresses &at) = 0;
  virtual void emit(TileSize size, Piece channels, const Addresses &at) = 0;

  const ContractionLoop &across() const { return contraction.rows.back(); }
  /// Returns the loop over rows of tiles, if there is one around the loop over tiles of a row.
  std::optional<unsigned> down() const {
    return contraction.rows.size() > 1 ? std::optional<unsigned>(contraction.rows.size() - 2) : std::nullopt;
  }

protected:
  int64_t downSize() const { return down() ? contraction.rows[*down()].size : 1; }
  /// Returns the distance in an operand from a tile's first output to the output `row` rows below and `pixel` pixels to
  /// the right.
  int64_t distanceOf(unsigned operand, int64_t row, int64_t pixel) const {
    return (down() ? row * contraction.rows[*down()].strides[operand] : 0) + pixel * across().strides[operand];
  }
  Distances distancesOf(int64_t row, int64_t pixel) const;
  /// Makes tiles smaller if they have too many products, which are emitted one by one.
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
