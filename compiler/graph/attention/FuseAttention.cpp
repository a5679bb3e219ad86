// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuses matmul(softmax(scale * matmul(q, k) + mask), v) to one nn.attention, of floats or of codes. In one kernel, the
// scores of some rows never leave a core or a workgroup. No matrix of scores is in memory, and one launch replaces
// three, or nine for codes with their sums for zero points.
//
// 1. Floats: upwards from the second product, through operators without other readers.
// 2. Codes: the same, with zero points of both products.
// 3. A transpose after operators on the result moves up to the result.

#include "compiler/graph/Matching.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/attention/AttentionOfCodes.h"
#include "dialects/TensorTypes.h"
#include "dialects/plan/Notes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <cmath>

namespace nacre::graph {
#define GEN_PASS_DEF_FUSEATTENTIONPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

/// Erases `op`, and the operators whose results only it used.
void eraseIfDead(IRRewriter &rewriter, Operation *op) {
  if (!op || !isOpTriviallyDead(op))
    return;
  SmallVector<Value> operands(op->getOperands());
  rewriter.eraseOp(op);
  for (Value operand : operands)
    eraseIfDead(rewriter, operand.getDefiningOp());
}

//===----------------------------------------------------------------------===//
// 1. Floats
//===----------------------------------------------------------------------===//

/// Parts of the scores before the softmax.
struct Scores {
  Value product; ///< Product that is scaled.
  double scale = 1;
  Value mask; ///< Null if there is no mask.
};

/// Returns a number by which `value` is multiplied, and sets `value` to the other factor.
std::optional<double> stripScale(Value &value) {
  auto op = value.getDefiningOp<nn::BinaryOp>();
  if (!op || !op->hasOneUse())
    return std::nullopt;
  for (auto [scaled, factor] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
    std::optional<double> number = getSplat(factor);
    const bool divides = op.getKind() == nn::BinaryKind::Div && factor == op.getRhs();
    if (!number || (op.getKind() != nn::BinaryKind::Mul && !divides) || scaled.getType() != op.getType())
      continue;
    value = scaled;
    return divides ? 1 / *number : *number;
  }
  return std::nullopt;
}

template <typename Op> std::optional<Scores> matchScaled(Value value, Value mask) {
  Scores scores{value, 1, mask};
  while (std::optional<double> factor = stripScale(scores.product))
    scores.scale *= *factor;
  const bool fits = scores.product.getDefiningOp<Op>() && scores.product.hasOneUse() && std::isfinite(scores.scale);
  return fits ? std::optional(scores) : std::nullopt;
}

/// Returns the parts of the scores `value`, if they begin with the result of an `Op`.
template <typename Op> std::optional<Scores> matchScores(Value value) {
  auto sum = getBinary(value, nn::BinaryKind::Add);
  if (!sum || !sum->hasOneUse())
    return matchScaled<Op>(value, Value());
  for (auto [scaled, mask] : {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())})
    if (scaled.getType() == sum.getType())
      if (std::optional<Scores> scores = matchScaled<Op>(scaled, mask))
        return scores;
  return std::nullopt;
}

/// True if `softmax` computes the weights of attention that `product` multiplies, directly or as codes.
bool makesWeights(nn::SoftmaxOp softmax, nn::MatMulOp product, int64_t mostKeys) {
  if (!softmax || softmax.getLog() || !softmax->hasOneUse())
    return false;
  RankedTensorType type = softmax.getType();
  // Values may broadcast the scores to more batches, which would compute them several times.
  return int64_t(softmax.getAxis()) == type.getRank() - 1 && !type.getElementType().isF64() &&
         type.getShape().back() <= mostKeys &&
         typeOf(product.getResult()).getShape().drop_back() == type.getShape().drop_back();
}

bool fuseFloats(IRRewriter &rewriter, nn::MatMulOp product, int64_t mostKeys) {
  auto softmax = product.getLhs().getDefiningOp<nn::SoftmaxOp>();
  if (!makesWeights(softmax, product, mostKeys))
    return false;
  std::optional<Scores> scores = matchScores<nn::MatMulOp>(softmax.getOperand());
  if (!scores)
    return false;
  auto first = scores->product.getDefiningOp<nn::MatMulOp>();
  rewriter.setInsertionPoint(product);
  rewriter
      .replaceOpWithNewOp<nn::AttentionOp>(product, first.getLhs(), first.getRhs(), product.getRhs(), scores->mask,
                                           /*sink=*/Value(), /*offset=*/Value(), APFloat(scores->scale), FloatAttr(),
                                           IntegerAttr(), IntegerAttr(), /*hides_rows=*/false, DenseI64ArrayAttr(),
                                           FloatAttr())
      ->setLoc(rewriter.getFusedLoc({first.getLoc(), softmax->getLoc(), product.getLoc()}));
  eraseIfDead(rewriter, softmax);
  return true;
}

//===----------------------------------------------------------------------===//
// 2. Codes
//===----------------------------------------------------------------------===//

