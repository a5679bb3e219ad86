// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SVDF, a filter by singular value decomposition. It stores the features of the last steps, weights them by their age,
// and adds the features of each unit.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/compositions/IntegerArithmetic.h"
#include "compiler/import/tflite/Handlers.h"
#include "compiler/import/tflite/quantized/Rescaling.h"
#include "compiler/import/tflite/recurrent/Steps.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

struct Sizes {
  int64_t batch, features, memory, units, rank;
};

FailureOr<Sizes> readSizes(TfliteNode &node) {
  if (!node->checkRank(0, 2, 2) || !node->checkRank(1, 2, 2) || !node->checkRank(2, 2, 2))
    return failure();
  Value x = node.getOperand(0);
  const int64_t rank = node->getInt("rank", 0), batch = getShape(x)[0], features = getShape(node.getOperand(1))[0],
                memory = getShape(node.getOperand(2))[1];
  if (rank < 1 || features % rank || memory < 1)
    return node.error() << "attribute 'rank' must divide the " << features
                        << " features, and there must be at least one remembered step, but is " << rank << " for "
                        << describe(node.getOperand(2));
  const int64_t units = features / rank;
  if (!node->checkShape(1, {features, getShape(x)[1]}, "a row for each feature") ||
      !node->checkShape(2, {features, memory}, "a row for each feature") ||
      !node->checkShape(3, {units}, "one for each unit"))
    return failure();
  return Sizes{batch, features, memory, units, rank};
}

/// Returns the stored features without the oldest step, followed by the features of this step.
Value remember(NnBuilder &nn, Value state, Value added, const Sizes &sizes) {
  state = nn.reshape(state, {sizes.batch, sizes.features, sizes.memory});
  return nn.concat({nn.slice(state, 2, 1, sizes.memory - 1), nn.reshape(added, {sizes.batch, sizes.features, 1})}, 2);
}

/// Weights the stored features by their age, and adds the features of each unit.
Value addUp(NnBuilder &nn, Value state, Value weights, const Sizes &sizes) {
  Value weighed = nn.reduce(nn::ReduceKind::Sum, nn.mul(state, weights), 2, /*keepDims=*/false);
  return weighed ? nn.reduce(nn::ReduceKind::Sum, nn.reshape(weighed, {sizes.batch, sizes.units, sizes.rank}), 2,
                             /*keepDims=*/false)
                 : Value();
}

void importReal(TfliteNode &node, const Sizes &sizes) {
  NnBuilder &nn = node.nn;
  Activation activation = readActivation(node);
  Value state = readState(node, 4, {sizes.batch, sizes.features * sizes.memory});
  Value added = nn.matmul(node.getOperand(0), turnMatrix(node, 1));
  if (!state || !added)
    return node.setResult({});
  state = remember(nn, state, added, sizes);
  Value sums = addUp(nn, state, readReals(node, 2), sizes);
  if (node.getOperand(3))
    sums = nn.add(sums, readReals(node, 3));
  node.setResult(sums ? activate(nn, activation, sums) : Value());
  node.setAssigned({{4, state}});
}

/// True if the operands have the types, and the weights the zero points, of the integer kernel; otherwise reports an
/// error.
bool checkIntegers(TfliteNode &node) {
  auto has = [&](size_t operand, std::initializer_list<unsigned> widths) {
    auto type = dyn_cast<IntegerType>(getElementType(node.getOperand(operand)));
    return type && !type.isUnsigned() && llvm::is_contained(widths, type.getWidth());
  };
  const bool hasState = node.getOperand(4) != Value(), hasBias = node.getOperand(3) != Value();
  const Quantization *features = node.getQuantization(1), *times = node.getQuantization(2);
  Type result = node.getResultElementType();
  if (has(0, {8}) && has(1, {8}) && has(2, {8, 16}) && hasState && has(4, {8, 16}) && (!hasBias || has(3, {32})) &&
      features && features->zeros[0] == 0 && times && times->zeros[0] == 0 && result && result.isSignlessInteger(8))
    return true;
  node.error() << "integers must have 8 bits, feature weights 8, and time weights and state 8 or 16 bits with zero "
                  "points 0, but do not; convert the model again";
  return false;
}

/// Imports the integer kernel. The activation is ignored, because the result's range already includes it.
void importInteger(TfliteNode &node, const Sizes &sizes) {
  NnBuilder &nn = node.nn;
  node->ignore({"fused_activation_function"});
  if (!checkIntegers(node))
    return;
  FailureOr<OneScale> input = readOneScale(node, 0), weights = readOneScale(node, 1), times = readOneScale(node, 2),
                      remembered = readOneScale(node, 4), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, Activation::None);
  if (failed(input) || failed(weights) || failed(times) || failed(remembered) || failed(result) || failed(range) ||
      !node->checkShape(4, {sizes.batch, sizes.features * sizes.memory}, "the memory of each feature"))
    return;
  Type i32 = nn.types().getI32Type(), stored = getElementType(node.getOperand(4));
  const int64_t limit = int64_t(1) << (stored.getIntOrFloatBitWidth() - 1);
  Value zero = input->zero ? nn.splat(RankedTensorType::get({}, i32), static_cast<double>(input->zero)) : Value();
  Value sums = integerMatMul(nn, node.getOperand(0), zero, nn.transpose(node.getOperand(1), {1, 0}), {});
  Value added = multiply(nn, sums, scaleOfSlope(input->scale, weights->scale, remembered->scale));
  added = saturate(nn, added, 0, {-limit, limit - 1}, i32);
  added = nn.cast(nn.add(added, static_cast<double>(remembered->zero)), stored);
  if (!added)
    return node.setResult({});
  Value state = remember(nn, node.getOperand(4), added, sizes);
  Value total = addUp(nn, centre(nn, state, remembered->zero), nn.cast(node.getOperand(2), i32), sizes);
  if (node.getOperand(3))
    total = nn.add(total, node.getOperand(3));
  Value scaled = multiply(nn, total, scaleOfSlope(remembered->scale, times->scale, result->scale));
  node.setResult(saturate(nn, scaled, result->zero, *range, node.getResultElementType()));
  node.setAssigned({{4, state}});
}

void importSvdf(TfliteNode &node) {
  node->ignore({"asymmetric_quantize_inputs"});
  FailureOr<Sizes> sizes = readSizes(node);
  if (failed(sizes) || !checkReals(node, 1))
    return;
  if (isFloat(node.getOperand(0)))
    return importReal(node, *sizes);
  importInteger(node, *sizes);
}

} // namespace

void registerSvdf(ImportRegistry &registry) {
  add(registry, "SVDF", Integers::Computed,
      {{"input", Holds::Numbers},
       {"weights_feature", Holds::Stored},
       {"weights_time", Holds::Stored},
       {"bias?", Holds::Numbers},
       {"state?", Holds::Numbers}},
      importSvdf);
}

} // namespace nacre::importer::tflite_format
