// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/contraction/LeftPrologue.h"

#include "codegen/gpu/InlineBody.h"
#include "codegen/gpu/contraction/LeftWindows.h"
#include "codegen/gpu/contraction/RowStatistics.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

class LeftPrologue final : public LeftSource {
public:
  LeftPrologue(ContractionGrid &grid, const GpuTile &tile)
      : grid(grid), build(grid.build), prologue(*grid.contraction.prologue), operands(grid, prologue.arguments),
        tile(tile) {}

  void prepare() override {
    if (prologue.statistics.empty())
      return;
    statistics.emplace(grid, prologue, tile.tileRows(), tile.invocations());
    statistics->compute();
  }

  /// Returns the values of the operands, then the index of the row in the tile.
  Values row(Value row, int64_t further) override {
    Values fixed;
    for (Value value : operands.row(row, further))
      fixed.push_back(value ? value : build.constant(0));
    fixed.push_back(build.add(row, further));
    return fixed;
  }

  Values loadShared(Value step, int64_t quads) override { return operands.loadShared(step, quads); }
  Values load(ValueRange row, Value step, int64_t quads) override { return operands.load(row, step, quads); }

  Values make(ValueRange row, ValueRange shared, ValueRange loaded, int64_t quads) override {
    IRMapping ofRow;
    if (statistics)
      statistics->recall(row.back(), ofRow);
    Values made;
    Block &body = *prologue.map->body;
    for (int64_t number = 0; number < quads; ++number) {
      IRMapping values = ofRow;
      for (auto [argument, value, inner] :
           llvm::zip(prologue.arguments, operands.takeQuad(row, shared, loaded, number, quads), body.getArguments()))
        if (!argument.statistic)
          values.map(inner, value);
      Value quad = inlineValues(build.ops, build.loc, body.getTerminator()->getOperands(), values, 4).front();
      made.push_back(broadcast(build.ops, build.loc, quad, 4));
    }
    return made;
  }

  bool isWritten() const override { return prologue.written.has_value(); }

  /// Writes the left operand. Only the workgroups of the first columns do so.
  void write(ValueRange row, Value step, ValueRange made) override {
    const unsigned written = *prologue.written;
    build.onlyIf(build.isEqual(grid.firstQuad, build.constant(0)), [&] {
      Value number = build.add(grid.firstRow, row.back());
      build.onlyIf(grid.writes(number), [&] {
        Value address = build.add(grid.base(written), grid.rowAddress(written, number));
        for (auto [quad, value] : llvm::enumerate(made))
          writeQuad(value, address, build.add(step, 4 * int64_t(quad)));
      });
    });
  }

private:
  /// Writes a quad, except steps beyond the last one.
  void writeQuad(Value quad, Value address, Value step) {
    const unsigned written = *prologue.written;
    Value buffer = grid.function.buffer(grid.contraction.operands[written].argument, grid.width(written));
    auto storeAt = [&](Value at, Value value) {
      build.onlyIf(build.isBelow(at, build.constant(grid.contraction.depthSize())), [&] {
        memref::StoreOp::create(build.ops, build.loc, value, buffer,
                                ValueRange{build.add(address, grid.depthAddress(written, at))});
      });
    };
    if (grid.reach(written) == Reach::Depth)
      return storeAt(step, quad);
    for (int64_t lane = 0; lane < 4; ++lane)
      storeAt(build.add(step, lane), vector::ExtractOp::create(build.ops, build.loc, quad, lane));
  }

  ContractionGrid &grid;
  IndexBuilder &build;
  const ContractionPrologue &prologue;
  const PrologueOperands operands;
  const GpuTile &tile;
  std::optional<RowStatistics> statistics;
};

} // namespace

bool canMakeLeft(const ContractionPrologue &prologue) {
  return (!prologue.map || canInlineOnGpu(*prologue.map->body)) &&
         llvm::all_of(prologue.statistics, [](const ContractionPrologue::Statistic &statistic) {
           return canInlineOnGpu(*statistic.work->body);
         });
}

std::unique_ptr<LeftSource> makeLeftSource(ContractionGrid &grid, const GpuTile &tile) {
  if (!grid.contraction.prologue)
    return nullptr;
  if (!grid.contraction.prologue->taps.empty())
    return makeLeftWindows(grid, tile);
  return std::make_unique<LeftPrologue>(grid, tile);
}

} // namespace nacre::codegen::gpu
