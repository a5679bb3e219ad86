// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits transposes, which may include a cast or another elementwise body.
// Why:   both sides should be accessed in whole vectors, but no single loop is contiguous in both.
// How:   1. units of the cut axis are the same as in a nest. If both sides are contiguous along one loop, the emitter
//           declines, and the nest's emitter is better;
//        2. blocks of as many rows as a vector has lanes are transposed in registers. The last block overlaps the block
//           before it. This is correct because input and output never alias;
//        3. two or three rows become pixels, or pixels become rows, by one shuffle or one instruction.

#include "codegen/cpu/Emitters.h"
#include "codegen/cpu/TransposeInRegisters.h"
#include "codegen/cpu/VectorBody.h"
#include "codegen/cpu/nest/NestLoops.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

class PermuteEmitter : private NestLoops {
public:
  PermuteEmitter(const KernelForm &form, const NestStages &collected, KernelFunction &function)
      : NestLoops(form, collected, function) {
    // For narrow elements, x86 has efficient shuffles only within 128 bits.
    const unsigned lanesOf128Bits = 16 / output().bytes;
    interleaves =
        !builder.target.arm64 && output().bytes < 4 && input().bytes == output().bytes && width >= lanesOf128Bits;
    if (interleaves)
      width = lanesOf128Bits;
    widened = widenForHalves() > 1;
  }

  LogicalResult run();

private:
  struct Sides {
    unsigned read, written; ///< Loops along which the input and the output are contiguous
  };
  std::optional<Sides> findSides(const Nest &in) const;

  void emitBlock();
  void emitElements();
  void transpose(int64_t rows, int64_t columns);
  void interleave(int64_t rows);
  void deinterleave(int64_t rows);

  const NestOperand &operandOf(std::optional<unsigned> number) const {
    return (nest.operands.empty() ? whole : nest).operands[*number];
  }
  const NestOperand &input() const { return operandOf(stages.front().inputs.front().operand); }
  const NestOperand &output() const { return operandOf(stages.front().results.front().operand); }
  /// True if one NEON instruction loads or stores pixels of rows of `lanes` elements. `side` is the input or the
  /// output.
  bool hasPixels(unsigned lanes, const NestOperand &side) const {
    auto isBF16 = [](Value buffer) { return cast<MemRefType>(buffer.getType()).getElementType().isBF16(); };
    return builder.target.arm64 && !isBF16(inputBuffer()) && !isBF16(outputBuffer()) && lanes * side.bytes == 16 &&
           (widened || input().bytes == output().bytes);
  }
  Value inputBuffer() const { return function.buffers[input().argument]; }
  Value outputBuffer() const { return function.buffers[output().argument]; }
  Value compute(Value vector, unsigned lanes) {
    return builder.broadcast(inlineBody(builder, *stages.front().body, {vector, Value()}, lanes).front(), lanes);
  }
  void loopOverlapping(unsigned loop, int64_t step, llvm::function_ref<void()> body);

  Sides sides{0, 0};
  bool interleaves = false; ///< True if blocks are transposed by interleaving rows
  bool widened = false;     ///< True if a vector has as many lanes as a register has halves, but f32 values
};

//===----------------------------------------------------------------------===//
// 1. Units
//===----------------------------------------------------------------------===//

std::optional<PermuteEmitter::Sides> PermuteEmitter::findSides(const Nest &in) const {
  std::optional<unsigned> read, written;
  for (unsigned loop = 0; loop < in.loops.size(); ++loop) {
    if (in.loops[loop].size == 1)
      continue;
    if (in.operands[*stages.front().inputs.front().operand].strides[loop] == 1)
      read = loop;
    if (in.operands[*stages.front().results.front().operand].strides[loop] == 1)
      written = loop;
  }
  if (!read || !written || read == written)
    return std::nullopt;
  return Sides{*read, *written};
}

