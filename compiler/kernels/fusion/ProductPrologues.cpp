// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/fusion/ProductPrologues.h"
#include "dialects/TensorTypes.h"

#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace nacre::kernels {

/// True if GPUs load and multiply elements of this type.
static bool isFloat(Type type) {
  Type element = cast<RankedTensorType>(type).getElementType();
  return element.isF32() || element.isF16();
}

bool canMakeLeft(Operation *op) {
  // Limit of computed elements, each with one exponential. A GPU with few exponentials per second computes them in 4
  // us.
  constexpr int64_t mostElements = int64_t(1) << 23, tileColumns = 64;
  if (!isa<nn::MatMulOp, nn::ConvOp>(op) || !llvm::all_of(op->getOperandTypes(), isFloat) ||
      !isFloat(op->getResult(0).getType()))
    return false;
  RankedTensorType left = typeOf(op->getOperand(0));
  if (auto product = dyn_cast<nn::MatMulOp>(op);
      product && (left.getRank() < 2 || product.getLhs().getDefiningOp<nn::TransposeOp>()))
    return false;
  if (auto convolution = dyn_cast<nn::ConvOp>(op)) {
    auto isOne = [](int64_t number) { return number == 1; };
    ArrayRef<int64_t> filter = typeOf(convolution.getFilter()).getShape();
    if (convolution.getGroups() != 1 || !llvm::all_of(filter.drop_back(2), isOne) ||
        !llvm::all_of(convolution.getStrides(), isOne) ||
        !llvm::all_of(convolution.getPads(), [](int64_t pad) { return pad == 0; }))
      return false;
  }
  const int64_t columns = typeOf(op->getResult(0)).getShape().back();
  return left.getNumElements() <= mostElements / (columns / tileColumns + 1);
}

bool canBeInPrologue(Operation *op) {
  return llvm::all_of(op->getOperandTypes(), isFloat) && llvm::all_of(op->getResultTypes(), isFloat);
}

bool normalizesRows(Operation *op) {
  auto normalize = dyn_cast<nn::NormalizeOp>(op);
  return normalize && isFloat(normalize.getType()) &&
         normalize.getAxes() == ArrayRef<int64_t>{normalize.getType().getRank() - 1};
}

//===----------------------------------------------------------------------===//
// Operators in between
//===----------------------------------------------------------------------===//

/// True if `op` treats each row of its first operand alike, for any number of axes. It normalizes the last axis, or is
/// elementwise with other operands that broadcast along all axes but the last.
static bool isOfRows(Operation *op) {
  if (normalizesRows(op))
    return true;
  return op->getNumResults() == 1 && cast<nn::OperatorInterface>(op).getWorkKind() == nn::WorkKind::Elementwise &&
         canBeInPrologue(op) && typeOf(op->getOperand(0)).getShape() == typeOf(op->getResult(0)).getShape() &&
         llvm::all_of(llvm::drop_begin(op->getOperands()), [](Value other) { return typeOf(other).getRank() <= 1; });
}

/// Moves a reshape to before the operators on rows that precede it, so that they compute rows of the new shape.
static void moveUp(nn::ReshapeOp reshape) {
  OpBuilder builder(reshape);
  while (true) {
    Operation *op = reshape.getOperand().getDefiningOp();
    ArrayRef<int64_t> shape = reshape.getType().getShape();
    if (!op || op->getBlock() != reshape->getBlock() || !isa<nn::OperatorInterface>(op) || !isOfRows(op) ||
        !op->hasOneUse() || shape.empty() || typeOf(op->getResult(0)).getRank() < 2 ||
        shape.back() != typeOf(op->getResult(0)).getShape().back())
      return;
    builder.setInsertionPoint(reshape);
    auto before =
        nn::ReshapeOp::create(builder, reshape.getLoc(), typeOf(op->getOperand(0)).clone(shape), op->getOperand(0));
    Operation *moved = builder.clone(*op);
    moved->setOperand(0, before);
    moved->getResult(0).setType(reshape.getType());
    if (auto normalize = dyn_cast<nn::NormalizeOp>(moved))
      normalize.setAxes(ArrayRef<int64_t>{int64_t(shape.size()) - 1});
    reshape.replaceAllUsesWith(moved->getResult(0));
    reshape.erase();
    op->erase();
    reshape = before;
  }
}

void prepareLefts(Block &block) {
  SmallVector<nn::ReshapeOp> reshapes;
  if (llvm::none_of(block, [](Operation &op) { return plan::isOnGpu(&op); }))
    return;
  for (Operation &op : block)
    if (plan::isOnGpu(&op) && canMakeLeft(&op))
      if (auto reshape = op.getOperand(0).getDefiningOp<nn::ReshapeOp>();
          reshape && reshape->hasOneUse() && reshape->getBlock() == &block)
        reshapes.push_back(reshape);
  llvm::for_each(reshapes, moveUp);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (!isa<nn::SliceOp, nn::ReshapeOp>(op) || op.use_empty() ||
        cast<nn::OperatorInterface>(op).getWorkKind() != nn::WorkKind::Boundary)
      continue;
    Operation *first = nullptr;
    for (Operation *user : op.getUsers())
      if (Operation *reader = block.findAncestorOpInBlock(*user); !first || reader->isBeforeInBlock(first))
        first = reader;
    op.moveBefore(first);
  }
}

} // namespace nacre::kernels
