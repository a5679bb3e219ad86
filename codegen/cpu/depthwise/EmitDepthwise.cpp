// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits depthwise convolutions, in which every channel has its own filter.
// Why:   an element is loaded once for all outputs of a small tile of pixels that use it. Taps stay in registers.
// How:   1. units; 2. loops over rows of tiles, then over channels, then over tiles along the row. A vector of channels
//        keeps its taps for a whole row of tiles. DepthwiseTile.h emits a tile.

#include "codegen/cpu/Emitters.h"
#include "codegen/cpu/Halo.h"
#include "codegen/cpu/Units.h"
#include "codegen/cpu/depthwise/DepthwiseTile.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::cpu;

namespace {

class DepthwiseEmitter {
public:
  DepthwiseEmitter(KernelFunction &function, const DepthwiseConvolution &contraction)
      : function(function), build(function), contraction(contraction),
        tile(contraction.isOfIntegers() ? makeIntegerTile(function, build, contraction)
                                        : makeFloatTile(function, build, contraction)),
        lanes(tile->block) {}

  void emit();

private:
  void divide();
  void emitLoops(unsigned level, const Addresses &at);
  void emitChannels(int64_t high, const Addresses &at);
  void emitRow(int64_t high, Piece channels, const Addresses &at);

  const ContractionLoop &across() const { return tile->across(); }
  std::optional<unsigned> down() const { return tile->down(); }
  /// Returns the end of the last whole step of `step` indices between `from` and `to`.
  Value roundedDown(Value from, Value to, int64_t step) {
    Value length = arith::SubIOp::create(build.ops, build.loc, to, from);
    return arith::SubIOp::create(build.ops, build.loc, to, build.remainder(length, step));
  }
  /// Returns the iteration of the cut axis' loop at the index `share` of the axis. Other loops may be merged into that
  /// loop.
  Value iterationOf(Value share) { return build.scaled(share, contraction.cutFactor); }

