// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tree ensembles for regression and classification. If ONNX does not specify a detail, they compute as ONNX Runtime
// does.

#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/classical/Labels.h"
#include "compiler/import/onnx/classical/Scores.h"
#include "compiler/import/onnx/trees/ForestWalk.h"
#include "compiler/import/onnx/trees/Handlers.h"

#include "llvm/ADT/StringSwitch.h"
#include <limits>

using namespace mlir;

namespace nacre::importer::onnx_format::trees {
namespace {

using namespace classical;
using nn::UnaryKind;

//===----------------------------------------------------------------------===//
// 1. Leaves and base values
//===----------------------------------------------------------------------===//

/// Returns the leaves that rows reach, or null after an error.
Value walk(OperandBinder &node, const Forest &forest, Value rows) {
  auto trees = static_cast<int64_t>(forest.roots.size());
  return node.checkFits({getShape(rows)[0], trees}, "the node of each row") ? findLeaves(node.nn, forest, rows)
                                                                            : Value();
}

/// Adds the base values, one per target, to `scores` if there are any. Returns null after an error, whose message ends
/// with `otherwise`.
Value addBase(OperandBinder &node, Value scores, ArrayRef<double> base, int64_t targets, StringRef otherwise = "") {
  if (base.empty())
    return scores;
  if (static_cast<int64_t>(base.size()) != targets) {
    node.error() << "attribute 'base_values' must have " << describeCount(targets, "number")
                 << ", one per scored target or class" << otherwise << ", but has " << base.size();
    return {};
  }
  return scores ? node.nn.add(scores, makeNumbers(node.nn, base, targets, getElementType(scores))) : Value();
}

//===----------------------------------------------------------------------===//
// 2. Regressors
//===----------------------------------------------------------------------===//

/// Returns the number of targets, or `nullopt` after an error.
std::optional<int64_t> readTargets(OperandBinder &node) {
  constexpr int64_t most = 1 << 20;
  const int64_t targets = node.getInt("n_targets", 1);
  if (targets >= 1 && targets <= most)
    return targets;
  node.error() << "attribute 'n_targets' must lie between 1 and " << most << ", but is " << targets;
  return std::nullopt;
}

void regress(OperandBinder &node, Value rows, FailureOr<Forest> forest, int64_t targets, Aggregate how,
             StringRef name) {
  NnBuilder &nn = node.nn;
  FailureOr<SmallVector<double>> base = readNumbers(node, "base_values");
  if (failed(forest) || failed(base) || !checkTransform(node, name, targets) ||
      !node.checkFits({getShape(rows)[0], static_cast<int64_t>(forest->roots.size()), targets},
                      "the weights of all trees"))
    return;
  Value scores = aggregate(nn, *forest, walk(node, *forest, rows), targets, how, getElementType(rows));
  if (Value based = addBase(node, scores, *base, targets))
    node.setResult(transform(nn, name, based));
  else
    node.setResult({});
}

void importRegressor(OperandBinder &node) {
  Value rows = readRows(node);
  const std::optional<int64_t> targets = readTargets(node);
  const auto how = llvm::StringSwitch<Aggregate>(node.getChoice("aggregate_function", {"SUM", "AVERAGE", "MIN", "MAX"}))
                       .Case("AVERAGE", Aggregate::Average)
                       .Case("MIN", Aggregate::Min)
                       .Case("MAX", Aggregate::Max)
                       .Default(Aggregate::Sum);
  StringRef name = node.getChoice("post_transform", transforms);
  if (!rows || !targets || node.hasFailed())
    return;
  regress(node, rows, readForest(node, "target", {getShape(rows)[1], *targets}), *targets, how, name);
  if (Value scores = node.getResult(0))
    node.setResult(node.nn.cast(scores, node.nn.types().getF32Type()));
}

/// Imports the operator of version 5, which is for regression and classification. It encodes choices as integers.
void importTreeEnsemble(OperandBinder &node) {
  constexpr Aggregate aggregates[] = {Aggregate::Average, Aggregate::Sum, Aggregate::Min, Aggregate::Max};
  Value rows = readRows(node);
  const std::optional<int64_t> targets = readTargets(node);
  const int64_t how = node.getInt("aggregate_function", 1), name = node.getInt("post_transform", 0);
  if (how < 0 || how >= static_cast<int64_t>(std::size(aggregates)) || name < 0 ||
      name >= static_cast<int64_t>(std::size(transforms))) {
    node.error()
        << "attributes 'aggregate_function' and 'post_transform' must lie between 0 and 3, and 0 and 4, but are " << how
        << " and " << name;
    return;
  }
  if (!rows || !targets || node.hasFailed())
    return;
  regress(node, rows, readNumberedForest(node, {getShape(rows)[1], *targets}), *targets, aggregates[how],
          transforms[name]);
  if (Value scores = node.getResult(0))
    node.setResult(node.nn.cast(scores, getElementType(node.getOperand(0))));
}

//===----------------------------------------------------------------------===//
// 3. The classifier
//===----------------------------------------------------------------------===//

/// Scores of rows, [rows, classes], and the index of the class of each row.
struct Classified {
  Value scores, classes;
};

bool hasPositiveWeights(const Forest &forest) {
  return llvm::all_of(forest.scores, [](const LeafScore &leaf) { return leaf.weight >= 0; });
}

/// Chooses the second of two classes if the only score is above 0.5. If there are negative weights, the limit is 0.
Value chooseByOne(NnBuilder &nn, const Forest &forest, Value score) {
  return findAbove(nn, score, hasPositiveWeights(forest) ? 0.5 : 0.0);
}

/// Computes the scores of two classes of which only the first has weights. If no weight is negative, the other score is
/// 1 - score; otherwise, it is -score.
Classified classifyByFirst(NnBuilder &nn, const Forest &forest, Value score, StringRef name) {
  Value first, second = score;
  if (hasPositiveWeights(forest)) {
    first = nn.sub(nn.scalar(score, 1), score);
  } else if (name == "LOGISTIC") {
    first = nn.unary(UnaryKind::Sigmoid, nn.unary(UnaryKind::Neg, score));
    second = nn.unary(UnaryKind::Sigmoid, score);
  } else {
    // ONNX Runtime returns -|s| and |s|, independently of the class that wins.
    second = nn.unary(UnaryKind::Abs, score);
    first = nn.unary(UnaryKind::Neg, second);
  }
  if (!first || !second)
    return {};
  return {nn.concat({first, second}, 1), chooseByOne(nn, forest, score)};
}

Classified classifyByAll(NnBuilder &nn, Value scores, Value isScored, StringRef name) {
  Value candidates = scores;
  if (isScored && scores)
    candidates = nn.select(isScored, scores, nn.scalar(scores, -std::numeric_limits<double>::infinity()));
  return {transform(nn, name, scores), findLargest(nn, candidates)};
}

void importClassifier(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value rows = readRows(node);
  StringRef name = node.getChoice("post_transform", transforms);
  FailureOr<Labels> labels = readClasses(node, "classlabels_int64s");
  FailureOr<SmallVector<double>> base = readNumbers(node, "base_values");
  if (!rows || failed(labels) || failed(base) || node.hasFailed())
    return;
  const int64_t count = labels->count;
  FailureOr<Forest> forest = readForest(node, "class", {getShape(rows)[1], count});
  if (failed(forest))
    return;
  auto isOnly = [&](int64_t target) {
    return count == 2 && !forest->scores.empty() &&
           llvm::all_of(forest->scores, [&](const LeafScore &leaf) { return leaf.target == target; });
  };
  // If there is a base value for each class, the second class has a score, too.
  const bool isByFirst = isOnly(0) && base->size() != 2;
  const int64_t scored = isByFirst ? 1 : count;
  if (isByFirst && name == "PROBIT") {
    node.error() << "attribute 'post_transform' must not be PROBIT if only one of two classes is scored, because the "
                    "other then has no score";
    return;
  }
  if (!node.checkFits({getShape(rows)[0], static_cast<int64_t>(forest->roots.size()), scored},
                      "the weights of all trees"))
    return;
  Value leaves = walk(node, *forest, rows);
  Value scores = aggregate(nn, *forest, leaves, scored, Aggregate::Sum, getElementType(rows));
  const bool areAllScored = !base->empty() || static_cast<int64_t>(forest->scores.size()) == forest->leafCount * scored;
  scores = addBase(node, scores, *base, scored, isByFirst ? ", or 2" : "");
  if (node.hasFailed())
    return;
  Classified result =
      isByFirst ? classifyByFirst(nn, *forest, scores, name)
                : classifyByAll(nn, scores, areAllScored ? Value() : findScored(nn, *forest, leaves, scored), name);
  for (int64_t only : {0, 1})
    if (!isByFirst && isOnly(only) && scores)
      result.classes = chooseByOne(nn, *forest, nn.slice(scores, 1, only, 1));
  setLabels(node, *labels, result.classes);
  node.setResult(1, nn.cast(result.scores, nn.types().getF32Type()));
}

} // namespace

void registerTreeEnsembles(ImportRegistry &registry) {
  const Signature rows{{"X", Holds::Numbers}}, floats{{"X", Holds::Floats}};
  registry.add("TreeEnsemble", 5, floats, importTreeEnsemble);
  registry.setLimit("TreeEnsemble", "nodes that test set membership");
  registry.add("TreeEnsembleClassifier", 1, rows, importClassifier);
  registry.setLimit("TreeEnsembleClassifier", "string labels, unless only the scores are used");
  registry.add("TreeEnsembleRegressor", 1, rows, importRegressor);
  registry.setLimit("TreeEnsembleRegressor", "transforms of a single target, except PROBIT");
}

} // namespace nacre::importer::onnx_format::trees
