// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the part of ContractionGrid for operands: the addresses of their elements, and loads.
// Why:   ContractionGrid.h explains the class.

#include "codegen/gpu/contraction/ContractionGrid.h"

#include "codegen/gpu/InlineBody.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// Returns the address of iteration `flat` of the nested `loops`. The last loop is counted in groups of `step`
/// iterations.
Value ContractionGrid::addressOf(unsigned operand, ArrayRef<ContractionLoop> loops, Value flat, int64_t step) {
  Value address = build.constant(0);
  for (unsigned level = loops.size(); level-- > 0;) {
    const ContractionLoop &loop = loops[level];
    const bool last = level + 1 == loops.size();
    const int64_t iterations = last ? loop.size / step : loop.size, stride = loop.strides[operand] * (last ? step : 1);
    Value index = level == 0 ? flat : build.remainder(flat, iterations);
    const bool isDepth = loops.data() == contraction.depth.data();
    address = build.add(address, isDepth ? depthOffset(operand, level, index, last ? step : 1)
                                         : build.multiply(index, scaled(operand, stride)));
    if (level != 0)
      flat = build.divide(flat, iterations);
  }
  return address;
}

Value ContractionGrid::depthOffset(unsigned operand, unsigned level, Value index, int64_t step) {
  Value offset = build.multiply(index, scaled(operand, contraction.depth[level].strides[operand] * step));
  if (overlaps(operand, level))
    return build.least(offset, build.constant(words->overlap->largest));
  return offset;
}

Value ContractionGrid::rowAddress(unsigned operand, Value row, int64_t further) {
  if (reaches[operand] == Reach::Rows)
    return addressOf(operand, tiledRows(), build.divide(build.add(row, further), width(operand)), width(operand));
  if (tiledRows().size() > 1)
    return addressOf(operand, tiledRows(), build.add(row, further), 1);
  const int64_t stride = scaled(operand, tiledRows().front().strides[operand]);
  return build.add(build.multiply(row, stride), further * stride);
}

Value ContractionGrid::tileRowAddress(unsigned operand, Value row, int64_t further) {
  row = build.add(firstRow, row);
  if (enoughRows)
    return rowAddress(operand, row, further);
  return rowAddress(operand, build.least(build.add(row, further), build.subtract(rowLimit, build.constant(1))));
}

Value ContractionGrid::depthAddress(unsigned operand, Value step) {
  if (std::optional<int64_t> stride = linearDepth(operand))
    return build.multiply(step, *stride);
  if (reaches[operand] == Reach::Depth)
    return addressOf(operand, contraction.depth, build.divide(step, width(operand)), width(operand));
  return addressOf(operand, contraction.depth, step, 1);
}

std::optional<int64_t> ContractionGrid::linearDepth(unsigned operand) const {
  if (reaches[operand] == Reach::Depth || overlaps(operand))
    return std::nullopt;
  ArrayRef<ContractionLoop> loops = contraction.depth;
  for (unsigned level = 0; level + 1 < loops.size(); ++level)
    if (loops[level].strides[operand] != loops[level + 1].strides[operand] * loops[level + 1].size)
      return std::nullopt;
  return scaled(operand, loops.back().strides[operand]);
}