/// True if all users of the weights' codes belong to the attention: the product, and its addends in `sums`.
bool areReadBy(Value codes, const CentredProduct &second) {
  return llvm::all_of(codes.getUsers(), [&](Operation *user) {
    while (user != second.product && user != second.sums.getDefiningOp()) {
      if (!user->hasOneUse())
        return false;
      user = *user->user_begin();
    }
    return true;
  });
}

/// True if the depth is the last axis of the queries in memory. Kernels multiply words of several steps, which must be
/// contiguous.
bool keepsDepthLast(Value queries) {
  auto transpose = queries.getDefiningOp<nn::TransposeOp>();
  return !transpose || transpose.getPermutation().back() == typeOf(queries).getRank() - 1;
}

nn::AttentionOp fuseCodes(IRRewriter &rewriter, nn::MatMulOp product, int64_t mostKeys) {
  std::optional<CodedWeights> weights = matchCodedWeights(product.getLhs());
  if (!weights || !makesWeights(weights->softmax, product, mostKeys))
    return {};
  std::optional<Scores> scores = matchScores<nn::CastOp>(weights->softmax.getOperand());
  std::optional<CentredProduct> second = matchCentredProduct(product);
  std::optional<CentredProduct> first =
      scores ? matchCentredSums(scores->product.getDefiningOp()->getOperand(0)) : std::nullopt;
  if (!first || !second || !areReadBy(product.getLhs(), *second) || second->leftZero != weights->zero ||
      first->product.getLhs().getType() != typeOf(product.getLhs()).clone(typeOf(first->product.getLhs()).getShape()) ||
      !keepsDepthLast(first->product.getLhs()))
    return {};
  Operation *last = second->sums.getDefiningOp();
  Location loc = rewriter.getFusedLoc({first->product.getLoc(), weights->softmax.getLoc(), product.getLoc()});
  const int64_t zeros[] = {first->leftZero, first->rightZero, second->leftZero, second->rightZero};
  rewriter.setInsertionPoint(last);
  auto attention = nn::AttentionOp::create(
      rewriter, loc, first->product.getLhs(), first->product.getRhs(), product.getRhs(), scores->mask,
      /*sink=*/Value(), /*offset=*/Value(), APFloat(scores->scale), FloatAttr(), IntegerAttr(), IntegerAttr(),
      /*hides_rows=*/false, rewriter.getDenseI64ArrayAttr(zeros), rewriter.getF64FloatAttr(weights->scale));
  rewriter.replaceAllUsesWith(second->sums, attention);
  eraseIfDead(rewriter, last);
  return attention;
}

//===----------------------------------------------------------------------===//
// 3. Operators on sums of codes
//===----------------------------------------------------------------------===//

/// True if `op` computes each element from one element of its first operand, and from numbers.
bool isOfElement(Operation *op) {
  return isa<nn::UnaryOp, nn::BinaryOp, nn::CastOp>(op) &&
         llvm::all_of(llvm::drop_begin(op->getOperands()),
                      [](Value operand) { return typeOf(operand).getRank() == 0 && getSplat(operand); });
}

/// Moves a transpose after elementwise operators on the sums up to the sums, so that attention writes them in its
/// order.
void raiseTranspose(IRRewriter &rewriter, nn::AttentionOp attention) {
  SmallVector<Operation *> chain;
  Operation *last = attention;
  while (last->hasOneUse() && isOfElement(*last->user_begin()) &&
         last->getResult(0) == (*last->user_begin())->getOperand(0))
    chain.push_back(last = *last->user_begin());
  auto transpose = last->hasOneUse() ? dyn_cast<nn::TransposeOp>(*last->user_begin()) : nn::TransposeOp();
  if (chain.empty() || !transpose)
    return;
  rewriter.setInsertionPointAfter(attention);
  Value value =
      nn::TransposeOp::create(rewriter, transpose.getLoc(), attention.getResult(), transpose.getPermutation());
  for (Operation *op : chain) {
    rewriter.setInsertionPoint(op);
    IRMapping mapping;
    mapping.map(op->getOperand(0), value);
    Operation *moved = rewriter.clone(*op, mapping);
    RankedTensorType type = typeOf(value);
    moved->getResult(0).setType(type.clone(typeOf(op->getResult(0)).getElementType()));
    value = moved->getResult(0);
  }
  rewriter.replaceOp(transpose, value);
  eraseIfDead(rewriter, last);
}

struct FuseAttention : impl::FuseAttentionPassBase<FuseAttention> {
  using FuseAttentionPassBase::FuseAttentionPassBase;

  void runOnOperation() override {
    SmallVector<nn::MatMulOp> products;
    getOperation().walk([&](nn::MatMulOp product) { products.push_back(product); });
    const bool isOnCpu = plan::isOnCpu(getOperation());
    const int64_t most = isOnCpu ? mostKeys : std::min<int64_t>(mostKeys, mostKeysOnGpu);
    IRRewriter rewriter(&getContext());
    for (nn::MatMulOp product : products) {
      if (fuseFloats(rewriter, product, most)) {
        ++numFused;
      } else if (nn::AttentionOp attention = isOnCpu ? fuseCodes(rewriter, product, most) : nn::AttentionOp()) {
        raiseTranspose(rewriter, attention);
        ++numFused;
      }
    }
  }
};

} // namespace

} // namespace nacre::graph
