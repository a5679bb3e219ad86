// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits a tile of a depthwise convolution of bytes.
// Why:   sums of i32 are exact in any order. An instruction may therefore add up several taps of a channel, if their
//        elements are neighbours in registers.
// How:   a group is neighbouring rows of a column of elements. All outputs whose windows contain it use it, each with
//        its own pattern of taps. The pattern is moved by the output's row, and has zeros outside of the window. Taps
//        are interleaved into patterns once for each row.
//        1. the window; 2. size and order; 3. a row; 4. a tile.

#include "codegen/cpu/depthwise/DepthwiseTile.h"
#include "codegen/cpu/depthwise/IntegerEnding.h"
#include "codegen/cpu/depthwise/TapProducts.h"
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

/// Place of a group in a tile: the address of its column, and its index in that column, from the top.
struct GroupPlace {
  int64_t column = 0, number = 0;

  auto key() const { return std::pair(column, number); }
  bool operator<(const GroupPlace &other) const { return key() < other.key(); }
};

/// Taps by which a group is multiplied. They are a column of the window whose first tap is `shift` rows above the
/// group's first element.
struct Pattern {
  int64_t shift = 0;
  unsigned column = 0;

  auto key() const { return std::pair(shift, column); }
  bool operator<(const Pattern &other) const { return key() < other.key(); }
};

struct Use {
  int64_t row = 0, pixel = 0; ///< Row and pixel of the output
  GroupPlace group;
  Pattern pattern;
};

class IntegerTile final : public DepthwiseTile {
public:
  IntegerTile(KernelFunction &function, VectorBuilder &build, const DepthwiseConvolution &contraction)
      : DepthwiseTile(function, build, contraction),
        products(tapProductsOf(build.target, contraction.isUnsignedLhs, contraction.isUnsignedRhs)),
        inverts(contraction.isUnsignedLhs != products->readsUnsigned),
        ending(build, contraction, function.buffers, contraction.rows), rowValues(function, build) {
    block = products->block;
    readWindow();
    chooseSize();
  }

  SmallVector<Piece> piecesOf(int64_t count) const override;
  void beginRow(int64_t high, Piece channels, const Addresses &at) override;
  void emit(TileSize size, Piece channels, const Addresses &at) override;

private:
  struct Choice {
    TileSize size;
    bool byColumns = false;
    bool keepsTaps = false, keepsEnding = false;           ///< True if taps, or the ending's values, stay in registers
    double cost = std::numeric_limits<double>::infinity(); ///< Instructions per output
  };

  void readWindow();
  void chooseSize();
  Choice choiceOf(TileSize size, bool byColumns) const;
  SmallVector<Use> usesOf(TileSize size, bool byColumns) const;
  std::optional<int64_t> tapRow(int64_t row) const {
    return row >= 0 && row < high ? std::optional(row) : std::nullopt;
  }
  SmallVector<Value, 4> loadTaps(Pattern pattern, Piece channels, const Addresses &at, const ChannelLayout &layout,
                                 std::map<std::pair<int64_t, unsigned>, Value> &loaded);
  SmallVector<Value, 4> correctionOf(ArrayRef<TapOperand> taps, const ChannelLayout &layout);

  const std::unique_ptr<TapProducts> products;
  const bool inverts; ///< True if elements are moved by 128 when they are loaded
  IntegerEnding ending;
  RowValues rowValues;

  // The window consists of columns of `high` taps.
  int64_t high = 1;
  int64_t elementStep = 0, tapStep = 0; ///< Distances between rows of taps: in the elements, and in the filter
  struct Column {
    int64_t lhs = 0, rhs = 0;
  };
  SmallVector<Column> columns;
  Choice choice;
  std::map<Pattern, SmallVector<unsigned, 4>> patterns; ///< Indices of the row's kept values
};

//===----------------------------------------------------------------------===//
// 1. The window
//===----------------------------------------------------------------------===//

