// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits a tile of a depthwise convolution of floats.
// How:   1. the size whose sums fit the registers; 2. the products. Each element is loaded once, and used for all its
//        sums.

#include "codegen/cpu/VectorMath.h"
#include "codegen/cpu/depthwise/DepthwiseTile.h"
#include "codegen/cpu/tiles/MachineRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>
#include <map>
#include <set>

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::cpu;

namespace {

class FloatTile final : public DepthwiseTile {
public:
  FloatTile(KernelFunction &function, VectorBuilder &build, const DepthwiseConvolution &contraction)
      : DepthwiseTile(function, build, contraction), machine(machineOf(build.target, productsOf(contraction))),
        factor(machine.hasShortSums() ? contraction.operands[Contraction::Rhs].elementType
                                      : contraction.accumulatorType) {
    block = machine.step.lanes;
    nanoseconds = machine.nanosecondsOf(2 * contraction.multiplyAdds()) / efficiencyOf(WorkForm::Depthwise).cpuFlops;
    collectTaps(0, {});
    llvm::stable_sort(taps, [](const Tap &a, const Tap &b) { return a.lhs < b.lhs; });
    chooseSize();
  }

  SmallVector<Piece> piecesOf(int64_t count) const override {
    return cutIntoPieces(count, block, hasMasks(build.target, factor.getIntOrFloatBitWidth()));
  }
  void beginRow(int64_t high, Piece channels, const Addresses &at) override;
  void emit(TileSize size, Piece channels, const Addresses &at) override;

private:
  void collectTaps(unsigned level, Tap tap);
  void chooseSize();
  int64_t elementsOf(TileSize size) const;
  TileSize cheapestSize(int64_t accumulators) const;
  Value load(unsigned operand, Value address, Piece piece) {
    Value value = build.load(function.buffers[contraction.operands[operand].argument], address, piece);
    return contraction.operands[operand].elementType == factor ? value : emitExtend(build, value, factor);
  }

