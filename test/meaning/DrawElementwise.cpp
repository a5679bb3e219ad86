// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of elementwise operators, at the ends of all types. The bounds of functions are those of codegen/Functions.h.

#include "test/meaning/Node.h"

#include "dialects/nn/NnDialect.h"

using nacre::nn::FunctionFacts;

namespace nacre::meaning {
namespace {

std::string elementOf(Draw &draw, const FunctionFacts &facts) {
  switch (facts.types) {
  case FunctionFacts::floats:
    return draw.floats();
  case FunctionFacts::integers:
    return draw.integers();
  case FunctionFacts::booleans:
    return "i1";
  case FunctionFacts::numbers:
    return draw.numbers();
  case FunctionFacts::discrete:
    return draw.oneIn(4) ? "i1" : draw.integers();
  default:
    return draw.anything();
  }
}

Bound boundOf(nn::UnaryKind kind) {
  using Kind = nn::UnaryKind;
  switch (kind) {
  case Kind::Exp:
  case Kind::Log:
    return {1.4};
  case Kind::Tanh:
    return {5.5};
  case Kind::Erf:
    return {7};
  case Kind::Sin:
  case Kind::Cos:
    return {2.5};
  case Kind::Tan:
  case Kind::Atanh:
    return {4};
  case Kind::Atan:
  case Kind::Asinh:
  case Kind::Acosh:
    return {3.5};
  case Kind::Asin:
  case Kind::Acos:
  case Kind::Sinh:
  case Kind::Cosh:
  case Kind::Sigmoid:
    return {3};
  case Kind::Softplus:
    return {3, 1};
  case Kind::LeakyRelu:
    return {1};
  case Kind::Elu:
    return {3, 2};
  case Kind::Gelu:
    return {3, 32};
  default:
    return {};
  }
}

void drawUnary(Draw &draw) {
  const auto kind = nn::UnaryKind(draw.below(nn::getMaxEnumValForUnaryKind() + 1));
  const std::string x = draw.operand(elementOf(draw, nn::getFacts(kind)), draw.shape(0, 4), kSpecial, 8);
  draw.node.text = "nn.unary " + stringifyUnaryKind(kind).str() + " " + x +
                   draw.word({"", " {alpha = 0.3}", " {alpha = 1.5}", " {alpha = -0.5}"}) + " : " + draw.typeOf(x);
  draw.node.bounds = {boundOf(kind)};
}

/// Exponents that kernels have shorter ways for, and others.
double exponent(Draw &draw) {
  return draw.of({0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 0.3, 5.0, 16.0}) * draw.of({1, -1});
}

void drawPower(Draw &draw) {
  const std::string element = draw.numbers();
  const Shape shape = draw.shape(0, 3);
  const std::string base = draw.operand(element, shape, kSpecial, 8);
  std::string power;
  if (draw.oneIn(3)) {
    // Exponents of another type are rounded to the base's.
    const bool isMixed = draw.oneIn(2);
    power = draw.operand(isMixed ? draw.numbers() : element, draw.broadcastTo(shape),
                         isMixed ? Values{-4, 4, 8, false, 0.125} : kSpecial);
  } else {
    const double constant = exponent(draw);
    power = draw.operand(element, {}, {constant, constant, 0}, 1);
  }
  draw.node.text = "nn.binary pow " + base + ", " + power + " : " + draw.typeOf(base) + ", " + draw.typeOf(power);
  draw.node.bounds = {{4}};
}

void drawBinary(Draw &draw) {
  const auto kind = nn::BinaryKind(draw.below(nn::getMaxEnumValForBinaryKind() + 1));
  if (kind == nn::BinaryKind::Pow || draw.oneIn(6)) // it has many cases
    return drawPower(draw);
  const std::string element = elementOf(draw, nn::getFacts(kind));
  const Shape shape = draw.shape(0, 4);
  const std::string lhs = draw.operand(element, draw.broadcastTo(shape), kSpecial);
  const std::string rhs = draw.operand(element, draw.oneIn(2) ? shape : draw.broadcastTo(shape), kSpecial);
  draw.node.text = "nn.binary " + stringifyBinaryKind(kind).str() + " " + lhs + ", " + rhs + " : " + draw.typeOf(lhs) +
                   ", " + draw.typeOf(rhs);
  draw.node.bounds = {{0, 0, 0, kind != nn::BinaryKind::Min && kind != nn::BinaryKind::Max}};
}

void drawSelect(Draw &draw) {
  const std::string element = draw.anything();
  const Shape shape = draw.shape(0, 4);
  const std::string condition = draw.operand("i1", draw.broadcastTo(shape), kTame);
  const std::string a = draw.operand(element, draw.broadcastTo(shape), kSpecial);
  const std::string b = draw.operand(element, shape, kSpecial);
  draw.node.text = "nn.select " + condition + ", " + a + ", " + b + " : " + draw.typeOf(condition) + ", " +
                   draw.typeOf(a) + ", " + draw.typeOf(b);
}

void drawCast(Draw &draw) {
  const Shape shape = draw.shape(0, 4);
  const std::string x = draw.operand(draw.stored(), shape, kSpecial, 8), to = draw.stored();
  const bool isNarrow = to.find("f8") == 0;
  std::string attributes;
  if (isNarrow && draw.oneIn(2))
    attributes = "overflows";
  if (to == "f8E8M0FNU" && draw.oneIn(2))
    attributes += (attributes.empty() ? "" : ", ") +
                  ("rounding = #nn<scale_rounding " + draw.word({"up", "down", "nearest"})) + ">";
  draw.node.text = "nn.cast " + x + (attributes.empty() ? "" : " {" + attributes + "}") + " : " + draw.typeOf(x) +
                   " to " + typeText(shape, to);
}

void drawRequantize(Draw &draw) {
  const Shape shape = draw.shape(0, 4);
  const Values wide{-1e5, 1e5, 4, true}, shifts{-33, 33, 12, true};
  const std::string x = draw.operand(draw.word({"i32", "i32", "i64"}), shape, wide, 8);
  const std::string multiplier = draw.operand("i32", draw.broadcastTo(shape), {0, 0x1p31 - 1, 6, true}, 2);
  const std::string shift = draw.operand("i32", draw.broadcastTo(shape), shifts, 2);
  draw.node.text = "nn.requantize " + draw.word({"double", "single", "mult16"}) + " " + x + " by " + multiplier +
                   " shift " + shift + " : " + draw.typeOf(x) + ", " + draw.typeOf(multiplier) + ", " +
                   draw.typeOf(shift);
}

/// The elements that scales and zero points belong to.
struct Granularity {
  Shape shape;
  size_t axis = 0;
  int64_t block = 0;

