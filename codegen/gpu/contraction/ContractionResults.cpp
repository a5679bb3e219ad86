// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the part of ContractionGrid for results: the rows that a tile writes, the epilogue's inputs, and the stores.
// Why:   ContractionGrid.h explains the class.

#include "codegen/gpu/contraction/ContractionGrid.h"

#include "codegen/gpu/InlineBody.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::gpu {

SmallVector<Value> ContractionGrid::loadForResult(Value row, Value quad) {
  if (!exactRows)
    row = build.least(row, build.subtract(rowLimit, build.constant(1)));
  quad = clampedQuad(quad);
  SmallVector<Value> loaded;
  for (std::optional<unsigned> part : contraction.productInputs) {
    const unsigned operand = Contraction::Extra + loaded.size();
    if (!part)
      loaded.push_back(loadQuad(operand, build.add(bases[operand], rowAddress(operand, row)), quad));
  }
  return loaded;
}

SmallVector<Value> ContractionGrid::applyEpilogue(Value sum, ArrayRef<Value> loaded) {
  if (!contraction.epilogue)
    return {sum};
  SmallVector<Value> arguments = epilogueArguments(
      contraction, sum, [&](unsigned operand) { return loaded[operand - Contraction::Extra]; },
      [&](TypedAttr value) { return arith::ConstantOp::create(build.ops, build.loc, value); });
  SmallVector<Value> values = inlineBody(build.ops, build.loc, *contraction.epilogue->body, arguments, 4);
  for (Value &value : values)
    value = broadcast(build.ops, build.loc, value, 4);
  return values;
}

Value ContractionGrid::writes(Value row) {
  if (exactRows)
    return {};
  if (!enoughRows)
    return build.isBelow(row, rowLimit);
  return build.isBelow(build.subtract(row, writtenFrom), build.subtract(rowLimit, writtenFrom));
}

void ContractionGrid::finish(Value sum, Value row, Value quad) { finish(sum, row, quad, loadForResult(row, quad)); }

void ContractionGrid::finish(Value sum, Value row, Value quad, ArrayRef<Value> loaded) {
  Value first = build.multiply(quad, 4);
  build.onlyIf(exactColumns ? Value() : build.isBelow(first, columnLimit), [&] {
    // All inputs of the epilogue are loaded before, because a result may overwrite them.
    for (auto [result, value] : llvm::zip_equal(contraction.results, applyEpilogue(sum, loaded)))
      store(result, value, row, quad);
  });
}

/// Writes the four columns of `quad` in `row` of the operand with index `result`.
void ContractionGrid::store(unsigned result, Value value, Value row, Value quad) {
  Value buffer = function.buffer(contraction.operands[result].argument, width(result));
  Value address = build.add(bases[result], rowAddress(result, row));
  if (reaches[result] == Reach::Columns) {
    memref::StoreOp::create(build.ops, build.loc, value, buffer, ValueRange{build.add(address, quad)});
    return;
  }
  for (unsigned lane = 0; lane < 4; ++lane) {
    Value column = build.add(build.multiply(quad, 4), lane);
    Value inside = build.isBelow(column, columnLimit);
    if (columnLow)
      inside = arith::AndIOp::create(
          build.ops, build.loc, inside,
          arith::CmpIOp::create(build.ops, build.loc, arith::CmpIPredicate::uge, column, columnLow));
    build.onlyIf(inside, [&] {
      Value element = vector::ExtractOp::create(build.ops, build.loc, value, int64_t(lane));
      memref::StoreOp::create(build.ops, build.loc, element, buffer,
                              ValueRange{build.add(address, columnAddress(result, quad, lane))});
    });
  }
}

} // namespace nacre::codegen::gpu
