// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of floats and of quantized integers. Channels are last, as in `nn`. Filters must be transposed.
//
// How:  1. operands: shapes, and weights that are integers while the other operands are floats,
//       2. convolutions, depthwise and in groups,
//       3. transposed convolutions.

#include "compiler/import/compositions/IntegerArithmetic.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/tflite/Handlers.h"
#include "compiler/import/tflite/operators/Windows.h"
#include "compiler/import/tflite/quantized/Rescaling.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Operands
//===----------------------------------------------------------------------===//

/// Indices of a convolution's operands.
struct Places {
  size_t input, filter, bias;
};

/// Reports an error unless a convolution supports the operands' element types.
bool checkTypes(TfliteNode &node, Places places) {
  Value x = node.getOperand(places.input), filter = node.getOperand(places.filter), bias = node.getOperand(places.bias);
  const bool isReal = isFloat(x);
  Type wanted = isReal ? getElementType(x) : bias ? getElementType(bias) : Type();
  const bool isSum = !wanted || isReal || wanted.isSignlessInteger(32) || wanted.isSignlessInteger(64);
  const bool hasWeights =
      isReal ? getElementType(filter) == wanted || (!isFloat(filter) && node.getQuantization(places.filter))
             : !isFloat(filter) && getElementType(filter).getIntOrFloatBitWidth() <= 8;
  const bool isInteger = getElementType(x).isInteger(8) || getElementType(x).isInteger(16);
  if ((isReal || isInteger) && isSum && hasWeights && (!bias || getElementType(bias) == wanted))
    return true;
  node.error() << "the element types of its operands must match, but are " << describe(x) << " and " << describe(filter)
               << (bias ? " and " + describe(bias) : std::string());
  return false;
}

/// Returns the filter for the computation: as floats, or as integers of at least 8 bits.
Value readFilter(TfliteNode &node, Places places) {
  if (isFloat(node.getOperand(places.input)))
    return node.nn.cast(toReals(node, places.filter), getElementType(node.getOperand(places.input)));
  Value filter = node.getOperand(places.filter);
  if (getElementType(filter).getIntOrFloatBitWidth() >= 8)
    return filter;
  return node.nn.cast(filter, node.nn.types().getI8Type());
}

/// Returns the zero point of an operand as a constant; null if it is 0. Weights may have a different zero point for
/// each channel.
Value readZero(TfliteNode &node, size_t operand) {
  const Quantization *quantization = node.getQuantization(operand);
  if (!quantization || llvm::all_of(quantization->zeros, [](int64_t zero) { return zero == 0; }))
    return {};
  if (quantization->isPerAxis())
    return node.nn.cast(node.nn.integers(quantization->zeros), node.nn.types().getI32Type());
  auto type = RankedTensorType::get({}, node.nn.types().getI32Type());
  return node.nn.splat(type, static_cast<double>(quantization->zeros[0]));
}

/// Sets the result, with bias and activation. `real` computes products of floats, and `exact` computes sums of integer
/// products.
void finish(TfliteNode &node, Places places, int64_t filterAxis, function_ref<Value()> real,
            function_ref<Value()> exact) {
  NnBuilder &nn = node.nn;
  Value bias = node.getOperand(places.bias);
  if (isFloat(node.getOperand(places.input))) {
    Value y = real();
    (void)node->getInt("quantized_bias_type", 0); // only matters for integers
    node.setResult(activate(nn, readActivation(node), bias ? nn.add(y, bias) : y));
    return;
  }
  if (failed(readOneScale(node, places.input)))
    return;
  const bool isUnsigned = getElementType(node.getOperand(places.input)).isUnsignedInteger();
  finishProducts(node, exact(), places.input, places.filter, places.bias, filterAxis, /*hasSingleProduct=*/isUnsigned);
}

//===----------------------------------------------------------------------===//
// 2. Convolutions
//===----------------------------------------------------------------------===//

/// Convolves with `filter`, [spatial..., channels per group, results].
void convolve(TfliteNode &node, Value filter, int64_t filterAxis, int64_t groups, const WindowOptions &options) {
  constexpr Places places{0, 1, 2};
  NnBuilder &nn = node.nn;
  if (!filter)
    return node.setResult({});
  const int64_t results = getShape(filter).back();
  FailureOr<Window> window = readWindow(node, 0, getShape(filter).drop_back(2), options, results);
  if (failed(window) || !node->checkShape(2, results, "one element for each filter"))
    return;
  Value x = node.getOperand(0);
  finish(
      node, places, filterAxis,
      [&] { return nn.conv(x, filter, window->strides, window->pads, window->dilations, groups); },
      [&] { return integerConv(nn, x, readZero(node, 0), filter, readZero(node, 1), *window, groups); });
}

