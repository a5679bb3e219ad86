// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. the reduction; 2. the epilogue and the stores, from the registers.

#include "codegen/cpu/tiles/MicroTile.h"

#include "codegen/cpu/tiles/InOrderLoop.h"
#include "codegen/cpu/tiles/MatrixTile.h"
#include "codegen/cpu/tiles/TileSteps.h"
#include "codegen/cpu/tiles/TileSums.h"
#include "dialects/StoredBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <optional>

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

class TileEmitter {
public:
  TileEmitter(VectorBuilder &build, const LoopedContraction &contraction, ArrayRef<Value> buffers, const Panel &panel,
              const DepthPart &part, const TileShape &shape, const Addresses &at)
      : build(build), contraction(contraction), buffers(buffers), panel(panel), part(part), shape(shape), at(at),
        machine(shape.machine), lanes(machine.step.lanes), groups(machine.groupsOf(shape.rows)),
        vectorsOfPart(contraction.parts == 1 ? llvm::divideCeil(shape.columns, lanes) : panel.width / lanes),
        vectors(contraction.parts * vectorsOfPart), rowStrides(contraction.rows.back().strides),
        hasFewRegisters(contraction.isOfIntegers() && !machine.hasMixedSums() &&
                        leavesFewRegisters(machine, shape.rows, vectors)),
        blocks(sumBlocksOf(machine, contraction, part)), factor(factorType(machine, contraction, panelType())),
        columns(build, machine, panel.buffer, contraction.right, factor, vectors,
                contraction.parts == 1 && shape.rows > 1 && endsInHalf(machine, shape.columns)),
        waiting(build, part, shape, vectors, sumsOf(vectors - 1), contraction.accumulatorType),
        elements(build, contraction, buffers[contraction.operands[Contraction::Lhs].argument], shape),
        epilogue(build, contraction, buffers, at, inHalves()),
        prefetch(build, contraction, buffers, panel, part, shape, at),
        straight(build, shape, vectors, panel.strides.back(), factor, hasFewRegisters, columns, prefetch) {}

  void emit() {
    if (part.last)
      prefetch.end();
    const Stand stand = {at[Contraction::Lhs], at[Contraction::Rhs], part.ahead};
    if (blocks.divided) {
      if (isTwoShortBlocks())
        return finish(reduceTwoBlocks(stand), /*areInMemory=*/true);
      if (part.first)
        waiting.store(zeros());
      reduceBlocks(part.level, stand);
      if (part.last)
        finish(machine.hasShortSums() ? SmallVector<Value>(groups * vectors) : waiting.load(),
               /*areInMemory=*/machine.hasShortSums());
      return;
    }
    // If an addition can read memory, the sums in memory are added at the end. It is then cheaper to begin with zeros.
    // Short sums begin with zeros, too, because they have another type.
    const bool goesOn = part.goesOn && !machine.geometry.readsMemory && !machine.hasShortSums();
    SmallVector<Value> sums = reduce(part.level, part.steps,
                                     goesOn      ? waiting.load()
                                     : part.sums ? zeros()
                                                 : beginnings(),
                                     stand);
    if (!part.first && !goesOn)
      sums = waiting.addedTo(sums);
    part.last ? finish(sums) : waiting.store(sums);
  }

  void finishFromMemory() { finish(waiting.load()); }

private:
  /// Addresses that a step of the reduction reads and prefetches.
  struct Stand {
    Value lhs, rhs, ahead;
  };

  VectorType vectorOfFactors() const { return VectorType::get({lanes}, factor); }
  /// Returns how many sums the register with index `vector` holds in each group of rows.
  unsigned sumsOf(int64_t vector) const {
    return machine.step.rows * machine.step.sumsOfLane * columns.lanesOf(vector);
  }

  /// Returns what the epilogue may compute in halves. If there is only one block of steps, the sums that it gets are
  /// short.
  InHalves inHalves() const {
    const bool areShort = !blocks.divided && part.first && part.last;
    return !machine.hasShortSums() ? InHalves::None : areShort ? InHalves::Sums : InHalves::Results;
  }

  /// Returns the type of sums in registers.
  Type typeOfSums() const { return machine.hasShortSums() ? factor : contraction.accumulatorType; }

