// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/winograd/WinogradTiles.h"

#include "codegen/cpu/Units.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nacre::codegen::cpu {

WinogradTiles::Origin WinogradTiles::originOf(Position number) {
  Value inBlock = build.address({{firstTile, 0}, number}, {1, 1}, 0);
  const int64_t ofImage = plan.tilesOfImage(), across = plan.across(), tile = plan.method.outputs;
  Value inImage = contraction.cutAmongImages ? build.remainder(inBlock, ofImage) : inBlock;
  Value row = build.divide(inImage, across), column = build.remainder(inImage, across);
  if (!contraction.cutAmongImages)
    return {build.index(0), build.address({{low, 0}, {row, 0}}, {1, tile}, 0), column};
  Value image = build.address({{low, 0}, {build.divide(inBlock, ofImage), 0}}, {1, 1}, 0);
  return {image, build.scaled(row, tile), column};
}

Value WinogradTiles::isWhole(const Origin &origin) {
  return arith::CmpIOp::create(build.ops, build.loc, arith::CmpIPredicate::ult, origin.column,
                               build.index(plan.across() - 1));
}

void WinogradTiles::forTilesOfRow(const Origin &origin, llvm::function_ref<void(int64_t valid)> body) {
  if (rest() == 0 || plan.across() == 1)
    return body(rest() ? rest() : plan.method.outputs);
  auto either = scf::IfOp::create(build.ops, build.loc, isWhole(origin), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(build.ops);
  build.ops.setInsertionPointToStart(either.thenBlock());
  body(plan.method.outputs);
  build.ops.setInsertionPointToStart(either.elseBlock());
  body(rest());
}

Value WinogradTiles::lastPixelOf(const Origin &origin) {
  if (rest() == 0)
    return {};
  const int64_t inputs = plan.method.inputs();
  Value last = build.index(plan.lastElement(rest(), inputs));
  return plan.across() == 1
             ? last
             : arith::SelectOp::create(build.ops, build.loc, isWhole(origin), build.index(inputs - 1), last)
                   .getResult();
}

Value WinogradTiles::rowOf(const Origin &origin, unsigned operand, int64_t count, Position number) {
  Value row = build.address({{origin.row, 0}, number}, {1, 1}, 0);
  if (plan.rest(contraction.down.size) != 0)
    row = emitMin(build, row, build.index(plan.lastElement(contraction.down.size, count)));
  return build.address({{origin.image, 0}, {origin.column, 0}, {row, 0}, {group, 0}},
                       {contraction.images.strides[operand], plan.method.outputs * contraction.across.strides[operand],
                        contraction.down.strides[operand], contraction.groups.strides[operand]},
                       contraction.operands[operand].offset);
}

SmallVector<Value> WinogradTiles::rowsOf(const Origin &origin, unsigned operand, int64_t count) {
  SmallVector<Value> rows;
  for (int64_t i = 0; i < count; ++i)
    rows.push_back(rowOf(origin, operand, count, {Value(), i}));
  return rows;
}

} // namespace nacre::codegen::cpu
