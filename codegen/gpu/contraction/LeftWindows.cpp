// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/contraction/LeftWindows.h"

#include "codegen/gpu/InlineBody.h"
#include "codegen/gpu/contraction/PrologueOperands.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

/// True if registers can hold the elements and weights of all chunks that an invocation loads for a part. Always false
/// for tiles that must run on any GPU.
bool mayWait(const ContractionGrid &grid, const GpuTile &tile) {
  constexpr int64_t mostRegisters = 128;
  const int64_t chunk = tile.is<GpuTile::Cooperative>() ? 8 : 4, depth = tile.staging() ? tile.staging()->depth : 1;
  const int64_t words = std::max<int64_t>(1, chunk * grid.contraction.leftType().getIntOrFloatBitWidth() / 32);
  const int64_t chunks = llvm::divideCeil(tile.tileRows() * depth / chunk, tile.invocations());
  const int64_t taps = grid.contraction.prologue->taps.size();
  return tile.families != 0 && (chunks + 1) * taps * words <= mostRegisters;
}

class LeftWindows final : public LeftSource {
public:
  LeftWindows(ContractionGrid &grid, const GpuTile &tile)
      : grid(grid), build(grid.build), prologue(*grid.contraction.prologue), operands(grid, prologue.arguments),
        loadsWait(mayWait(grid, tile)) {}

  /// Returns the address of the first element of the window.
  Values row(Value row, int64_t further) override {
    return {build.add(grid.base(Contraction::Lhs), grid.tileRowAddress(Contraction::Lhs, row, further))};
  }

  Values loadShared(Value step, int64_t quads) override {
    weights.clear();
    for (const ContractionPrologue::Tap &tap : prologue.taps)
      operands.loadSteps(prologue.filter, grid.base(prologue.filter), step, quads, weights, tap.filter);
    Values shared = operands.loadShared(step, quads);
    if (loadsWait)
      shared.insert(shared.begin(), weights.begin(), weights.end());
    return shared;
  }

  Values load(ValueRange row, Value step, int64_t quads) override {
    Values elements;
    for (const ContractionPrologue::Tap &tap : prologue.taps)
      operands.loadSteps(Contraction::Lhs, row.front(), step, quads, elements, tap.lhs);
    return loadsWait ? elements : addUp(weights, elements, quads);
  }

  Values make(ValueRange, ValueRange shared, ValueRange loaded, int64_t quads) override {
    const size_t count = loadsWait ? prologue.taps.size() * operands.countLoads(prologue.filter, quads) : 0;
    Values sums = loadsWait ? addUp(shared.take_front(count), loaded, quads) : Values(loaded);
    if (!prologue.map)
      return sums;
    Block &body = *prologue.map->body;
    const Values none(prologue.arguments.size());
    Values made;
    for (auto [number, sum] : llvm::enumerate(sums)) {
      IRMapping values;
      for (auto [argument, value, inner] :
           llvm::zip(prologue.arguments, operands.takeQuad(none, shared.drop_front(count), {}, number, quads),
                     body.getArguments()))
        values.map(inner, argument.isWindow ? sum : value);
      Value quad = inlineValues(build.ops, build.loc, body.getTerminator()->getOperands(), values, 4).front();
      made.push_back(broadcast(build.ops, build.loc, quad, 4));
    }
    return made;
  }

private:
  /// Adds up the products of all taps, in order.
  Values addUp(ValueRange filters, ValueRange elements, int64_t quads) const {
    const size_t ofElement = operands.countLoads(Contraction::Lhs, quads),
                 ofFilter = operands.countLoads(prologue.filter, quads);
    Values sums(quads, grid.zeroQuad());
    for (size_t tap = 0; tap < prologue.taps.size(); ++tap)
      for (int64_t number = 0; number < quads; ++number) {
        Value element = operands.quadOf(Contraction::Lhs, elements.slice(tap * ofElement, ofElement), number);
        Value weight = operands.quadOf(prologue.filter, filters.slice(tap * ofFilter, ofFilter), number);
        sums[number] =
            vector::FMAOp::create(build.ops, build.loc, grid.extended(element), grid.extended(weight), sums[number]);
      }
    return sums;
  }

  ContractionGrid &grid;
  IndexBuilder &build;
  const ContractionPrologue &prologue;
  const PrologueOperands operands;
  const bool loadsWait;
  Values weights; ///< Weights of the most recent load.
};

} // namespace

std::unique_ptr<LeftSource> makeLeftWindows(ContractionGrid &grid, const GpuTile &tile) {
  return std::make_unique<LeftWindows>(grid, tile);
}

} // namespace nacre::codegen::gpu
