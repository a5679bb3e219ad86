// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Support vector machines for regression and classification, as libsvm and liblinear train them.
//
// Kernels are computed for all rows and all support vectors together. In the classifier, each pair of classes has a
// score, which is a column of one product, and a vote.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/classical/Coupling.h"
#include "compiler/import/onnx/classical/Handlers.h"
#include "compiler/import/onnx/classical/Labels.h"
#include "compiler/import/onnx/classical/Scores.h"

#include <numeric>

using namespace mlir;

namespace nacre::importer::onnx_format::classical {
namespace {

using nn::BinaryKind;
using nn::ReduceKind;
using nn::UnaryKind;

//===----------------------------------------------------------------------===//
// 1. Kernels
//===----------------------------------------------------------------------===//

/// Reports an error unless attribute `name` has `wanted` values, or at least as many with `mayHaveMore`.
bool checkCount(OperandBinder &node, StringRef name, ArrayRef<double> numbers, int64_t wanted, StringRef each,
                bool mayHaveMore = false) {
  const auto count = static_cast<int64_t>(numbers.size());
  if (count == wanted || (mayHaveMore && count > wanted))
    return true;
  node.error() << "attribute '" << name << "' must have " << describeCount(wanted, "number") << ", one for " << each
               << ", but has " << count;
  return false;
}

/// Returns operand 0 as f32 [rows, features], or null after an error.
Value readFeatures(OperandBinder &node) {
  Value rows = readRows(node);
  return rows ? node.nn.cast(rows, node.nn.types().getF32Type()) : Value();
}

struct Kernel {
  StringRef name; ///< LINEAR, POLY, RBF or SIGMOID
  double gamma = 0, offset = 0, degree = 0;

