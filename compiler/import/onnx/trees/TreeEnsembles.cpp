// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ensembles of decision trees that regress and classify, as ONNX Runtime computes them where ONNX says less.
//
// How:  1. rows, 2. what is done to scores, 3. regressors, 4. the classifier.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/trees/ForestWalk.h"
#include "compiler/import/onnx/trees/Handlers.h"
#include "compiler/import/onnx/trees/Labels.h"

#include "llvm/ADT/StringSwitch.h"
#include <limits>

using namespace mlir;

namespace nacre::importer::onnx_format::trees {
namespace {

using nn::BinaryKind;
using nn::ReduceKind;
using nn::UnaryKind;

//===----------------------------------------------------------------------===//
// 1. Rows
//===----------------------------------------------------------------------===//

/// Operand 0 as [rows, features], of the type that features are compared in; null after an error.
Value readRows(OperandBinder &node) {
  Value x = node.getOperand(0);
  if (!node.checkRank(0, 1, 2))
    return {};
  const int64_t width = getShape(x).back(), count = getRank(x) == 1 ? 1 : getShape(x)[0];
  if (count * width > INT32_MAX) {
    node.error() << node.nameOf(0) << " must have at most " << INT32_MAX << " elements, but is " << describe(x);
    return {};
  }
  Type type = getElementType(x).isF64() ? getElementType(x) : Type(node.nn.types().getF32Type());
  return node.nn.reshape(node.nn.cast(x, type), {count, width});
}

/// The leaves that rows reach; null after an error.
Value walk(OperandBinder &node, const Forest &forest, Value rows) {
  auto trees = static_cast<int64_t>(forest.roots.size());
  return node.checkFits({getShape(rows)[0], trees}, "the node of each row") ? findLeaves(node.nn, forest, rows)
                                                                            : Value();
}

//===----------------------------------------------------------------------===//
// 2. Scores
//===----------------------------------------------------------------------===//

constexpr StringRef transforms[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};

/// Softmax of what is not 0, along the last axis.
Value softmaxOfNonzero(NnBuilder &nn, Value x) {
  Value most = nn.reduce(ReduceKind::Max, x, 1, /*keepDims=*/true);
  Value isZero = nn.binary(BinaryKind::LessEqual, nn.unary(UnaryKind::Abs, x), 1e-7);
  Value power = nn.select(isZero, nn.scalar(x, 0), nn.unary(UnaryKind::Exp, nn.sub(x, most)));
  Value small = nn.mul(x, nn.unary(UnaryKind::Exp, nn.unary(UnaryKind::Neg, most)));
  Value sum = nn.reduce(ReduceKind::Sum, power, 1, /*keepDims=*/true);
  return nn.div(nn.select(isZero, small, power), sum);
}

/// sqrt(2) * the inverse error function of 2 x - 1, which ONNX Runtime approximates so (Winitzki).
Value probit(NnBuilder &nn, Value x) {
  constexpr double a = 0.147, pi = 3.14159;
  Value y = nn.add(nn.mul(x, 2), -1);
  Value log = nn.unary(UnaryKind::Log, nn.mul(nn.sub(nn.scalar(y, 1), y), nn.add(y, 1)));
  Value half = nn.add(nn.mul(log, 0.5), 2 / (pi * a));
  Value root = nn.unary(UnaryKind::Sqrt, nn.sub(nn.mul(half, half), nn.mul(log, 1 / a)));
  Value magnitude = nn.unary(UnaryKind::Sqrt, nn.sub(root, half));
  Value sign = nn.select(nn.binary(BinaryKind::Less, y, 0.0), nn.scalar(y, -1), nn.scalar(y, 1));
  return nn.mul(nn.mul(sign, magnitude), 1.41421356);
}

/// `scores` [rows, targets] by the post_transform of that name.
Value transform(NnBuilder &nn, StringRef name, Value scores) {
  if (name == "SOFTMAX")
    return nn.softmax(scores, 1, /*log=*/false);
  if (name == "LOGISTIC")
    return nn.unary(UnaryKind::Sigmoid, scores);
  if (name == "SOFTMAX_ZERO")
    return softmaxOfNonzero(nn, scores);
  return name == "PROBIT" ? probit(nn, scores) : scores;
}

/// Numbers of a list that is not empty, of `scores`' element type.
Value makeRow(NnBuilder &nn, Value scores, ArrayRef<double> numbers) {
  auto type = RankedTensorType::get(static_cast<int64_t>(numbers.size()), nn.types().getF64Type());
  return scores ? nn.cast(nn.constant(DenseElementsAttr::get(type, numbers)), getElementType(scores)) : Value();
}

/// Adds a base value for each target to `scores`, if there are any; null after an error. `otherwise` completes the message.
Value addBase(OperandBinder &node, Value scores, ArrayRef<double> base, int64_t targets, StringRef otherwise = "") {
  if (base.empty())
    return scores;
  if (static_cast<int64_t>(base.size()) != targets) {
    node.error() << "attribute 'base_values' must have " << describeCount(targets, "number")
                 << ", one per scored target or class" << otherwise << ", but has " << base.size();
    return {};
  }
  return node.nn.add(scores, makeRow(node.nn, scores, base));
}

//===----------------------------------------------------------------------===//
// 3. Regressors
//===----------------------------------------------------------------------===//

/// The number of targets; nothing after an error.
std::optional<int64_t> readTargets(OperandBinder &node) {
  constexpr int64_t most = 1 << 20;
  const int64_t targets = node.getInt("n_targets", 1);
  if (targets >= 1 && targets <= most)
    return targets;
  node.error() << "attribute 'n_targets' must lie between 1 and " << most << ", but is " << targets;
  return std::nullopt;
}

/// Reports an error for a transform of one score that ONNX Runtime leaves out.
bool checkTransform(OperandBinder &node, StringRef name, int64_t targets) {
  if (targets > 1 || name == "NONE" || name == "PROBIT")
    return true;
  node.error() << "attribute 'post_transform' must be NONE or PROBIT for one target, but is " << name
               << ", which ONNX and ONNX Runtime define differently; set post_transform to NONE and add a Sigmoid or "
                  "Softmax node after this one";
  return false;
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

/// One operator for both since version 5, whose choices are numbers.
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
// 4. The classifier
//===----------------------------------------------------------------------===//

/// What rows score: [rows, classes], and of which class a row is, as its number.
struct Classified {
  Value scores, classes;
};

bool hasPositiveWeights(const Forest &forest) {
  return llvm::all_of(forest.scores, [](const LeafScore &leaf) { return leaf.weight >= 0; });
}

/// The second of two classes where the only score is above a half, or above 0 if weights have signs.
Value chooseByOne(NnBuilder &nn, const Forest &forest, Value score) {
  Value isSecond = nn.binary(BinaryKind::Greater, score, hasPositiveWeights(forest) ? 0.5 : 0.0);
  return isSecond ? nn.reshape(nn.cast(isSecond, nn.types().getI64Type()), {getShape(score)[0]}) : Value();
}

/// Two classes of which only the first is scored: the other has the rest, to 1 if no weight is below 0, else to 0.
Classified classifyByFirst(NnBuilder &nn, const Forest &forest, Value score, StringRef name) {
  Value first, second = score;
  if (hasPositiveWeights(forest)) {
    first = nn.sub(nn.scalar(score, 1), score);
  } else if (name == "LOGISTIC") {
    first = nn.unary(UnaryKind::Sigmoid, nn.unary(UnaryKind::Neg, score));
    second = nn.unary(UnaryKind::Sigmoid, score);
  } else {
    // ONNX Runtime writes -|s| and |s|, whichever class wins.
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
  Value classes = nn.argReduce(nn::ArgKind::Max, candidates, 1, /*keepDims=*/false, /*selectLast=*/false);
  return {transform(nn, name, scores), classes};
}

void importClassifier(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value rows = readRows(node);
  StringRef name = node.getChoice("post_transform", transforms);
  FailureOr<Labels> labels = readLabels(node);
  FailureOr<SmallVector<double>> base = readNumbers(node, "base_values");
  if (!rows || failed(labels) || failed(base) || node.hasFailed())
    return;
  const int64_t count = labels->count;
  if (count < 2) {
    node.error() << "attribute 'classlabels_int64s' must have two labels or more, but has " << count;
    return;
  }
  FailureOr<Forest> forest = readForest(node, "class", {getShape(rows)[1], count});
  if (failed(forest))
    return;
  auto isOnly = [&](int64_t target) {
    return count == 2 && !forest->scores.empty() &&
           llvm::all_of(forest->scores, [&](const LeafScore &leaf) { return leaf.target == target; });
  };
  // With a base value for each class, the second one has a score, too.
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
  // Labels that are strings are no tensor; who has them as an output is told so there (entry/DeclaredOutputs.h).
  node.setResult(0,
                 labels->integers.empty() ? nn.nothing() : nn.gather(nn.integers(labels->integers), result.classes, 0));
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