void IntegerTile::readWindow() {
  const ContractionLoop &down = contraction.depth.front();
  high = down.size;
  elementStep = down.strides[Contraction::Lhs];
  tapStep = down.strides[Contraction::Rhs];
  columns.push_back({});
  for (const ContractionLoop &loop : ArrayRef(contraction.depth).drop_front()) {
    SmallVector<Column> all;
    for (const Column &column : columns)
      for (int64_t step = 0; step < loop.size; ++step)
        all.push_back(
            {column.lhs + step * loop.strides[Contraction::Lhs], column.rhs + step * loop.strides[Contraction::Rhs]});
    columns = std::move(all);
  }
}

/// Returns the products of a tile, in the order in which they are added.
SmallVector<Use> IntegerTile::usesOf(TileSize size, bool byColumns) const {
  const int64_t group = products->group, rows = high + size.high - 1;
  SmallVector<Use> uses;
  for (int64_t pixel = 0; pixel < size.wide; ++pixel)
    for (int64_t row = 0; row < size.high; ++row)
      for (auto [number, column] : llvm::enumerate(columns))
        for (int64_t first = 0; first < rows; first += group) {
          const int64_t shift = first - row;
          if (shift + group <= 0 || shift >= high)
            continue;
          const int64_t place = distanceOf(Contraction::Lhs, 0, pixel) + column.lhs;
          uses.push_back({row, pixel, {place, first / group}, {shift, unsigned(number)}});
        }
  if (byColumns)
    llvm::stable_sort(uses, [](const Use &a, const Use &b) { return a.group < b.group; });
  return uses;
}

//===----------------------------------------------------------------------===//
// 2. Size and order
//===----------------------------------------------------------------------===//

/// Estimates the cost of a size. If the order is by columns, each group is in registers for a short time, but all sums
/// of the tile stay there. If it is by outputs, only one output's sums and all groups of the windows below one another
/// are in registers.
IntegerTile::Choice IntegerTile::choiceOf(TileSize size, bool byColumns) const {
  const int64_t registers = build.target.vectors.registers;
  // Registers for operands being loaded, zeros to extend bytes, and constants of an ending.
  const int64_t waiting = registers < 32 ? 5 : 3;
  const ChannelLayout layout = products->layoutOf(block);
  const int64_t outputs = size.outputs();
  const SmallVector<Use> uses = usesOf(size, byColumns);
  std::set<GroupPlace> groups, ofColumn; // Groups of a column of outputs
  std::set<Pattern> patterns;
  for (const Use &use : uses) {
    groups.insert(use.group);
    patterns.insert(use.pattern);
    if (use.pixel == 0)
      ofColumn.insert(use.group);
  }
  Choice choice;
  choice.size = size;
  choice.byColumns = byColumns;
  int64_t used = waiting + products->registersOfSums(layout) * (byColumns ? outputs : 1) +
                 products->registersOf(layout) * (byColumns ? 1 : int64_t(ofColumn.size()));
  if (used > registers && (outputs > 1 || !byColumns))
    return choice;
  const int64_t taps = patterns.size() * products->registersOf(layout), common = ending.vectorsOfRow(layout);
  choice.keepsTaps = used + taps <= registers;
  if (choice.keepsTaps)
    used += taps;
  choice.keepsEnding = used + common <= registers;
  // An operand that an instruction reads from memory costs less than a load.
  const double instructionsOfLoad = build.target.arm64 ? 0.6 : 0.4;
  choice.cost = groups.size() * products->interleaveCost(layout) + uses.size() * products->addCost(layout) +
                outputs * (choice.keepsEnding ? 0 : common * instructionsOfLoad) +
                uses.size() * (choice.keepsTaps ? 0 : products->registersOf(layout) * instructionsOfLoad);
  choice.cost /= outputs;
  return choice;
}

