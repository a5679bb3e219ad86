// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products: fully connected layers and batches of products.

#include "compiler/import/compositions/IntegerArithmetic.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/tflite/Handlers.h"
#include "compiler/import/tflite/quantized/Rescaling.h"

#include "dialects/nn/shapes/ShapeRules.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

/// Returns the matrices with their last two axes exchanged.
Value turn(NnBuilder &nn, Value matrices) {
  if (!matrices)
    return {};
  SmallVector<int64_t> permutation = axisRange(0, getRank(matrices));
  std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
  return nn.transpose(matrices, permutation);
}

/// Returns the zero point of an operand as a scalar; null if it is 0. An operand with several zero points has only
/// zeros (checkIntegers).
Value readZero(TfliteNode &node, size_t operand) {
  const Quantization *quantization = node.getQuantization(operand);
  if (!quantization || quantization->isPerAxis() || quantization->zeros[0] == 0)
    return {};
  auto type = RankedTensorType::get({}, node.nn.types().getI32Type());
  return node.nn.splat(type, static_cast<double>(quantization->zeros[0]));
}

/// Reports an error unless the types of input, weights and bias are supported. If the weights have several zero points,
/// all must be 0.
bool checkIntegers(TfliteNode &node, size_t weights, Value bias) {
  Type input = getElementType(node.getOperand(0)), type = getElementType(node.getOperand(weights));
  const Quantization *scales = node.getQuantization(weights);
  const bool isMixed = scales && scales->isPerAxis() && llvm::any_of(scales->zeros, [](int64_t zero) { return zero; });
  const bool isBias = !bias || getElementType(bias).isSignlessInteger(32) || getElementType(bias).isSignlessInteger(64);
  if ((input.isInteger(8) || input.isInteger(16)) && isa<IntegerType>(type) && type.getIntOrFloatBitWidth() <= 16 &&
      !isMixed && isBias)
    return true;
  node.error()
      << "activations must have 8 or 16 bits, weights 8 bits, and per-channel zero points must be 0, but they are "
      << describe(node.getOperand(0)) << " and " << describe(node.getOperand(weights));
  return false;
}

//===----------------------------------------------------------------------===//
// Fully connected layers
//===----------------------------------------------------------------------===//

/// Multiplies the input, as a matrix with as many columns as the weights [results, columns], and restores the other
/// axes.
void importFullyConnected(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), weights = node.getOperand(1), bias = node.getOperand(2);
  node->ignore({"asymmetric_quantize_inputs"}); // the option allows rounding of floats for speed
  const bool keepsAxes = node->getFlag("keep_num_dims", false);
  if (node->getInt("weights_format", 0) != 0) {
    node.error() << "attribute 'weights_format' must be 0, but is not; convert the model without shuffled weights";
    return;
  }
  if (!node->checkRank(1, 2, 2) || !node->checkRank(0, 1))
    return;
  const int64_t results = getShape(weights)[0], columns = getShape(weights)[1], count = getType(x).getNumElements();
  if (columns < 1 || count % columns || (keepsAxes && getShape(x).back() != columns)) {
    node.error() << node->nameOf(0) << " must have rows of " << describeCount(columns, "element")
                 << " like the weights, but is " << describe(x);
    return;
  }
  SmallVector<int64_t> shape{count / columns, results};
  if (keepsAxes) {
    shape.assign(getShape(x).begin(), getShape(x).end());
    shape.back() = results;
  }
  if (!node->checkFits(shape))
    return;
  if (bias && getType(bias).getNumElements() != results) {
    node.error() << node->nameOf(2) << " must have one element for each of " << results << " results, but is "
                 << describe(bias);
    return;
  }
  Value rows = nn.reshape(x, {count / columns, columns});
  auto finish = [&](Value y) { return y ? nn.reshape(y, shape) : Value(); };
  if (isFloat(x)) {
    if (!isFloat(weights) && !node.getQuantization(1)) {
      node.error() << node->nameOf(1) << " must hold floats or quantized integers, but is " << describe(weights);
      return;
    }
    Value y = nn.matmul(rows, turn(nn, nn.cast(toReals(node, 1), getElementType(x))));
    if (bias)
      y = nn.add(y, nn.reshape(nn.cast(toReals(node, 2), getElementType(x)), {results}));
    node->ignore({"quantized_bias_type"}); // this option only matters for integers
    node.setResult(finish(activate(nn, readActivation(node), y)));
    return;
  }
  if (!checkIntegers(node, 1, bias))
    return;
  if (getElementType(weights).getIntOrFloatBitWidth() < 8)
    weights = nn.cast(weights, nn.types().getI8Type());
  Value sums = integerMatMul(nn, rows, readZero(node, 0), turn(nn, weights), readZero(node, 1));
  finishProducts(node, sums, 0, 1, 2, /*filterAxis=*/0, /*hasSingleProduct=*/true);
  node.setResult(finish(node->getResult(0)));
}

