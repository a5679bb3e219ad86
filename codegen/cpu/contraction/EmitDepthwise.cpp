// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the emitter of depthwise convolutions: every channel has a filter of its own.
// Why:   an element is loaded once for all outputs of a small tile of pixels that it goes into; taps wait in registers.
// How:   rows of tiles, then channels, then tiles along the row: so a vector of channels keeps its taps through a whole
//        row.
//        1. the tile that fits the registers; 2. units; 3. loops; 4. a tile.

#include "codegen/cpu/contraction/EmitDepthwise.h"
#include "codegen/cpu/Halo.h"
#include "codegen/cpu/Units.h"
#include "codegen/cpu/VectorMath.h"
#include "codegen/cpu/contraction/MachineRows.h"
#include "codegen/cpu/contraction/TileEpilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>
#include <map>
#include <set>

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::cpu;

namespace {

constexpr int64_t kMostProducts = 2048; ///< Of a tile.

/// A weight of the filter: how far its elements are from the window's first.
struct Tap {
  int64_t lhs = 0, rhs = 0;
};

class DepthwiseEmitter {
public:
  DepthwiseEmitter(KernelFunction &function, const DepthwiseConvolution &contraction)
      : function(function), build(function), contraction(contraction),
        machine(machineOf(build.target, productsOf(contraction.accumulatorType))), lanes(machine.lanes) {}

  void emit();

private:
  /// A tile's outputs: `high` rows of `wide` pixels.
  struct TileSize {
    int64_t high = 1, wide = 1;
  };

  void collectTaps(unsigned level, Tap tap);
  void chooseTile();
  void divide();
  int64_t elementsOf(TileSize size) const;
  TileSize cheapestTile(int64_t accumulators, int64_t downSize) const;
  void emitLoops(unsigned level, const Addresses &at);
  void emitChannels(int64_t high, const Addresses &at);
  void emitRow(int64_t high, Piece channels, const Addresses &at);
  void emitTile(TileSize size, Piece channels, ArrayRef<Value> taps, const Addresses &at);

  const ContractionLoop &across() const { return contraction.rows.back(); }
  /// The loop over rows of tiles, if there is one around the loop across.
  std::optional<unsigned> down() const {
    return contraction.rows.size() > 1 ? std::optional<unsigned>(contraction.rows.size() - 2) : std::nullopt;
  }
  /// The end of the whole steps from `from` on.
  Value roundedDown(Value from, Value to, int64_t step) {
    Value length = arith::SubIOp::create(build.ops, build.loc, to, from);
    return arith::SubIOp::create(build.ops, build.loc, to, build.remainder(length, step));
  }
  /// Index `share` of the cut axis as a turn of the loop that walks it, which may have others merged into it.
  Value turnOf(Value share) { return build.address({{share, 0}}, {contraction.cutFactor}, 0); }
  Value scaled(Value vector) { return build.address({{vector, 0}}, {lanes}, 0); }
  Value load(unsigned operand, Value address, Piece piece) {
    Value value = build.load(function.buffers[contraction.operands[operand].argument], address, piece);
    return contraction.operands[operand].elementType == contraction.accumulatorType
               ? value
               : emitExtend(build, value, contraction.accumulatorType);
  }