  KernelFunction &function;
  VectorBuilder build;
  const DepthwiseConvolution &contraction;
  const std::unique_ptr<DepthwiseTile> tile;
  const unsigned lanes;         ///< Number of channels in a block
  Value low, high;              ///< Range of the units on the cut axis
  bool dividesChannels = false; ///< True if units are blocks of channels with all rows
};

//===----------------------------------------------------------------------===//
// 1. Units
//===----------------------------------------------------------------------===//

/// Divides an image into rows. If there are few rows, units are vectors of channels, like the panels of the products
/// before and after this convolution.
void DepthwiseEmitter::divide() {
  using Cut = LoopedContraction::Cut;
  function.flops = 2 * contraction.multiplyAdds();
  const int64_t vectors = contraction.columns.size / lanes;
  const bool cuts = contraction.cut == Cut::Rows || contraction.cut == Cut::Columns;
  dividesChannels = contraction.cut == Cut::Rows && contraction.cutLoop == down() &&
                    contraction.cutExtent < kFewIndices && vectors > 1 && contraction.columns.size % lanes == 0;
  if (cuts && !dividesChannels) {
    divideIntoUnits(function, tile->nanoseconds / contraction.cutExtent, contraction.cutExtent,
                    contraction.cut == Cut::Columns ? lanes : 1);
    return;
  }
  function.unitExtent = contraction.cutExtent;
  function.unitsPerBlock = dividesChannels ? vectors : 1;
  function.unitCost = tile->nanoseconds / function.unitsPerBlock;
}

void DepthwiseEmitter::emit() {
  divide();
  auto emitBody = [&] {
    Addresses at;
    for (const ContractionOperand &operand : contraction.operands)
      at.push_back(build.index(operand.offset));
    emitLoops(0, at);
  };
  Value result = function.buffers[contraction.written->slice.argument];
  if (dividesChannels) { // A block is the whole share.
    low = function.shareBegin;
    high = function.shareEnd;
    emitHaloOfFirst(build, function.begin, result, *contraction.written, contraction.cutAxis, low, high);
    return emitBody();
  }
  emitUnits(build, function, [&](Value first, Value last, Value) {
    low = first;
    high = last;
    emitHalo(build, result, *contraction.written, contraction.cutAxis, low, high);
    emitBody();
  });
}

//===----------------------------------------------------------------------===//
// 2. Loops
//===----------------------------------------------------------------------===//

void DepthwiseEmitter::emitLoops(unsigned level, const Addresses &at) {
  const unsigned outer = contraction.outer.size();
  const bool isCut =
      contraction.cut == LoopedContraction::Cut::Rows && level >= outer && contraction.cutLoop == level - outer;
  if (level >= outer && (contraction.rows.size() == 1 || level - outer + 1 == contraction.rows.size()))
    return emitChannels(1, at);
  const ContractionLoop &loop = level < outer ? contraction.outer[level] : contraction.rows[level - outer];
  const bool isDown = level >= outer && down() == level - outer;
  const int64_t step = isDown ? tile->size.high : 1;
  auto body = [&](int64_t rows) {
    return [&, rows](Position index) {
      Addresses moved = advanced(build, at, loop, index);
      isDown ? emitChannels(rows, moved) : emitLoops(level + 1, moved);
    };
  };
  if (!isCut) {
    const int64_t whole = loop.size - loop.size % step;
    build.loop(0, whole, step, body(step));
    if (whole < loop.size)
      body(loop.size - whole)({Value(), whole});
    return;
  }
  // A share may end anywhere: emit whole tiles, then tiles of fewer rows.
  Value from = iterationOf(low), to = iterationOf(high);
  for (int64_t rows = step; rows > 0; rows /= 2) {
    Value end = roundedDown(from, to, rows);
    build.loop(from, end, rows, body(rows));
    from = end;
  }
}

/// Emits a row of tiles: vectors of channels, each along the whole row.
void DepthwiseEmitter::emitChannels(int64_t rows, const Addresses &at) {
  auto vector = [&](unsigned width) {
    return [&, width](Position channel) {
      emitRow(rows, {0, width, width}, advanced(build, at, contraction.columns, channel));
    };
  };
  if (contraction.cut == LoopedContraction::Cut::Columns) {
    Value end = roundedDown(low, high, lanes);
    build.loop(low, end, lanes, vector(lanes));
    build.loop(end, high, 1, vector(1));
    return;
  }
  if (dividesChannels)
    return build.loop(build.scaled(function.begin, lanes), build.scaled(function.end, lanes), lanes, vector(lanes));
  const int64_t channels = contraction.columns.size, whole = channels - channels % lanes;
  build.loop(0, whole, lanes, vector(lanes));
  for (Piece piece : tile->piecesOf(channels - whole))
    emitRow(rows, {0, piece.lanes, piece.width},
            advanced(build, at, contraction.columns, {Value(), whole + piece.offset}));
}

void DepthwiseEmitter::emitRow(int64_t rows, Piece channels, const Addresses &at) {
  tile->beginRow(rows, channels, at);
  auto pixels = [&](int64_t wide) {
    return [&, wide](Position pixel) { tile->emit({rows, wide}, channels, advanced(build, at, across(), pixel)); };
  };
  if (contraction.cut == LoopedContraction::Cut::Rows && contraction.cutLoop + 1 == contraction.rows.size()) {
    Value from = iterationOf(low), to = iterationOf(high), end = roundedDown(from, to, tile->size.wide);
    build.loop(from, end, tile->size.wide, pixels(tile->size.wide));
    return build.loop(end, to, 1, pixels(1));
  }
  const int64_t whole = across().size - across().size % tile->size.wide;
  build.loop(0, whole, tile->size.wide, pixels(tile->size.wide));
  if (whole < across().size)
    tile->emit({rows, across().size - whole}, channels, advanced(build, at, across(), {Value(), whole}));
}

} // namespace

LogicalResult nacre::codegen::cpu::emitDepthwise(plan::KernelOp kernel, KernelFunction &function) {
  FailureOr<ContractionForm> contraction = parseContraction(kernel);
  if (failed(contraction))
    return failure();
  const auto *depthwise = std::get_if<DepthwiseConvolution>(&*contraction);
  if (!depthwise || depthwise->prologue)
    return failure();
  auto isByte = [&](unsigned operand) { return depthwise->operands[operand].elementType.isInteger(8); };
  if (depthwise->isOfIntegers() && !(isByte(Contraction::Lhs) && isByte(Contraction::Rhs)))
    return failure();
  // The taps of a tile are emitted one by one, and added up in their order. That would be too much code for many taps.
  constexpr int64_t mostTaps = 1024;
  if (depthwise->depthSize() > mostTaps)
    return emitNest(kernel, function);
  // Sums of bytes are emitted one output after the other. LLVM may reorder them for a core that issues in order.
  function.keepsOrder = !(depthwise->isOfIntegers() && function.target.inOrder);
  DepthwiseEmitter(function, *depthwise).emit();
  return success();
}
