// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces tensors without elements, and operators that depend only on them, by constants. Otherwise, loops without
// iterations, empty sums and empty shares would be special cases in every later pass and emitter.
//
// 1. The value of each operator on empty operands.
// 2. One walk, users before operands, which also removes operators that become unused.

#include "compiler/graph/Passes.h"
#include "compiler/graph/Regions.h"

#include "dialects/nn/evaluate/ScalarFunctions.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

namespace nacre::graph {
#define GEN_PASS_DEF_FOLDEMPTYPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

bool isEmpty(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements() == 0; }

//===----------------------------------------------------------------------===//
// 1. Operators on empty operands
//===----------------------------------------------------------------------===//

TypedAttr getNumber(Type element, double number) {
  if (isa<FloatType>(element))
    return FloatAttr::get(element, number);
  return IntegerAttr::get(element, int64_t(number));
}

/// Returns the value of all elements of an operator's result if its operands are empty. A mean divides by the number of
/// elements, which is 0. The mean is then NaN for floats, and 0 for integers.
TypedAttr getNumberOfNothing(Operation *op) {
  Type element = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  TypedAttr mean = getNumber(element, isa<FloatType>(element) ? std::nan("") : 0);
  return TypeSwitch<Operation *, TypedAttr>(op)
      .Case<nn::MatMulOp, nn::ConvOp, nn::ConvTransposeOp, nn::FilterGradientOp>(
          [&](auto) { return getNumber(element, 0); })
      .Case([&](nn::ReduceOp op) {
        return op.getKind() == nn::ReduceKind::Mean ? mean : nn::getIdentity(op.getKind(), element);
      })
      .Case([&](nn::PoolOp op) {
        if (op.getKind() == nn::PoolKind::Max)
          return nn::getIdentity(nn::ReduceKind::Max, element);
        return op.getCountPadding() ? getNumber(element, 0) : mean;
      })
      .Case([&](nn::PadOp op) { return cast<TypedAttr>(op.getValue()); })
      .Default([](Operation *) { return TypedAttr(); });
}

//===----------------------------------------------------------------------===//
// 2. The walk
//===----------------------------------------------------------------------===//

struct FoldEmpty : impl::FoldEmptyPassBase<FoldEmpty> {
  using FoldEmptyPassBase::FoldEmptyPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (Block &block : getOperation().getBody())
      foldBlock(rewriter, block);
    for (Operation *op : findControl(getOperation()))
      dropEmpty(rewriter, op);
  }

