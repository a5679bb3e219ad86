// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses for training.

#include "compiler/import/compositions/Losses.h"
#include "compiler/import/onnx/operators/Handlers.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

/// Reads the attributes that both losses have. Fails after an error.
FailureOr<LikelihoodLoss> readLoss(OperandBinder &node) {
  LikelihoodLoss loss;
  loss.weights = node.getOperand(2);
  if (node.has("ignore_index"))
    loss.ignoredClass = node.getInt("ignore_index", 0);
  StringRef reduction = node.getChoice("reduction", {"mean", "sum", "none"});
  loss.reduction = reduction == "mean"  ? LossReduction::Mean
                   : reduction == "sum" ? LossReduction::Sum
                                        : LossReduction::None;
  if (!node.checkRank(0, 2))
    return failure();
  SmallVector<int64_t> targets(getShape(node.getOperand(0)));
  int64_t classes = targets[1];
  targets.erase(targets.begin() + 1);
  if (node.hasFailed() || !node.checkShape(1, targets, "that of " + node.nameOf(0) + " without its classes") ||
      !node.checkShape(2, classes, "one weight for each class"))
    return failure();
  return loss;
}

void importLikelihoodLoss(OperandBinder &node) {
  FailureOr<LikelihoodLoss> loss = readLoss(node);
  if (succeeded(loss))
    node.setResult(negativeLogLikelihood(node.nn, node.getOperand(0), node.getOperand(1), *loss));
}

void importCrossEntropyLoss(OperandBinder &node) {
  FailureOr<LikelihoodLoss> loss = readLoss(node);
  if (failed(loss))
    return;
  Value logarithms = node.nn.softmax(node.getOperand(0), 1, /*log=*/true);
  node.setResult(0, negativeLogLikelihood(node.nn, logarithms, node.getOperand(1), *loss));
  node.setResult(1, logarithms);
}

} // namespace

void registerLosses(ImportRegistry &registry) {
  auto signature = [](const char *scores, const char *labels, const char *weights) {
    return Signature{{scores, Holds::Floats, 'T'}, {labels, Holds::Indices}, {weights, Holds::Floats, 'T'}};
  };
  registry.add("NegativeLogLikelihoodLoss", 12, signature("input", "target", "weight?"), importLikelihoodLoss);
  registry.add("SoftmaxCrossEntropyLoss", 12, signature("scores", "labels", "weights?"), importCrossEntropyLoss);
}

} // namespace nacre::importer::onnx_format