void IntegerTile::chooseSize() {
  constexpr int64_t most = 4;
  // Windows of neighbouring rows share groups if the windows are one row of taps apart.
  const bool isShared =
      down() && contraction.rows[*down()].strides[Contraction::Lhs] == elementStep && contraction.depth.size() > 1;
  for (int64_t rows = 1; rows <= (isShared ? std::min(most, downSize()) : 1); rows *= 2)
    for (int64_t wide = 1; wide <= std::min(most, across().size); ++wide)
      for (bool byColumns : {false, true})
        if (Choice next = choiceOf({rows, wide}, byColumns); next.cost < choice.cost)
          choice = next;
  size = choice.size;
  boundSize(int64_t(columns.size()) * llvm::divideCeil(high, products->group) * products->layoutOf(block).vectors());

  constexpr double instructionsOfEnding = 8; // Instructions for a vector of sums, until its bytes are stored.
  const double blocks = double(llvm::divideCeil(contraction.columns.size, block));
  double outputs = blocks;
  for (const auto *group : {&contraction.outer, &contraction.rows})
    outputs *= double(iterationsOf(*group));
  const double instructions = choice.cost + instructionsOfEnding * products->layoutOf(block).vectors();
  nanoseconds = outputs * instructions / (build.target.model.instructionsPerCycle * build.target.model.gigahertz);
}

SmallVector<Piece> IntegerTile::piecesOf(int64_t count) const {
  if (!hasMasks(build.target, /*elementBits=*/8))
    return cutIntoPieces(count, block, /*masks=*/false);
  if (count == 0)
    return {};
  return {{0, unsigned(count), unsigned(std::max<uint64_t>(4, llvm::PowerOf2Ceil(count)))}};
}

//===----------------------------------------------------------------------===//
// 3. A row
//===----------------------------------------------------------------------===//

SmallVector<Value, 4> IntegerTile::loadTaps(Pattern pattern, Piece channels, const Addresses &at,
                                            const ChannelLayout &layout,
                                            std::map<std::pair<int64_t, unsigned>, Value> &loaded) {
  Value buffer = function.buffers[contraction.operands[Contraction::Rhs].argument];
  SmallVector<Value, 4> bytes;
  for (int64_t row = pattern.shift; row < pattern.shift + int64_t(products->group); ++row) {
    if (!tapRow(row)) {
      bytes.push_back(splatOf(build, VectorType::get({layout.bytes()}, build.ops.getI8Type()), 0));
      continue;
    }
    Value &tap = loaded[{row, pattern.column}];
    if (!tap) {
      const int64_t distance = columns[pattern.column].rhs + row * tapStep;
      tap = loadBytes(build, buffer, build.add(at[Contraction::Rhs], distance), channels, /*inverted=*/false);
    }
    bytes.push_back(tap);
  }
  return bytes;
}

/// Returns the values to add to sums because elements were moved by 128, or because products do not begin at zero.
/// `taps` are the patterns of an output.
SmallVector<Value, 4> IntegerTile::correctionOf(ArrayRef<TapOperand> taps, const ChannelLayout &layout) {
  const int64_t start = products->startOf(taps.size());
  const Type type = vectorOf(contraction.accumulatorType, layout.lanes());
  SmallVector<Value, 4> correction(layout.vectors(), splatOf(build, type, start));
  if (!inverts)
    return start == 0 ? SmallVector<Value, 4>() : correction;
  Value one = splatOf(build, VectorType::get({layout.bytes()}, build.ops.getI8Type()), 1);
  const TapOperand ones =
      products->operandOf(build, SmallVector<Value, 4>(products->group, one), layout, products->readsUnsigned);
  TapSums sums{correction, {}};
  for (const TapOperand &tap : taps)
    products->add(build, sums, ones, tap, layout);
  products->finish(build, sums, layout);
  // If elements are 128 too large, the sums are too large by 128 times the sum of the taps. If elements are 128 too
  // small, the sums are too small by this amount.
  constexpr int64_t bitsOfMove = 7;
  for (auto [value, sum] : llvm::zip_equal(correction, sums.vectors)) {
    Value moved = arith::ShLIOp::create(build.ops, build.loc, sum, splatOf(build, type, bitsOfMove));
    value = products->readsUnsigned ? arith::SubIOp::create(build.ops, build.loc, value, moved).getResult()
                                    : arith::AddIOp::create(build.ops, build.loc, value, moved).getResult();
  }
  return correction;
}

