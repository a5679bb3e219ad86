// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/tiles/TileSums.h"

#include "codegen/cpu/VectorMath.h"
#include "codegen/cpu/tiles/RowElements.h"
#include "dialects/StoredBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace nacre::codegen::cpu {

SumBlocks sumBlocksOf(const MachineRow &machine, const LoopedContraction &contraction, const DepthPart &part) {
  SmallVector<int64_t> loops = {part.steps};
  for (const ContractionLoop &loop : llvm::drop_begin(contraction.depth, part.level + 1))
    loops.push_back(loop.size);
  const bool takesManySteps = loadsRowVectors(machine, contraction) || loadsRowsTogether(machine, contraction);
  if (contraction.isOfIntegers()) // Integers have no rounding errors.
    return {part.level, part.steps, false};
  const int64_t unroll = takesManySteps ? stepsOfLargeTiles(machine) : 1;
  SumBlocks blocks = machine.hasShortSums() ? chooseSumBlocks(loops, unroll, contraction.halfSums, contraction.halfSums)
                                            : chooseSumBlocks(loops, unroll);
  blocks.level += part.level;
  return blocks;
}

TileSums::TileSums(VectorBuilder &build, const DepthPart &part, const TileShape &shape, int64_t vectors,
                   unsigned lastLanes, Type type)
    : build(build), part(part), shape(shape), vectors(vectors), lastLanes(lastLanes),
      type(VectorType::get({shape.machine.sumsOfRegister()}, type)) {
  if (!part.sums || shape.machine.geometry.registersPerLoad == 1 || vectors == 1)
    return;
  pointers.push_back(build.pointer(part.sums, part.sumsAt));
  while (int64_t(pointers.size()) < shape.machine.groupsOf(shape.rows))
    pointers.push_back(build.moved(pointers.back(), groupStride() * bytesOfElement(type)));
}

/// Returns the lanes of the register of sums with index `number`; all of them are valid.
Piece TileSums::pieceOf(int64_t number) const {
  const unsigned width = (number + 1) % vectors == 0 ? lastLanes : type.getNumElements();
  return {0, width, width};
}

Value TileSums::addressOf(int64_t number) {
  return build.add(part.sumsAt, number / vectors * groupStride() + number % vectors * type.getNumElements());
}

Value TileSums::pointerOf(int64_t number) {
  return build.add(pointers[number / vectors],
                   number % vectors * type.getNumElements() * bytesOfElement(type.getElementType()));
}

Value TileSums::widened(Value sum) {
  const Type element = type.getElementType();
  return getElementTypeOrSelf(sum.getType()) == element ? sum : emitExtend(build, sum, element);
}

SmallVector<Value> TileSums::load() {
  SmallVector<Value> sums;
  for (int64_t number = 0; number < count(); ++number)
    sums.push_back(load(number));
  return sums;
}

Value TileSums::load(int64_t number) {
  return pointers.empty() ? build.load(part.sums, addressOf(number), pieceOf(number))
                          : build.loadAt(pointerOf(number), type);
}

SmallVector<Value> TileSums::addedTo(ArrayRef<Value> sums) {
  SmallVector<Value> added;
  for (auto [sum, before] : llvm::zip_equal(sums, load()))
    added.push_back(type.getElementType().isInteger()
                        ? arith::AddIOp::create(build.ops, build.loc, before, sum).getResult()
                        : arith::AddFOp::create(build.ops, build.loc, before, widened(sum)).getResult());
  return added;
}

void TileSums::store(ArrayRef<Value> sums) {
  for (auto [number, sum] : llvm::enumerate(sums))
    store(number, sum);
}

void TileSums::store(int64_t number, Value sum) {
  pointers.empty() ? build.store(widened(sum), part.sums, addressOf(number), pieceOf(number))
                   : build.storeAt(widened(sum), pointerOf(number));
}

void TileSums::add(ArrayRef<Value> sums) {
  for (auto [number, sum] : llvm::enumerate(sums))
    store(number, total(number, sum));
}

Value TileSums::total(int64_t number, Value sums) {
  Value before = load(number);
  return sums ? arith::AddFOp::create(build.ops, build.loc, before, widened(sums)).getResult() : before;
}

/// Returns the lanes that hold sum `number` of each column of the row `row`, in two registers of sums.
static SmallVector<int64_t> lanesOf(const MachineRow &machine, int64_t row, int64_t number) {
  SmallVector<int64_t> from;
  for (int64_t half : {0, 1})
    for (int64_t lane = 0; lane < machine.step.lanes; ++lane)
      from.push_back(((machine.step.rows * half + row) * machine.step.lanes + lane) * machine.step.sumsOfLane + number);
  return from;
}

SmallVector<Value> sumsByRow(VectorBuilder &build, const TileShape &shape, ArrayRef<Value> sums, int64_t vectors) {
  const MachineRow &machine = shape.machine;
  assert(machine.step.rows * machine.step.sumsOfLane == 2 && "no other instructions are known");
  SmallVector<Value> ofRows;
  for (int64_t row = 0; row < shape.rows; ++row)
    for (int64_t vector = 0; vector < vectors; vector += 2) {
      const int64_t first = row / machine.step.rows * vectors + vector;
      // If the number of registers is odd, the last one has no neighbour.
      Value next = sums[vector + 1 < vectors ? first + 1 : first];
      auto part = [&](int64_t number) -> Value {
        return vector::ShuffleOp::create(build.ops, build.loc, sums[first], next,
                                         lanesOf(machine, row % machine.step.rows, number));
      };
      Value all = part(0);
      for (int64_t number = 1; number < machine.step.sumsOfLane; ++number)
        all = isa<FloatType>(getElementTypeOrSelf(all.getType()))
                  ? arith::AddFOp::create(build.ops, build.loc, all, part(number)).getResult()
                  : arith::AddIOp::create(build.ops, build.loc, all, part(number)).getResult();
      ofRows.push_back(all);
    }
  return ofRows;
}

} // namespace nacre::codegen::cpu
