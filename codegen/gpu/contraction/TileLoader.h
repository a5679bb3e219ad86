// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  brings the parts of a contraction's operands that a workgroup's tile needs to shared memory.
// Why:   every template that works from shared memory fills it in the same way; they differ in what they do with it.
// How:   a part is `depth` steps of the reduction. Both operands lie there in chunks of four or eight elements, the
//        left along the reduction, the right along the columns; or across, as memory has them, if whoever reads them may do so in
//        either way. Invocations take chunks in turn, neighbours neighbouring ones; where the last iteration has too few, some load a
//        chunk that they do not store.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_TILELOADER_H
#define NACRE_CODEGEN_GPU_CONTRACTION_TILELOADER_H

#include "codegen/gpu/contraction/ContractionGrid.h"

namespace nacre::codegen::gpu {

/// The tile as it lies in shared memory.
struct SharedLayout {
  int64_t rows = 1, columns = 4, depth = 4; ///< The latter two multiples of a chunk.
  int64_t chunk = 4;                        ///< Elements: four as a vector of them, eight f16 as four i32.
  int64_t leftPitch = 1, rightPitch = 1;    ///< Chunks from one line to the next: a row, or step.
  bool leftAcross = false;        ///< Chunks are along the rows, lines are steps; if a load brings a chunk of rows.
  bool rightAcross = false;       ///< Chunks are along the reduction, lines are columns; if a load brings such a chunk.
  int64_t buffers = 1;            ///< How many of each there are.
  mlir::Type leftType, rightType; ///< Of elements, if need be narrower than memory's.

  int64_t leftChunks() const { return (leftAcross ? depth : rows) * leftPitch; }
  int64_t rightChunks() const { return (rightAcross ? columns : depth) * rightPitch; }
};

class TileLoader {
public:
  TileLoader(ContractionGrid &grid, const SharedLayout &layout, int64_t threads);

  int64_t parts() const;
  /// The part that is `ahead` of another; beyond the last one, that one again: a branch would cost more.
  mlir::Value partAfter(mlir::Value part, int64_t ahead);
  /// This invocation's chunks of a part, in registers, or what a source makes chunks of; what lies beyond the last step is not
  /// zero yet.
  llvm::SmallVector<mlir::Value> load(mlir::Value part);
  /// Those of the first part, which are on their way while a source prepares; called once, before all else.
  llvm::SmallVector<mlir::Value> loadFirst();
  /// Puts them into shared memory, the buffer of that number.
  void store(llvm::ArrayRef<mlir::Value> chunks, mlir::Value buffer);

  /// Emits one part: its number, which of two buffers is its, which is the next one's, and what is carried from part to
  /// part, which it returns.
  using EmitPart = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value part, mlir::Value buffer, mlir::Value nextBuffer, llvm::SmallVector<mlir::Value> carried)>;
  /// Emits a loop over the first `count` parts, one or two of them per iteration: where there are two, numbers of buffers are constants.
  llvm::SmallVector<mlir::Value> forEachPart(int64_t count, int64_t unroll, llvm::SmallVector<mlir::Value> carried,
                                             EmitPart emit);

  mlir::Value left, right; ///< Shared memory: memrefs of chunks.

private:
  /// A chunk that this invocation loads in each part.
  struct ChunkPosition {
    LeftSource::Values row; ///< Left, where a source makes it: what is fixed for the row.
    mlir::Value line,
        chunk;           ///< Row and chunk of the reduction, or step and chunk of columns; across, the other way round.
    int64_t further = 0; ///< Added to the line: many positions are a constant apart.
    mlir::Value from;    ///< Left: the row's address. Right, across: the column's.
    mlir::Value to;      ///< In a buffer.
    mlir::Value mine;    ///< Whether it is this invocation's to store; null where always.
  };
  /// `together`: so many lines, of the same chunk, are neighbouring invocations'.
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
  /// Whether a left chunk lies wholly within the reduction, or beyond it.
  bool hasWholeChunks() const { return depthSize % layout.chunk == 0; }
  mlir::Value loadInTail(mlir::Value step, bool isMaskedLater, llvm::function_ref<mlir::Value(mlir::Value)> load);

  ContractionGrid &grid;
  const LoopedContraction &contraction;
  IndexBuilder &build;
  const SharedLayout layout;
  const int64_t threads, depthSize;
  llvm::SmallVector<ChunkPosition> lefts, rights;
  int64_t rowsAtOnce = 1, stepsAtOnce = 1;  ///< Chunks that a left or right position loads together.
  bool sharesChunk = false;                 ///< All left positions are the same chunk of their rows.
  size_t sharedLoads = 0, loadsOfChunk = 0; ///< What a source loads for all rows, and for each chunk.
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_TILELOADER_H
