// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which tiles compute a contraction of a given shape on a given family of GPUs.
// Why:   the tile decides the speed of a model; as plain arithmetic it can be tested and tuned alone.
// How:   a list of variants, the best first; the last one runs on any device.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_TILETABLES_H
#define NACRE_CODEGEN_GPU_CONTRACTION_TILETABLES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace nacre::codegen::gpu {

/// What a choice of tiles depends on.
struct TileRequest {
  int64_t blocks = 1; ///< Batches and groups: as many contractions side by side.
  int64_t rows = 1, columns = 1, depth = 1;
  bool depthwise = false;  ///< Every column has rows of its own: nothing to share.
  bool halves = false;     ///< Products may be of f16.
  bool mayBePlayed = true; ///< As in GpuOptions.
  unsigned bytes = 4;      ///< Of an accumulator.
};

/// A workgroup's tile. An invocation computes rows x quads accumulators of four columns.
struct GpuTile {
  enum class Kind {
    Direct, ///< From memory to registers.
    Shared, ///< Through shared memory, `depth` steps of the reduction at a time, double-buffered.
    Split,  ///< Invocations of a workgroup divide the reduction into `depth` parts and add them up in shared memory.
    Cooperative ///< By cooperative matrices of 16 x 16: "rows" and "quads" count them, "threads" are subgroups.
  };
  Kind kind = Kind::Direct;
  int64_t rows = 4, quads = 1;               ///< Of an invocation.
  int64_t columnThreads = 8, rowThreads = 8; ///< Invocations side by side, and below one another.
  int64_t depth = 1;
  int64_t parts = 1;     ///< Shared, Cooperative: sets that divide every `depth` steps and add up in the end.
  int64_t unroll = 1;    ///< Shared: parts of the reduction a turn, one or two.
  int64_t buffers = 2;   ///< Cooperative: parts of the operands in shared memory at a time.
  int64_t ahead = 1;     ///< Cooperative, of two buffers: parts that are on their way to registers meanwhile.
  int64_t band = 1;      ///< Tiles below one another that are computed before the next columns.
  uint32_t families = 0; ///< As in nacre_gpu_variant.

  int64_t tileRows() const;
  int64_t tileColumns() const;
  int64_t invocations() const;
  int64_t sharedBytes() const; ///< Of the operands in f32, or f16 where matrices multiply. Shared and Cooperative only.
};

constexpr int64_t kMatrixSize = 16, kSubgroup = 32; ///< Of cooperative matrices, and who holds one.
/// Chunks of 16 bytes between rows of shared memory that matrices are loaded from, so that they do not share banks.
constexpr int64_t kMatrixPadChunks = 1;

/// Quads from one row of the left operand to the next in shared memory: odd, so that rows lie in different banks.
constexpr int64_t sharedRowQuads(int64_t depth) { return depth / 4 % 2 == 0 ? depth / 4 + 1 : depth / 4; }

/// The variants of a contraction, the best first.
llvm::SmallVector<GpuTile, 4> chooseGpuTiles(const TileRequest &request);

/// What the templates take for granted and `tile` does not keep to; nullptr where there is nothing.
const char *faultOf(const GpuTile &tile);

/// Reads a tile to be tried, as `shared:rows=8,quads=2,columns=16,lines=16,depth=16`, `cooperative:...` or `split:...`;
/// what is not named has GpuTile's value. The message says what is wrong with it.
llvm::Expected<GpuTile> parseGpuTile(llvm::StringRef text);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_TILETABLES_H