  SmallVector<Value> zeros() {
    SmallVector<Value> sums;
    for (int64_t number = 0; number < groups * vectors; ++number)
      sums.push_back(
          build.constant(cast<TypedAttr>(build.ops.getZeroAttr(vectorOf(typeOfSums(), sumsOf(number % vectors))))));
    return sums;
  }

  /// Returns the initial values of sums if no sums are in memory: the bias, or zeros.
  SmallVector<Value> beginnings() {
    SmallVector<Value> sums = zeros();
    // If an addition can read the bias from memory, it is cheaper to begin with zeros. Reordered columns would need a
    // reordered bias. A bias is more precise than a short sum.
    if (machine.geometry.readsMemory || machine.hasMixedSums() || machine.hasShortSums() || !epilogue.bias() ||
        rowStrides[*epilogue.bias()] != 0 || columns.reorders())
      return sums;
    if (shape.rows > 1 && vectors >= machine.geometry.registersPerLoad && shape.columns == vectors * lanes)
      if (SmallVector<Value> loaded =
              epilogue.beginningsOfRows(shape.rows, vectors, VectorType::get({lanes}, contraction.accumulatorType));
          !loaded.empty()) {
        for (int64_t number = 0; number < shape.rows * vectors; ++number)
          begun.insert(number);
        return loaded;
      }
    for (auto [number, sum] : llvm::enumerate(sums)) {
      const int64_t vector = int64_t(number) % vectors, column = vector * lanes, width = columns.lanesOf(vector);
      if (Value bias = epilogue.beginning(width, column, std::min<int64_t>(width, shape.columns - column))) {
        sum = bias;
        begun.insert(number);
      }
    }
    return sums;
  }

  //===--------------------------------------------------------------------===//
  // 1. The reduction
  //===--------------------------------------------------------------------===//

  int64_t sizeOf(unsigned level) const { return level == part.level ? part.steps : contraction.depth[level].size; }

  int64_t stepsInside(unsigned level) const {
    int64_t steps = 1;
    for (const ContractionLoop &loop : llvm::drop_begin(contraction.depth, level + 1))
      steps *= loop.size;
    return steps;
  }

  Stand advancedBy(unsigned level, Position step, const Stand &from) {
    auto moved = [&](Value address, int64_t stride) { return build.address({{address, 0}, step}, {1, stride}, 0); };
    return {moved(from.lhs, contraction.depth[level].strides[Contraction::Lhs]), moved(from.rhs, panel.strides[level]),
            from.ahead ? moved(from.ahead, stepsInside(level) * part.aheadStride) : Value()};
  }

  /// Adds up the whole part block by block, and adds each block to the sums in memory.
  void reduceBlocks(unsigned level, const Stand &from) {
    const int64_t size = sizeOf(level);
    if (level < blocks.level)
      return build.loop(0, size, 1, [&](Position step) { reduceBlocks(level + 1, advancedBy(level, step, from)); });
    auto block = [&](Position step, int64_t steps, bool isLast) {
      isLastBlock = isLast;
      const SmallVector<Value> sums = reduce(level, steps, zeros(), advancedBy(level, step, from));
      machine.hasShortSums() ? waiting.add(sums) : waiting.store(waiting.addedTo(sums));
    };
    // If the end of a run is different, the last block is never in the loop.
    const int64_t whole = (size - (contraction.groups.overlap() > 0 ? 1 : 0)) / blocks.steps * blocks.steps;
    build.loop(0, whole, blocks.steps, [&](Position step) { block(step, blocks.steps, /*isLast=*/false); });
    if (whole < size)
      block({Value(), whole}, size - whole, /*isLast=*/true);
  }

  bool isTwoShortBlocks() const {
    return machine.hasShortSums() && part.first && part.last && blocks.level == part.level &&
           part.steps <= 2 * blocks.steps;
  }

  /// Adds up a part of two blocks. Stores the sums of the first block, and returns those of the second one. More blocks
  /// would gain little, because each has code of its own.
  SmallVector<Value> reduceTwoBlocks(const Stand &from) {
    waiting.store(reduce(part.level, blocks.steps, zeros(), from));
    return reduce(part.level, part.steps - blocks.steps, zeros(),
                  advancedBy(part.level, {Value(), blocks.steps}, from));
  }