LogicalResult PermuteEmitter::run() {
  std::optional<Sides> found = findSides(whole);
  if (!found)
    return failure();
  // If the cut axis is one of the sides, process several of its indices together, then the remainder in blocks of
  // halving size.
  SmallVector<int64_t> blocks;
  if (cut == found->read || cut == found->written)
    for (int64_t rows = std::min<int64_t>(width, form.cutExtent); rows > 1; rows = llvm::PowerOf2Ceil(rows) / 2)
      blocks.push_back(rows);
  blocks.push_back(1);
  divideIntoUnits(estimateIndexCost(/*sweeps=*/2), blocks.front());
  emitUnits([&](Value low, Value high) { emitBlocks(whole, blocks, low, high, [&] { emitBlock(); }); });
  return success();
}

void PermuteEmitter::emitBlock() {
  std::optional<Sides> found = findSides(nest);
  if (!found)
    return emitElements();
  sides = *found;
  choice.loop = sides.read;
  rowLoop = sides.written;
  const int64_t read = nest.loops[sides.read].size, written = nest.loops[sides.written].size;
  emitParallelLoops(0, [&] {
    if (written <= 3 && read >= width && output().strides[sides.read] == written)
      interleave(written);
    else if (read <= 3 && written >= width && input().strides[sides.written] == read)
      deinterleave(read);
    else if (interleaves) {
      // Half of the registers are left for the results of a step.
      const int64_t columns = llvm::bit_floor(uint64_t(std::min<int64_t>(width, read)));
      const int64_t most = std::min<int64_t>({columns, written, builder.target.vectors.registers / 2});
      transpose(llvm::bit_floor(uint64_t(most)), columns);
    } else {
      const int64_t rows = llvm::bit_floor(uint64_t(std::min<int64_t>({width, read, written})));
      transpose(rows, rows);
    }
  });
}

/// Emits one index of a side: a row whose elements are not contiguous.
void PermuteEmitter::emitElements() {
  rowLoop.reset();
  emitParallelLoops(0, [&] {
    const int64_t size = choice.loop ? nest.loops[*choice.loop].size : 1, whole = size / width * width;
    auto emit = [&](const Piece &piece) {
      const Cell cell{0, piece};
      loaded.clear();
      Value value = load(*stages.front().inputs.front().operand, cell);
      store(*stages.front().results.front().operand, cell, compute(value, piece.width));
    };
    if (!choice.loop)
      return emit({0, 1, 1});
    builder.loop(0, whole, width, [&](Position counter) {
      at[*choice.loop] = counter;
      emit({0, width, width});
    });
    at[*choice.loop] = {Value(), whole};
    for (const Piece &piece : cutIntoPieces(size - whole, width, masks))
      emit(piece);
  });
}

/// Emits the iterations of `loop` in steps of `step`. The last step begins early enough to be whole.
void PermuteEmitter::loopOverlapping(unsigned loop, int64_t step, llvm::function_ref<void()> body) {
  const int64_t size = nest.loops[loop].size, main = size / step * step;
  builder.loop(0, main, step, [&](Position counter) {
    at[loop] = counter;
    body();
  });
  if (main == size)
    return;
  at[loop] = {Value(), size - step};
  body();
}

//===----------------------------------------------------------------------===//
// 2. Square blocks
//===----------------------------------------------------------------------===//

void PermuteEmitter::transpose(int64_t rows, int64_t columns) {
  const unsigned lanes = columns, written = rows;
  loopOverlapping(sides.written, rows, [&] {
    loopOverlapping(sides.read, columns, [&] {
      const Piece vector{0, lanes, lanes}, part{0, written, written};
      SmallVector<Value> values;
      for (int64_t row = 0; row < rows; ++row)
        values.push_back(builder.load(inputBuffer(), address(input(), {row, vector}), vector));
      for (Value &value : values)
        value = compute(value, lanes);
      interleaves ? transposeByInterleaving(builder, values) : transposeInRegisters(builder, values);
      int64_t column = 0;
      for (Value value : values)
        for (Value ofColumn : builder.split(value, written))
          builder.store(ofColumn, outputBuffer(), address(output(), {0, {column++, 1, 1}}), part);
    });
  });
}