  explicit Granularity(Draw &draw) : shape(draw.shape(0, 3)) {
    if (!shape.empty())
      axis = draw.below(shape.size());
    if (draw.oneIn(3))
      block = draw.between(1, 4);
  }

  /// Returns the shape of a scale or a zero point.
  Shape ofParameter(Draw &draw) const {
    if (shape.empty() || draw.oneIn(3))
      return {};
    if (block == 0)
      return {shape[axis]};
    Shape blocks = shape;
    blocks[axis] = (shape[axis] + block - 1) / block;
    return blocks;
  }

  std::string text() const { return "axis = " + std::to_string(axis) + ", block = " + std::to_string(block); }
};

/// Quotients of these are often halves.
constexpr Values kScales{0.25, 2, 0, false, 0.25};

void drawQuantize(Draw &draw) {
  const Granularity granularity(draw);
  const std::string element = draw.word({"f32", "f32", "f64"});
  const Values reals{-300, 300, 6, true, 0.125};
  const std::string x = draw.operand(element, granularity.shape, reals, 8);
  const std::string scale = draw.operand(element, granularity.ofParameter(draw), kScales, 2);
  const std::string code =
      draw.word({"i8", "i8", "ui8", "ui8", "i16", "ui16", "i4", "ui4", "i2", "f8E4M3FN", "f8E5M2", "f4E2M1FN"});
  const std::string zero = draw.operand(code, granularity.ofParameter(draw), kTame, 2);
  draw.node.text = "nn.quantize " + x + ", " + scale + ", " + zero + " {" + granularity.text() +
                   draw.word({"", ", overflows"}) + "} : " + draw.typeOf(x) + ", " + draw.typeOf(scale) + ", " +
                   draw.typeOf(zero);
}

void drawDequantize(Draw &draw) {
  const Granularity granularity(draw);
  const std::string code =
      draw.word({"i8", "ui8", "i16", "ui16", "i32", "i64", "i4", "ui4", "i2", "f8E4M3FN", "f8E5M2", "f4E2M1FN"});
  const std::string x = draw.operand(code, granularity.shape, kSpecial, 3);
  const std::string scale = draw.operand(draw.floats(), granularity.ofParameter(draw), kScales, 2);
  const std::string zero = draw.operand(draw.oneIn(4) ? "f32" : code, granularity.ofParameter(draw), kTame, 2);
  draw.node.text = "nn.dequantize " + x + ", " + scale + ", " + zero + " {" + granularity.text() +
                   "} : " + draw.typeOf(x) + ", " + draw.typeOf(scale) + ", " + draw.typeOf(zero);
  // A number minus a zero point: a zero of any sign is the zero point -0 of floats, too.
  draw.node.bounds = {{1.5, 0, 0, /*isZeroSigned=*/false}};
}

void drawBitcast(Draw &draw) {
  const auto [from, to, ratio] = draw.of<std::tuple<const char *, const char *, int>>({{"f32", "i32", 1},
                                                                                       {"f32", "ui8", 4},
                                                                                       {"f64", "i64", 1},
                                                                                       {"f16", "i16", 1},
                                                                                       {"bf16", "ui8", 2},
                                                                                       {"i32", "f32", 1},
                                                                                       {"i64", "f64", 1},
                                                                                       {"i64", "i16", 4},
                                                                                       {"ui16", "bf16", 1},
                                                                                       {"i8", "ui8", 1},
                                                                                       {"ui32", "i8", 4},
                                                                                       {"i8", "i32", -4},
                                                                                       {"ui8", "f32", -4},
                                                                                       {"i16", "f64", -4},
                                                                                       {"i32", "i64", -2},
                                                                                       {"f32", "f64", -2}});
  Shape shape = draw.shape(0, 3), result = shape;
  if (ratio > 1)
    result.push_back(ratio);
  if (ratio < -1)
    shape.push_back(-ratio);
  const std::string x = draw.operand(from, shape, kSpecial, 8);
  draw.node.text = "nn.bitcast " + x + " : " + draw.typeOf(x) + " to " + typeText(result, to);
}

void drawConstant(Draw &draw) {
  const std::string element = draw.numbers();
  draw.node.text = "nn.constant dense<" + std::string(element[0] == 'f' || element[0] == 'b' ? "1.5" : "7") +
                   "> : " + typeText(draw.shape(0, 3), element);
}

constexpr Operator operators[] = {
    {"nn.unary", drawUnary, 10},      {"nn.binary", drawBinary, 10},        {"nn.select", drawSelect, 2},
    {"nn.cast", drawCast, 6},         {"nn.requantize", drawRequantize, 2}, {"nn.bitcast", drawBitcast, 2},
    {"nn.constant", drawConstant, 1}, {"nn.quantize", drawQuantize, 3},     {"nn.dequantize", drawDequantize, 3},
};

} // namespace

const llvm::ArrayRef<Operator> elementwiseOperators = operators;

} // namespace nacre::meaning