/// Imports CONV_2D. The filter is [results, rows, columns, channels per group].
void importConv2D(TfliteNode &node) {
  if (!node->checkRank(0, 4, 4) || !node->checkRank(1, 4, 4) || !checkTypes(node, {0, 1, 2}))
    return;
  const int64_t channels = getShape(node.getOperand(0))[3], results = getShape(node.getOperand(1))[0],
                byGroup = getShape(node.getOperand(1))[3];
  if (byGroup < 1 || channels < 1 || channels % byGroup || results % (channels / byGroup)) {
    node.error() << node->nameOf(1) << " must have channels that divide those of " << node->nameOf(0)
                 << ", and filters for each group, but is " << describe(node.getOperand(1)) << " for "
                 << describe(node.getOperand(0));
    return;
  }
  Value filter = node.nn.transpose(readFilter(node, {0, 1, 2}), {1, 2, 3, 0});
  convolve(node, filter, /*filterAxis=*/0, channels / byGroup, getPlaneOptions());
}

/// Imports DEPTHWISE_CONV_2D. The filter is [1, rows, columns, results]. The attribute depth_multiplier is redundant.
void importDepthwiseConv2D(TfliteNode &node) {
  node->ignore({"depth_multiplier"});
  if (!node->checkRank(0, 4, 4) || !node->checkRank(1, 4, 4) || !checkTypes(node, {0, 1, 2}))
    return;
  Ints shape = getShape(node.getOperand(1));
  const int64_t channels = getShape(node.getOperand(0))[3];
  if (shape[0] != 1 || channels < 1 || shape[3] % channels) {
    node.error() << node->nameOf(1) << " must be 1 by rows by columns by a multiple of " << channels
                 << " channels, but is " << describe(node.getOperand(1));
    return;
  }
  Value filter = readFilter(node, {0, 1, 2});
  if (filter)
    filter = node.nn.reshape(filter, {shape[1], shape[2], 1, shape[3]});
  convolve(node, filter, /*filterAxis=*/3, channels, getPlaneOptions());
}

/// Imports CONV_3D, only for floats. The filter is [planes, rows, columns, channels per group, results], as in `nn`.
void importConv3D(TfliteNode &node) {
  if (!node->checkRank(0, 5, 5) || !node->checkRank(1, 5, 5))
    return;
  const int64_t channels = getShape(node.getOperand(0))[4], byGroup = getShape(node.getOperand(1))[3],
                results = getShape(node.getOperand(1))[4];
  if (byGroup < 1 || channels < 1 || channels % byGroup || results % (channels / byGroup)) {
    node.error() << node->nameOf(1) << " must have channels that divide those of " << node->nameOf(0) << ", but is "
                 << describe(node.getOperand(1)) << " for " << describe(node.getOperand(0));
    return;
  }
  convolve(node, node.getOperand(1), /*filterAxis=*/4, channels / byGroup, getVolumeOptions());
}

//===----------------------------------------------------------------------===//
// 3. Transposed convolutions
//===----------------------------------------------------------------------===//

/// Returns the window of a transposed convolution whose result has the spatial sizes `output`. Its pads are the pads of
/// the convolution that maps `output` back to the input.
FailureOr<Window> readTransposedWindow(TfliteNode &node, Ints kernel, Ints output, int64_t results,
                                       ArrayRef<const char *> strides) {
  FailureOr<bool> isSame = readIsSame(node);
  FailureOr<Window> window = readNumbers(node, kernel, {strides, {}});
  if (failed(isSame) || failed(window))
    return failure();
  Ints shape = getShape(node.getOperand(2)), spatial = shape.slice(1, kernel.size());
  if (llvm::is_contained(spatial, 0) || llvm::any_of(output, [](int64_t size) { return size < 1 || size > INT32_MAX; }))
    return node.error() << "the input and the output must have elements along their spatial axes, but are "
                        << describe(node.getOperand(2)) << " and " << describeShape(output);
  std::optional<SmallVector<int64_t>> reach = getReach(*window, spatial);
  if (!reach)
    return node.error() << "the strides must give a result that fits into memory, but are "
                        << describeShape(window->strides);
  if (*isSame)
    padToSame(*window, output, /*oddAtEnd=*/true);
  SmallVector<int64_t> whole(shape), widest(shape), spread(shape);
  whole.back() = widest.back() = results;
  for (auto [axis, size] : llvm::enumerate(output)) {
    int64_t high = (*reach)[axis] - window->pads[axis] - size;
    window->pads[kernel.size() + axis] = high;
    whole[axis + 1] = size;
    spread[axis + 1] *= window->strides[axis];
    widest[axis + 1] = std::max(size, (*reach)[axis]) + 2 * kernel[axis];
    // Elements at the end that no input element contributes to stay 0. There must be fewer of them than a stride.
    if (window->pads[axis] >= kernel[axis] || high >= kernel[axis] || high <= -window->strides[axis])
      return node.error() << "the output's size must follow from input, window and strides, but it has "
                          << describeCount(size, "element") << " along axis " << axis + 1 << " for "
                          << describe(node.getOperand(2));
  }
  if (!node->checkFits(whole) || !node->checkFits(widest, "the region that the filter covers") ||
      !node->checkFits(spread, "the strided input"))
    return failure();
  return *window;
}

