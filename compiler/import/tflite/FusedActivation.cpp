// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the activation that many operators have as an option.

#include "compiler/import/tflite/FusedActivation.h"

#include "compiler/import/compositions/Elementary.h"

#include "llvm/ADT/APSInt.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::tflite_format {

Activation readActivation(TfliteNode &node) {
  constexpr const char *option = "fused_activation_function";
  int64_t number = node->getInt(option, 0);
  if (number >= 0 && number <= static_cast<int64_t>(Activation::Tanh))
    return static_cast<Activation>(number);
  node.error() << "attribute '" << option << "' must be 0 to 4 (none, ReLU, ReLU from -1 to 1, ReLU6, tanh), but is "
               << number;
  return Activation::None;
}

Value activate(NnBuilder &nn, Activation activation, Value x) {
  if (!x || activation == Activation::None)
    return x;
  if (activation == Activation::Tanh ? !isFloat(x) : getElementType(x).isInteger(1)) {
    nn.error() << "the operand of attribute 'fused_activation_function' must hold "
               << (activation == Activation::Tanh ? "floats" : "numbers") << ", but is " << describe(x);
    return {};
  }
  switch (activation) {
  case Activation::None:
    return x;
  case Activation::Relu:
    return nn.unary(nn::UnaryKind::Relu, x);
  case Activation::ReluN1To1:
    return clamp(nn, x, -1, 1);
  case Activation::Relu6:
    return clamp(nn, x, 0, 6);
  case Activation::Tanh:
    return nn.unary(nn::UnaryKind::Tanh, x);
  }
  llvm_unreachable("all activations are above");
}

FailureOr<IntegerRange> getRange(TfliteNode &node, Activation activation, size_t result) {
  const Quantization *quantization = node.getResultQuantization(result);
  auto type = dyn_cast_or_null<IntegerType>(node.getResultElementType(result));
  if (!quantization || quantization->isPerAxis() || !type || type.getWidth() > 32)
    return node.error() << "output " << result << " must be quantized with a single scale, but is not";
  if (activation == Activation::Tanh)
    return node.error() << "attribute 'fused_activation_function' must not be tanh for quantized results, but is";
  IntegerRange range{llvm::APSInt::getMinValue(type.getWidth(), type.isUnsigned()).getExtValue(),
                     llvm::APSInt::getMaxValue(type.getWidth(), type.isUnsigned()).getExtValue()};
  // The limits are rounded in single precision (x.5 away from zero) and clamped to the range of the type.
  auto quantize = [&](float real) {
    double steps = std::round(real / quantization->scales[0]) + static_cast<double>(quantization->zeros[0]);
    return static_cast<int64_t>(std::clamp(steps, static_cast<double>(range.low), static_cast<double>(range.high)));
  };
  if (activation == Activation::ReluN1To1)
    return IntegerRange{quantize(-1), quantize(1)};
  if (activation == Activation::Relu)
    range.low = quantize(0);
  if (activation == Activation::Relu6)
    range = {quantize(0), quantize(6)};
  return range;
}

} // namespace nacre::importer::tflite_format
