// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. families of operators by how ranks relate, 2. attributes that name axes follow the axes.

#include "compiler/graph/LayoutTransfer.h"

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nacre::graph {

namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// 1. Layouts
//===----------------------------------------------------------------------===//

/// Operators whose operands broadcast to the result.
bool broadcasts(Operation *op) { return isa<nn::UnaryOp, nn::BinaryOp, nn::SelectOp, nn::CastOp, nn::BroadcastOp>(op); }

/// Operators whose laid-out operands all have the result's axes.
bool keepsAxes(Operation *op) {
  if (auto reduce = dyn_cast<nn::ReduceOp>(op))
    return reduce.getKeepDims();
  if (auto reduce = dyn_cast<nn::ArgReduceOp>(op))
    return reduce.getKeepDims();
  return isa<nn::ConcatOp, nn::PadOp, nn::SliceOp, nn::SoftmaxOp, nn::NormalizeOp, nn::ResizeOp>(op);
}

OpLayouts sameForAll(Operation *op, Dims layout) {
  return {SmallVector<std::optional<Permutation>>(op->getNumOperands(), Permutation(layout)), Permutation(layout)};
}

std::optional<OpLayouts> transferBroadcast(Operation *op, Value value, Dims layout) {
  int64_t rank = typeOf(op->getResult(0)).getRank();
  // An operand of lower rank does not say where the result's other axes go.
  if (typeOf(value).getRank() != rank)
    return std::nullopt;
  OpLayouts layouts = sameForAll(op, layout);
  for (auto [operand, operandLayout] : llvm::zip(op->getOperands(), layouts.operands))
    if (typeOf(operand).getRank() != rank)
      operandLayout.reset();
  return layouts;
}

/// Of reductions that drop their axes; the result's layout does not say where they were.
std::optional<OpLayouts> transferDropped(Operation *op, Value value, Dims layout, Dims axes) {
  if (value != op->getOperand(0))
    return std::nullopt;
  return OpLayouts{{Permutation(layout)}, dropAxes(layout, axes)};
}

std::optional<OpLayouts> transferReshape(nn::ReshapeOp op, Value value, Dims layout) {
  Dims from = op.getOperand().getType().getShape(), to = op.getType().getShape();
  bool forward = value == op.getOperand();
  std::optional<Permutation> other = forward ? throughReshape(from, to, layout) : throughReshape(to, from, layout);
  if (!other)
    return std::nullopt;
  if (forward)
    return OpLayouts{{Permutation(layout)}, *other};
  return OpLayouts{{other}, Permutation(layout)};
}

/// One index tensor of rank 1 replaces an axis by an axis.
std::optional<OpLayouts> transferGather(nn::GatherOp op, Value value, Dims layout) {
  if (op.getIndices().getType().getRank() != 1 || value == op.getIndices())
    return std::nullopt;
  return OpLayouts{{Permutation(layout), std::nullopt}, Permutation(layout)};
}

//===----------------------------------------------------------------------===//
// 2. Attributes
//===----------------------------------------------------------------------===//

int64_t moveAxis(int64_t axis, Dims layout) { return moveAxes(axis, layout).front(); }

void moveAttributes(Operation *op, const OpLayouts &layouts) {
  Dims result = layouts.result;
  TypeSwitch<Operation *>(op)
      .Case([&](nn::ConcatOp op) { op.setAxis(moveAxis(op.getAxis(), result)); })
      .Case([&](nn::SoftmaxOp op) { op.setAxis(moveAxis(op.getAxis(), result)); })
      .Case([&](nn::GatherOp op) { op.setAxis(moveAxis(op.getAxis(), result)); })
      .Case([&](nn::NormalizeOp op) { op.setAxes(moveAxes(op.getAxes(), result)); })
      .Case([&](nn::ReduceOp op) { op.setAxes(moveAxes(op.getAxes(), *layouts.operands[0])); })
      .Case([&](nn::ArgReduceOp op) { op.setAxis(moveAxis(op.getAxis(), *layouts.operands[0])); })
      .Case([&](nn::PadOp op) {
        op.setLow(permute(op.getLow(), result));
        op.setHigh(permute(op.getHigh(), result));
      })
      .Case([&](nn::SliceOp op) {
        op.setStarts(permute(op.getStarts(), result));
        op.setSizes(permute(op.getSizes(), result));
        op.setSteps(permute(op.getSteps(), result));
      })
      .Case([&](nn::ResizeOp op) { op.setScales(permute(op.getScales(), result)); });
}

} // namespace

std::optional<OpLayouts> transferLayout(Operation *op, Value value, Dims layout) {
  if (broadcasts(op))
    return transferBroadcast(op, value, layout);
  if (keepsAxes(op))
    return sameForAll(op, layout);
  if (auto reduce = dyn_cast<nn::ReduceOp>(op))
    return transferDropped(op, value, layout, reduce.getAxes());
  if (auto reduce = dyn_cast<nn::ArgReduceOp>(op))
    return transferDropped(op, value, layout, int64_t(reduce.getAxis()));
  if (auto reshape = dyn_cast<nn::ReshapeOp>(op))
    return transferReshape(reshape, value, layout);
  if (auto gather = dyn_cast<nn::GatherOp>(op))
    return transferGather(gather, value, layout);
  return std::nullopt;
}

bool isAlignedOperand(Operation *op, unsigned index, const OpLayouts &layouts) {
  // One element broadcasts under any layout.
  return !layouts.operands[index] && broadcasts(op) && typeOf(op->getOperand(index)).getNumElements() != 1;
}

Operation *rebuildInLayout(OpBuilder &builder, Operation *op, ValueRange stored, const OpLayouts &layouts) {
  IRMapping operands;
  Operation *rebuilt = builder.clone(*op, operands);
  rebuilt->setOperands(stored);
  auto type = typeOf(op->getResult(0));
  rebuilt->getResult(0).setType(RankedTensorType::get(permute(type.getShape(), layouts.result), type.getElementType()));
  moveAttributes(rebuilt, layouts);
  return rebuilt;
}

} // namespace nacre::graph