/// Imports TRANSPOSE_CONV. The filter is [results, rows, columns, channels]. Operand 0 is the shape of the result.
void importTransposeConv(TfliteNode &node) {
  constexpr Places places{2, 1, 3};
  NnBuilder &nn = node.nn;
  if (!node->checkRank(1, 4, 4) || !node->checkRank(2, 4, 4) || !checkTypes(node, places))
    return;
  FailureOr<SmallVector<int64_t>> shape = node->getIntegers(0);
  if (failed(shape))
    return;
  Value x = node.getOperand(2), weights = node.getOperand(1);
  const int64_t results = getShape(weights)[0], channels = getShape(x)[3];
  if (shape->size() != 4 || shape->front() != getShape(x)[0] || shape->back() != results ||
      getShape(weights)[3] != channels || channels < 1) {
    node.error() << "the output must have the input's batch and one channel per filter, and filters must have the "
                    "input's channels, but they are "
                 << describeShape(*shape) << ", " << describe(x) << " and " << describe(weights);
    return;
  }
  Ints kernel = getShape(weights).slice(1, 2);
  FailureOr<Window> window =
      readTransposedWindow(node, kernel, Ints(*shape).slice(1, 2), results, getPlaneOptions().strides);
  if (failed(window) || !node->checkShape(3, results, "one element for each filter"))
    return;
  Value filter = nn.transpose(readFilter(node, places), {1, 2, 3, 0});
  finish(
      node, places, /*filterAxis=*/0,
      [&] { return nn.convTranspose(x, filter, window->strides, window->pads, window->dilations, 1); },
      [&] { return integerConvTranspose(nn, x, readZero(node, 2), filter, readZero(node, 1), *window); });
}

/// Imports CONV_3D_TRANSPOSE, only for floats. The filter is [planes, rows, columns, results, channels].
void importConv3DTranspose(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  if (!node->checkRank(1, 5, 5) || !node->checkRank(2, 5, 5))
    return;
  FailureOr<SmallVector<int64_t>> shape = node->getIntegers(0);
  if (failed(shape))
    return;
  Value x = node.getOperand(2), filter = node.getOperand(1), bias = node.getOperand(3);
  const int64_t results = getShape(filter)[3], channels = getShape(x)[4];
  if (shape->size() != 5 || shape->front() != getShape(x)[0] || shape->back() != results ||
      getShape(filter)[4] != channels || channels < 1) {
    node.error() << "the output must have the input's batch and one channel per filter, and filters must have the "
                    "input's channels, but they are "
                 << describeShape(*shape) << ", " << describe(x) << " and " << describe(filter);
    return;
  }
  for (const char *dilation : getVolumeOptions().dilations)
    if (int64_t number = node->getInt(dilation, 1); number != 1)
      node.error() << "attribute '" << dilation << "' must be 1, but is " << number;
  FailureOr<Window> window = readTransposedWindow(node, getShape(filter).take_front(3), Ints(*shape).slice(1, 3),
                                                  results, getVolumeOptions().strides);
  if (failed(window) || !node->checkShape(3, results, "one element for each filter"))
    return;
  Value y =
      nn.convTranspose(x, nn.transpose(filter, {0, 1, 2, 4, 3}), window->strides, window->pads, window->dilations, 1);
  node.setResult(activate(nn, readActivation(node), bias ? nn.add(y, bias) : y));
}

} // namespace

void registerConvolutions(ImportRegistry &registry) {
  const Signature operands{{"input", Holds::Numbers}, {"filter", Holds::Stored}, {"bias?", Holds::Numbers}};
  add(registry, "CONV_2D", Integers::Computed, operands, importConv2D);
  add(registry, "DEPTHWISE_CONV_2D", Integers::Computed, operands, importDepthwiseConv2D);
  add(registry, "CONV_3D", Integers::Plain,
      {{"input", Holds::Floats, 'T'}, {"filter", Holds::Floats, 'T'}, {"bias?", Holds::Floats, 'T'}}, importConv3D);
  add(registry, "CONV_3D_TRANSPOSE", Integers::Plain,
      {{"output_shape", Holds::Indices},
       {"filter", Holds::Floats, 'T'},
       {"input", Holds::Floats, 'T'},
       {"bias?", Holds::Floats, 'T'}},
      importConv3DTranspose);
  add(registry, "TRANSPOSE_CONV", Integers::Computed,
      {{"output_shape", Holds::Indices},
       {"filter", Holds::Stored},
       {"input", Holds::Numbers},
       {"bias?", Holds::Numbers}},
      importTransposeConv);
}

} // namespace nacre::importer::tflite_format
