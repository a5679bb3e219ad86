// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits the loops around a tile of vectors, and the loads inside it. The emitters of nests and rows share this
//        class.
// Why:   units, blocks, tails and addresses are the same for every kind of tile.
// How:   1. the cut axis is divided into units, and these into blocks of indices whose inner loops are static;
//        2. a block is loops over tiles. A tile consists of cells. Each cell is a vector, or a part of one, in one of a
//           few neighbouring rows.

#ifndef NACRE_CODEGEN_CPU_NEST_NESTLOOPS_H
#define NACRE_CODEGEN_CPU_NEST_NESTLOOPS_H

#include "codegen/cpu/Combiner.h"
#include "codegen/cpu/Units.h"
#include "codegen/cpu/VectorBody.h"
#include "codegen/cpu/nest/NestStages.h"
#include "dialects/plan/PlanDialect.h"

namespace nacre::codegen::cpu {

/// Smallest cost of a body that keeps only few vectors in flight.
constexpr auto kTranscendental = unsigned(kCpuFlopsPerFunction);

/// Part of a register tile: a piece of the vector loop, in iteration `row` of the row loop.
struct Cell {
  int64_t row = 0;
  Piece piece;
};

class NestLoops {
protected:
  NestLoops(const KernelForm &form, const NestStages &collected, KernelFunction &function);

  /// Makes vectors wider if an operand has bytes, because loads of few bytes waste instructions. Returns how many
  /// registers a vector of the body's widened values then takes.
  unsigned widenForBytes();
  /// Makes vectors wider if an operand has halves (see widenedForHalves). Returns how many registers a vector of f32
  /// then takes. Lanes that are added up stay as many as before, so that sums keep their order.
  unsigned widenForHalves();

  // 1. Units and blocks

  /// Estimates the nanoseconds of one index of the cut axis if each point is visited `sweeps` times.
  double estimateIndexCost(unsigned sweeps) const;
  /// Sets the extent of the function's units (see codegen/cpu/Units.h).
  void divideIntoUnits(double indexCost, int64_t multiple);
  /// Calls `body` with the range of indices of the cut axis that the units cover. Then emits the halos.
  void emitUnits(llvm::function_ref<void(mlir::Value low, mlir::Value high)> body);
  /// Emits `region` for the indices [low, high) in blocks of the sizes `blocks`, which are descending. For each block,
  /// sets `nest`, `choice` and the positions, and calls `body`.
  void emitBlocks(Nest region, llvm::ArrayRef<int64_t> blocks, mlir::Value low, mlir::Value high,
                  llvm::function_ref<void()> body);
  Nest withoutParts(Nest region) const;
  /// Returns the sizes of blocks in indices of the cut axis, for tiles of `vectors` vectors. The sizes are descending,
  /// and the last one is 1.
  llvm::SmallVector<int64_t> chooseBlocks(const Nest &region, unsigned vectors) const;
  /// True if the lanes along a block's contiguous loop are parts of one sum, for some block size.
  bool foldsLanes(const Nest &region, unsigned vectors) const;

  // 2. Tiles

  /// Calls `inner` in every iteration of the parallel loops from `loop` on, except the vector loop and the row loop.
  void emitParallelLoops(unsigned loop, llvm::function_ref<void()> inner);
  /// Emits the row loop in steps of `rows`, then its remainder.
  void emitRowLoop(int64_t rows, llvm::function_ref<void(int64_t)> inner);
  /// Returns how many iterations of the reducing loops of `block` are unrolled. The vector loop does not count.
  int64_t countUnrolled(const Nest &block, const VectorChoice &blockChoice) const;
  /// Calls `inner` in every iteration of the reducing loops from `loop` on, except the vector loop. Innermost loops
  /// with at most `unrolledIterations` iterations together are unrolled. Each call of `inner` reduces `times` values
  /// into each of `carried`, by the combiner of the same index.
  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> emitReducingLoops(unsigned loop, mlir::ValueRange carried,
                                                   llvm::ArrayRef<Combiner> combiners, int64_t times, LoopBody inner);

  /// Reduces the vector loop of `lines` lines, each in `chains` vectors of accumulators, without combining lanes.
  /// `combiners` has the combiners of one accumulator. `emit` reduces cells into accumulators, which are ordered by
  /// cell and combiner. The row of a cell is the index of its line. Results are ordered by line, chain and combiner.
  llvm::SmallVector<mlir::Value>
  reduceLines(int64_t lines, int64_t chains, llvm::ArrayRef<Combiner> combiners,
              llvm::function_ref<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<Cell>, mlir::ValueRange)> emit);
  /// Computes a stage that reduces nothing, for its inputs `arguments` in vectors of `lanes` lanes.
  llvm::SmallVector<mlir::Value> computeMap(const Stage &stage, llvm::SmallVector<mlir::Value> arguments,
                                            unsigned lanes, const BodyHints &hints = {});

  mlir::Value address(const NestOperand &operand, const Cell &cell);
  int64_t vectorStride(const NestOperand &operand) const;
  /// Returns a vector of the operand, or a scalar that all lanes share. Loads each only once until `loaded` is cleared.
  mlir::Value load(unsigned operand, const Cell &cell);
  void store(unsigned operand, const Cell &cell, mlir::Value value);

  const KernelForm &form;
  const llvm::ArrayRef<Stage> stages;
  const Nest whole;
  const std::optional<unsigned> cut;
  const llvm::ArrayRef<unsigned> cutAxes;
  KernelFunction &function;
  VectorBuilder builder;

  unsigned width = 1;    ///< Number of lanes of a vector
  unsigned sumWidth = 1; ///< Number of lanes of a vector whose lanes are combined
  unsigned cost = 0;     ///< Cost of all bodies, per element
  bool masks = false;    ///< True if tails may be masked vectors
  int64_t unrolledIterations = 16;

  // State of the current block.
  Nest nest;
  VectorChoice choice;
  std::optional<unsigned> rowLoop; ///< Parallel loop whose iterations are the rows of cells
  llvm::SmallVector<Position> at;  ///< Position in each loop of `nest`
  /// Loaded values. The key is operand and row, offset and lanes.
  llvm::DenseMap<std::pair<std::pair<int64_t, int64_t>, std::pair<int64_t, int64_t>>, mlir::Value> loaded;

private:
  int64_t divideIndex(int64_t wanted);
  void emitHalos(mlir::Value low, mlir::Value high);

  std::optional<unsigned> split; ///< Loop whose iterations are divided among the parts of an index
  mlir::Value part;              ///< Index of the current part
  mlir::Value cutIndex;
};

/// Emits `kernel` by `StagesEmitter`, an emitter of stages over one set of loops. Fails if the kernel does not have
/// this form.
template <typename StagesEmitter> llvm::LogicalResult emitStages(plan::KernelOp kernel, KernelFunction &function) {
  llvm::FailureOr<KernelForm> form = parseKernel(kernel);
  if (failed(form))
    return llvm::failure();
  llvm::FailureOr<NestStages> collected = collectStages(*form);
  if (failed(collected))
    return llvm::failure();
  return StagesEmitter(*form, *collected, function).run();
}

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_NEST_NESTLOOPS_H
