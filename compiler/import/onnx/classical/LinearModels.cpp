// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear models for regression and classification.

#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/classical/Handlers.h"
#include "compiler/import/onnx/classical/Labels.h"
#include "compiler/import/onnx/classical/Scores.h"

using namespace mlir;

namespace nacre::importer::onnx_format::classical {
namespace {

/// Returns rows [N, features] times 'coefficients' [scores, features], plus 'intercepts'. Returns null after an error.
Value multiply(OperandBinder &node, Value rows, ArrayRef<double> coefficients, int64_t scores) {
  NnBuilder &nn = node.nn;
  const int64_t features = getShape(rows)[1];
  SmallVector<double> intercepts = node.getFloats("intercepts");
  if (!intercepts.empty() && static_cast<int64_t>(intercepts.size()) != scores) {
    node.error() << "attribute 'intercepts' must have " << describeCount(scores, "number")
                 << ", one for each row of 'coefficients', but has " << intercepts.size();
    return {};
  }
  if (!node.checkFits({getShape(rows)[0], scores}))
    return {};
  Value weights = makeNumbers(nn, coefficients, {scores, features}, getElementType(rows));
  Value product = weights ? nn.matmul(rows, nn.transpose(weights, {1, 0})) : Value();
  return intercepts.empty() ? product : nn.add(product, makeNumbers(nn, intercepts, scores, getElementType(rows)));
}

/// Returns the number of rows of 'coefficients', or `nullopt` after an error.
std::optional<int64_t> countScores(OperandBinder &node, ArrayRef<double> coefficients, int64_t features) {
  const auto count = static_cast<int64_t>(coefficients.size());
  if (count > 0 && features > 0 && count % features == 0)
    return count / features;
  node.error() << "attribute 'coefficients' must have numbers for each of the " << describeCount(features, "feature")
               << " of a row, but has " << count;
  return std::nullopt;
}

void importRegressor(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value rows = readRows(node);
  SmallVector<double> coefficients = node.getFloats("coefficients");
  const int64_t targets = node.getInt("targets", 1);
  StringRef name = node.getChoice("post_transform", transforms);
  if (!rows || node.hasFailed())
    return;
  std::optional<int64_t> scores = countScores(node, coefficients, getShape(rows)[1]);
  if (!scores || !checkTransform(node, name, *scores))
    return;
  if (*scores != targets) {
    node.error() << "attribute 'targets' must be " << *scores << ", the number of rows of 'coefficients', but is "
                 << targets;
    return;
  }
  Value y = transform(nn, name, multiply(node, rows, coefficients, *scores));
  node.setResult(nn.cast(y, nn.types().getF32Type()));
}

/// Classifies into two classes of which only the second has a score. The score of the first class is 1 - score. The
/// second class is chosen if its score is above 0.
void classifyByOne(OperandBinder &node, const Labels &labels, Value score, StringRef name) {
  NnBuilder &nn = node.nn;
  if (name != "NONE") {
    node.error() << "attribute 'post_transform' must be NONE if only one of two classes is scored, but is " << name
                 << ", which ONNX and ONNX Runtime define differently; write a row of coefficients for each class";
    return;
  }
  setLabels(node, labels, findAbove(nn, score, 0));
  Value first = score ? nn.sub(nn.scalar(score, 1), score) : Value();
  node.setResult(1, nn.cast(nn.concat({first, score}, 1), nn.types().getF32Type()));
}

void importClassifier(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  node.ignore({"multi_class"}); // tells how the model was trained
  Value rows = readRows(node);
  SmallVector<double> coefficients = node.getFloats("coefficients");
  StringRef name = node.getChoice("post_transform", transforms);
  FailureOr<Labels> labels = readClasses(node, "classlabels_ints");
  if (!rows || failed(labels) || node.hasFailed())
    return;
  std::optional<int64_t> scored = countScores(node, coefficients, getShape(rows)[1]);
  if (!scored)
    return;
  if (*scored != labels->count && !(*scored == 1 && labels->count == 2)) {
    node.error() << "attribute 'coefficients' must have a row for each of the " << labels->count
                 << " labels, or one row for two labels, but has " << describeCount(*scored, "row");
    return;
  }
  Value scores = multiply(node, rows, coefficients, *scored);
  if (*scored == 1)
    return classifyByOne(node, *labels, scores, name);
  setLabels(node, *labels, findLargest(nn, scores));
  node.setResult(1, nn.cast(transform(nn, name, scores), nn.types().getF32Type()));
}

} // namespace

void registerLinearModels(ImportRegistry &registry) {
  registry.add("LinearClassifier", 1, {{"X", Holds::Numbers}}, importClassifier);
  registry.setLimit("LinearClassifier", "string labels, unless only the scores are used; transforms of a single score");
  registry.add("LinearRegressor", 1, {{"X", Holds::Numbers}}, importRegressor);
  registry.setLimit("LinearRegressor", "transforms of a single target, except PROBIT");
}

} // namespace nacre::importer::onnx_format::classical