//===----------------------------------------------------------------------===//
// 3. Pixels
//===----------------------------------------------------------------------===//

/// Turns rows into pixels. There are at most three rows, one for each channel.
void PermuteEmitter::interleave(int64_t rows) {
  const unsigned lanes = width, all = rows * lanes;
  const Piece vector{0, lanes, lanes};
  at[sides.written] = {Value(), 0};
  loopOverlapping(sides.read, lanes, [&] {
    Value values[3];
    for (int64_t row = 0; row < rows; ++row)
      values[row] = builder.load(inputBuffer(), address(input(), {row, vector}), vector);
    for (Value &value : MutableArrayRef(values).take_front(rows))
      value = compute(value, lanes);
    if (hasPixels(lanes, output()) && rows > 1)
      return builder.storeInterleavedAt(ArrayRef(values).take_front(rows),
                                        builder.pointer(outputBuffer(), address(output(), {0, vector})));
    Value former = values[0];
    if (rows == 3)
      former = vector::ShuffleOp::create(builder.ops, builder.loc, values[0], values[1],
                                         llvm::to_vector(llvm::seq<int64_t>(0, 2 * lanes)));
    SmallVector<int64_t> order;
    for (unsigned i = 0; i < all; ++i)
      order.push_back(i % rows * lanes + i / rows);
    Value pixels = vector::ShuffleOp::create(builder.ops, builder.loc, former, values[rows - 1], order);
    builder.store(pixels, outputBuffer(), address(output(), {0, vector}), {0, all, all});
  });
}

/// Turns pixels into rows, one for each channel.
void PermuteEmitter::deinterleave(int64_t rows) {
  const unsigned lanes = width, all = rows * lanes;
  at[sides.read] = {Value(), 0};
  loopOverlapping(sides.written, lanes, [&] {
    if (hasPixels(lanes, input()) && rows > 1) {
      Value pointer = builder.pointer(inputBuffer(), address(input(), {0, {0, lanes, lanes}}));
      auto type = VectorType::get({int64_t(lanes)}, cast<MemRefType>(inputBuffer().getType()).getElementType());
      for (auto [row, value] : llvm::enumerate(builder.loadInterleavedAt(pointer, rows, type)))
        builder.store(compute(value, lanes), outputBuffer(), address(output(), {0, {int64_t(row), 1, 1}}),
                      {0, lanes, lanes});
      return;
    }
    Value pixels = builder.load(inputBuffer(), address(input(), {0, {0, lanes, lanes}}), {0, all, all});
    for (int64_t row = 0; row < rows; ++row) {
      SmallVector<int64_t> order;
      for (int64_t lane = 0; lane < lanes; ++lane)
        order.push_back(lane * rows + row);
      Value value = vector::ShuffleOp::create(builder.ops, builder.loc, pixels, pixels, order);
      builder.store(compute(value, lanes), outputBuffer(), address(output(), {0, {row, 1, 1}}), {0, lanes, lanes});
    }
  });
}

} // namespace

LogicalResult emitPermute(plan::KernelOp kernel, KernelFunction &function) {
  FailureOr<KernelForm> form = parseKernel(kernel);
  if (failed(form))
    return failure();
  FailureOr<NestStages> collected = collectStages(*form);
  if (failed(collected) || collected->stages.size() != 1 || !collected->nest.windows.empty())
    return failure();
  const Stage &stage = collected->stages.front();
  if (stage.reduces || stage.inputs.size() != 1 || !stage.inputs.front().operand || stage.results.size() != 1 ||
      !stage.results.front().operand || stage.results.front().start)
    return failure();
  return PermuteEmitter(*form, *collected, function).run();
}

} // namespace nacre::codegen::cpu
