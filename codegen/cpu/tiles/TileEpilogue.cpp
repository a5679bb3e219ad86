// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector with only some valid columns is finished in pieces, so that no other columns are read or written.

#include "codegen/cpu/tiles/TileEpilogue.h"

#include "codegen/cpu/VectorBody.h"
#include "codegen/cpu/bytes/NarrowToBytes.h"
#include "codegen/cpu/tiles/HalfBody.h"
#include "dialects/StoredBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::cpu {

Addresses advanced(VectorBuilder &build, const Addresses &at, const ContractionLoop &loop, Position index) {
  Addresses moved;
  for (auto [address, stride] : llvm::zip_equal(at, loop.strides))
    moved.push_back(build.address({{address, 0}, index}, {1, stride}, 0));
  return moved;
}

Addresses withColumnsHidden(VectorBuilder &build, const LoopedContraction &contraction, const Addresses &at) {
  Addresses hidden(at);
  for (auto [operand, address] : llvm::enumerate(hidden))
    if (operand != Contraction::Lhs && contraction.rows.back().strides[operand] == 0)
      address = build.hidden(address);
  return hidden;
}

TileEpilogue::TileEpilogue(VectorBuilder &build, const Contraction &contraction, ArrayRef<Value> buffers,
                           const Addresses &at, InHalves halves)
    : build(build), contraction(contraction), buffers(buffers), at(at), typeOfSums(contraction.accumulatorType) {
  if (!contraction.epilogue)
    return;
  body = contraction.epilogue->body;
  if (halves != InHalves::None) {
    SmallVector<unsigned> sums;
    if (halves == InHalves::Sums) {
      typeOfSums = build.ops.getF16Type();
      for (auto [number, part] : llvm::enumerate(contraction.productInputs))
        if (part)
          sums.push_back(number);
    }
    inHalves = bodyInHalves(*body, sums);
    body = inHalves.get();
  }
  if (contraction.parts != 1)
    return;
  const auto *productInput = llvm::find(contraction.productInputs, std::optional<unsigned>(0));
  Value product = body->getArgument(productInput - contraction.productInputs.begin());
  if (!product.hasOneUse() || product.getType() != contraction.accumulatorType)
    return;
  Operation *addition = *product.user_begin();
  if (!isa<arith::AddFOp, arith::AddIOp>(addition))
    return;
  auto addend = dyn_cast<BlockArgument>(addition->getOperand(addition->getOperand(0) == product ? 1 : 0));
  if (!addend || addend.getArgNumber() >= contraction.epilogue->inputs.size())
    return;
  // The product is an input of the epilogue, but not an operand of the kernel.
  const auto before = llvm::ArrayRef(contraction.productInputs).take_front(addend.getArgNumber());
  biasOperand = Contraction::Extra + unsigned(llvm::count(before, std::nullopt));
  biased = addition->getResult(0);
}

Value TileEpilogue::beginning(unsigned lanes, int64_t column, int64_t valid) {
  if (valid < lanes)
    return {};
  return build.broadcast(loadInput(*biasOperand, /*row=*/0, column, {0, lanes, lanes}), lanes);
}

SmallVector<Value> TileEpilogue::beginningsOfRows(int64_t rows, int64_t vectors, VectorType type) {
  Value buffer = buffers[contraction.operands[*biasOperand].argument];
  if (contraction.columns.strides[*biasOperand] != 1 ||
      cast<MemRefType>(buffer.getType()).getElementType() != type.getElementType())
    return {};
  const int64_t bytes = type.getNumElements() * bytesOfElement(type.getElementType());
  SmallVector<Value> sums;
  Value pointer = build.pointer(buffer, at[*biasOperand]);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t vector = 0; vector < vectors; ++vector)
      sums.push_back(build.loadAt(build.add(pointer, vector * bytes), type));
    pointer = build.moved(pointer, 0); // Moves by zero bytes, to hide from LLVM that each row loads the same values.
  }
  return sums;
}

