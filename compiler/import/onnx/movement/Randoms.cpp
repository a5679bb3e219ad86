// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random values, and operators that drop or choose elements at random.

#include "compiler/import/builder/OpenWeights.h"
#include "compiler/import/compositions/Random.h"
#include "compiler/import/onnx/movement/Handlers.h"
#include "compiler/import/onnx/operands/TypeAttribute.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "llvm/ADT/bit.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

/// Returns the key of a node whose seed is a float. All bits of the float are used.
RandomKey takeKey(OperandBinder &node) {
  std::optional<uint32_t> seed;
  if (node.has("seed"))
    seed = llvm::bit_cast<uint32_t>(static_cast<float>(node.getFloat("seed", 0)));
  return node.nn.takeRandomKey(seed);
}

/// Returns the key of a Dropout, whose seed is an integer.
RandomKey takeIntegerKey(OperandBinder &node) {
  std::optional<uint32_t> seed;
  if (node.has("seed"))
    seed = static_cast<uint32_t>(node.getInt("seed", 0));
  return node.nn.takeRandomKey(seed);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Draws values of `type` by the two attributes of the distribution.
void draw(OperandBinder &node, bool isNormal, RankedTensorType type) {
  if (!isa<FloatType>(type.getElementType())) {
    node.error() << "attribute 'dtype' must be a floating-point type, but is "
                 << (node.has("dtype") ? "another" : "missing, and the operand is not");
    return;
  }
  double first = isNormal ? node.getFloat("mean", 0) : node.getFloat("low", 0);
  double second = isNormal ? node.getFloat("scale", 1) : node.getFloat("high", 1);
  RandomKey key = takeKey(node);
  node.setResult(isNormal ? normal(node.nn, type, key, first, second) : uniform(node.nn, type, key, first, second));
}

void importRandom(OperandBinder &node, bool isNormal) {
  SmallVector<int64_t> shape = node.getInts("shape");
  Type type = readElementType(node, "dtype", node.nn.types().getF32Type());
  if (!type)
    return;
  if (!node.has("shape") || llvm::any_of(shape, [](int64_t dim) { return dim < 0; }) || !nn::countElements(shape)) {
    node.error() << "attribute 'shape' is required and must hold non-negative sizes that fit into memory, but "
                 << (node.has("shape") ? "does not" : "is missing");
    return;
  }
  draw(node, isNormal, RankedTensorType::get(shape, type));
}

void importRandomLike(OperandBinder &node, bool isNormal) {
  Value like = node.getOperand(0);
  if (Type type = readElementType(node, "dtype", getElementType(like)))
    draw(node, isNormal, RankedTensorType::get(getShape(like), type));
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

void importBernoulli(OperandBinder &node) {
  Value probabilities = node.getOperand(0);
  RandomKey key = takeKey(node);
  if (Type type = readElementType(node, "dtype", getElementType(probabilities)))
    node.setResult(node.nn.cast(meets(node.nn, probabilities, key), type));
}

void importMultinomial(OperandBinder &node) {
  Value logits = node.getOperand(0);
  int64_t count = node.getInt("sample_size", 1);
  Type type = readElementType(node, "dtype", node.nn.types().getI32Type());
  RandomKey key = takeKey(node);
  if (!type || !node.checkRank(0, 2, 2))
    return;
  if (getShape(logits)[1] == 0 || count < 0 || count > INT32_MAX) {
    node.error() << "attribute 'sample_size' must lie between 0 and " << INT32_MAX << " and " << node.nameOf(0)
                 << " have classes, but they are " << count << " and " << describe(logits);
    return;
  }
  if (node.checkFits({getShape(logits)[0], count, getShape(logits)[1]}, "the comparison with all classes"))
    node.setResult(node.nn.cast(drawClasses(node.nn, logits, count, key), type));
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

/// True if the node drops elements, as in training. Fails after an error.
FailureOr<bool> drops(OperandBinder &node) {
  bool wasTraining = node.getVersion() < 7 && !node.getFlag("is_test", false) && node.getFloat("ratio", 0.5) != 0;
  if (wasTraining)
    return node.error() << "attribute 'is_test' must be 1, but is 0; export the model for inference";
  if (!node.getOperand(2))
    return false;
  FailureOr<int64_t> isTraining = node.getInteger(2);
  if (failed(isTraining))
    return failure();
  return *isTraining != 0;
}

/// Returns the dropout ratio, a scalar, or null after an error.
Value readRatio(OperandBinder &node) {
  Value ratio = node.getOperand(1);
  if (!ratio)
    return node.nn.splat(RankedTensorType::get({}, node.nn.types().getF32Type()), 0.5);
  if (getType(ratio).getNumElements() == 1)
    return node.nn.reshape(ratio, {});
  node.error() << node.nameOf(1) << " must have one element, but is " << describe(ratio);
  return {};
}

/// Imports a Dropout of a trained model. In training, it drops elements by the ratio in the file, even if the file was
/// exported for inference. Otherwise, it drops nothing.
void importTrainedDropout(OperandBinder &node, OpenWeights &weights) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  double ratio = node.getVersion() < 12 ? node.getFloat("ratio", 0.5) : 0.5;
  if (node.getOperand(1)) {
    FailureOr<double> given = node.getNumber(1);
    if (failed(given))
      return;
    ratio = *given;
  }
  if (node.wantsResult(1)) {
    node.error() << "must not use its mask output in training, but the mask is read";
    return;
  }
  const bool isDropping = weights.isTraining() && ratio > 0 && ratio < 1;
  node.setResult(0, isDropping ? dropOutAnew(nn, x, ratio, weights.getSeed(), weights.getStep(), nn.takeStream()) : x);
}

void importDropout(OperandBinder &node) {
  node.ignore({"ratio", "seed"});
  if (OpenWeights *weights = node.nn.getWeights())
    return importTrainedDropout(node, *weights);
  Value x = node.getOperand(0);
  FailureOr<bool> isDropping = drops(node);
  if (failed(isDropping))
    return;
  if (*isDropping) {
    Value ratio = readRatio(node);
    if (!ratio)
      return;
    Dropped dropped = dropOut(node.nn, x, ratio, takeIntegerKey(node));
    node.setResult(0, dropped.result);
    node.setResult(1, dropped.mask);
    return;
  }
  node.setResult(0, x);
  if (!node.wantsResult(1))
    return;
  // The mask keeps all elements. Before version 10, it had the type of the input.
  Type type = node.getVersion() < 10 ? getElementType(x) : node.nn.types().getI1Type();
  node.setResult(1, node.nn.splat(getType(x).clone(type), 1));
}

} // namespace

void registerRandoms(ImportRegistry &registry) {
  registry.add("Bernoulli", 15, {{"input", Holds::Floats}}, importBernoulli);
  registry.add("Dropout", 1, {{"data", Holds::Floats}}, importDropout);
  registry.add("Dropout", 12, {{"data", Holds::Floats}, {"ratio?", Holds::Floats}, {"training_mode?", Holds::Booleans}},
               importDropout);
  registry.setLimit("Dropout", "training before version 7");
  registry.add("Multinomial", 7, {{"input", Holds::Floats}}, importMultinomial);
  for (bool isNormal : {false, true}) {
    std::string op = isNormal ? "RandomNormal" : "RandomUniform";
    registry.add(op, 1, {}, [isNormal](OperandBinder &node) { importRandom(node, isNormal); });
    registry.add(op + "Like", 1, {{"input"}}, [isNormal](OperandBinder &node) { importRandomLike(node, isNormal); });
  }
}

} // namespace nacre::importer::onnx_format