  /// Adds up `size` iterations of the loop `level`.
  SmallVector<Value> reduce(unsigned level, int64_t size, ValueRange accumulators, const Stand &from) {
    if (level + 1 < contraction.depth.size())
      return build.loop(0, size, 1, accumulators, [&](Position step, ValueRange carried) {
        return reduce(level + 1, contraction.depth[level + 1].size, carried, advancedBy(level, step, from));
      });

    if (!endsRun())
      return reduceSteps(level, size, accumulators, from);
    // The last group must not read beyond the run, so it overlaps the group before it. If it has no other partner for
    // an instruction of two steps, it is paired with that group.
    const bool inPair = machine.step.multiplyAddTwo && size % 2 == 0;
    const int64_t before = size - (inPair ? 2 : 1);
    SmallVector<Value> sums = accumulators;
    if (before > 0)
      sums = reduceSteps(level, before, accumulators, from);
    const Stand rest = advancedBy(level, {Value(), before}, from);
    const Value last = advancedBy(level, {Value(), size - 1}, from).lhs;
    const RowElements::ElementOf ofRest = elements.straight(rest.lhs, 1, /*asVectors=*/false),
                                 ofLast = elements.straight(build.add(last, -contraction.groups.overlap()), 1,
                                                            /*asVectors=*/false);
    return straight.multiplyAdd(sums, rest.rhs, size - before, [&](int64_t row, int64_t step) {
      return step + 1 < size - before ? ofRest(row, 0) : elements.withoutOverlap(ofLast(row, 0));
    });
  }

  /// True if the last step of the innermost loop, in this part and block, overlaps the step before it.
  bool endsRun() const {
    const unsigned innermost = contraction.depth.size() - 1;
    return contraction.groups.overlap() > 0 && (part.level < innermost || part.last) &&
           (blocks.level < innermost || isLastBlock);
  }

  SmallVector<Value> reduceSteps(unsigned level, int64_t size, ValueRange accumulators, const Stand &from) {
    const bool byVectors = elements.areVectors(), together = elements.areTogether();
    // Prefetching costs an instruction or two per iteration, so two steps share it. There is an exception: if a row's
    // element is broadcast for one multiply-add, LLVM overwrites the element with the sum. Registers then do not
    // suffice for a second step.
    const bool overwritesElements = vectors == 1 && !machine.geometry.readsBroadcasts;
    const int64_t unroll = byVectors                           ? stepsPerIteration(machine, shape.rows, vectors)
                           : together                          ? stepsTogether(size)
                           : from.ahead && !overwritesElements ? std::min<int64_t>(size, 2)
                                                               : 1;
    const int64_t whole = size - size % unroll;
    const bool loops = whole > unroll;
    SmallVector<Value> sums = accumulators;
    const int64_t streamed = registersStreamed();
    if (loops && byVectors && goesInOrder())
      sums = reduceInOrder(whole, unroll, accumulators, from.lhs, from.rhs);
    else if (loops && (together || (byVectors && (unroll > machine.stepsOfRegister() || streamed))))
      sums = reduceByPointers(whole, unroll, accumulators, from.lhs, from.rhs);
    else if (loops)
      sums = build.loop(0, whole, unroll, accumulators, [&](Position step, ValueRange carried) {
        const Stand stand = advancedBy(level, step, from);
        return multiplyAdd(carried, stand, unroll, byVectors);
      });
    // A longer remainder would load elements early, and registers could not hold them. Loads of pairs need no separate
    // pointer here.
    std::optional<ColumnStream> stream;
    if (!loops && whole > 0 && size - whole <= 1 && byVectors && streamed > machine.geometry.registersPerLoad &&
        !isOfWords(contraction))
      stream.emplace(build, streamed, vectorOfFactors(), build.pointer(panel.buffer, from.rhs));
    // The remainder first loads vectors of a row's elements, then single elements.
    const int64_t rest = loops ? whole : 0, vectorsEnd = byVectors ? size - size % machine.stepsOfRegister() : whole;
    for (auto [begin, end, isVectors] : {std::tuple(rest, whole, byVectors), std::tuple(whole, vectorsEnd, true),
                                         std::tuple(vectorsEnd, size, false)}) {
      if (begin == end)
        continue;
      // Tiles of words have too few registers for several vectors of each row's elements.
      const bool isApart = isVectors && shape.rows > 1 && isOfWords(contraction);
      const int64_t most = isApart ? machine.stepsOfRegister() : end - begin;
      for (int64_t step = begin; step < end; step += most) {
        if (step > begin)
          build.fence();
        Stand stand = advancedBy(level, {Value(), step}, from);
        if (begin >= whole)
          stand.ahead = {};
        sums = multiplyAdd(sums, stand, std::min(most, end - step), isVectors, stream ? &*stream : nullptr);
      }
    }
    return sums;
  }

