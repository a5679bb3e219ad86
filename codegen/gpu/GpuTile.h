// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the tile of a workgroup: its division among invocations, and its use of shared memory.
// Why:   tables, templates and the parser of tiles share this description.
// How:   each kind of tile is a struct of plain integers. A template gets the struct of its kind.

#ifndef NACRE_CODEGEN_GPU_GPUTILE_H
#define NACRE_CODEGEN_GPU_GPUTILE_H

#include <cstdint>
#include <variant>

namespace nacre::codegen::gpu {

/// Number of rows of a cooperative matrix, and number of invocations of a subgroup, which holds one matrix.
constexpr int64_t kMatrixSize = 16, kSubgroup = 32;
/// Number of unused chunks of 16 bytes between rows of matrices in shared memory. They put neighboring rows into
/// different banks.
constexpr int64_t kMatrixPadChunks = 1;

/// Number of taps of the filters that Winograd tiles compute.
constexpr int64_t kWinogradTaps = 3;
constexpr int64_t kWinogradPart = 4, kWinogradRows = 2;

namespace kinds {

/// Sums in registers. An invocation computes `rows` x `quads` accumulators of four columns.
struct RegisterTile {
  int64_t rows = 4, quads = 1;
  int64_t columnThreads = 8, rowThreads = 8; ///< Number of invocations along the columns, and along the rows.

  constexpr int64_t tileColumns() const { return 4 * quads * columnThreads; }
  constexpr int64_t threads() const { return columnThreads * rowThreads; }
};

/// Operands are loaded from memory to registers.
struct Direct : RegisterTile {
  constexpr int64_t tileRows() const { return rows * rowThreads; }
  constexpr int64_t invocations() const { return threads(); }
};

/// Parts of the reduction that pass through shared memory.
struct Staging {
  int64_t depth = 1; ///< Number of steps of a part. In matrices of bytes, two steps count as one.
  /// Number of sets of invocations. The sets divide the steps of every part and add up their sums at the end.
  int64_t parts = 1;
  int64_t ahead = 1; ///< Number of parts that are loaded to registers in advance.
};

/// Operands are loaded through shared memory, double-buffered.
struct Shared : RegisterTile, Staging {
  int64_t unroll = 1; ///< Number of parts of the reduction per iteration, one or two.

  constexpr int64_t tileRows() const { return rows * rowThreads; }
  constexpr int64_t invocations() const { return parts * threads(); }
  int64_t sharedBytes() const;
};

/// Invocations of a workgroup divide the reduction, and add up their sums in shared memory. Each invocation has one
/// quad of columns, in all rows of the tile.
struct Split {
  int64_t rows = 4;
  int64_t columnThreads = 8; ///< Number of invocations along the columns.
  int64_t parts = 1;         ///< Number of parts of the reduction.

  int64_t tileRows() const { return rows; }
  int64_t tileColumns() const { return 4 * columnThreads; }
  int64_t invocations() const { return parts * columnThreads; }
};

/// 16 x 16 cooperative matrices. `ahead` may be more than one only with two buffers.
struct Cooperative : Staging {
  int64_t matrixRows = 4, matrixColumns = 1;     ///< Number of matrices of sums of a subgroup, along each axis.
  int64_t columnSubgroups = 8, rowSubgroups = 8; ///< Number of subgroups along the columns, and along the rows.
  int64_t buffers = 2; ///< Number of parts of the operands that are in shared memory simultaneously.

  int64_t tileRows() const { return kMatrixSize * matrixRows * rowSubgroups; }
  int64_t tileColumns() const { return kMatrixSize * matrixColumns * columnSubgroups; }
  int64_t invocations() const { return kSubgroup * parts * columnSubgroups * rowSubgroups; }
  int64_t sharedBytes() const;
};

/// Tiles of `outputs` x `outputs` pixels by Winograd. An invocation has one transformed value of each tile, in a quad
/// of columns.
struct Winograd {
  int64_t outputs = 4; ///< Number of outputs of a tile along each dimension.
  int64_t tiles = 4;   ///< Number of tiles of pixels.
  int64_t quads = 8;   ///< Number of quads of columns.

  int64_t inputs() const { return outputs + kWinogradTaps - 1; } ///< Side of a tile's input.
  int64_t numbers() const { return inputs() * inputs(); }        ///< Number of a tile's transformed values.
  int64_t tileRows() const { return tiles * outputs * outputs; }
  int64_t tileColumns() const { return 4 * quads; }
  int64_t invocations() const { return numbers() * quads; }
  int64_t sharedBytes() const;
};

/// Products of the 16 transformed values of tiles of 2 x 2 pixels. An invocation computes `rows` x `quads` sums of
/// four columns of one value.
struct WinogradProducts : RegisterTile {
  int64_t outputs = 2;
  int64_t depth = 1; ///< Number of steps of a part of the reduction.

