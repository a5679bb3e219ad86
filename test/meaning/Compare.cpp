// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/meaning/Compare.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using nacre::evaluate::Tensor;

namespace nacre::meaning {
namespace {

/// Arithmetic has no type narrower than f32.
const llvm::fltSemantics &computedIn(FloatType type) {
  return type.getWidth() < 32 ? llvm::APFloat::IEEEsingle() : type.getFloatSemantics();
}

double smallestOf(const llvm::fltSemantics &semantics) {
  return llvm::APFloat::getSmallestNormalized(semantics).convertToDouble();
}

/// A unit in the last place of `value`.
double unitAt(const llvm::fltSemantics &semantics, double value) {
  const int digits = int(llvm::APFloat::semanticsPrecision(semantics));
  int exponent = 0;
  std::frexp(std::max(std::fabs(value), smallestOf(semantics)), &exponent);
  return std::ldexp(1.0, exponent - digits);
}

template <typename Change> Tensor map(const Tensor &tensor, Change change) {
  auto type = dyn_cast<FloatType>(tensor.getElementType());
  if (!type || type.getWidth() < 16)
    return tensor;
  Tensor result(tensor.getType());
  for (int64_t i = 0; i < tensor.size(); ++i)
    result.write()[i].number = change(type, tensor.number(i));
  return result;
}

double flush(FloatType type, double x) {
  return std::fabs(x) < smallestOf(type.getFloatSemantics()) ? std::copysign(0.0, x) : x;
}

double toMagnitude(FloatType, double x) { return std::fabs(x); }

std::string formatNumber(double value) {
  std::string result;
  llvm::raw_string_ostream(result) << llvm::format("%.17g", value);
  return result;
}

std::string text(const Tensor &tensor, int64_t i) {
  return tensor.isFloat() ? formatNumber(tensor.number(i)) : std::to_string(tensor.integer(i));
}

} // namespace

References::References(const Node &node, MLIRContext *context) : node(node) {
  std::vector<Tensor> operands, without, positive;
  for (const Operand &operand : node.operands) {
    operands.push_back(operand.value);
    without.push_back(map(operand.value, flush));
    positive.push_back(map(operand.value, toMagnitude));
  }
  exact = interpret(node, operands, context);
  flushed = interpret(node, without, context);
  if (llvm::any_of(node.bounds, [](const Bound &bound) { return bound.terms > 0; }))
    magnitudes = interpret(node, positive, context);
}

bool References::agrees(unsigned number, int64_t i, const Tensor &is, const Tensor &must) const {
  if (!is.isFloat())
    return is.integer(i) == must.integer(i);
  auto type = cast<FloatType>(is.getElementType());
  const Bound bound = node.bounds.empty() ? Bound() : node.bounds[std::min<size_t>(number, node.bounds.size() - 1)];
  const bool isZeroSigned = bound.isZeroSigned && bound.terms == 0;
  const llvm::fltSemantics &own = type.getFloatSemantics(), &computed = bound.isStoredBetween ? own : computedIn(type);
  const double largest = llvm::APFloat::getLargest(own).convertToDouble();
  double a = is.number(i), b = must.number(i), allowed = 0;
  if (bound.terms > 0) {
    const double magnitude = magnitudes[number].number(i);
    // What is left of numbers that a sum in some order cannot hold is anything.
    if (std::isfinite(magnitude) && magnitude > largest / 2)
      return true;
    allowed = std::isfinite(magnitude) ? bound.terms * unitAt(computed, magnitude) : 0;
  }
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) == std::isnan(b);
  const double rounded = evaluate::roundTo(type, b);
  if (a == rounded || a == b)
    return a != 0 || b != 0 || !isZeroSigned || std::signbit(a) == std::signbit(b);
  // What is too small to be normal may be taken, and left, as zero.
  const double smallest = smallestOf(own);
  if (type.getWidth() >= 16 && (a != 0 || b != 0) && std::max(std::fabs(a), std::fabs(b)) <= smallest)
    return true;
  allowed = std::max({allowed, bound.ulps * unitAt(computed, b), bound.near * unitAt(computed, 1)});
  if (allowed == 0)
    return false;
  allowed += unitAt(own, b) / 2;
  // Beyond the largest number, infinity is the next power of two.
  if (!type.isF64()) {
    const double beyond = largest + unitAt(own, largest);
    a = std::clamp(a, -beyond, beyond);
    b = std::clamp(b, -beyond, beyond);
  }
  return std::fabs(a - b) <= allowed;
}

/// The numbers that an element of an elementwise node is computed of are those at its place.
std::string References::describe(unsigned number, int64_t i, const Tensor &is) const {
  std::string result = "result " + std::to_string(number) + ", element " + std::to_string(i) + " is " + text(is, i) +
                       ", must be " + text(exact[number], i);
  for (auto [index, operand] : llvm::enumerate(node.operands))
    if (operand.value.size() == 1 || operand.value.getShape() == is.getShape())
      result += ", %" + std::to_string(index) + " is " + text(operand.value, operand.value.size() == 1 ? 0 : i);
  return result;
}

std::string References::compare(unsigned number, const Tensor &is) const {
  for (int64_t i = 0; i < is.size(); ++i)
    if (!agrees(number, i, is, exact[number]) && !agrees(number, i, is, flushed[number]))
      return describe(number, i, is);
  return "";
}

} // namespace nacre::meaning