  /// Returns how many steps of an iteration of `size` steps load their row elements together. Each step needs its own
  /// registers, and LLVM loads them early. A long iteration also needs registers for sums and pointers, and would have
  /// too few.
  int64_t stepsTogether(int64_t size) const {
    const int64_t longest = stepsPerIteration(machine, shape.rows, vectors);
    return size <= longest ? longest : lanes;
  }

  /// True if the instructions of an iteration are emitted in the order in which the core starts them.
  bool goesInOrder() const {
    return machine.costs.inOrder && !machine.hasMixedSums() && (panelType() == factor || contraction.groups.k > 1);
  }

  Type panelType() const { return cast<MemRefType>(panel.buffer.getType()).getElementType(); }

  /// Returns the number of registers that each load of the panel fills if the tile reads the whole panel in order.
  /// Otherwise, returns 0.
  int64_t registersStreamed() const {
    const bool asItLies = panel.strides.back() == vectors * lanes * contraction.groups.k &&
                          (panelType() == factor || contraction.groups.k > 1);
    return asItLies ? registersPerStream(machine, shape.rows, vectors) : 0;
  }

  /// Emits iterations that load several elements together, from pointers that each iteration advances. A panel that
  /// streams has a pointer, too.
  SmallVector<Value> reduceByPointers(int64_t size, int64_t unroll, ValueRange accumulators, Value lhs, Value rhs) {
    SmallVector<Value> carried(accumulators);
    carried.append(elements.pointers(lhs));
    const size_t pointers = carried.size() - accumulators.size();
    const int64_t streamed = registersStreamed();
    if (streamed)
      carried.push_back(build.pointer(panel.buffer, rhs));
    // Count up to zero if the panel streams, because nothing else needs the counter then. This saves a comparison.
    const int64_t from = streamed ? -size : 0;
    SmallVector<Value> results = build.loop(from, from + size, unroll, carried, [&](Position step, ValueRange carried) {
      RowElements::Iteration rows = elements.iteration(carried.slice(accumulators.size(), pointers), unroll);
      const ValueRange before = carried.take_front(accumulators.size());
      SmallVector<Value> next;
      if (streamed) {
        ColumnStream stream(build, streamed, vectorOfFactors(), carried.back());
        next = straight.multiplyAdd(before, Value(), unroll, rows.elementOf, &stream);
        rows.next.push_back(stream.end());
      } else {
        next = straight.multiplyAdd(before, build.address({{rhs, 0}, step}, {1, panel.strides.back()}, 0), unroll,
                                    rows.elementOf);
      }
      next.append(rows.next);
      return next;
    });
    results.truncate(accumulators.size());
    return results;
  }

  SmallVector<Value> reduceInOrder(int64_t size, int64_t unroll, ValueRange accumulators, Value lhs, Value rhs) {
    InOrderLoop::Stand first = {elements.pointers(lhs), build.pointer(panel.buffer, rhs)};
    auto extended = [&](Value value) { return elements.extend(value); };
    return InOrderLoop(build, machine, vectorOfFactors(), vectors, elements.inMemory(),
                       panel.strides.back() * bytesOfElement(panelType()), unroll, extended)
        .reduce(accumulators, first, size);
  }

