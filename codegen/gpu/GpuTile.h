// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the tile of a workgroup: its division among invocations, and its use of shared memory.
// Why:   tables, templates and the parser of tiles share this description.
// How:   the struct has only plain integers.

#ifndef NACRE_CODEGEN_GPU_GPUTILE_H
#define NACRE_CODEGEN_GPU_GPUTILE_H

#include <cstdint>

namespace nacre::codegen::gpu {

/// Tile of a workgroup. An invocation computes `rows` x `quads` accumulators of four columns.
struct GpuTile {
  enum class Kind {
    Direct, ///< Operands are loaded from memory to registers.
    Shared, ///< Operands are loaded through shared memory, `depth` steps of the reduction at a time, double-buffered.
    Split,  ///< Invocations of a workgroup divide the reduction into `depth` parts, and add these up in shared memory.
    /// 16 x 16 cooperative matrices. `rows` and `quads` count matrices; the threads count subgroups.
    Cooperative,
    /// `rows` counts tiles of `outputs` x `outputs` pixels. An invocation has one transformed value of each tile, in a
    /// quad of columns.
    Winograd,
    /// `rows` counts tiles of 2 x 2 pixels. `rowThreads` and `columnThreads` count the invocations for each of the 16
    /// transformed values. A part has `depth` channels.
    WinogradBlock,
    /// Like WinogradBlock, for a filter's gradient. `rows` counts channels. A part has `depth` tiles of pixels.
    WinogradGradient
  };
  Kind kind = Kind::Direct;
  int64_t rows = 4, quads = 1;               ///< Accumulators of an invocation.
  int64_t columnThreads = 8, rowThreads = 8; ///< Number of invocations along the columns, and along the rows.
  int64_t depth = 1;
  /// Shared, Cooperative: number of sets of invocations. The sets divide every `depth` steps and add up their sums at
  /// the end.
  int64_t parts = 1;
  int64_t unroll = 1;  ///< Shared: number of parts of the reduction per iteration, one or two.
  int64_t buffers = 2; ///< Cooperative: number of parts of the operands that are in shared memory simultaneously.
  /// Shared, and Cooperative with two buffers: number of parts that are loaded to registers in advance.
  int64_t ahead = 1;
  int64_t band = 1;      ///< Number of tiles along the rows that are computed before the next columns.
  int64_t outputs = 4;   ///< Winograd: number of outputs of a tile along each dimension.
  uint32_t families = 0; ///< Bit mask of GPU families, as in nacre_gpu_variant.

  int64_t tileRows() const;
  int64_t tileColumns() const;
  int64_t invocations() const;
  int64_t sharedBytes()
      /// Returns the size of f32 operands in shared memory in bytes; for Cooperative, of f16 operands. Not for Direct
      /// and Split.
      const;
};

/// Returns a tile with the members that all kinds use. The caller sets the members of its kind.
constexpr GpuTile tileOf(GpuTile::Kind kind, int64_t rows, int64_t quads, int64_t columnThreads, int64_t rowThreads,
                         int64_t depth, int64_t parts) {
  GpuTile tile;
  tile.kind = kind;
  tile.rows = rows;
  tile.quads = quads;
  tile.columnThreads = columnThreads;
  tile.rowThreads = rowThreads;
  tile.depth = depth;
  tile.parts = parts;
  return tile;
}

/// Number of rows of a cooperative matrix, and number of invocations of a subgroup, which holds one matrix.
constexpr int64_t kMatrixSize = 16, kSubgroup = 32;
/// Number of unused chunks of 16 bytes between rows of matrices in shared memory. They put neighboring rows into
/// different banks.
constexpr int64_t kMatrixPadChunks = 1;

/// Returns the distance between rows of the left operand in shared memory, in quads. It is odd, so that rows are in
/// different banks.
constexpr int64_t sharedRowQuads(int64_t depth) { return depth / 4 % 2 == 0 ? depth / 4 + 1 : depth / 4; }

/// Constants of Winograd tiles for filters of three taps. winogradInputs() is the side of a tile's input,
/// winogradNumbers() the number of its transformed values.
constexpr int64_t kWinogradTaps = 3;
constexpr int64_t winogradInputs(const GpuTile &tile) { return tile.outputs + kWinogradTaps - 1; }
constexpr int64_t winogradNumbers(const GpuTile &tile) { return winogradInputs(tile) * winogradInputs(tile); }
constexpr int64_t kWinogradPart = 4, kWinogradRows = 2;

/// Returns a requirement of the templates that `tile` violates; nullptr if it meets all requirements.
const char *faultOf(const GpuTile &tile);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_GPUTILE_H
