// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  loads the parts of a contraction's operands that a workgroup's tile needs to shared memory.
// Why:   every template that works from shared memory fills it in the same way; they differ in its use.
// How:   a part is `depth` steps of the reduction. Both operands are stored in chunks of four or eight elements: the
//        left one along the reduction, the right one along the columns. They may also keep memory's order ("across") if
//        the template can read them so. Adjacent invocations take adjacent chunks. If the last iteration has too few
//        chunks, some invocations load one that they do not store.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_TILELOADER_H
#define NACRE_CODEGEN_GPU_CONTRACTION_TILELOADER_H

#include "codegen/gpu/contraction/ContractionGrid.h"

namespace nacre::codegen::gpu {

/// The layout of a tile in shared memory.
struct SharedLayout {
  int64_t rows = 1, columns = 4, depth = 4; ///< `columns` and `depth` are multiples of a chunk.
  int64_t chunk = 4;                        ///< Elements: 4 as a vector of them, or 8 of f16 as four i32.
  int64_t leftPitch = 1, rightPitch = 1;    ///< Chunks from one line to the next; a line is a row or a step.
  bool leftAcross = false;  ///< Chunks are along the rows, lines are steps; only if a load returns a chunk of rows.
  bool rightAcross = false; ///< Chunks are along the reduction, lines are columns; only if a load returns such a chunk.
  int64_t buffers = 1;      ///< Buffers of each operand.
  mlir::Type leftType, rightType; ///< Types of elements; may be narrower than in memory.

  int64_t leftChunks() const { return (leftAcross ? depth : rows) * leftPitch; }
  int64_t rightChunks() const { return (rightAcross ? columns : depth) * rightPitch; }
};

class TileLoader {
public:
  TileLoader(ContractionGrid &grid, const SharedLayout &layout, int64_t threads);

  int64_t parts() const;
  /// Returns the part `ahead` parts later, clamped to the last one: a branch would cost more.
  mlir::Value partAfter(mlir::Value part, int64_t ahead);
  /// Loads this invocation's chunks of a part to registers, or the inputs from which a source computes chunks. Values
  /// beyond the last step are not zero yet.
  llvm::SmallVector<mlir::Value> load(mlir::Value part);
  /// Loads the chunks of the first part, while a source prepares. Must be called once, before all other loads.
  llvm::SmallVector<mlir::Value> loadFirst();
  /// Stores the chunks to buffer `buffer` in shared memory.
  void store(llvm::ArrayRef<mlir::Value> chunks, mlir::Value buffer);

  /// Emits one part, given its number, its buffer, the next part's buffer and the carried values. Returns the new
  /// carried values.
  using EmitPart = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value part, mlir::Value buffer, mlir::Value nextBuffer, llvm::SmallVector<mlir::Value> carried)>;
  /// Emits a loop over the first `count` parts, with `unroll` (one or two) parts per iteration. With two, numbers of
  /// buffers are constants.
  llvm::SmallVector<mlir::Value> forEachPart(int64_t count, int64_t unroll, llvm::SmallVector<mlir::Value> carried,
                                             EmitPart emit);

  mlir::Value left, right; ///< Shared memory: memrefs of chunks.

private:
  /// A chunk that this invocation loads in each part.
  struct ChunkPosition {
    LeftSource::Values row; ///< Left, if a source computes it: fixed values of the row.
    mlir::Value line,
        chunk;           ///< Row and chunk of the reduction, or step and chunk of columns; swapped if across.
    int64_t further = 0; ///< Constant added to the line; many positions differ only in it.
    mlir::Value from;    ///< Left: the row's address. Right, across: the column's address.
    mlir::Value to;      ///< Address in a buffer.
    mlir::Value mine;    ///< True if this invocation must store the chunk; null if always.
  };
  /// Returns this invocation's chunks. `together` adjacent invocations have the same chunk of adjacent lines.
  llvm::SmallVector<ChunkPosition> positions(int64_t lines, int64_t chunksPerLine, int64_t pitch, int64_t together = 1);
  mlir::Value depthAddress(unsigned operand, mlir::Value first, mlir::Value offset);
  mlir::Value loadLeft(const ChunkPosition &position, mlir::Value first);
  mlir::Value loadLeftQuad(mlir::Value row, mlir::Value first, mlir::Value offset);
  llvm::SmallVector<mlir::Value> loadLeftRows(const ChunkPosition &position, mlir::Value first);
  mlir::Value loadLeftAcross(const ChunkPosition &position, mlir::Value first);
  mlir::Value loadRightAcross(const ChunkPosition &position, mlir::Value first);
  llvm::SmallVector<mlir::Value> loadRightSteps(const ChunkPosition &position, mlir::Value first);
  llvm::SmallVector<mlir::Value> loadRightStepsIfMine(const ChunkPosition &position, mlir::Value first);
  llvm::SmallVector<mlir::Value> turned(llvm::ArrayRef<mlir::Value> vectors, int64_t lanes);
  mlir::Value loadRight(const ChunkPosition &position, mlir::Value first);
  llvm::SmallVector<mlir::Value> insideOf(mlir::Value step);
  llvm::SmallVector<mlir::Value> loadForSource(mlir::Value first);
  llvm::SmallVector<mlir::Value> makeLefts(llvm::ArrayRef<mlir::Value> loaded);
  mlir::Value asChunk(mlir::ValueRange quads);
  mlir::Value narrowed(mlir::Value quad, mlir::Type element);
  mlir::Value joined(mlir::Value low, mlir::Value high);
  bool hasTail() const { return depthSize % layout.depth != 0; }
  /// True if every left chunk is either in the reduction or beyond it as a whole.
  bool hasWholeChunks() const { return depthSize % layout.chunk == 0; }
  mlir::Value loadInTail(mlir::Value step, bool isMaskedLater, llvm::function_ref<mlir::Value(mlir::Value)> load);

  ContractionGrid &grid;
  const LoopedContraction &contraction;
  IndexBuilder &build;
  const SharedLayout layout;
  const int64_t threads, depthSize;
  llvm::SmallVector<ChunkPosition> lefts, rights;
  int64_t rowsAtOnce = 1, stepsAtOnce = 1;  ///< Chunks that a left or right position loads together.
  bool sharesChunk = false;                 ///< True if all left positions are the same chunk of their rows.
  size_t sharedLoads = 0, loadsOfChunk = 0; ///< Values that a source loads for all rows, and for each chunk.
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_TILELOADER_H