  /// Adds up `steps` steps without a loop. `byVectors`: a row's elements are loaded as vectors of `steps` elements.
  /// Columns lie at `from.rhs`, or come from `stream` if it is not null.
  SmallVector<Value> multiplyAdd(ValueRange accumulators, const Stand &from, int64_t steps, bool byVectors,
                                 ColumnStream *stream = nullptr) {
    return straight.multiplyAdd(accumulators, from.rhs, steps, elements.straight(from.lhs, steps, byVectors), stream,
                                from.ahead);
  }

  //===--------------------------------------------------------------------===//
  // 2. Epilogue and stores
  //===--------------------------------------------------------------------===//

  /// Finishes `sums`. If short sums are in memory, each row is loaded when it is finished, and added to its sums in
  /// registers that are not null.
  void finish(SmallVector<Value> sums, bool areInMemory = false) {
    if (machine.hasMixedSums())
      sums = sumsByRow(build, shape, sums, vectors);
    const int64_t lanesOfRow = machine.sumsOfRegister(), inRow = int64_t(sums.size()) / shape.rows;
    // If there are few registers, the epilogue loads its inputs together with the columns that need them.
    const int64_t together = hasFewRegisters ? epilogue.vectorsTogether(lanesOfRow) : inRow;
    for (int64_t vector = 0; vector < inRow; vector += together)
      for (int64_t row = 0; row < shape.rows; ++row) {
        if (together < inRow)
          build.fence();
        const auto distances = llvm::map_to_vector<6>(rowStrides, [row](int64_t stride) { return row * stride; });
        MutableArrayRef<Value> ofRow = MutableArrayRef(sums).slice(row * inRow, inRow);
        if (vector == 0)
          columns.order(ofRow);
        if (machine.hasShortSums())
          for (auto [number, sum] : llvm::enumerate(ofRow))
            sum = areInMemory                    ? waiting.total(row * inRow + int64_t(number), sum)
                  : epilogue.sumType() == factor ? sum
                                                 : waiting.widened(sum);
        epilogue.finishRow(ofRow, vectorsOfPart, lanesOfRow, shape.columns, distances,
                           [&](int64_t vector) { return begun.contains(row * inRow + vector); },
                           {vector, vector + together});
      }
  }

  VectorBuilder &build;
  const LoopedContraction &contraction;
  ArrayRef<Value> buffers;
  const Panel &panel;
  const DepthPart &part;
  const TileShape &shape;
  const Addresses &at;
  const MachineRow &machine;
  const unsigned lanes;
  const int64_t groups; ///< Number of groups of rows that one instruction multiplies
  const int64_t vectorsOfPart, vectors;
  ArrayRef<int64_t> rowStrides;
  /// True if registers hold only the columns of one load. LLVM must then not move loads to an earlier point.
  const bool hasFewRegisters;
  const SumBlocks blocks;
  const Type factor; ///< Type of a lane of columns when it is multiplied
  PanelColumns columns;
  TileSums waiting;
  RowElements elements;
  TileEpilogue epilogue;
  TilePrefetch prefetch;
  TileSteps straight;
  bool isLastBlock = true;            ///< True if the block that is being emitted ends the reduction
  llvm::SmallDenseSet<int64_t> begun; ///< Indices of the sums that began with the epilogue's bias
};

} // namespace

void emitTile(VectorBuilder &build, const LoopedContraction &contraction, ArrayRef<Value> buffers, const Panel &panel,
              const DepthPart &part, const TileShape &shape, const Addresses &at) {
  if (shape.machine.isOfMatrices())
    return emitMatrixTile(build, contraction, buffers, panel, part, shape, at);
  const bool hides = isOfWords(contraction) && !shape.machine.geometry.readsMemory && shape.rows > 1;
  TileEmitter(build, contraction, buffers, panel, part, shape, hides ? withColumnsHidden(build, contraction, at) : at)
      .emit();
}

void finishTile(VectorBuilder &build, const LoopedContraction &contraction, ArrayRef<Value> buffers, const Panel &panel,
                const DepthPart &part, const TileShape &shape, const Addresses &at) {
  TileEmitter(build, contraction, buffers, panel, part, shape, at).finishFromMemory();
}

} // namespace nacre::codegen::cpu