  static void foldBlock(IRRewriter &rewriter, Block &block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      for (Region &region : op.getRegions())
        foldBlock(rewriter, region.front());
      const bool isOperator = isa<nn::OperatorInterface>(op) && !isa<nn::ConstantOp>(op);
      if (!isOperator)
        continue;
      rewriter.setInsertionPoint(&op);
      if (op.getNumRegions() == 0)
        fold(rewriter, &op);
      else
        fillEmpty(rewriter, &op);
    }
  }

  static Value nothing(OpBuilder &builder, Value like) {
    auto none = DenseElementsAttr::get(cast<RankedTensorType>(like.getType()), ArrayRef<Attribute>());
    return nn::ConstantOp::create(builder, like.getLoc(), none);
  }

  /// Replaces results and region arguments of a branch or loop that have no elements.
  static void fillEmpty(IRRewriter &rewriter, Operation *op) {
    SmallVector<Value> values(op->getResults());
    for (Region &region : op->getRegions())
      llvm::append_range(values, region.getArguments());
    for (Value value : values)
      if (isEmpty(value) && !value.use_empty())
        rewriter.replaceAllUsesWith(value, nothing(rewriter, value));
  }

  /// Drops values without elements from a branch or loop. They must be unused.
  static void dropEmpty(RewriterBase &rewriter, Operation *op) {
    rewriter.setInsertionPoint(op);
    auto markFull = [](ValueRange values) {
      llvm::SmallBitVector full(values.size());
      for (auto [index, value] : llvm::enumerate(values))
        full[index] = !isEmpty(value);
      return full;
    };
    if (auto branch = dyn_cast<nn::IfOp>(op)) {
      if (llvm::any_of(branch.getValues(), isEmpty))
        dropResults(rewriter, branch, markFull(branch.getValues()));
      return;
    }
    KeptValues kept{markFull(getInitial(op)), markFull(getStacks(op)), {}};
    if (auto loop = dyn_cast<nn::ForOp>(op))
      kept.scanned = markFull(loop.getScanned());
    if (!kept.carried.all() || !kept.stacks.all() || !kept.scanned.all())
      dropValues(rewriter, op, kept);
  }

  static Value fill(OpBuilder &builder, Location loc, Type type, Attribute number) {
    return nn::ConstantOp::create(builder, loc, DenseElementsAttr::get(cast<RankedTensorType>(type), number));
  }

  static Value zeros(OpBuilder &builder, Location loc, RankedTensorType type) {
    return fill(builder, loc, type, getNumber(type.getElementType(), 0));
  }

  static void fold(RewriterBase &rewriter, Operation *op) {
    for (OpResult result : op->getResults())
      if (isEmpty(result) && !result.use_empty())
        rewriter.replaceAllUsesWith(result, nothing(rewriter, result));
    if (llvm::all_of(op->getResults(), isEmpty))
      return rewriter.eraseOp(op);
    if (llvm::none_of(op->getOperands(), isEmpty))
      return;
    if (auto recurrent = dyn_cast<nn::RecurrentOp>(op))
      return foldRecurrent(rewriter, recurrent);
    if (auto conv = dyn_cast<nn::ConvOp>(op); conv && conv.getPadValue() != 0 && !isEmpty(conv.getFilter()))
      return foldPadding(rewriter, conv);
    if (auto concat = dyn_cast<nn::ConcatOp>(op))
      return rewriter.modifyOpInPlace(op, [&] {
        auto parts = llvm::make_filter_range(concat.getOperands(), [](Value part) { return !isEmpty(part); });
        concat.getOperandsMutable().assign(llvm::to_vector(parts));
      });
    if (auto interleave = dyn_cast<nn::InterleaveOp>(op))
      return foldInterleave(rewriter, interleave);
    if (isa<nn::ScatterNdOp, nn::ScatterElementsOp>(op)) // There are no updates.
      return rewriter.replaceOp(op, op->getOperand(0));
    if (TypedAttr number = getNumberOfNothing(op))
      rewriter.replaceOp(op, fill(rewriter, op->getLoc(), op->getResult(0).getType(), number));
  }

  /// Drops empty operands of an interleave. If a stride is larger than its axis, each operand has at most one element
  /// along the axis.
  static void foldInterleave(RewriterBase &rewriter, nn::InterleaveOp op) {
    SmallVector<int64_t> strides;
    for (auto [stride, size] : llvm::zip_equal(op.getStrides(), op.getType().getShape()))
      strides.push_back(std::min(stride, size));
    auto parts = llvm::make_filter_range(op.getOperands(), [](Value part) { return !isEmpty(part); });
    rewriter.replaceOpWithNewOp<nn::InterleaveOp>(op, llvm::to_vector(parts), strides);
  }

  /// Replaces the input of a convolution that reads only padding with a value other than zero.
  static void foldPadding(RewriterBase &rewriter, nn::ConvOp conv) {
    RankedTensorType type = conv.getInput().getType();
    SmallVector<int64_t> shape(type.getShape());
    const size_t spatial = conv.getStrides().size();
    for (size_t axis = 0; axis < spatial; ++axis)
      shape[axis + 1] += conv.getPads()[axis] + conv.getPads()[spatial + axis];
    Attribute number = getNumber(type.getElementType(), double(int64_t(conv.getPadValue())));
    Value padding = fill(rewriter, conv.getLoc(), type.clone(shape), number);
    rewriter.modifyOpInPlace(conv, [&] {
      conv.getInputMutable().assign(padding);
      conv.setPads(SmallVector<int64_t>(2 * spatial, 0));
      conv.setPadValue(0);
    });
  }

  /// Replaces a layer without steps by its initial state, and inputs of width 0 by zeros of width 1.
  static void foldRecurrent(RewriterBase &rewriter, nn::RecurrentOp op) {
    Location loc = op.getLoc();
    RankedTensorType input = op.getInput().getType(), weights = op.getWeights().getType();
    auto initialOrZero = [&](Value initial, Value last) {
      return initial ? initial : zeros(rewriter, loc, cast<RankedTensorType>(last.getType()));
    };
    if (input.getDimSize(0) == 0) {
      rewriter.replaceAllUsesWith(op.getLastH(), initialOrZero(op.getInitialH(), op.getLastH()));
      rewriter.replaceAllUsesWith(op.getLastC(), initialOrZero(op.getInitialC(), op.getLastC()));
      return rewriter.eraseOp(op);
    }
    Type element = input.getElementType();
    auto wider = RankedTensorType::get({input.getDimSize(0), input.getDimSize(1), 1}, element);
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(zeros(rewriter, loc, wider));
      op.getWeightsMutable().assign(zeros(rewriter, loc, RankedTensorType::get({1, weights.getDimSize(1)}, element)));
    });
  }
};

} // namespace

} // namespace nacre::graph
