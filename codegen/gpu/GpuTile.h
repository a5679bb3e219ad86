// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a workgroup's tile: its division among invocations, and its shared memory.
// Why:   tables, templates and the parser of tiles use the same numbers.
// How:   plain arithmetic.

#ifndef NACRE_CODEGEN_GPU_GPUTILE_H
#define NACRE_CODEGEN_GPU_GPUTILE_H

#include <cstdint>

namespace nacre::codegen::gpu {

/// A workgroup's tile. An invocation computes rows x quads accumulators of four columns.
struct GpuTile {
  enum class Kind {
    Direct, ///< Operands go from memory to registers.
    Shared, ///< Operands go through shared memory, `depth` steps of the reduction at a time, double-buffered.
    Split,  ///< Invocations of a workgroup divide the reduction into `depth` parts and add them up in shared memory.
    Cooperative, ///< 16 x 16 cooperative matrices: "rows" and "quads" count matrices, "threads" count subgroups.
    /// "Rows" count tiles of `outputs` x `outputs` pixels. An invocation has one transformed value of each tile, in a
    /// quad of columns.
    Winograd,
    /// "Rows" count tiles of 2 x 2 pixels, "threads" count the invocations of each of 16 transformed values. A part has
    /// `depth` channels.
    WinogradBlock,
    WinogradGradient ///< The same for a filter's gradient: "rows" count channels. A part has `depth` tiles of pixels.
  };
  Kind kind = Kind::Direct;
  int64_t rows = 4, quads = 1;               ///< Per invocation.
  int64_t columnThreads = 8, rowThreads = 8; ///< Invocations side by side, and below one another.
  int64_t depth = 1;
  /// Shared, Cooperative: sets of invocations that divide every `depth` steps and add up their sums at the end.
  int64_t parts = 1;
  int64_t unroll = 1;    ///< Shared: parts of the reduction per iteration, one or two.
  int64_t buffers = 2;   ///< Cooperative: parts of the operands in shared memory at a time.
  int64_t ahead = 1;     ///< Shared, and Cooperative with two buffers: parts that are loaded to registers in advance.
  int64_t band = 1;      ///< Tiles below one another that are computed before the next columns.
  int64_t outputs = 4;   ///< Winograd: outputs of a tile along both dimensions.
  uint32_t families = 0; ///< Bits of GPU families, as in nacre_gpu_variant.

  int64_t tileRows() const;
  int64_t tileColumns() const;
  int64_t invocations() const;
  int64_t sharedBytes()
      /// Bytes of operands in f32, or in f16 for matrices. Only for Shared, Cooperative and the kinds of Winograd.
      const;
};

/// Returns a tile with the members that all kinds use. The caller sets those of its kind.
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

/// Rows of a cooperative matrix, and invocations of a subgroup, which holds one.
constexpr int64_t kMatrixSize = 16, kSubgroup = 32;
/// Chunks of 16 bytes between rows of matrices in shared memory, so that rows do not share banks.
constexpr int64_t kMatrixPadChunks = 1;

/// Returns the quads from one row of the left operand to the next in shared memory. It is odd, so that rows lie in
/// different banks.
constexpr int64_t sharedRowQuads(int64_t depth) { return depth / 4 % 2 == 0 ? depth / 4 + 1 : depth / 4; }

/// Constants of Winograd tiles, for filters of three taps: transformed values of a tile of pixels, channels of a part,
/// and rows of values that an invocation transforms.
constexpr int64_t kWinogradTaps = 3;
constexpr int64_t winogradInputs(const GpuTile &tile) { return tile.outputs + kWinogradTaps - 1; }
constexpr int64_t winogradNumbers(const GpuTile &tile) { return winogradInputs(tile) * winogradInputs(tile); }
constexpr int64_t kWinogradPart = 4, kWinogradRows = 2;

/// Returns the requirement of the templates that `tile` does not meet; nullptr if it meets all.
const char *faultOf(const GpuTile &tile);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_GPUTILE_H
