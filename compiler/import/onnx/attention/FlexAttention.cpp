// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FlexAttention, a preview operator: attention in which graphs of the node change scores and probabilities.
//
// The graphs are imported in place, and applied to all scores together. Heads that share keys are a separate axis,
// except in these graphs.

#include "compiler/import/onnx/attention/Handlers.h"
#include "compiler/import/onnx/operands/TypeAttribute.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

/// Applies the graph in attribute `attribute` to `x`. Returns `x` if there is no such graph, or null after an error.
Value change(OperandBinder &node, StringRef attribute, Value x) {
  if (!x || !node.hasGraph(attribute))
    return x;
  FailureOr<SmallVector<Value>> changed = node.expand(*node.getGraph(attribute), x);
  if (failed(changed))
    return {};
  if (changed->size() == 1 && changed->front() && isTensor(changed->front()) &&
      changed->front().getType() == x.getType())
    return changed->front();
  node.error() << "attribute '" << attribute << "' must return one tensor like its argument, " << describe(x)
               << ", but does not";
  return {};
}

void importFlexAttention(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value query = node.getOperand(0), key = node.getOperand(1), value = node.getOperand(2);
  if (!node.checkRank(0, 4, 4) || !node.checkRank(1, 4, 4) || !node.checkRank(2, 4, 4))
    return;
  Ints q = getShape(query), k = getShape(key), v = getShape(value);
  const int64_t groups = k[1], inGroup = groups > 0 ? q[1] / groups : 0;
  if (groups < 1 || !node.checkShape(1, {q[0], groups, k[2], q[3]}, "the batch and the width of the query") ||
      !node.checkShape(2, {q[0], groups, k[2], v[3]}, "the batch, the heads and the positions of the key") ||
      inGroup * groups != q[1] || !node.checkFits({q[0], q[1], q[2], k[2]}, "the scores")) {
    if (!node.hasFailed())
      node.error() << "the query's heads must be a multiple of the key's, but are " << q[1] << " and " << groups;
    return;
  }
  Type computed = readElementType(node, "softmax_precision", nn.types().getF32Type());
  if (node.hasFailed())
    return;
  if (!isa<FloatType>(computed)) {
    node.error() << "attribute 'softmax_precision' must be float16, bfloat16, float or double, but is not a float type";
    return;
  }
  const double scale = node.getFloat("scale", 1 / std::sqrt(double(std::max<int64_t>(q[3], 1))));
  auto inGroups = [&](Value x, int64_t each) {
    return x ? nn.reshape(x, {q[0], groups, each, getShape(x)[2], getShape(x)[3]}) : Value();
  };
  Value scores = nn.matmul(inGroups(nn.mul(query, scale), inGroup), nn.transpose(inGroups(key, 1), {0, 1, 2, 4, 3}));
  scores = nn.cast(nn.reshape(scores, {q[0], q[1], q[2], k[2]}), computed);
  Value shares = change(node, "score_mod", scores);
  shares = change(node, "prob_mod", shares ? nn.softmax(shares, 3, /*log=*/false) : Value());
  shares = nn.cast(shares, getElementType(query));
  Value result = nn.matmul(inGroups(shares, inGroup), inGroups(value, 1));
  node.setResult(nn.reshape(result, {q[0], q[1], q[2], v[3]}));
}

} // namespace

void registerFlexAttention(ImportRegistry &registry) {
  registry.add("FlexAttention", 1, {{"Q", Holds::Floats, 'T'}, {"K", Holds::Floats, 'T'}, {"V", Holds::Floats, 'T'}},
               importFlexAttention);
}

} // namespace nacre::importer::onnx_format
