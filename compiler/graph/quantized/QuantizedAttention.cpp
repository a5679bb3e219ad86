// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/graph/quantized/QuantizedAttention.h"

#include "compiler/graph/Matching.h"
#include "compiler/graph/MovedCodes.h"
#include "compiler/graph/attention/FuseAttention.h"
#include "compiler/graph/quantized/Flips.h"
#include "compiler/graph/quantized/IntegerContractions.h"
#include "compiler/graph/quantized/Quantizations.h"
#include "dialects/TensorTypes.h"

using namespace mlir;

namespace nacre::graph {

bool fuseQuantizedAttention(RewriterBase &rewriter, nn::MatMulOp second, bool unsignedQueries, int64_t mostKeys,
                            SmallVectorImpl<Attribute> &fused) {
  auto weights = second.getLhs().getDefiningOp<nn::DequantizeOp>();
  auto quantize = weights ? weights.getOperand().getDefiningOp<nn::QuantizeOp>() : nn::QuantizeOp();
  if (!quantize || !quantize->hasOneUse() || !weights->hasOneUse() || !readCoder(quantize) ||
      !isSameNumber(quantize.getScale(), weights.getScale()) || !isSameNumber(quantize.getZero(), weights.getZero()))
    return false;
  auto parts = matchAttention(second, quantize.getOperand().getDefiningOp<nn::SoftmaxOp>(), mostKeys);
  if (!parts)
    return false;
  auto scores = findQuantizedOperands(parts->first), values = findQuantizedOperands(second);
  // Kernels multiply words of several steps of depth, which must be contiguous in memory.
  auto *ofScores = std::get_if<QuantizedOperands>(&scores), *ofValues = std::get_if<QuantizedOperands>(&values);
  auto turned = ofScores ? ofScores->left.getOperand().getDefiningOp<nn::TransposeOp>() : nn::TransposeOp();
  if (!ofScores || !ofValues || (turned && turned.getPermutation().back() != rankOf(turned) - 1))
    return false;
  rewriter.setInsertionPoint(second);
  SmallVector<Value> operands;
  SmallVector<Attribute> codes;
  for (Value operand : {parts->first.getLhs(), parts->first.getRhs(), second.getLhs(), second.getRhs()}) {
    auto reals = operand.getDefiningOp<nn::DequantizeOp>();
    std::optional<double> scale = reals ? getSplat(reals.getScale()) : std::nullopt,
                          zero = reals ? getSplat(reals.getZero()) : std::nullopt;
    if (!scale || !zero || isConstant(operand) || rankOf(operand) != rankOf(second.getResult()))
      return false;
    operands.push_back(reals.getOperand());
    // Right operands are signed. Queries and weights have the sign that the target multiplies fastest.
    const bool isLeft = codes.size() % 2 == 0;
    if (elementTypeOf(reals.getOperand()).isUnsignedInteger() != (isLeft && unsignedQueries)) {
      *zero += double(getFlipOffset(reals.getOperand().getType()));
      operands.back() = createFlip(rewriter, second.getLoc(), reals.getOperand());
    }
    codes.push_back(nn::CodesAttr::get(second.getContext(), APFloat(*scale), int64_t(*zero)));
  }
  fused.append({LocationAttr(parts->first.getLoc()), LocationAttr(second.getLoc())});
  Value sums = createAttention(rewriter, *parts, operands[0], operands[1], operands[3], rewriter.getArrayAttr(codes));
  rewriter.replaceOp(second, scaleSums(rewriter, second.getLoc(), sums, *ofValues));
  return true;
}

} // namespace nacre::graph