Value ContractionGrid::columnAddress(unsigned operand, Value quad, unsigned lane) {
  const bool several = reaches[operand] == Reach::Columns;
  if (operand == Contraction::Rhs && panels) {
    const int64_t panel = panels->width, unit = width(operand);
    Value column = several ? quad : build.add(build.multiply(quad, 4), lane);
    return build.add(build.multiply(build.divide(column, panel / unit), panels->stride / unit),
                     build.multiply(build.remainder(column, panel / unit), panels->k));
  }
  if (several)
    return quad;
  return build.multiply(build.add(build.multiply(quad, 4), lane),
                        scaled(operand, contraction.columns.strides[operand]));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ContractionGrid::load(unsigned operand, Value address) {
  const unsigned argument = contraction.operands[operand].argument;
  if (words && operand == Contraction::Lhs && words->joinedBytes > 0)
    return loadJoined(argument, address);
  Value buffer =
      isOfWords(operand) ? function.words(argument, width(operand)) : function.buffer(argument, width(operand));
  return memref::LoadOp::create(build.ops, build.loc, buffer, ValueRange{address});
}

/// Loads the bytes of a word one by one. The word has zeros after its last byte.
Value ContractionGrid::loadJoined(unsigned argument, Value address) {
  Value word;
  for (int64_t number = 0; number < words->joinedBytes; ++number) {
    Value byte = memref::LoadOp::create(build.ops, build.loc, function.buffer(argument, 1),
                                        ValueRange{build.add(address, number)});
    Value bits = arith::ExtUIOp::create(build.ops, build.loc, accumulator(), byte);
    if (number == 0) {
      word = bits;
      continue;
    }
    Value distance = arith::ConstantIntOp::create(build.ops, build.loc, accumulator(), 8 * number);
    word =
        arith::OrIOp::create(build.ops, build.loc, word, arith::ShLIOp::create(build.ops, build.loc, bits, distance));
  }
  return word;
}

Value ContractionGrid::loadQuad(unsigned operand, Value address, Value quad) {
  if (reaches[operand] == Reach::Columns)
    return load(operand, build.add(address, columnAddress(operand, quad, 0)));
  if (contraction.columns.strides[operand] == 0 && !(operand == Contraction::Rhs && panels))
    return broadcast(build.ops, build.loc, load(operand, address), 4);
  SmallVector<Value, 4> lanes;
  const int64_t last = contraction.columns.size - 1;
  for (unsigned lane = 0; lane < 4; ++lane) {
    Value column = build.least(build.add(build.multiply(quad, 4), lane), build.constant(last));
    Value at = build.multiply(column, contraction.columns.strides[operand]);
    if (operand == Contraction::Rhs && panels)
      at = build.add(build.multiply(build.divide(column, panels->width), panels->stride),
                     build.multiply(build.remainder(column, panels->width), panels->k));
    lanes.push_back(load(operand, build.add(address, at)));
  }
  return vector::FromElementsOp::create(build.ops, build.loc, VectorType::get({4}, lanes.front().getType()), lanes);
}

std::array<Value, 2> ContractionGrid::loadPair(Value address, Value quad) {
  const int64_t quadsOfPanel = panels->width / 4;
  Value panel = build.multiply(build.divide(quad, quadsOfPanel), panels->stride);
  Value within = build.multiply(build.remainder(quad, quadsOfPanel), 8);
  Value first = build.divide(build.add(address, build.add(panel, within)), 4);
  Value buffer = function.words(contraction.operands[Contraction::Rhs].argument, 4);
  SmallVector<Value, 8> loaded; // The two words of each column.
  for (int64_t half = 0; half < 2; ++half) {
    Value four = memref::LoadOp::create(build.ops, build.loc, buffer, ValueRange{build.add(first, half)});
    for (int64_t lane = 0; lane < 4; ++lane)
      loaded.push_back(vector::ExtractOp::create(build.ops, build.loc, four, lane));
  }
  auto quadOf = [&](unsigned step) -> Value {
    return vector::FromElementsOp::create(
        build.ops, build.loc, quadType(),
        ValueRange{loaded[step], loaded[2 + step], loaded[4 + step], loaded[6 + step]});
  };
  Value ofFirst = quadOf(0);
  return {ofFirst, quadOf(1)};
}

Value ContractionGrid::loadStep(Value step, bool mayLieBeyond, llvm::function_ref<Value(Value)> load) {
  return mayLieBeyond ? zeroBeyond(step, load(someStep(step))) : load(step);
}

Value ContractionGrid::someStep(Value step) {
  Value inside = build.isBelow(step, build.constant(contraction.depthSize()));
  return arith::SelectOp::create(build.ops, build.loc, inside, step, build.constant(0));
}

Value ContractionGrid::zeroBeyond(Value step, Value value) {
  Value inside = build.isBelow(step, build.constant(contraction.depthSize()));
  Type type = value.getType();
  if (auto vector = dyn_cast<VectorType>(type))
    inside = vector::BroadcastOp::create(build.ops, build.loc, vector.clone(build.ops.getI1Type()), inside);
  Value zero = arith::ConstantOp::create(build.ops, build.loc, build.ops.getZeroAttr(type));
  return arith::SelectOp::create(build.ops, build.loc, inside, value, zero);
}

LeftSource::Values ContractionGrid::makeLeft(ValueRange row, Value step, int64_t quads, bool mayLieBeyond) {
  const int64_t size = contraction.depthSize();
  auto isInside = [&](int64_t further) { return build.isBelow(build.add(step, further), build.constant(size)); };
  Value first = mayLieBeyond ? someStep(step) : step;
  const LeftSource::Values shared = left->loadShared(first, quads), own = left->load(row, first, quads);
  LeftSource::Values made = left->make(row, shared, own, quads);
  if (!mayLieBeyond)
    return made;
  for (auto [number, quad] : llvm::enumerate(made)) {
    SmallVector<Value, 4> inside;
    for (int64_t lane = 0; lane < 4; ++lane)
      inside.push_back(isInside(4 * number + lane));
    auto type = cast<VectorType>(quad.getType());
    Value mask = vector::FromElementsOp::create(build.ops, build.loc, type.clone(build.ops.getI1Type()), inside);
    Value zero = arith::ConstantOp::create(build.ops, build.loc, build.ops.getZeroAttr(type));
    quad = arith::SelectOp::create(build.ops, build.loc, mask, quad, zero);
  }
  return made;
}

Value ContractionGrid::clampedQuad(Value quad, int64_t width) {
  if (exactColumns)
    return quad;
  return build.least(quad, build.constant(llvm::divideCeil(contraction.columns.size, width) - 1));
}

Value ContractionGrid::extended(Value value) {
  if (getElementTypeOrSelf(value.getType()) == accumulator())
    return value;
  if (getElementTypeOrSelf(value.getType()).isInteger())
    value = extendStoredBf16(build.ops, build.loc, value);
  Type type = accumulator();
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(type);
  if (value.getType() == type)
    return value;
  return arith::ExtFOp::create(build.ops, build.loc, type, value);
}

Value ContractionGrid::zeroQuad() {
  return arith::ConstantOp::create(build.ops, build.loc, build.ops.getZeroAttr(quadType()));
}

Value ContractionGrid::multiplyAdd(Value left, Value right, Value sum) {
  if (words)
    return addDotProducts(build.ops, build.loc, *words, left, right, sum);
  if (!isa<VectorType>(left.getType()))
    left = vector::BroadcastOp::create(build.ops, build.loc, quadType(), left);
  return vector::FMAOp::create(build.ops, build.loc, left, right, sum);
}

Value ContractionGrid::sumOf(Value a, Value b) {
  if (accumulator().isInteger())
    return arith::AddIOp::create(build.ops, build.loc, a, b);
  return arith::AddFOp::create(build.ops, build.loc, a, b);
}

} // namespace nacre::codegen::gpu
