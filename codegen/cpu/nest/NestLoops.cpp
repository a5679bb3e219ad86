// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/nest/NestLoops.h"

#include "codegen/cpu/Halo.h"
#include "codegen/cpu/VectorBody.h"
#include "codegen/cpu/halves/HalfArithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nacre::codegen::cpu {

NestLoops::NestLoops(const KernelForm &form, const NestStages &collected, KernelFunction &function)
    : form(form), stages(collected.stages), whole(collected.nest), cut(collected.cut), cutAxes(collected.cutAxes),
      function(function), builder(function) {
  unsigned bits = 8;
  for (const Stage &stage : stages) {
    bits = std::max(bits, widestElementBits(*stage.body));
    cost += bodyCost(*stage.body);
  }
  width = sumWidth = std::max(1u, builder.target.vectors.bytes * 8 / bits);
  masks = llvm::all_of(whole.operands,
                       [&](const NestOperand &operand) { return hasMasks(builder.target, operand.bytes * 8); });
}

unsigned NestLoops::widenForBytes() {
  // AVX-512 widens and narrows whole registers of 32-bit values as it loads and stores them. Other machines pack two or
  // four registers.
  const VectorUnit &unit = builder.target.vectors;
  const unsigned lanes = unit.masks == VectorUnit::Masks::All ? 16 : unit.bytes, narrower = width;
  if (llvm::any_of(whole.operands, [](const NestOperand &operand) { return operand.bytes == 1; }))
    width = sumWidth = std::max(width, lanes);
  return width / narrower;
}

unsigned NestLoops::widenForHalves() {
  const unsigned narrower = width;
  width = widenedForHalves(builder.target, width, ValueRange(function.buffers).getTypes());
  return width / narrower;
}

//===----------------------------------------------------------------------===//
// 1. Units and blocks
//===----------------------------------------------------------------------===//

/// Returns the larger of two times: the time of the arithmetic, and the time to read and write bytes that no cache
/// holds.
double NestLoops::estimateIndexCost(unsigned sweeps) const {
  const MachineModel &model = builder.target.model;
  double instructions = double(sweeps) * whole.operands.size() * whole.countPoints(true) * whole.countPoints(false);
  for (const Stage &stage : stages) {
    double points = bodyCost(*stage.body);
    for (auto [loop, walks] : llvm::zip_equal(whole.loops, stage.walks))
      points *= walks ? loop.size : 1;
    instructions += points;
  }
  double bytes = 0;
  for (const NestOperand &operand : whole.operands) {
    double count = operand.bytes;
    for (auto [loop, stride] : llvm::zip_equal(whole.loops, operand.strides))
      if (stride != 0)
        count *= loop.size;
    bytes += count;
  }
  const double arithmetic = instructions / width / (model.instructionsPerCycle * model.gigahertz);
  return std::max(arithmetic, bytes / model.memoryBytesPerNanosecond()) / (cut ? form.cutExtent : 1);
}

void NestLoops::divideIntoUnits(double indexCost, int64_t multiple) {
  const int64_t extent = cut ? form.cutExtent : 1;
  function.unitsPerBlock = divideIndex(cpu::divideIntoUnits(function, indexCost, extent, multiple));
  function.unitCost /= function.unitsPerBlock;
  if (!cut)
    function.unitExtent = form.cutExtent;
}

/// Returns a number of equal parts of an index, about `wanted`. A part is some iterations of the outermost long loop.
int64_t NestLoops::divideIndex(int64_t wanted) {
  if (wanted == 1)
    return 1;
  for (auto [index, loop] : llvm::enumerate(whole.loops)) {
    const bool isWindow = llvm::any_of(
        whole.windows, [index = index](const NestWindow &window) { return window.coefficients[index] != 0; });
    if (!loop.parallel || loop.size == 1 || index == cut || isWindow)
      continue;
    const bool contiguous = llvm::any_of(
        whole.operands, [index = index](const NestOperand &operand) { return operand.strides[index] == 1; });
    const int64_t step = contiguous ? width : 1;
    for (int64_t parts = std::min(wanted, loop.size / step); parts > 1; --parts)
      if (loop.size % (parts * step) == 0) {
        split = index;
        return parts;
      }
  }
  return 1;
}

