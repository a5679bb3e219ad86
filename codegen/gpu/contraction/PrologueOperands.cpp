// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/contraction/PrologueOperands.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::gpu {

PrologueOperands::Moves PrologueOperands::movesOf(const Argument &argument) const {
  auto moves = [&](const ContractionLoop &loop) { return loop.size > 1 && loop.strides[argument.operand] != 0; };
  if (argument.statistic || argument.isWindow)
    return Moves::None;
  if (!llvm::any_of(grid.contraction.depth, moves))
    return Moves::Rows;
  return llvm::any_of(grid.contraction.rows, moves) ? Moves::Both : Moves::Steps;
}

int64_t PrologueOperands::leastQuads() const {
  auto isByEights = [&](const Argument &argument) {
    const Moves moves = movesOf(argument);
    return (moves == Moves::Steps || moves == Moves::Both) && grid.width(argument.operand) == 8;
  };
  return llvm::any_of(arguments, isByEights) ? 2 : 1;
}

PrologueOperands::Values PrologueOperands::row(Value row, int64_t further) const {
  Values fixed;
  for (const Argument &argument : arguments) {
    const Moves moves = movesOf(argument);
    if (moves == Moves::None || moves == Moves::Steps) {
      fixed.push_back({});
      continue;
    }
    Value address = grid.build.add(grid.base(argument.operand), grid.tileRowAddress(argument.operand, row, further));
    fixed.push_back(moves == Moves::Rows ? grid.load(argument.operand, address) : address);
  }
  return fixed;
}

size_t PrologueOperands::countLoads(unsigned operand, int64_t quads) const {
  return grid.width(operand) == 8 ? quads / 2 : quads;
}

/// Loads quads one by one, or pairs of quads if eight steps are loaded together.
void PrologueOperands::loadSteps(unsigned operand, Value address, Value step, int64_t quads, Values &loaded,
                                 int64_t offset) const {
  assert((grid.width(operand) != 8 || quads % 2 == 0) && "eights are two quads");
  IndexBuilder &build = grid.build;
  const int64_t size = grid.contraction.depthSize(), run = grid.contraction.depth.back().size;
  const bool isWhole = run % (4 * quads) == 0; // If true, no step is beyond the last one.
  // The constant is added last, so that all offsets share the other terms.
  auto loadAt = [&](Value at) {
    return grid.load(operand,
                     build.add(build.add(address, grid.depthAddress(operand, at)), grid.scaled(operand, offset)));
  };
  if (grid.reach(operand) == Reach::Depth) {
    const int64_t width = grid.width(operand);
    for (int64_t at = 0; at < 4 * quads; at += width) {
      Value first = build.add(step, at);
      if (at > 0 && !isWhole)
        first = build.least(first, build.constant(size - width));
      loaded.push_back(loadAt(first));
    }
    return;
  }
  for (int64_t quad = 0; quad < quads; ++quad) {
    SmallVector<Value, 4> lanes;
    for (int64_t lane = 0; lane < 4; ++lane) {
      Value at = build.add(step, 4 * quad + lane);
      if (!isWhole)
        at = build.least(at, build.constant(size - 1));
      lanes.push_back(loadAt(at));
    }
    loaded.push_back(
        vector::FromElementsOp::create(build.ops, build.loc, VectorType::get({4}, lanes.front().getType()), lanes));
  }
}

PrologueOperands::Values PrologueOperands::loadWhere(Moves moves, ValueRange row, Value step, int64_t quads) const {
  Values loaded;
  for (auto [number, argument] : llvm::enumerate(arguments))
    if (movesOf(argument) == moves)
      loadSteps(argument.operand, moves == Moves::Both ? row[number] : grid.base(argument.operand), step, quads,
                loaded);
  return loaded;
}

PrologueOperands::Values PrologueOperands::loadShared(Value step, int64_t quads) const {
  return loadWhere(Moves::Steps, {}, step, quads);
}

PrologueOperands::Values PrologueOperands::load(ValueRange row, Value step, int64_t quads) const {
  return loadWhere(Moves::Both, row, step, quads);
}

/// Returns the quad with index `number` of eight 16-bit elements, which were loaded as words.
static Value halfOf(IndexBuilder &build, Value eight, int64_t number, Type element) {
  SmallVector<Value, 2> words;
  for (int64_t word = 0; word < 2; ++word)
    words.push_back(vector::ExtractOp::create(build.ops, build.loc, eight, 2 * number + word));
  Value pair =
      vector::FromElementsOp::create(build.ops, build.loc, VectorType::get({2}, build.ops.getI32Type()), words);
  return vector::BitCastOp::create(build.ops, build.loc, VectorType::get({4}, element), pair);
}

Value PrologueOperands::quadOf(unsigned operand, ValueRange loaded, int64_t number) const {
  if (grid.width(operand) != 8)
    return loaded[number];
  return halfOf(grid.build, loaded[number / 2], number % 2, grid.contraction.operands[operand].elementType);
}

PrologueOperands::Values PrologueOperands::takeQuad(ValueRange row, ValueRange shared, ValueRange loaded,
                                                    int64_t number, int64_t quads) const {
  Values values;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    const Moves moves = movesOf(argument);
    if (moves == Moves::None || moves == Moves::Rows) {
      values.push_back(row[index]);
      continue;
    }
    ValueRange &from = moves == Moves::Both ? loaded : shared;
    values.push_back(quadOf(argument.operand, from, number));
    from = from.drop_front(countLoads(argument.operand, quads));
  }
  return values;
}

} // namespace nacre::codegen::gpu
