// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a workgroup's tile: who computes which part of it, and the shared memory it takes.
// Why:   tables, templates and the reader of tiles speak of the same numbers.
// How:   plain arithmetic.

#ifndef NACRE_CODEGEN_GPU_GPUTILE_H
#define NACRE_CODEGEN_GPU_GPUTILE_H

#include <cstdint>

namespace nacre::codegen::gpu {

/// A workgroup's tile. An invocation computes rows x quads accumulators of four columns.
struct GpuTile {
  enum class Kind {
    Direct, ///< From memory to registers.
    Shared, ///< Through shared memory, `depth` steps of the reduction at a time, double-buffered.
    Split,  ///< Invocations of a workgroup divide the reduction into `depth` parts and add them up in shared memory.
    Cooperative, ///< By cooperative matrices of 16 x 16: "rows" and "quads" count them, "threads" are subgroups.
    Winograd, ///< "Rows" count tiles of `outputs` x `outputs` pixels, of which an invocation has one number in a quad of columns.
    WinogradBlock, ///< "Rows" count tiles of 2 x 2 pixels, "threads" the invocations of each of sixteen numbers; `depth` channels at a time.
    WinogradGradient ///< The same of a filter's gradient: "rows" count channels, `depth` tiles of pixels at a time.
  };
  Kind kind = Kind::Direct;
  int64_t rows = 4, quads = 1;               ///< Of an invocation.
  int64_t columnThreads = 8, rowThreads = 8; ///< Invocations side by side, and below one another.
  int64_t depth = 1;
  int64_t parts = 1;     ///< Shared, Cooperative: sets that divide every `depth` steps and add up in the end.
  int64_t unroll = 1;    ///< Shared: parts of the reduction per iteration, one or two.
  int64_t buffers = 2;   ///< Cooperative: parts of the operands in shared memory at a time.
  int64_t ahead = 1;     ///< Shared, Cooperative of two buffers: parts that are on their way to registers meanwhile.
  int64_t band = 1;      ///< Tiles below one another that are computed before the next columns.
  int64_t outputs = 4;   ///< Winograd: along both dimensions.
  uint32_t families = 0; ///< As in nacre_gpu_variant.

  int64_t tileRows() const;
  int64_t tileColumns() const;
  int64_t invocations() const;
  int64_t sharedBytes()
      const; ///< Of the operands in f32, or f16 where matrices multiply. Shared, Cooperative and Winograd only.
};

/// What all kinds have; the rest of a tile is its kind's.
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

constexpr int64_t kMatrixSize = 16, kSubgroup = 32; ///< Of cooperative matrices, and who holds one.
/// Chunks of 16 bytes between rows of shared memory that matrices are loaded from, so that they do not share banks.
constexpr int64_t kMatrixPadChunks = 1;

/// Quads from one row of the left operand to the next in shared memory: odd, so that rows lie in different banks.
constexpr int64_t sharedRowQuads(int64_t depth) { return depth / 4 % 2 == 0 ? depth / 4 + 1 : depth / 4; }

/// Of a Winograd tile, by filters of three taps: the numbers that its transforms make of a tile of pixels, channels of a part, and
/// rows of numbers that an invocation transforms.
constexpr int64_t kWinogradTaps = 3;
constexpr int64_t winogradInputs(const GpuTile &tile) { return tile.outputs + kWinogradTaps - 1; }
constexpr int64_t winogradNumbers(const GpuTile &tile) { return winogradInputs(tile) * winogradInputs(tile); }
constexpr int64_t kWinogradPart = 4, kWinogradRows = 2;

/// What the templates take for granted and `tile` does not keep to; nullptr where there is nothing.
const char *faultOf(const GpuTile &tile);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_GPUTILE_H