void NestLoops::emitUnits(llvm::function_ref<void(Value low, Value high)> body) {
  cpu::emitUnits(builder, function, [&](Value low, Value high, Value unitPart) {
    part = unitPart;
    body(low, high);
    // The first part of an index writes the halo of the index.
    if (part)
      builder.loop(part, builder.index(1), 1, [&](Position) { emitHalos(low, high); });
    else
      emitHalos(low, high);
  });
}

void NestLoops::emitHalos(Value low, Value high) {
  for (auto [index, tensor] : llvm::enumerate(form.written)) {
    Value buffer = function.buffers[tensor.slice.argument];
    if (cut)
      emitHalo(builder, buffer, tensor, cutAxes[index], low, high);
    else if (!tensor.slice.shape.empty())
      emitHalo(builder, buffer, tensor, 0, builder.index(0), builder.index(tensor.slice.shape[0]));
  }
}

namespace {

/// Returns the last of low, low + step, ... that is not above `high`. Returns `low` if `high` is below it.
Value emitRoundDown(VectorBuilder &builder, Value low, Value high, int64_t step) {
  if (step == 1)
    return high;
  OpBuilder &ops = builder.ops;
  Value distance = emitMax(builder, arith::SubIOp::create(ops, builder.loc, high, low), builder.index(0));
  Value rest = arith::RemUIOp::create(ops, builder.loc, distance, builder.index(step));
  Value rounded = arith::SubIOp::create(ops, builder.loc, distance, rest);
  return arith::AddIOp::create(ops, builder.loc, low, rounded, arith::IntegerOverflowFlags::nsw);
}

} // namespace

/// Returns `region` reduced to one part of an index.
Nest NestLoops::withoutParts(Nest region) const {
  if (split)
    takePart(region, *split, function.unitsPerBlock);
  return region;
}

void NestLoops::emitBlocks(Nest region, ArrayRef<int64_t> blocks, Value low, Value high,
                           llvm::function_ref<void()> body) {
  if (region.countPoints(true) == 0)
    return;
  auto emitBlock = [&](int64_t block, Value index) {
    nest = takeBlock(region, cut, block);
    cutIndex = index;
    at.assign(nest.loops.size(), Position());
    loaded.clear();
    choice = chooseVectorLoop(nest);
    rowLoop.reset();
    for (auto [loop, described] : llvm::enumerate(nest.loops))
      if (described.parallel && loop != choice.loop)
        rowLoop = loop;
    body();
  };
  region = withoutParts(std::move(region));
  if (!cut)
    return emitBlock(1, Value());
  for (int64_t block : blocks) {
    Value end = emitRoundDown(builder, low, high, block);
    builder.loop(low, end, block, [&](Position index) { emitBlock(block, index.counter); });
    low = end;
  }
}

bool NestLoops::foldsLanes(const Nest &region, unsigned vectors) const {
  return llvm::any_of(chooseBlocks(region, vectors), [&](int64_t block) {
    return chooseVectorLoop(takeBlock(withoutParts(region), cut, block)).horizontal;
  });
}

SmallVector<int64_t> NestLoops::chooseBlocks(const Nest &region, unsigned vectors) const {
  // In blocks of this many elements, the loop around the blocks costs no time.
  constexpr int64_t kBlockElements = 1024, kSmallKernel = 4096;
  if (!cut)
    return {1};
  const Nest one = takeBlock(region, cut, 1), two = takeBlock(region, cut, 2);
  const int64_t extent = region.loops[*cut].size, rest = std::max<int64_t>(1, one.countPoints(true));
  const bool joins = two.loops.size() <= std::max<size_t>(one.loops.size(), 1);
  const bool vectorized = chooseVectorLoop(region).loop == cut;
  const int64_t tile = int64_t(vectors) * width;
  int64_t block = 1;
  if (joins || vectorized) {
    block = llvm::alignTo(llvm::divideCeil(kBlockElements, rest), tile / std::gcd(rest, tile));
    if (rest >= kBlockElements)
      block = 1;
    else if (extent * rest * region.countPoints(false) <= kSmallKernel)
      block = extent;
  } else if (rest < tile) {
    block = vectors * width / sumWidth;
  }
  SmallVector<int64_t> blocks = {std::min(block, extent)};
  const int64_t oneVector = llvm::divideCeil(sumWidth, rest);
  if (blocks.front() > oneVector && oneVector > 1)
    blocks.push_back(oneVector);
  if (blocks.back() > 1)
    blocks.push_back(1);
  return blocks;
}