  KernelFunction &function;
  VectorBuilder build;
  const DepthwiseConvolution &contraction;
  const MachineRow &machine;
  const unsigned lanes;
  SmallVector<Tap> taps; ///< In the order of their elements.
  TileSize tile;
  bool keepsTaps = false;       ///< In registers.
  Value low, high;              ///< The units' indices of the cut axis.
  bool dividesChannels = false; ///< Units are vectors of channels of all rows.
};

//===----------------------------------------------------------------------===//
// 1. The tile
//===----------------------------------------------------------------------===//

void DepthwiseEmitter::collectTaps(unsigned level, Tap tap) {
  if (level == contraction.depth.size()) {
    taps.push_back(tap);
    return;
  }
  const ContractionLoop &loop = contraction.depth[level];
  for (int64_t step = 0; step < loop.size; ++step)
    collectTaps(level + 1,
                {tap.lhs + step * loop.strides[Contraction::Lhs], tap.rhs + step * loop.strides[Contraction::Rhs]});
}

void DepthwiseEmitter::chooseTile() {
  const int64_t registers = machine.registers;
  const int64_t downSize = down() ? contraction.rows[*down()].size : 1;
  keepsTaps = int64_t(taps.size()) + 3 <= registers / 2 + registers / 8;
  const int64_t accumulators = std::max<int64_t>(1, registers - 3 - (keepsTaps ? taps.size() : 0));
  tile.high = std::min<int64_t>(downSize, accumulators >= 16 ? 4 : accumulators >= 4 ? 2 : 1);
  tile.wide = std::min<int64_t>({across().size, accumulators / tile.high, 4});
  // A bias, an activation's bounds and a few elements on their way wait in registers as well.
  constexpr int64_t waiting = 5;
  if (!machine.readsMemory && keepsTaps)
    tile = cheapestTile(std::max<int64_t>(1, accumulators - waiting), downSize);
  // A tile's products are written one by one: large windows take smaller tiles.
  while (int64_t(taps.size()) * tile.high * tile.wide > kMostProducts && tile.high * tile.wide > 1)
    (tile.high > 1 ? tile.high : tile.wide) /= 2;
}

/// Of Lhs, that a tile reads.
int64_t DepthwiseEmitter::elementsOf(TileSize size) const {
  std::set<int64_t> distances;
  for (int64_t row = 0; row < size.high; ++row)
    for (int64_t pixel = 0; pixel < size.wide; ++pixel)
      for (const Tap &tap : taps)
        distances.insert((down() ? row * contraction.rows[*down()].strides[Contraction::Lhs] : 0) +
                         pixel * across().strides[Contraction::Lhs] + tap.lhs);
  return distances.size();
}

/// The tile of at most so many outputs with which an image reads the fewest elements.
DepthwiseEmitter::TileSize DepthwiseEmitter::cheapestTile(int64_t accumulators, int64_t downSize) const {
  constexpr int64_t most = 4, tileLoads = 4; // that a tile's addresses and loop are worth
  // Of a stride, elements go into few sums each: more of them wait, being loaded early.
  constexpr int64_t manyUses = 2, waiting = 4;
  TileSize best;
  int64_t bestLoads = std::numeric_limits<int64_t>::max();
  for (int64_t high = 1; high <= std::min(most, downSize); ++high)
    for (int64_t wide = 1; wide <= std::min(most, across().size) && high * wide <= accumulators; ++wide) {
      const int64_t outputs = high * wide, products = outputs * int64_t(taps.size());
      if (outputs > std::max<int64_t>(1, accumulators - waiting) && products < manyUses * elementsOf({high, wide}))
        continue;
      int64_t loads = 0;
      for (auto [rows, tilesDown] : {std::pair(high, downSize / high), std::pair(downSize % high, int64_t(1))})
        for (auto [pixels, tilesAcross] :
             {std::pair(wide, across().size / wide), std::pair(across().size % wide, int64_t(1))})
          if (rows > 0 && pixels > 0)
            loads += tilesDown * tilesAcross * (elementsOf({rows, pixels}) + tileLoads);
      if (loads < bestLoads) {
        bestLoads = loads;
        best = {high, wide};
      }
    }
  return best;
}

//===----------------------------------------------------------------------===//
// 2. Units
//===----------------------------------------------------------------------===//

/// Rows of an image; of one that has few, vectors of channels, as panels are of the products before and after it.
void DepthwiseEmitter::divide() {
  using Cut = LoopedContraction::Cut;
  function.flops = 2 * contraction.multiplyAdds();
  const double nanoseconds = machine.nanosecondsOf(function.flops) / efficiencyOf(WorkForm::Depthwise).cpuFlops;
  const int64_t vectors = contraction.columns.size / lanes;
  const bool cuts = contraction.cut == Cut::Rows || contraction.cut == Cut::Columns;
  dividesChannels = contraction.cut == Cut::Rows && contraction.cutLoop == down() &&
                    contraction.cutExtent < kFewIndices && vectors > 1 && contraction.columns.size % lanes == 0;
  if (cuts && !dividesChannels) {
    divideIntoUnits(function, nanoseconds / contraction.cutExtent, contraction.cutExtent,
                    contraction.cut == Cut::Columns ? lanes : 1);
    return;
  }
  function.unitExtent = contraction.cutExtent;
  function.unitsPerBlock = dividesChannels ? vectors : 1;
  function.unitCost = nanoseconds / function.unitsPerBlock;
}

void DepthwiseEmitter::emit() {
  collectTaps(0, {});
  llvm::stable_sort(taps, [](const Tap &a, const Tap &b) { return a.lhs < b.lhs; });
  chooseTile();
  divide();
  auto emitBody = [&] {
    Addresses at;
    for (const ContractionOperand &operand : contraction.operands)
      at.push_back(build.index(operand.offset));
    emitLoops(0, at);
  };
  Value result = function.buffers[contraction.written->slice.argument];
  if (dividesChannels) { // a block is the whole share
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
// 3. Loops
//===----------------------------------------------------------------------===//

void DepthwiseEmitter::emitLoops(unsigned level, const Addresses &at) {
  const unsigned outer = contraction.outer.size();
  const bool isCut =
      contraction.cut == LoopedContraction::Cut::Rows && level >= outer && contraction.cutLoop == level - outer;
  if (level >= outer && (contraction.rows.size() == 1 || level - outer + 1 == contraction.rows.size()))
    return emitChannels(1, at);
  const ContractionLoop &loop = level < outer ? contraction.outer[level] : contraction.rows[level - outer];
  const bool isDown = level >= outer && down() == level - outer;
  const int64_t step = isDown ? tile.high : 1;
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
  // A share may end anywhere: whole tiles, then lower ones.
  Value from = turnOf(low), to = turnOf(high);
  for (int64_t rows = step; rows > 0; rows /= 2) {
    Value end = roundedDown(from, to, rows);
    build.loop(from, end, rows, body(rows));
    from = end;
  }
}

/// A row of tiles: vectors of channels, each along the whole row.
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
    return build.loop(scaled(function.begin), scaled(function.end), lanes, vector(lanes));
  const int64_t channels = contraction.columns.size, whole = channels - channels % lanes;
  build.loop(0, whole, lanes, vector(lanes));
  const unsigned bits = contraction.accumulatorType.getIntOrFloatBitWidth();
  for (Piece piece : cutIntoPieces(channels - whole, lanes, hasMasks(build.target, bits)))
    emitRow(rows, {0, piece.lanes, piece.width},
            advanced(build, at, contraction.columns, {Value(), whole + piece.offset}));
}

void DepthwiseEmitter::emitRow(int64_t rows, Piece channels, const Addresses &at) {
  SmallVector<Value> kept;
  if (keepsTaps)
    for (const Tap &tap : taps)
      kept.push_back(load(Contraction::Rhs, build.add(at[Contraction::Rhs], tap.rhs), channels));
  auto pixels = [&](int64_t wide) {
    return [&, wide](Position pixel) { emitTile({rows, wide}, channels, kept, advanced(build, at, across(), pixel)); };
  };
  if (contraction.cut == LoopedContraction::Cut::Rows && contraction.cutLoop + 1 == contraction.rows.size()) {
    Value from = turnOf(low), to = turnOf(high), end = roundedDown(from, to, tile.wide);
    build.loop(from, end, tile.wide, pixels(tile.wide));
    return build.loop(end, to, 1, pixels(1));
  }
  const int64_t whole = across().size - across().size % tile.wide;
  build.loop(0, whole, tile.wide, pixels(tile.wide));
  if (whole < across().size)
    emitTile({rows, across().size - whole}, channels, kept, advanced(build, at, across(), {Value(), whole}));
}

//===----------------------------------------------------------------------===//
// 4. A tile
//===----------------------------------------------------------------------===//

void DepthwiseEmitter::emitTile(TileSize size, Piece channels, ArrayRef<Value> kept, const Addresses &at) {
  // Elements by their distance from the tile's first, and the multiply-adds that each goes into.
  struct Use {
    int64_t output;
    unsigned tap;
  };
  std::map<int64_t, SmallVector<Use>> uses;
  SmallVector<Distances> outputs;
  for (int64_t row = 0; row < size.high; ++row)
    for (int64_t pixel = 0; pixel < size.wide; ++pixel) {
      Distances distances;
      for (unsigned operand = 0; operand < contraction.operands.size(); ++operand)
        distances.push_back((down() ? row * contraction.rows[*down()].strides[operand] : 0) +
                            pixel * across().strides[operand]);
      for (auto [number, tap] : llvm::enumerate(taps))
        uses[distances[Contraction::Lhs] + tap.lhs].push_back({int64_t(outputs.size()), unsigned(number)});
      outputs.push_back(std::move(distances));
    }

  Type type = vectorOf(contraction.accumulatorType, channels.width);
  TileEpilogue epilogue(build, contraction, function.buffers, at);
  auto staysInRows = [&](unsigned operand) {
    return llvm::all_of(contraction.rows, [&](const ContractionLoop &loop) { return loop.strides[operand] == 0; });
  };
  Value bias;
  if (!machine.readsMemory && epilogue.bias() && staysInRows(*epilogue.bias()))
    bias = epilogue.beginning(channels.width, 0, channels.lanes);
  SmallVector<Value> sums(outputs.size(), bias ? bias : build.floatConstant(0.0, type));
  // LLVM keeps each tap that it has seen, and would load them before the loop over pixels. Where they do not fit, they are loaded
  // again from an address that it cannot know to be the same.
  const size_t mostLoaded = std::max<int64_t>(1, int64_t(machine.registers) - int64_t(outputs.size()) - 2);
  std::set<unsigned> loaded;
  Value firstTap;
  auto tapOf = [&](const Use &use) {
    if (keepsTaps)
      return kept[use.tap];
    if (!firstTap || (loaded.size() == mostLoaded && !loaded.count(use.tap))) {
      firstTap = build.hidden(at[Contraction::Rhs]);
      loaded.clear();
    }
    loaded.insert(use.tap);
    return load(Contraction::Rhs, build.add(firstTap, taps[use.tap].rhs), channels);
  };
  for (const auto &[distance, goesInto] : uses) {
    Value element = load(Contraction::Lhs, build.add(at[Contraction::Lhs], distance), channels);
    for (const Use &use : goesInto) {
      Value tap = tapOf(use);
      sums[use.output] = machine.multiplyAdd(build, element, tap, sums[use.output]);
    }
  }
  for (auto [sum, distances] : llvm::zip_equal(sums, outputs))
    epilogue.finish(sum, channels.width, distances, 0, channels.lanes, /*begun=*/bool(bias));
}

} // namespace

void nacre::codegen::cpu::emitDepthwise(KernelFunction &function, const DepthwiseConvolution &convolution) {
  DepthwiseEmitter(function, convolution).emit();
}
