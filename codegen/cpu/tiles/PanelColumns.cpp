// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/tiles/PanelColumns.h"

#include "codegen/cpu/VectorMath.h"
#include "codegen/form/RightDecode.h"
#include "dialects/StoredBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace nacre::codegen::cpu {

static SmallVector<Value, 2> halvesOf(VectorBuilder &build, Value both) {
  const int64_t lanes = cast<VectorType>(both.getType()).getNumElements() / 2;
  SmallVector<Value, 2> halves;
  for (int64_t half : {0, 1})
    halves.push_back(vector::ExtractStridedSliceOp::create(build.ops, build.loc, both, ArrayRef<int64_t>{half * lanes},
                                                           ArrayRef<int64_t>{lanes}, ArrayRef<int64_t>{1}));
  return halves;
}

PanelColumns::PanelColumns(VectorBuilder &build, const MachineRow &machine, Value buffer,
                           const std::optional<RightDecode> &decode, Type type, int64_t vectors, bool lastIsHalf)
    : build(build), buffer(buffer), type(type), lanes(machine.step.lanes), vectors(vectors), lastLanes(lanes) {
  const Type from = cast<MemRefType>(buffer.getType()).getElementType();
  elementsOfLane = type.isInteger() ? bytesOfElement(type) / bytesOfElement(from) : 1;
  assert((!decode || decode->stored == from) && "a panel has the elements that its contraction describes");
  if (decode && type.isF32() && from.isBF16())
    pairs = Pairs::EvenAndOdd;
  else if (decode && type.isF32() && from.isF16() && machine.geometry.registersPerLoad > 1)
    pairs = Pairs::Halves;
  else if (lastIsHalf && from == type)
    lastLanes = lanes / 2;
}

Value PanelColumns::loadLanes(Value row, int64_t vector, int64_t count) {
  if (elementsOfLane > 1)
    return build.loadWords(buffer, build.add(row, vector * lanes * elementsOfLane), count, type);
  return build.load(buffer, build.add(row, vector * lanes), {0, unsigned(count), unsigned(count)});
}

SmallVector<Value, 2> PanelColumns::load(Value row, int64_t vector) {
  auto widened = [&](Value columns) {
    return getElementTypeOrSelf(columns.getType()) == type ? columns : emitExtend(build, columns, type);
  };
  if (!isPair(vector))
    return {widened(loadLanes(row, vector, lanesOf(vector)))};
  Value both = loadLanes(row, vector, 2 * lanes);
  if (pairs == Pairs::EvenAndOdd)
    return evenAndOdd(both);
  return halvesOf(build, widened(both));
}

/// Widens the even and the odd columns of `both` to f32 values. Every 32 bits hold two bf16 values. The lower value
/// becomes f32 by a shift, the upper value by masking the lower half.
SmallVector<Value, 2> PanelColumns::evenAndOdd(Value both) {
  auto words = VectorType::get({lanes}, build.ops.getI32Type());
  Term bits{&build, vector::BitCastOp::create(build.ops, build.loc, words, both)};
  Term even = bits.op<arith::ShLIOp>(bits.value, bits.integer(16).value);
  return {even.f32().value, (bits & bits.integer(int64_t(0xffff0000))).f32().value};
}

void PanelColumns::order(MutableArrayRef<Value> sums) {
  if (!reorders())
    return;
  for (int64_t vector = 0; isPair(vector); vector += 2) {
    Value even = sums[vector], odd = sums[vector + 1];
    for (int64_t half : {0, 1}) {
      SmallVector<int64_t> from;
      for (int64_t lane = half * lanes / 2; lane < (half + 1) * lanes / 2; ++lane)
        from.append({lane, lanes + lane});
      sums[vector + half] = vector::ShuffleOp::create(build.ops, build.loc, even, odd, from);
    }
  }
}

Value ColumnStream::next() {
  if (used == loaded.size()) {
    assert((perLoad == 4 || perLoad == 2) && "no other instructions are known");
    auto pair = VectorType::get({2 * type.getNumElements()}, type.getElementType());
    if (perLoad == 4)
      loaded = build.loadFourAt(pointer, type);
    else
      loaded = halvesOf(build, type.getElementType().isInteger() ? build.loadWordsAt(pointer, pair)
                                                                 : build.loadAt(pointer, pair));
    pointer = build.moved(pointer, perLoad * type.getNumElements() * bytesOfElement(type.getElementType()));
    used = 0;
  }
  return loaded[used++];
}

} // namespace nacre::codegen::cpu