  /// Returns the kernel of `rows` [N, features] and `vectors` [vectors, features]: [N, vectors].
  Value apply(NnBuilder &nn, Value rows, Value vectors) const;
};

/// Reads 'kernel_type' and 'kernel_params'. Fails after an error.
FailureOr<Kernel> readKernel(OperandBinder &node) {
  Kernel kernel{node.getChoice("kernel_type", {"LINEAR", "POLY", "RBF", "SIGMOID"})};
  SmallVector<double> parameters = node.getFloats("kernel_params");
  if (node.hasFailed())
    return failure();
  if (parameters.empty() && kernel.name == "LINEAR")
    return kernel;
  if (!checkCount(node, "kernel_params", parameters, 3, "gamma, coef0 and degree each"))
    return failure();
  kernel.gamma = parameters[0];
  kernel.offset = parameters[1];
  kernel.degree = parameters[2];
  return kernel;
}

Value Kernel::apply(NnBuilder &nn, Value rows, Value vectors) const {
  if (!rows || !vectors)
    return {};
  if (name == "RBF") {
    // The differences are computed and squared, because terms of the squares of whole features would cancel out.
    Value apart = nn.sub(nn.reshape(rows, {getShape(rows)[0], 1, getShape(rows)[1]}), vectors);
    Value distance = nn.reduce(ReduceKind::Sum, nn.mul(apart, apart), 2, /*keepDims=*/false);
    return nn.unary(UnaryKind::Exp, nn.mul(distance, -gamma));
  }
  Value product = nn.matmul(rows, nn.transpose(vectors, {1, 0}));
  if (name == "LINEAR")
    return product;
  Value x = nn.add(nn.mul(product, gamma), offset);
  if (name == "SIGMOID")
    return nn.unary(UnaryKind::Tanh, x);
  if (degree == 2 || degree == 3)
    return degree == 2 ? nn.mul(x, x) : nn.mul(nn.mul(x, x), x);
  return nn.binary(BinaryKind::Pow, x, degree);
}

/// Returns the kernel of all rows and `count` support vectors, or null after an error.
Value applyKernel(OperandBinder &node, Value rows, int64_t count) {
  const int64_t features = getShape(rows)[1];
  FailureOr<Kernel> kernel = readKernel(node);
  SmallVector<double> vectors = node.getFloats("support_vectors");
  if (failed(kernel) || node.hasFailed() ||
      !checkCount(node, "support_vectors", vectors, count * features, "each feature of each vector"))
    return {};
  SmallVector<int64_t> shape{getShape(rows)[0], count};
  if (kernel->name == "RBF")
    shape.push_back(features);
  if (!node.checkFits(shape, "the kernel of rows and support vectors"))
    return {};
  return kernel->apply(node.nn, rows, makeNumbers(node.nn, vectors, {count, features}, getElementType(rows)));
}

//===----------------------------------------------------------------------===//
// 2. The regressor
//===----------------------------------------------------------------------===//

/// Returns `x` [N, columns] times 'coefficients', one per column, plus the first value of 'rho': [N, 1]. Null after an
/// error.
Value weigh(OperandBinder &node, Value x, StringRef each) {
  NnBuilder &nn = node.nn;
  SmallVector<double> coefficients = node.getFloats("coefficients"), rho = node.getFloats("rho");
  if (!x || node.hasFailed() || !checkCount(node, "coefficients", coefficients, getShape(x)[1], each) ||
      !checkCount(node, "rho", rho, 1, "the result", /*mayHaveMore=*/true))
    return {};
  Value weights = makeNumbers(nn, coefficients, {getShape(x)[1], 1}, getElementType(x));
  return weights ? nn.add(nn.matmul(x, weights), rho.front()) : Value();
}

void importRegressor(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value rows = readFeatures(node);
  const int64_t count = node.getInt("n_supports", 0);
  const bool isOneClass = node.getFlag("one_class", false);
  StringRef name = node.getChoice("post_transform", transforms);
  if (!rows || node.hasFailed())
    return;
  if (name != "NONE") {
    node.error() << "attribute 'post_transform' must be NONE, but is " << name
                 << ", which ONNX Runtime ignores; set it to NONE and add the function as a node";
    return;
  }
  Value y;
  if (count < 0 || count > INT32_MAX) {
    node.error() << "attribute 'n_supports' must lie between 0 and " << INT32_MAX << ", but is " << count;
    return;
  }
  if (count > 0) {
    y = weigh(node, applyKernel(node, rows, count), "each support vector");
  } else {
    node.ignore({"kernel_type", "kernel_params", "support_vectors"});
    y = weigh(node, rows, "each feature");
  }
  if (isOneClass && y)
    y = nn.select(nn.binary(BinaryKind::Greater, y, 0.0), nn.scalar(y, 1), nn.scalar(y, -1));
  node.setResult(y);
}

//===----------------------------------------------------------------------===//
// 3. The classifier
//===----------------------------------------------------------------------===//

/// Returns the pairs of classes that are compared: (0, 1), (0, 2), ..., (1, 2), ...
SmallVector<std::pair<int64_t, int64_t>> listPairs(int64_t classes) {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t i = 0; i < classes; ++i)
    for (int64_t j = i + 1; j < classes; ++j)
      pairs.push_back({i, j});
  return pairs;
}

/// Returns the weights of vectors for pairs, [vectors, pairs], or null after an error. `coefficients` is [classes - 1,
/// vectors]. The coefficients of a class's vectors are in the order of its pairs with the other classes.
Value arrangeCoefficients(OperandBinder &node, ArrayRef<int64_t> vectorsPerClass, ArrayRef<double> coefficients,
                          int64_t count, Type type) {
  const auto pairs = listPairs(static_cast<int64_t>(vectorsPerClass.size()));
  const auto columns = static_cast<int64_t>(pairs.size());
  if (!node.checkFits({count, columns}, "the coefficients of all pairs of classes") ||
      !node.allowsConstant(count * columns, sizeof(double)))
    return {};
  std::vector<double> weights(count * columns);
  SmallVector<int64_t> begin{0};
  for (int64_t vectors : vectorsPerClass)
    begin.push_back(begin.back() + vectors);
  for (auto [column, pair] : llvm::enumerate(pairs)) {
    auto [i, j] = pair;
    for (int64_t vector = begin[i]; vector < begin[i + 1]; ++vector)
      weights[vector * columns + column] = coefficients[(j - 1) * count + vector];
    for (int64_t vector = begin[j]; vector < begin[j + 1]; ++vector)
      weights[vector * columns + column] = coefficients[i * count + vector];
  }
  return makeNumbers(node.nn, weights, {count, columns}, type);
}

/// Returns the scores of all pairs, [N, pairs], or null after an error.
Value scorePairs(OperandBinder &node, Value rows, ArrayRef<int64_t> vectorsPerClass, ArrayRef<double> coefficients) {
  NnBuilder &nn = node.nn;
  const auto classes = static_cast<int64_t>(vectorsPerClass.size()), pairs = classes * (classes - 1) / 2;
  SmallVector<double> rho = node.getFloats("rho");
  const int64_t count = std::accumulate(vectorsPerClass.begin(), vectorsPerClass.end(), int64_t(0));
  if (count > INT32_MAX) {
    node.error() << "attribute 'vectors_per_class' must have a sum of at most " << INT32_MAX << ", but has " << count;
    return {};
  }
  if (node.hasFailed() ||
      !checkCount(node, "coefficients", coefficients, (classes - 1) * count, "each vector and other class") ||
      !checkCount(node, "rho", rho, pairs, "each pair of classes", /*mayHaveMore=*/true))
    return {};
  Value kernels = applyKernel(node, rows, count);
  Value weights = arrangeCoefficients(node, vectorsPerClass, coefficients, count, getElementType(rows));
  if (!kernels || !weights)
    return {};
  rho.resize(pairs);
  return nn.add(nn.matmul(kernels, weights), makeNumbers(nn, rho, pairs, getElementType(rows)));
}

/// Returns the class that wins the most pairs of each row. If several do, it is the first one.
Value countVotes(NnBuilder &nn, Value scores, int64_t classes) {
  // A pair (i, j) votes for j, or for i if its score is above 0.
  const auto pairs = listPairs(classes);
  if (!nn.allowsConstant(static_cast<int64_t>(pairs.size()) * classes, sizeof(double)))
    return {};
  std::vector<double> changes(pairs.size() * classes), votes(classes);
  for (auto [row, pair] : llvm::enumerate(pairs)) {
    changes[row * classes + pair.first] = 1;
    changes[row * classes + pair.second] = -1;
    ++votes[pair.second];
  }
  Type type = getElementType(scores);
  Value wins = nn.cast(nn.binary(BinaryKind::Greater, scores, 0.0), type);
  Value changed = makeNumbers(nn, changes, {static_cast<int64_t>(pairs.size()), classes}, type);
  return findLargest(nn, nn.add(nn.matmul(wins, changed), makeNumbers(nn, votes, classes, type)));
}

/// Returns the probabilities of classes, computed from the scores of pairs by 'prob_a' and 'prob_b'. Null after an
/// error.
Value computeProbabilities(OperandBinder &node, Value scores, int64_t classes, ArrayRef<double> slopes,
                           ArrayRef<double> offsets) {
  NnBuilder &nn = node.nn;
  constexpr double least = 1e-7;
  const int64_t pairs = getShape(scores)[1];
  if (!checkCount(node, "prob_a", slopes, pairs, "each pair of classes") ||
      !checkCount(node, "prob_b", offsets, pairs, "each pair of classes") ||
      !node.checkFits({getShape(scores)[0], classes, classes}, "the probabilities of all pairs"))
    return {};
  Type type = getElementType(scores);
  Value x = nn.add(nn.mul(scores, makeNumbers(nn, slopes, pairs, type)), makeNumbers(nn, offsets, pairs, type));
  Value wins = x ? nn.sub(nn.scalar(x, 1), nn.unary(UnaryKind::Sigmoid, x)) : Value();
  return couplePairs(nn, clamp(nn, wins, least, 1 - least), classes);
}

/// Classifies by one score per pair. With 'prob_a', classifies by one probability per class.
void classifyByPairs(OperandBinder &node, const Labels &labels, Value rows, ArrayRef<int64_t> vectorsPerClass,
                     ArrayRef<double> coefficients, StringRef name) {
  NnBuilder &nn = node.nn;
  SmallVector<double> slopes = node.getFloats("prob_a"), offsets = node.getFloats("prob_b");
  Value scores = scorePairs(node, rows, vectorsPerClass, coefficients);
  if (!scores || node.hasFailed())
    return;
  Value classes = countVotes(nn, scores, labels.count);
  if (!slopes.empty() || !offsets.empty()) {
    scores = transform(nn, name, computeProbabilities(node, scores, labels.count, slopes, offsets));
  } else if (labels.count > 2) {
    scores = transform(nn, name, scores);
  } else if (name == "NONE") {
    scores = nn.concat({nn.unary(UnaryKind::Neg, scores), scores}, 1);
  } else {
    node.error() << "attribute 'post_transform' must be NONE for two classes without 'prob_a', but is " << name
                 << ", which ONNX and ONNX Runtime define differently; set it to NONE and add the function as a node";
    return;
  }
  setLabels(node, labels, classes);
  node.setResult(1, scores);
}

/// Classifies without support vectors. Each class has separate coefficients; all classes use the first value of 'rho'.
void classifyLinearly(OperandBinder &node, const Labels &labels, Value rows, ArrayRef<double> coefficients,
                      StringRef name) {
  NnBuilder &nn = node.nn;
  const int64_t features = getShape(rows)[1];
  node.ignore({"kernel_type", "kernel_params", "support_vectors", "prob_a", "prob_b"});
  SmallVector<double> rho = node.getFloats("rho");
  if (node.hasFailed() ||
      !checkCount(node, "coefficients", coefficients, labels.count * features, "each class and feature") ||
      !checkCount(node, "rho", rho, 1, "all classes", /*mayHaveMore=*/true))
    return;
  Value weights = makeNumbers(nn, coefficients, {labels.count, features}, getElementType(rows));
  Value scores = weights ? nn.add(nn.matmul(rows, nn.transpose(weights, {1, 0})), rho.front()) : Value();
  Value classes = findLargest(nn, scores);
  if (labels.count == 2) {
    // ONNX Runtime chooses the second of two classes if any score is above 0, or at least 0.5 if no coefficient is
    // negative.
    const bool isPositive = llvm::all_of(coefficients, [](double number) { return number >= 0; });
    Value largest = nn.reduce(ReduceKind::Max, scores, 1, /*keepDims=*/false);
    Value isSecond =
        isPositive ? nn.binary(BinaryKind::GreaterEqual, largest, 0.5) : nn.binary(BinaryKind::Greater, largest, 0.0);
    classes = classes ? nn.select(isSecond, nn.scalar(classes, 1), classes) : Value();
  }
  setLabels(node, labels, classes);
  node.setResult(1, transform(nn, name, scores));
}

void importClassifier(OperandBinder &node) {
  Value rows = readFeatures(node);
  StringRef name = node.getChoice("post_transform", transforms);
  FailureOr<Labels> labels = readClasses(node, "classlabels_ints");
  SmallVector<double> coefficients = node.getFloats("coefficients");
  SmallVector<int64_t> vectorsPerClass =
      node.getSizes("vectors_per_class", node.getInts("vectors_per_class").size(), 0, 0);
  if (!rows || failed(labels) || node.hasFailed())
    return;
  if (llvm::all_of(vectorsPerClass, [](int64_t vectors) { return vectors == 0; }))
    return classifyLinearly(node, *labels, rows, coefficients, name);
  if (static_cast<int64_t>(vectorsPerClass.size()) != labels->count) {
    node.error() << "attribute 'vectors_per_class' must have one number for each of the " << labels->count
                 << " labels, but has " << vectorsPerClass.size();
    return;
  }
  classifyByPairs(node, *labels, rows, vectorsPerClass, coefficients, name);
}

} // namespace

void registerSupportVectors(ImportRegistry &registry) {
  registry.add("SVMClassifier", 1, {{"X", Holds::Numbers}}, importClassifier);
  registry.setLimit("SVMClassifier",
                    "string labels, unless only the scores are used; transforms of a single score without 'prob_a'");
  registry.add("SVMRegressor", 1, {{"X", Holds::Numbers}}, importRegressor);
  registry.setLimit("SVMRegressor", "transforms");
}

} // namespace nacre::importer::onnx_format::classical