void IntegerTile::beginRow(int64_t rows, Piece channels, const Addresses &at) {
  const ChannelLayout layout = products->layoutOf(channels.width);
  rowValues.clear();
  patterns.clear();
  std::map<std::pair<int64_t, unsigned>, Value> loaded;
  SmallVector<TapOperand> ofFirst;
  for (const Use &use : usesOf({rows, 1}, choice.byColumns)) {
    auto [known, isNew] = patterns.try_emplace(use.pattern);
    if (!isNew)
      continue;
    TapOperand taps = products->operandOf(build, loadTaps(use.pattern, channels, at, layout, loaded), layout,
                                          contraction.isUnsignedRhs);
    if (use.row == 0)
      ofFirst.push_back(taps);
    for (Value tap : taps)
      known->second.push_back(rowValues.keep(tap, choice.keepsTaps));
  }
  ending.beginRow(rowValues, layout, channels, at, correctionOf(ofFirst, layout), choice.keepsEnding);
}

//===----------------------------------------------------------------------===//
// 4. A tile
//===----------------------------------------------------------------------===//

void IntegerTile::emit(TileSize size, Piece channels, const Addresses &at) {
  // On a core that issues in order, LLVM would start the next tile's loads in this tile, where no registers are free.
  if (build.target.inOrder)
    build.fence();
  const ChannelLayout layout = products->layoutOf(channels.width);
  const int64_t group = products->group, rows = high + size.high - 1;
  const SmallVector<Use> uses = usesOf(size, choice.byColumns);
  std::map<std::pair<int64_t, int64_t>, int64_t> left;
  for (const Use &use : uses)
    ++left[{use.row, use.pixel}];

  std::map<std::pair<int64_t, int64_t>, Value> elements;
  Value buffer = function.buffers[contraction.operands[Contraction::Lhs].argument];
  auto elementOf = [&](int64_t column, int64_t row) {
    Value &element = elements[{column, row}];
    if (!element)
      element =
          loadBytes(build, buffer, build.add(at[Contraction::Lhs], column + row * elementStep), channels, inverts);
    return element;
  };
  std::map<GroupPlace, TapOperand> groups;
  auto groupOf = [&](GroupPlace place) -> const TapOperand & {
    TapOperand &operand = groups[place];
    if (operand.empty()) {
      SmallVector<Value, 4> bytes; // Bytes that no taps use may have any value.
      for (int64_t row = place.number * group; row < (place.number + 1) * group; ++row)
        bytes.push_back(row < rows ? elementOf(place.column, row) : bytes.back());
      operand = products->operandOf(build, bytes, layout, products->readsUnsigned);
    }
    return operand;
  };

  struct Output {
    Value place;
    TapSums sums;
  };
  std::map<std::pair<int64_t, int64_t>, Output> outputs;
  for (const Use &use : uses) {
    const TapOperand &operand = groupOf(use.group);
    auto [output, isFirst] = outputs.try_emplace({use.row, use.pixel});
    auto &[place, sums] = output->second;
    if (isFirst) {
      place = rowValues.makePlace();
      sums.vectors = ending.beginning(rowValues, place);
    }
    TapOperand taps;
    for (unsigned number : patterns.at(use.pattern))
      taps.push_back(rowValues.get(number, place));
    products->add(build, sums, operand, taps, layout);
    if (--left[output->first] == 0) {
      products->finish(build, sums, layout);
      ending.finish(rowValues, place, layout, channels, sums.vectors, at, distancesOf(use.row, use.pixel));
      outputs.erase(output);
    }
  }
}

} // namespace

std::unique_ptr<DepthwiseTile> nacre::codegen::cpu::makeIntegerTile(KernelFunction &function, VectorBuilder &build,
                                                                    const DepthwiseConvolution &contraction) {
  return std::make_unique<IntegerTile>(function, build, contraction);
}
