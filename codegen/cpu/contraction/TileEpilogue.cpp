// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector of which only some columns are valid is finished in pieces, so that nothing beyond them is read or written.

#include "codegen/cpu/contraction/TileEpilogue.h"

#include "codegen/cpu/VectorBody.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::cpu {

Addresses advanced(VectorBuilder &build, const Addresses &at, const ContractionLoop &loop, Position index) {
  Addresses moved;
  for (auto [address, stride] : llvm::zip_equal(at, loop.strides))
    moved.push_back(build.address({{address, 0}, index}, {1, stride}, 0));
  return moved;
}

void TileEpilogue::finish(Value sum, unsigned lanes, const Distances &row, int64_t column, int64_t valid) {
  const ContractionOperand &result = contraction.operands[Contraction::Result];
  const unsigned bits = result.elementType.getIntOrFloatBitWidth();
  for (Piece piece : cutIntoPieces(valid, lanes, hasMasks(build.target, bits))) {
    Value part = sum;
    if (piece.width != lanes)
      part = vector::ExtractStridedSliceOp::create(build.ops, build.loc, sum, ArrayRef<int64_t>{piece.offset},
                                                   ArrayRef<int64_t>{int64_t(piece.width)}, ArrayRef<int64_t>{1});
    const int64_t first = column + piece.offset;
    const Piece there = {0, piece.lanes, piece.width};
    part = apply(part, row, first, there);
    Value address = build.add(at[Contraction::Result], row[Contraction::Result] + first);
    build.store(part, buffers[result.argument], address, there);
  }
}

Value TileEpilogue::apply(Value sum, const Distances &row, int64_t column, Piece piece) {
  if (!contraction.epilogue)
    return sum;
  SmallVector<Value> arguments = epilogueArguments(
      contraction, sum, [&](unsigned operand) { return loadInput(operand, row[operand], column, piece); },
      [&](TypedAttr value) { return build.constant(value); });
  Value value = inlineBody(build, *contraction.epilogue->body, arguments, piece.width).front();
  return build.broadcast(value, piece.width);
}

Value TileEpilogue::loadInput(unsigned operand, int64_t row, int64_t column, Piece piece) {
  Value &value = loaded[{operand, row, column}];
  if (value)
    return value;
  Value buffer = buffers[contraction.operands[operand].argument];
  const int64_t stride = contraction.columns.strides[operand];
  Value address = build.add(at[operand], row + column * stride);
  value = stride == 0   ? build.loadScalar(buffer, address)
          : stride == 1 ? build.load(buffer, address, piece)
                        : build.loadStrided(buffer, address, stride, piece);
  return value;
}

} // namespace nacre::codegen::cpu