//===----------------------------------------------------------------------===//
// Batches of products
//===----------------------------------------------------------------------===//

void importBatchMatMul(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  node->ignore({"asymmetric_quantize_inputs"});
  const bool turnsLeft = node->getFlag("adj_x", false), turnsRight = node->getFlag("adj_y", false);
  if (!node->checkRank(0, 2) || !node->checkRank(1, 2))
    return;
  const bool isReal = isFloat(node.getOperand(0));
  if (isReal && !isFloat(node.getOperand(1)) && !node.getQuantization(1)) {
    node.error() << node->nameOf(1) << " must hold floats or quantized integers, but is "
                 << describe(node.getOperand(1));
    return;
  }
  Value lhs = node.getOperand(0), rhs = isReal ? nn.cast(toReals(node, 1), getElementType(lhs)) : node.getOperand(1);
  if (!rhs)
    return node.setResult({});
  lhs = turnsLeft ? turn(nn, lhs) : lhs;
  rhs = turnsRight ? turn(nn, rhs) : rhs;
  if (!lhs || !rhs)
    return node.setResult({});
  Ints left = getShape(lhs), right = getShape(rhs);
  llvm::Expected<nn::Shape> batch = nn::broadcastShapes({left.drop_back(2), right.drop_back(2)});
  const bool hasBatch = static_cast<bool>(batch);
  if (!hasBatch)
    llvm::consumeError(batch.takeError());
  if (left.back() != right[right.size() - 2] || !hasBatch) {
    node.error() << "operands must be matrices that can be multiplied, but are " << describe(lhs) << " and "
                 << describe(rhs) << (turnsLeft || turnsRight ? " after applying 'adj_x' and 'adj_y'" : "");
    return;
  }
  SmallVector<int64_t> result(*batch);
  result.append({left[left.size() - 2], right.back()});
  if (!node->checkFits(result))
    return;
  if (isReal) {
    node.setResult(nn.matmul(lhs, rhs));
    return;
  }
  FailureOr<OneScale> scale = readOneScale(node, 1);
  if (failed(scale) || !checkIntegers(node, 1, {}))
    return;
  Value sums = integerMatMul(nn, lhs, readZero(node, 0), rhs, readZero(node, 1));
  finishProducts(node, sums, 0, 1, 2, /*filterAxis=*/0, /*hasSingleProduct=*/true);
}

} // namespace

void registerContractions(ImportRegistry &registry) {
  add(registry, "FULLY_CONNECTED", Integers::Computed,
      {{"input", Holds::Numbers}, {"weights", Holds::Stored}, {"bias?", Holds::Numbers}}, importFullyConnected);
  add(registry, "BATCH_MATMUL", Integers::Computed, {{"x", Holds::Numbers}, {"y", Holds::Numbers}}, importBatchMatMul);
}

} // namespace nacre::importer::tflite_format