//===----------------------------------------------------------------------===//
// 2. Tiles
//===----------------------------------------------------------------------===//

void NestLoops::emitParallelLoops(unsigned loop, llvm::function_ref<void()> inner) {
  if (loop == nest.loops.size())
    return inner();
  if (!nest.loops[loop].parallel || loop == choice.loop || loop == rowLoop)
    return emitParallelLoops(loop + 1, inner);
  builder.loop(0, nest.loops[loop].size, 1, [&](Position counter) {
    at[loop] = counter;
    emitParallelLoops(loop + 1, inner);
  });
}

void NestLoops::emitRowLoop(int64_t rows, llvm::function_ref<void(int64_t)> inner) {
  if (!rowLoop)
    return inner(1);
  const int64_t size = nest.loops[*rowLoop].size, main = size / rows * rows;
  builder.loop(0, main, rows, [&](Position counter) {
    at[*rowLoop] = counter;
    inner(rows);
  });
  if (main == size)
    return;
  at[*rowLoop] = {Value(), main};
  inner(size - main);
}

int64_t NestLoops::countUnrolled(const Nest &block, const VectorChoice &blockChoice) const {
  int64_t iterations = 1;
  for (unsigned loop = block.loops.size(); loop-- > 0;) {
    if (block.loops[loop].parallel || loop == blockChoice.loop)
      continue;
    if (iterations * block.loops[loop].size > unrolledIterations)
      break;
    iterations *= block.loops[loop].size;
  }
  return iterations;
}

SmallVector<Value> NestLoops::emitReducingLoops(unsigned loop, ValueRange carried, ArrayRef<Combiner> combiners,
                                                int64_t times, LoopBody inner) {
  if (loop == nest.loops.size())
    return inner(carried);
  if (nest.loops[loop].parallel || loop == choice.loop)
    return emitReducingLoops(loop + 1, carried, combiners, times, inner);
  int64_t iterations = 1;
  for (unsigned i = loop; i < nest.loops.size(); ++i)
    if (!nest.loops[i].parallel && i != choice.loop)
      iterations *= nest.loops[i].size;
  if (iterations > unrolledIterations)
    return reduceInLoop(builder, nest.loops[loop].size, 1, iterations / nest.loops[loop].size * times, carried,
                        combiners, [&](Position counter, ValueRange values) {
                          at[loop] = counter;
                          return emitReducingLoops(loop + 1, values, combiners, times, inner);
                        });
  SmallVector<Value> current(carried);
  for (int64_t iteration = 0; iteration < nest.loops[loop].size; ++iteration) {
    at[loop] = {Value(), iteration};
    current = emitReducingLoops(loop + 1, current, combiners, times, inner);
  }
  return current;
}

