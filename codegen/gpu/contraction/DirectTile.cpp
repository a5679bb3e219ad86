// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits a tile of a contraction that loads its operands to registers, without shared memory.
// Why:   the caches of phones' GPUs are fast enough for this, and it needs no feature that a device may lack.
// How:   an invocation has rows x quads sums. In each step, it loads a quad of columns for each of its quads, and an
//        element of the left operand for each row. Four steps of a row are loaded together if they are contiguous.

#include "codegen/gpu/contraction/Templates.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

class DirectTile {
public:
  DirectTile(ContractionGrid &grid, const GpuTile::Direct &tile)
      : grid(grid), contraction(grid.contraction), build(grid.build), tile(tile) {}

  void emit() {
    if (grid.left)
      grid.left->prepare();
    column = build.remainder(grid.function.invocation, tile.columnThreads);
    Value line = build.divide(grid.function.invocation, tile.columnThreads);
    Value first = build.multiply(line, tile.rows);
    for (int64_t i = 0; i < tile.rows; ++i) {
      rows.push_back(build.add(build.add(grid.firstRow, first), i));
      if (grid.left)
        sources.push_back(grid.left->row(first, i));
      else
        lhs.push_back(build.add(grid.base(Contraction::Lhs), grid.tileRowAddress(Contraction::Lhs, first, i)));
    }
    for (int64_t j = 0; j < tile.quads; ++j) {
      Value quad = build.add(build.add(grid.firstQuad, column), j * tile.columnThreads);
      quads.push_back(quad);
      clamped.push_back(grid.clampedQuad(quad));
    }
    SmallVector<Value> sums(tile.rows * tile.quads, grid.zeroQuad());
    sums = reduce(0, {grid.base(Contraction::Rhs), build.constant(0), build.constant(0)}, sums);
    for (int64_t i = 0; i < tile.rows; ++i)
      build.onlyIf(grid.writes(rows[i]), [&] {
        for (int64_t j = 0; j < tile.quads; ++j)
          grid.finish(sums[i * tile.quads + j], rows[i], quads[j]);
      });
  }

private:
  /// Returns the number of steps per iteration of the innermost loop.
  int64_t steps() const {
    if (grid.overlaps(Contraction::Lhs, contraction.depth.size() - 1))
      return 1;
    for (int64_t steps : {4, 3, 2})
      if (contraction.depth.back().size % steps == 0)
        return steps;
    return 1;
  }

  /// Position of a step of the reduction.
  struct Step {
    Value right; ///< Address in Rhs without the column's term.
    Value left;  ///< Offset from every row's address in Lhs.
    Value flat;  ///< Index of the step.
  };

  /// Emits the loops of the reduction from level `level` on.
  SmallVector<Value> reduce(unsigned level, Step step, ArrayRef<Value> sums) {
    const ContractionLoop &loop = contraction.depth[level];
    const bool innermost = level + 1 == contraction.depth.size();
    const int64_t taken = innermost ? steps() : 1;
    auto nest = scf::ForOp::create(build.ops, build.loc, build.constant(0), build.constant(loop.size / taken),
                                   build.constant(1), sums);
    OpBuilder::InsertionGuard guard(build.ops);
    build.ops.setInsertionPointToStart(nest.getBody());
    Value iteration = nest.getInductionVar();
    auto advanced = [&](unsigned operand, Value address) {
      return build.add(address, grid.depthOffset(operand, level, iteration, taken));
    };
    step.right = advanced(Contraction::Rhs, step.right);
    if (grid.left)
      step.flat = build.multiply(build.add(build.multiply(step.flat, loop.size / taken), iteration), taken);
    else
      step.left = advanced(Contraction::Lhs, step.left);
    SmallVector<Value> current(nest.getRegionIterArgs());
    current = innermost ? multiply(step, taken, current) : reduce(level + 1, step, current);
    scf::YieldOp::create(build.ops, build.loc, current);
    return nest.getResults();
  }

  SmallVector<Value> multiply(Step at, int64_t taken, SmallVector<Value> sums) {
    const int64_t rightStride = grid.scaled(Contraction::Rhs, contraction.depth.back().strides[Contraction::Rhs]);
    const int64_t leftStride = contraction.depth.back().strides[Contraction::Lhs];
    // True for depthwise convolutions.
    const bool movesWithColumns = contraction.columns.strides[Contraction::Lhs] != 0;
    SmallVector<Value> fours;
    for (ValueRange row : sources) {
      fours.push_back(grid.makeLeft(row, at.flat, 1, /*mayLieBeyond=*/false).front());
      if (grid.left->isWritten())
        build.onlyIf(build.isEqual(column, build.constant(0)), [&] { grid.left->write(row, at.flat, fours.back()); });
    }
    if (!grid.left && grid.reach(Contraction::Lhs) == Reach::Depth)
      for (Value row : lhs)
        fours.push_back(grid.load(Contraction::Lhs, build.add(row, at.left)));
    SmallVector<std::array<Value, 2>> pairs;
    if (grid.readsPairs())
      for (Value quad : clamped)
        pairs.push_back(grid.loadPair(at.right, quad));
    for (int64_t step = 0; step < taken; ++step) {
      SmallVector<Value> columns;
      for (const std::array<Value, 2> &pair : pairs)
        columns.push_back(pair[step]);
      if (pairs.empty())
        for (Value quad : clamped)
          columns.push_back(
              grid.extended(grid.loadQuad(Contraction::Rhs, build.add(at.right, step * rightStride), quad)));
      for (int64_t i = 0; i < tile.rows; ++i)
        for (int64_t j = 0; j < tile.quads; ++j) {
          Value a = movesWithColumns ? grid.loadQuad(Contraction::Lhs,
                                                     build.add(build.add(lhs[i], at.left),
                                                               grid.scaled(Contraction::Lhs, step * leftStride)),
                                                     clamped[j])
                    : fours.empty()
                        ? grid.load(Contraction::Lhs, build.add(build.add(lhs[i], at.left), step * leftStride))
                        : vector::ExtractOp::create(build.ops, build.loc, fours[i], step).getResult();
          Value &sum = sums[i * tile.quads + j];
          sum = grid.multiplyAdd(grid.extended(a), columns[j], sum);
        }
    }
    return sums;
  }

  ContractionGrid &grid;
  const LoopedContraction &contraction;
  IndexBuilder &build;
  const GpuTile::Direct &tile;
  Value column; ///< First column of this invocation.
  SmallVector<Value> rows, lhs, quads, clamped;
  SmallVector<LeftSource::Values> sources; ///< Rows of the source that computes the left operand. They replace `lhs`.
};

} // namespace

void emitDirectTile(ContractionGrid &grid, const GpuTile::Direct &tile) { DirectTile(grid, tile).emit(); }

} // namespace nacre::codegen::gpu
