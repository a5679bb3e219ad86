// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has four parts: 1. single operators; 2. operators on integers; 3. positions, indices and counts; 4.
// operators on inputs.

#include "compiler/graph/halves/ExactValues.h"

#include "compiler/graph/halves/TypicalNumbers.h"
#include "dialects/nn/Variables.h"

using namespace mlir;

namespace nacre::graph {

namespace {

bool isWide(Type type) { return getElementTypeOrSelf(type).isF32(); }

/// True if f16 cannot represent all values of the type. Indices, positions, counts and powers of two have more digits
/// than f16, or exceed its range.
bool isLargeInteger(Type type) {
  Type element = getElementTypeOrSelf(type);
  return (element.isInteger() && element.getIntOrFloatBitWidth() > 8) || isa<Float8E8M0FNUType>(element);
}

} // namespace

//===----------------------------------------------------------------------===//
// 1. Operators
//===----------------------------------------------------------------------===//

nn::Width getWidth(Operation &op) {
  auto known = dyn_cast<nn::OperatorInterface>(op);
  return known ? known.getWidth() : nn::Width::Free;
}

bool isBounded(Operation &op) { return getWidth(op) == nn::Width::Bounded; }

bool isPosition(OpOperand &operand) {
  auto known = dyn_cast<nn::OperatorInterface>(operand.getOwner());
  const bool counts = isa<nn::CastOp>(operand.getOwner()) && isLargeInteger(operand.getOwner()->getResult(0).getType());
  return known && (counts || known.readsWide(operand.getOperandNumber()));
}

//===----------------------------------------------------------------------===//
// 2. Operators on integers
//===----------------------------------------------------------------------===//

namespace {

/// True if the results of `op` must keep f32 if its operands do: elementwise operators, movement and sums. Other
/// operators, mainly convolutions, form the network itself, which must not become f32 because of an image of integers.
bool keepsWidth(Operation &op) {
  nn::Width width = getWidth(op);
  return width == nn::Width::Same || width == nn::Width::Bounded;
}

/// True if `integer` is a sum of products, or is computed from one. The depth suffices for the addition of zero points
/// and a bias.
bool isSum(Value integer, int maxDepth = 8) {
  Operation *op = integer.getDefiningOp();
  if (!op || maxDepth == 0 || !getElementTypeOrSelf(integer.getType()).isInteger())
    return false;
  auto known = dyn_cast<nn::OperatorInterface>(op);
  return (known && known.getWorkKind() == nn::WorkKind::Contraction) ||
         llvm::any_of(op->getOperands(), [&](Value operand) { return isSum(operand, maxDepth - 1); });
}

/// Adds operators on scalars from which elementwise operators compute `value`. These are scales, whose products are too
/// small for f16.
void widenScales(Value value, DenseSet<Operation *> &wide) {
  Operation *op = value.getDefiningOp();
  auto known = dyn_cast_or_null<nn::OperatorInterface>(op);
  const bool isScale = known && known.getWorkKind() == nn::WorkKind::Elementwise && isWide(value.getType()) &&
                       cast<RankedTensorType>(value.getType()).getNumElements() == 1;
  if (!isScale || !wide.insert(op).second)
    return;
  for (Value operand : op->getOperands())
    widenScales(operand, wide);
}

} // namespace

void addOfIntegers(Block &body, DenseSet<Operation *> &wide) {
  for (Operation &op : body) {
    if (!keepsWidth(op))
      continue;
    bool ofIntegers = isa<nn::CastOp>(op) && isLargeInteger(op.getOperand(0).getType());
    bool ofOthers = false, ofSums = false;
    for (Value operand : op.getOperands()) {
      Operation *from = operand.getDefiningOp();
      if (!isWide(operand.getType()) || isa_and_nonnull<nn::ConstantOp>(from))
        continue;
      const bool follows = from && wide.contains(from) && !isBounded(*from);
      ofIntegers |= follows;
      ofOthers |= !follows;
      ofSums |= follows && isa<nn::CastOp>(from) && isSum(from->getOperand(0));
    }
    if (ofIntegers && (!ofOthers || ofSums)) {
      wide.insert(&op);
      for (Value operand : op.getOperands())
        if (ofSums && ofOthers)
          widenScales(operand, wide);
    }
  }
}

//===----------------------------------------------------------------------===//
// 3. Positions, indices and counts
//===----------------------------------------------------------------------===//

void addPositions(Block &body, DenseSet<Operation *> &wide) {
  DenseSet<Operation *> makers;
  for (Operation &op : llvm::reverse(body)) {
    auto isPartOfOne = [&](OpOperand &use) { return isPosition(use) || makers.contains(use.getOwner()); };
    if (keepsWidth(op) && isWide(op.getResult(0).getType()) && llvm::any_of(op.getUses(), isPartOfOne))
      makers.insert(&op);
  }
  wide.insert(makers.begin(), makers.end());
}

//===----------------------------------------------------------------------===//
// 4. Operators on inputs
//===----------------------------------------------------------------------===//

/// True if `op` may compute f32 values from the model's inputs. This excludes the network itself, which begins with
/// products.
static bool mayReadInputs(Operation &op) {
  auto known = dyn_cast<nn::OperatorInterface>(op);
  return known && op.getNumRegions() == 0 && op.getNumOperands() > 0 && known.getWidth() != nn::Width::Full &&
         !llvm::is_contained({nn::WorkKind::Contraction, nn::WorkKind::Attention}, known.getWorkKind());
}

DenseSet<Operation *> findOfInputs(func::FuncOp function, ArrayRef<Block *> blocks,
                                   const DenseSet<Operation *> &ofIntegers) {
  DenseSet<Operation *> ofInputs;
  auto isInput = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && !(argument.getOwner() == &function.front() &&
                         function.getArgAttr(argument.getArgNumber(), nn::variableAttr));
  };
  for (Block *block : blocks)
    for (Operation &op : *block) {
      bool found = false, hasOthers = false;
      for (Value operand : op.getOperands()) {
        Operation *from = operand.getDefiningOp();
        if (!isWide(operand.getType()) || isa_and_nonnull<nn::ConstantOp>(from) || ofIntegers.contains(from))
          continue;
        const bool follows = isInput(operand) || ofInputs.contains(from);
        found |= follows;
        hasOthers |= !follows;
      }
      if (found && !hasOthers && mayReadInputs(op))
        ofInputs.insert(&op);
    }
  for (Block *block : llvm::reverse(blocks))
    for (Operation &op : llvm::reverse(*block))
      if (isMove(op) && llvm::none_of(op.getUsers(), [&](Operation *user) {
            return ofInputs.contains(user) || ofIntegers.contains(user) || user->hasTrait<OpTrait::IsTerminator>();
          }))
        ofInputs.erase(&op);
  return ofInputs;
}

} // namespace nacre::graph