  int64_t numbers() const { return (outputs + kWinogradTaps - 1) * (outputs + kWinogradTaps - 1); }
  int64_t invocations() const { return numbers() * threads(); }
  int64_t sharedBytes() const;
};

/// A convolution: rows are tiles of pixels, steps are channels.
struct WinogradBlock : WinogradProducts {
  int64_t tileRows() const { return rows * rowThreads * outputs * outputs; }
};

/// The gradient of a filter: rows are channels, steps are tiles of pixels.
struct WinogradGradient : WinogradProducts {
  int64_t tileRows() const { return rows * rowThreads * kWinogradTaps * kWinogradTaps; }
};

} // namespace kinds

/// A tile of one of these kinds.
struct GpuTile {
  using RegisterTile = kinds::RegisterTile;
  using Direct = kinds::Direct;
  using Staging = kinds::Staging;
  using Shared = kinds::Shared;
  using Split = kinds::Split;
  using Cooperative = kinds::Cooperative;
  using Winograd = kinds::Winograd;
  using WinogradProducts = kinds::WinogradProducts;
  using WinogradBlock = kinds::WinogradBlock;
  using WinogradGradient = kinds::WinogradGradient;

  std::variant<Direct, Shared, Split, Cooperative, Winograd, WinogradBlock, WinogradGradient> shape;
  int64_t band = 1;      ///< Number of tiles along the rows that are computed before the next columns.
  uint32_t families = 0; ///< Bit mask of GPU families, as in nacre_gpu_variant.

  template <typename Kind> bool is() const { return std::holds_alternative<Kind>(shape); }
  /// Returns the tile as one of kind `Kind`; nullptr if it is of another kind.
  template <typename Kind> const Kind *as() const { return std::get_if<Kind>(&shape); }
  template <typename Kind> Kind *as() { return std::get_if<Kind>(&shape); }
  /// Returns the parts that pass through shared memory; nullptr for kinds without them.
  const Staging *staging() const;

  int64_t tileRows() const;
  int64_t tileColumns() const;
  int64_t invocations() const;
  /// Returns the size of the operands in shared memory in bytes. 0 for Direct and Split.
  int64_t sharedBytes() const;
};

/// Returns a tile through shared memory.
constexpr GpuTile::Shared sharedTile(int64_t rows, int64_t quads, int64_t columnThreads, int64_t rowThreads,
                                     int64_t depth, int64_t parts = 1, int64_t unroll = 1, int64_t ahead = 1) {
  GpuTile::Shared tile;
  tile.rows = rows;
  tile.quads = quads;
  tile.columnThreads = columnThreads;
  tile.rowThreads = rowThreads;
  tile.depth = depth;
  tile.parts = parts;
  tile.unroll = unroll;
  tile.ahead = ahead;
  return tile;
}

/// Returns the distance between rows of the left operand in shared memory, in quads. It is odd, so that rows are in
/// different banks.
constexpr int64_t sharedRowQuads(int64_t depth) { return depth / 4 % 2 == 0 ? depth / 4 + 1 : depth / 4; }

/// Calls `visit` with the name and the value of each number of a tile of some kind.
template <typename Visit> void visitNumbers(GpuTile::RegisterTile &tile, const Visit &visit) {
  visit("rows", tile.rows);
  visit("quads", tile.quads);
  visit("columns", tile.columnThreads);
  visit("lines", tile.rowThreads);
}

template <typename Visit> void visitNumbers(GpuTile::Staging &tile, const Visit &visit) {
  visit("depth", tile.depth);
  visit("parts", tile.parts);
  visit("ahead", tile.ahead);
}
template <typename Visit> void visitNumbers(GpuTile::Shared &tile, const Visit &visit) {
  visitNumbers(static_cast<GpuTile::RegisterTile &>(tile), visit);
  visitNumbers(static_cast<GpuTile::Staging &>(tile), visit);
  visit("unroll", tile.unroll);
}
template <typename Visit> void visitNumbers(GpuTile::Split &tile, const Visit &visit) {
  visit("rows", tile.rows);
  visit("columns", tile.columnThreads);
  visit("parts", tile.parts);
}
template <typename Visit> void visitNumbers(GpuTile::Cooperative &tile, const Visit &visit) {
  visitNumbers(static_cast<GpuTile::Staging &>(tile), visit);
  visit("rows", tile.matrixRows);
  visit("quads", tile.matrixColumns);
  visit("columns", tile.columnSubgroups);
  visit("lines", tile.rowSubgroups);
  visit("buffers", tile.buffers);
}
template <typename Visit> void visitNumbers(GpuTile::Winograd &tile, const Visit &visit) {
  visit("outputs", tile.outputs);
  visit("rows", tile.tiles);
  visit("columns", tile.quads);
}
template <typename Visit> void visitNumbers(GpuTile::WinogradProducts &tile, const Visit &visit) {
  visit("outputs", tile.outputs);
  visitNumbers(static_cast<GpuTile::RegisterTile &>(tile), visit);
  visit("depth", tile.depth);
}
template <typename Visit> void visitNumbers(GpuTile &tile, const Visit &visit) {
  std::visit([&](auto &shape) { visitNumbers(shape, visit); }, tile.shape);
  visit("band", tile.band);
}

/// Returns a requirement of the templates that `tile` violates; nullptr if it meets all requirements.
const char *faultOf(const GpuTile &tile);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_GPUTILE_H
