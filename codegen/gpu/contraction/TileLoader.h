// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  loads the parts of a contraction's operands that a workgroup's tile needs into shared memory.
// Why:   all templates that use shared memory fill it in the same way. They differ in how they read it.
// How:   a part is `depth` steps of the reduction. Both operands are stored in chunks of four or eight elements: the
//        left one along the reduction, the right one along the columns. A chunk may also be along the other axis
//        ("across"), as in memory, if the template can read it. Words of the right operand may also be turned to that
//        axis. Adjacent invocations load adjacent chunks. If the last iteration has too few chunks, some invocations
//        load a chunk that they do not store.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_TILELOADER_H
#define NACRE_CODEGEN_GPU_CONTRACTION_TILELOADER_H

#include "codegen/gpu/contraction/ContractionGrid.h"

namespace nacre::codegen::gpu {

/// The layout of a tile in shared memory.
struct SharedLayout {
  int64_t rows = 1, columns = 4, depth = 4; ///< `columns` and `depth` are multiples of `chunk`.
  /// Number of elements of a chunk: 4 in a vector, or 8 of f16 in a vector of four i32.
  int64_t chunk = 4;
  int64_t leftPitch = 1, rightPitch = 1; ///< Distance between lines in chunks. A line is a row or a step.
  /// True if chunks are along the rows and lines are steps. Only valid if a load returns several rows.
  bool leftAcross = false;
  /// True if chunks are along the reduction and lines are columns. Only valid if a load returns several steps.
  bool rightAcross = false;
  /// True if a load returns words of four columns, although chunks of Rhs are along the reduction.
  bool turnsRight = false;
  /// True if the left operand has unsigned bytes, and signed ones in shared memory (lessSignBits()).
  bool flipsLeft = false;
  int64_t buffers = 1;            ///< Number of buffers of each operand.
  mlir::Type leftType, rightType; ///< Types of elements in shared memory, which may be narrower than in memory.

  int64_t leftChunks() const { return (leftAcross ? depth : rows) * leftPitch; }
  int64_t rightChunks() const { return (rightAcross ? columns : depth) * rightPitch; }
};

class TileLoader {
public:
  TileLoader(ContractionGrid &grid, const SharedLayout &layout, int64_t threads);

  int64_t parts() const;
  /// Returns the index of the part that is `ahead` parts later, clamped to the last part. A branch would cost more.
  mlir::Value partAfter(mlir::Value part, int64_t ahead);
  /// Loads this invocation's chunks of a part to registers, or the inputs from which a source computes the chunks.
  /// Values beyond the last step are not zero yet.
  llvm::SmallVector<mlir::Value> load(mlir::Value part);
  /// Loads the chunks of the first part while a source prepares. Callers must call it once, before all other loads.
  llvm::SmallVector<mlir::Value> loadFirst();
  /// Stores the chunks to the buffer with index `buffer` in shared memory. Returns those of the right operand.
  llvm::SmallVector<mlir::Value> store(llvm::ArrayRef<mlir::Value> chunks, mlir::Value buffer);

  // Sums over the columns of the right operand. Only with `turnsRight`.
  /// Returns the number of vectors of sums of an invocation, and of all invocations.
  int64_t columnSums() const { return int64_t(rights.size()); }
  int64_t columnSumsOfAll() const { return layout.columns / 4 * (layout.depth / layout.chunk); }
  /// Adds the products of `weight`, a word, and the words of each column in `chunks`, which store() has returned.
  void addColumns(llvm::ArrayRef<mlir::Value> chunks, mlir::Value weight, llvm::MutableArrayRef<mlir::Value> sums);
  /// Adds up the sums of all invocations in `array`. The sums of a quad of columns are then at the quad's index in the
  /// tile. Emits the barriers before and after each access to `array`, except before the first.
  void addUpColumns(llvm::ArrayRef<mlir::Value> sums, mlir::Value array);

  /// Callback that emits one part. It gets the index of the part, the indices of its buffer and of the next part's
  /// buffer, and the carried values. It returns the new carried values.
  using EmitPart = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value part, mlir::Value buffer, mlir::Value nextBuffer, llvm::SmallVector<mlir::Value> carried)>;
  /// Emits a loop over the first `count` parts, with `unroll` parts per iteration, one or two. With two, the indices of
  /// buffers are constants.
  llvm::SmallVector<mlir::Value> forEachPart(int64_t count, int64_t unroll, llvm::SmallVector<mlir::Value> carried,
                                             EmitPart emit);

  mlir::Value left, right; ///< Arrays of chunks in shared memory.

private:
  /// A chunk that this invocation loads in each part.
  struct ChunkPosition {
    LeftSource::Values row; ///< Fixed values of the row. Only for the left operand, if a source computes it.
    /// Left: row, and chunk along the reduction. Right: step, and chunk of columns. The two are swapped if across.
    mlir::Value line, chunk;
    int64_t further = 0; ///< Constant that is added to the line. Many positions differ only in it.
    mlir::Value from;    ///< Left: address of the row. Right, if across: address of the column.
    mlir::Value to;      ///< Address in a buffer.
    mlir::Value mine;    ///< True if this invocation must store the chunk; null if it always must.
  };
  /// Returns the positions of this invocation's chunks. Groups of `together` adjacent invocations have the same chunk
  /// of adjacent lines.
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
  llvm::SmallVector<mlir::Value> loadRightColumns(const ChunkPosition &position, mlir::Value first);
  mlir::Value loadRight(const ChunkPosition &position, mlir::Value first);
  std::array<mlir::Value, 2> loadRightPair(const ChunkPosition &position, mlir::Value first);
  llvm::SmallVector<mlir::Value> insideOf(mlir::Value step);
  llvm::SmallVector<mlir::Value> loadForSource(mlir::Value first);
  llvm::SmallVector<mlir::Value> makeLefts(llvm::ArrayRef<mlir::Value> loaded);
  mlir::Value asChunk(mlir::ValueRange quads);
  mlir::Value narrowed(mlir::Value quad, mlir::Type element);
  mlir::Value joined(mlir::Value low, mlir::Value high);
  bool hasTail() const { return depthSize % layout.depth != 0; }
  /// True if every left chunk is either completely inside the reduction or completely beyond it.
  bool hasWholeChunks() const { return depthSize % layout.chunk == 0; }
  mlir::Value loadInTail(mlir::Value step, bool isMaskedLater, llvm::function_ref<mlir::Value(mlir::Value)> load);

  ContractionGrid &grid;
  const LoopedContraction &contraction;
  IndexBuilder &build;
  const SharedLayout layout;
  const int64_t threads, depthSize;
  llvm::SmallVector<ChunkPosition> lefts, rights;
  int64_t rowsAtOnce = 1, stepsAtOnce = 1; ///< Number of chunks that a left or right position loads together.
  int64_t columnsAtOnce = 1;               ///< The same for a right position whose chunks are along the reduction.
  bool sharesChunk = false;                ///< True if all left positions have the same chunk index within their rows.
  /// Number of values that a source loads for all rows; number of values for each chunk.
  size_t sharedLoads = 0, loadsOfChunk = 0;
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_TILELOADER_H