int64_t TileEpilogue::vectorsTogether(unsigned lanes) const {
  constexpr unsigned lanesOfBytes = 16;
  const bool hasBytes = llvm::all_of(
      contraction.results, [&](unsigned result) { return contraction.operands[result].elementType.isInteger(8); });
  return hasBytes && narrowsByShorts(build.target) ? std::max(1u, lanesOfBytes / lanes) : 1;
}

void TileEpilogue::finish(ArrayRef<Value> sums, unsigned lanes, const Distances &row, int64_t column, int64_t valid,
                          bool begun) {
  const unsigned bits = contraction.operands[Contraction::Result].elementType.getIntOrFloatBitWidth();
  for (Piece piece : cutIntoPieces(valid, lanes, hasMasks(build.target, bits))) {
    SmallVector<Value> parts(sums);
    if (piece.width != lanes)
      for (Value &part : parts)
        part = vector::ExtractStridedSliceOp::create(build.ops, build.loc, part, ArrayRef<int64_t>{piece.offset},
                                                     ArrayRef<int64_t>{int64_t(piece.width)}, ArrayRef<int64_t>{1});
    const int64_t first = column + piece.offset;
    const Piece there = {0, piece.lanes, piece.width};
    for (auto [result, value] : llvm::zip_equal(contraction.results, apply(parts, row, first, there, begun)))
      build.store(value, buffers[contraction.operands[result].argument],
                  build.add(at[result], row[result] + first * contraction.columns.strides[result]), there);
  }
}

void TileEpilogue::finishRow(ArrayRef<Value> sums, int64_t vectorsOfPart, int64_t lanes, int64_t columns,
                             const Distances &row, llvm::function_ref<bool(int64_t vector)> isBegun,
                             VectorRange range) {
  const int64_t valid = std::min<int64_t>(llvm::divideCeil(columns, lanes), range.end);
  for (int64_t vector = range.first, together = 1; vector < valid; vector += together) {
    auto isLikeFirst = [&](int64_t other) {
      return sums[other].getType() == sums[vector].getType() && isBegun(other) == isBegun(vector);
    };
    together = vectorsTogether(cast<VectorType>(sums[vector].getType()).getNumElements());
    while (together > 1 &&
           (vector + together > valid || !llvm::all_of(llvm::seq(vector, vector + together), isLikeFirst)))
      together /= 2;
    SmallVector<Value> ofParts;
    for (int64_t part = 0; part < contraction.parts; ++part)
      ofParts.push_back(build.join(sums.slice(part * vectorsOfPart + vector, together)));
    const int64_t column = vector * lanes;
    const unsigned width = cast<VectorType>(ofParts.front().getType()).getNumElements();
    finish(ofParts, width, row, column, std::min<int64_t>(width, columns - column), isBegun(vector));
  }
}

SmallVector<Value> TileEpilogue::apply(ArrayRef<Value> sums, const Distances &row, int64_t column, Piece piece,
                                       bool begun) {
  if (!body)
    return {sums.front()};
  SmallVector<Value> arguments = epilogueArguments(
      contraction, sums, [&](unsigned operand) { return loadInput(operand, row[operand], column, piece); },
      [&](TypedAttr value) { return build.constant(value); });
  SmallVector<std::pair<Value, Value>, 1> known;
  if (begun)
    known.push_back({biased, sums.front()});
  SmallVector<Value> values = inlineBody(build, *body, arguments, piece.width, {}, known);
  for (Value &value : values)
    value = build.broadcast(value, piece.width);
  return values;
}

Value TileEpilogue::loadInput(unsigned operand, int64_t row, int64_t column, Piece piece) {
  const int64_t stride = contraction.columns.strides[operand];
  // If all columns of a row share a value, it is loaded once.
  Value &value = loaded[{operand, row, column * stride, piece.width}];
  if (value)
    return value;
  Value buffer = buffers[contraction.operands[operand].argument];
  Value address = build.add(at[operand], row + column * stride);
  value = stride == 0   ? build.loadScalar(buffer, address)
          : stride == 1 ? build.load(buffer, address, piece)
                        : build.loadStrided(buffer, address, stride, piece);
  return value;
}

} // namespace nacre::codegen::cpu