  const MachineRow &machine;
  const Type factor;      ///< Type of the factors in registers, which is also the type of sums
  SmallVector<Tap> taps;  ///< Taps in the order of their elements in memory
  bool keepsTaps = false; ///< True if taps stay in registers
  SmallVector<Value> kept;
};

//===----------------------------------------------------------------------===//
// 1. The size
//===----------------------------------------------------------------------===//

void FloatTile::collectTaps(unsigned level, Tap tap) {
  if (level == contraction.depth.size()) {
    taps.push_back(tap);
    return;
  }
  const ContractionLoop &loop = contraction.depth[level];
  for (int64_t step = 0; step < loop.size; ++step)
    collectTaps(level + 1,
                {tap.lhs + step * loop.strides[Contraction::Lhs], tap.rhs + step * loop.strides[Contraction::Rhs]});
}

void FloatTile::chooseSize() {
  const int64_t registers = machine.geometry.registers;
  keepsTaps = int64_t(taps.size()) + 3 <= registers / 2 + registers / 8;
  const int64_t accumulators = std::max<int64_t>(1, registers - 3 - (keepsTaps ? taps.size() : 0));
  size.high = std::min<int64_t>(downSize(), accumulators >= 16 ? 4 : accumulators >= 4 ? 2 : 1);
  size.wide = std::min<int64_t>({across().size, accumulators / size.high, 4});
  // A bias, an activation's bounds and a few loaded elements also need registers.
  constexpr int64_t waiting = 5;
  if (!machine.geometry.readsMemory && keepsTaps)
    size = cheapestSize(std::max<int64_t>(1, accumulators - waiting));
  boundSize(taps.size());
}

/// Returns the number of elements of Lhs that a tile reads.
int64_t FloatTile::elementsOf(TileSize size) const {
  std::set<int64_t> distances;
  for (int64_t row = 0; row < size.high; ++row)
    for (int64_t pixel = 0; pixel < size.wide; ++pixel)
      for (const Tap &tap : taps)
        distances.insert(distanceOf(Contraction::Lhs, row, pixel) + tap.lhs);
  return distances.size();
}

/// Returns the tile of at most `accumulators` outputs with which an image reads the fewest elements.
TileSize FloatTile::cheapestSize(int64_t accumulators) const {
  constexpr int64_t most = 4, tileLoads = 4; // `tileLoads` is the cost of a tile's addresses and loop, in loads.
  // With a stride, each element is used for few sums. More elements are then loaded early, and occupy registers.
  constexpr int64_t manyUses = 2, waiting = 4;
  TileSize best;
  int64_t bestLoads = std::numeric_limits<int64_t>::max();
  for (int64_t high = 1; high <= std::min(most, downSize()); ++high)
    for (int64_t wide = 1; wide <= std::min(most, across().size) && high * wide <= accumulators; ++wide) {
      const int64_t outputs = high * wide, products = outputs * int64_t(taps.size());
      if (outputs > std::max<int64_t>(1, accumulators - waiting) && products < manyUses * elementsOf({high, wide}))
        continue;
      int64_t loads = 0;
      for (auto [rows, tilesDown] : {std::pair(high, downSize() / high), std::pair(downSize() % high, int64_t(1))})
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
// 2. Products
//===----------------------------------------------------------------------===//

void FloatTile::beginRow(int64_t, Piece channels, const Addresses &at) {
  kept.clear();
  if (keepsTaps)
    for (const Tap &tap : taps)
      kept.push_back(load(Contraction::Rhs, build.add(at[Contraction::Rhs], tap.rhs), channels));
}

void FloatTile::emit(TileSize size, Piece channels, const Addresses &at) {
  // Elements by their distance from the tile's first element, and the multiply-adds that use each element.
  struct Use {
    int64_t output;
    unsigned tap;
  };
  std::map<int64_t, SmallVector<Use>> uses;
  SmallVector<Distances> outputs;
  for (int64_t row = 0; row < size.high; ++row)
    for (int64_t pixel = 0; pixel < size.wide; ++pixel) {
      Distances distances = distancesOf(row, pixel);
      for (auto [number, tap] : llvm::enumerate(taps))
        uses[distances[Contraction::Lhs] + tap.lhs].push_back({int64_t(outputs.size()), unsigned(number)});
      outputs.push_back(std::move(distances));
    }

  const bool inHalves = machine.hasShortSums();
  TileEpilogue epilogue(build, contraction, function.buffers, at, inHalves ? InHalves::Sums : InHalves::None);
  auto staysInRows = [&](unsigned operand) {
    return llvm::all_of(contraction.rows, [&](const ContractionLoop &loop) { return loop.strides[operand] == 0; });
  };
  Value bias;
  if (!machine.geometry.readsMemory && epilogue.bias() && staysInRows(*epilogue.bias()))
    bias = epilogue.beginning(channels.width, 0, channels.lanes);
  // A sum of halves begins with its first product, and gets its bias at the end. It would round the bias with each tap.
  SmallVector<Value> sums(outputs.size());
  if (!inHalves)
    llvm::fill(sums, bias ? bias : build.floatConstant(0.0, vectorOf(factor, channels.width)));
  // LLVM keeps each tap after loading it, and would load all taps before the loop over pixels. Taps that do not fit in
  // registers are loaded again, from an address that LLVM does not recognize.
  const size_t mostLoaded = std::max<int64_t>(1, int64_t(machine.geometry.registers) - int64_t(outputs.size()) - 2);
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
      Value &sum = sums[use.output];
      sum = sum ? machine.step.multiplyAdd(build, element, tap, sum) : build.make<arith::MulFOp>(element, tap);
    }
  }
  for (auto [sum, distances] : llvm::zip_equal(sums, outputs))
    epilogue.finish(emitExtend(build, sum, epilogue.sumType()), channels.width, distances, 0, channels.lanes,
                    /*begun=*/bool(bias));
}

} // namespace

std::unique_ptr<DepthwiseTile> nacre::codegen::cpu::makeFloatTile(KernelFunction &function, VectorBuilder &build,
                                                                  const DepthwiseConvolution &contraction) {
  return std::make_unique<FloatTile>(function, build, contraction);
}
