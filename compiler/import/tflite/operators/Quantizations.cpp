// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantization and dequantization, and conversion to other element types.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/tflite/Handlers.h"
#include "compiler/import/tflite/quantized/QuantizedElementwise.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

using nn::BinaryKind;

/// Rounds to the nearest integer, and x.5 away from zero. The result is i32. Values outside of the range of 16 bits may
/// change, but stay outside.
Value roundAway(NnBuilder &nn, Value x) {
  constexpr double limit = 1 << 23; // floats above this limit have no fraction
  Type i32 = nn.types().getI32Type();
  Value near = clamp(nn, x, -limit, limit);
  Value whole = nn.cast(near, i32);
  Value rest = near && whole ? nn.sub(near, nn.cast(whole, getElementType(near))) : Value();
  Value up = nn.cast(nn.binary(BinaryKind::GreaterEqual, rest, 0.5), i32);
  Value down = nn.cast(nn.binary(BinaryKind::LessEqual, rest, -0.5), i32);
  return nn.sub(nn.add(whole, up), down);
}

void importQuantize(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  if (!isFloat(x))
    return importRequantize(node);
  FailureOr<OneScale> result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, Activation::None);
  if (failed(result) || failed(range))
    return;
  Type type = node.getResultElementType();
  if (type.getIntOrFloatBitWidth() > 16) {
    node.error() << "output 0 must have 8 or 16 bits, but is " << type.getIntOrFloatBitWidth();
    return;
  }
  Value steps = roundAway(nn, nn.div(nn.cast(x, nn.types().getF32Type()), static_cast<double>(result->scale)));
  node.setResult(saturate(nn, steps, result->zero, *range, type));
}

void importDequantize(TfliteNode &node) {
  Value x = node.getOperand(0);
  if (!isFloat(x) && !node.getQuantization(0)) {
    node.error() << node->nameOf(0) << " must be quantized, but has no scale";
    return;
  }
  node.setResult(node.nn.cast(toReals(node, 0), node.nn.types().getF32Type()));
}

/// Imports DENSIFY. The reader has already expanded the sparse operand.
void importDensify(TfliteNode &node) { node.setResult(node.getOperand(0)); }

/// Imports CAST. The options only repeat the types, so they are ignored.
void importCast(TfliteNode &node) {
  node->ignore({"in_data_type", "out_data_type"});
  Type type = node.getResultElementType();
  if (!type)
    node.error() << "output 0 must have a supported element type, but does not";
  else
    node.setResult(node.nn.cast(node.getOperand(0), type));
}

/// Imports BITCAST, which reinterprets the bits of elements. A wider result type removes the last axis, and a narrower
/// one adds an axis.
void importBitcast(TfliteNode &node) {
  Value x = node.getOperand(0);
  Type type = node.getResultElementType();
  const unsigned from = getElementType(x).getIntOrFloatBitWidth(),
                 to = type && !type.isInteger(1) ? type.getIntOrFloatBitWidth() : 0;
  const bool hasParts = to <= from || (getRank(x) > 0 && getShape(x).back() * from == to);
  if (from < 8 || to < 8 || !hasParts || (to < from && getRank(x) == maxRank)) {
    node.error() << "elements must have whole bytes, and the last axis of narrower ones must form one element of the "
                    "result, but "
                 << node->nameOf(0) << " is " << describe(x);
    return;
  }
  node.setResult(node.nn.bitcast(x, type));
}

/// Imports FAKE_QUANT: rounds to the steps of a range, which simulates quantization in training.
void importFakeQuant(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  const int64_t bits = node->getInt("num_bits", 0), isNarrow = node->getFlag("narrow_range", false);
  const auto low = static_cast<float>(node->getFloat("min", 0)), high = static_cast<float>(node->getFloat("max", 0));
  if (bits < 2 || bits > 16 || !(low <= 0) || !(high >= 0) || !(high > low) || !std::isfinite(high - low)) {
    node.error() << "attributes 'min' and 'max' must enclose 0, and 'num_bits' must be 2 to 16, but are not";
    return;
  }
  // The range is shifted so that 0 is one of its steps.
  const auto least = static_cast<float>(isNarrow ? 1 : 0), most = static_cast<float>((1 << bits) - 1);
  const float scale = (high - low) / (most - least), zero = least - low / scale;
  const float nudged = std::clamp(std::round(zero), least, most);
  const float begin = (least - nudged) * scale, end = (most - nudged) * scale, inverse = 1.0F / scale;
  Value x = nn.add(clamp(nn, node.getOperand(0), begin, end), -static_cast<double>(begin));
  Value steps = nn.unary(nn::UnaryKind::Floor, nn.add(nn.mul(x, inverse), 0.5));
  node.setResult(nn.add(nn.mul(steps, scale), begin));
}

} // namespace

void registerQuantizations(ImportRegistry &registry) {
  add(registry, "QUANTIZE", Integers::Computed, {{"x", Holds::Numbers}}, importQuantize);
  add(registry, "DEQUANTIZE", Integers::Computed, {{"x", Holds::Stored}}, importDequantize);
  add(registry, "DENSIFY", Integers::Moved, {{"x", Holds::Stored}}, importDensify);
  add(registry, "CAST", Integers::Plain, {{"x", Holds::Stored}}, importCast);
  add(registry, "BITCAST", Integers::Plain, {{"x", Holds::Numbers}}, importBitcast);
  add(registry, "FAKE_QUANT", Integers::Plain, {{"x", Holds::Floats}}, importFakeQuant);
}

} // namespace nacre::importer::tflite_format
