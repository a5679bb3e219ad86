// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/graph/attention/FuseAttention.h"

#include "compiler/graph/Matching.h"
#include "compiler/graph/Passes.h"
#include "dialects/TensorTypes.h"
#include "dialects/plan/Notes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include <cmath>

namespace nacre::graph {
#define GEN_PASS_DEF_FUSEATTENTIONPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

/// Sets `value` to the value that is multiplied by numbers, and returns the product of the numbers.
static double stripScale(Value &value) {
  double scale = 1;
  while (auto op = value.getDefiningOp<nn::BinaryOp>()) {
    const bool divides = op.getKind() == nn::BinaryKind::Div;
    std::optional<double> right = getSplat(op.getRhs()), left = divides ? std::nullopt : getSplat(op.getLhs());
    Value scaled = right ? op.getLhs() : op.getRhs();
    if (!op->hasOneUse() || (op.getKind() != nn::BinaryKind::Mul && !divides) || (!right && !left) ||
        scaled.getType() != op.getType())
      break;
    scale *= !right ? *left : divides ? 1 / *right : *right;
    value = scaled;
  }
  return scale;
}

std::optional<AttentionParts> matchAttention(nn::MatMulOp second, nn::SoftmaxOp softmax, int64_t mostKeys) {
  if (!softmax || softmax.getLog() || !softmax->hasOneUse())
    return std::nullopt;
  RankedTensorType type = softmax.getType();
  // Values may broadcast the scores to more batches, which would compute them several times.
  if (int64_t(softmax.getAxis()) != type.getRank() - 1 || type.getElementType().isF64() ||
      type.getShape().back() > mostKeys || shapeOf(second.getResult()).drop_back() != type.getShape().drop_back())
    return std::nullopt;
  nn::BinaryOp sum = getBinary(softmax.getOperand(), nn::BinaryKind::Add);
  for (unsigned side : {0, 1}) {
    Value product = sum ? sum->getOperand(side) : softmax.getOperand();
    const double scale = stripScale(product);
    auto first = product.getDefiningOp<nn::MatMulOp>();
    if (first && first.getType() == type && first->hasOneUse() && (!sum || sum->hasOneUse()) && std::isfinite(scale))
      return AttentionParts{first, second, softmax, scale, sum ? sum->getOperand(1 - side) : Value()};
  }
  return std::nullopt;
}

nn::AttentionOp createAttention(OpBuilder &builder, const AttentionParts &parts, Value queries, Value keys,
                                Value values, ArrayAttr codes) {
  Location loc = builder.getFusedLoc({parts.first->getLoc(), parts.softmax->getLoc(), parts.second->getLoc()});
  return nn::AttentionOp::create(builder, loc, queries, keys, values, parts.mask, /*sink=*/{}, /*offset=*/{},
                                 APFloat(parts.scale), /*softcap=*/{}, /*before=*/{}, /*behind=*/{},
                                 /*hides_rows=*/false, codes);
}

/// True if `op` computes each element from one element of its first operand, and from numbers.
static bool isOfElement(Operation *op) {
  return isa<nn::UnaryOp, nn::BinaryOp, nn::CastOp>(op) &&
         llvm::all_of(llvm::drop_begin(op->getOperands()),
                      [](Value operand) { return typeOf(operand).getRank() == 0 && getSplat(operand); });
}

/// Moves a transpose after elementwise operators on the sums of codes up to the sums, so that attention writes them in
/// its order. The former operators remain without users.
static void raiseTranspose(IRRewriter &rewriter, nn::AttentionOp attention) {
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
    moved->getResult(0).setType(typeOf(value).clone(elementTypeOf(op->getResult(0))));
    value = moved->getResult(0);
  }
  rewriter.replaceOp(transpose, value);
}

namespace {

struct FuseAttention : impl::FuseAttentionPassBase<FuseAttention> {
  using FuseAttentionPassBase::FuseAttentionPassBase;

  void runOnOperation() override {
    const int64_t most = plan::isOnCpu(getOperation()) ? int64_t(mostKeys) : std::min<int64_t>(mostKeys, mostKeysOnGpu);
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](nn::MatMulOp product) {
      if (auto parts = matchAttention(product, product.getLhs().getDefiningOp<nn::SoftmaxOp>(), most)) {
        rewriter.setInsertionPoint(product);
        rewriter.replaceOp(product, createAttention(rewriter, *parts, parts->first.getLhs(), parts->first.getRhs(),
                                                    product.getRhs(), /*codes=*/{}));
        ++numFused;
      }
    });
    SmallVector<nn::AttentionOp> ofCodes;
    getOperation().walk([&](nn::AttentionOp attention) {
      if (attention.isOfCodes())
        ofCodes.push_back(attention);
    });
    for (nn::AttentionOp attention : ofCodes)
      raiseTranspose(rewriter, attention);
    (void)runRegionDCE(rewriter, getOperation()->getRegions()); // This fails if nothing is erased.
  }
};

} // namespace

} // namespace nacre::graph