SmallVector<Value> NestLoops::reduceLines(int64_t lines, int64_t chains, ArrayRef<Combiner> combiners,
                                          llvm::function_ref<SmallVector<Value>(ArrayRef<Cell>, ValueRange)> emit) {
  const int64_t size = nest.loops[*choice.loop].size, step = chains * width, main = size / step * step;
  const size_t results = combiners.size();
  SmallVector<Value> identities;
  for (const Combiner &combiner : combiners)
    identities.push_back(builder.broadcast(builder.constant(combiner.identity), width));
  SmallVector<Value> start;
  SmallVector<Combiner> ofChains;
  for (int64_t i = 0; i < lines * chains; ++i) {
    llvm::append_range(start, identities);
    llvm::append_range(ofChains, combiners);
  }
  auto cellsOf = [&](ArrayRef<Piece> pieces) {
    SmallVector<Cell> cells;
    for (int64_t line = 0; line < lines; ++line)
      for (const Piece &piece : pieces)
        cells.push_back({line, piece});
    return cells;
  };
  const int64_t times = llvm::divideCeil(size, step);
  return emitReducingLoops(0, start, ofChains, times, [&](ValueRange carried) {
    auto iteration = [&](Position counter, ValueRange values) {
      at[*choice.loop] = counter;
      return emit(cellsOf(cutIntoPieces(step, width, /*masks=*/false)), values);
    };
    SmallVector<Value> sums = reduceInLoop(builder, main, step, /*timesPerIteration=*/1, carried, ofChains, iteration);
    at[*choice.loop] = {Value(), main};
    for (auto [index, piece] : llvm::enumerate(cutIntoPieces(size - main, width, masks))) {
      // A short piece starts from the identity, and is folded into a chain.
      SmallVector<Value> initial;
      for (int64_t line = 0; line < lines; ++line)
        for (const Combiner &combiner : combiners)
          initial.push_back(builder.broadcast(builder.constant(combiner.identity), piece.width));
      for (auto [number, value] : llvm::enumerate(emit(cellsOf(piece), initial))) {
        const size_t line = number / results, result = number % results;
        Value &chain = sums[(line * chains + index % chains) * results + result];
        chain = combiners[result].combine(builder, chain, builder.widen(value, piece, identities[result], width));
      }
    }
    return sums;
  });
}

SmallVector<Value> NestLoops::computeMap(const Stage &stage, SmallVector<Value> arguments, unsigned lanes,
                                         const BodyHints &hints) {
  for (const StageResult &result : stage.results)
    arguments.push_back(result.start ? builder.constant(result.start) : Value());
  return inlineBody(builder, *stage.body, arguments, lanes, hints);
}

/// Returns the address of an operand's element for lane 0 of a cell.
Value NestLoops::address(const NestOperand &operand, const Cell &cell) {
  SmallVector<Position> positions(at);
  SmallVector<int64_t> strides(operand.strides);
  if (rowLoop)
    positions[*rowLoop] = positions[*rowLoop] + cell.row;
  if (choice.loop)
    positions[*choice.loop] = positions[*choice.loop] + cell.piece.offset;
  positions.append({{cutIndex, 0}, {part, 0}});
  strides.append({operand.cutStride, operand.partStride});
  return builder.address(positions, strides, operand.offset);
}

int64_t NestLoops::vectorStride(const NestOperand &operand) const {
  return choice.loop ? operand.strides[*choice.loop] : 0;
}

Value NestLoops::load(unsigned index, const Cell &cell) {
  const NestOperand &operand = nest.operands[index];
  const int64_t stride = vectorStride(operand);
  const int64_t row = rowLoop ? cell.row * operand.strides[*rowLoop] : 0;
  Value &value = loaded[{{int64_t(index), row}, {stride * cell.piece.offset, stride == 0 ? 0 : cell.piece.lanes}}];
  if (value)
    return value;
  Value buffer = function.buffers[operand.argument];
  if (stride == 0)
    return value = builder.loadScalar(buffer, address(operand, cell));
  if (stride == 1)
    return value = builder.load(buffer, address(operand, cell), cell.piece);
  return value = builder.loadStrided(buffer, address(operand, cell), stride, cell.piece);
}

void NestLoops::store(unsigned index, const Cell &cell, Value value) {
  const NestOperand &operand = nest.operands[index];
  const int64_t stride = vectorStride(operand);
  Value buffer = function.buffers[operand.argument];
  if (cell.piece.width == 1 && !isa<VectorType>(value.getType()))
    return builder.storeScalar(value, buffer, address(operand, cell));
  Value vector = builder.broadcast(value, cell.piece.width);
  if (stride == 1 || cell.piece.lanes == 1)
    return builder.store(vector, buffer, address(operand, cell), cell.piece);
  builder.storeStrided(vector, buffer, address(operand, cell), stride, cell.piece);
}

} // namespace nacre::codegen::cpu
