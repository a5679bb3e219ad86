// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements Compare.h. The first pass finds the scale. The second pass finds the element whose difference is largest
// relative to its tolerance.

#include "tools/run/tensors/Compare.h"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

namespace nacre::run {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// True if two elements have equal bits. 64-bit integers beyond 2^53 may differ although they convert to the same
/// double.
bool sameBits(const TensorView &a, const TensorView &b, size_t index) {
  if (findElementType(a.type)->isPacked())
    return true; // packed elements are always exact in a double
  const size_t bytes = findElementType(a.type)->bytesOf(1);
  return std::memcmp(static_cast<const char *>(a.data) + index * bytes,
                     static_cast<const char *>(b.data) + index * bytes, bytes) == 0;
}

/// Returns the smallest magnitude that kernels do not treat as zero. Subnormal f16 values count, because kernels
/// compute them in f32.
double leastOf(nacre_element_type type) {
  switch (type) {
  case NACRE_F64:
    return DBL_MIN;
  case NACRE_F32:
  case NACRE_BF16:
    return FLT_MIN;
  default:
    return 0;
  }
}

double readNormal(const TensorView &tensor, size_t index, double least) {
  const double value = readElement(tensor.type, tensor.data, index);
  return std::fabs(value) < least ? 0 : value;
}

double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  const double difference = std::fabs(a - b);
  return std::isnan(difference) ? kInfinity : difference;
}

} // namespace

Comparison compareTensors(const TensorView &actual, const TensorView &expected, Tolerance tolerance) {
  Comparison result;
  const bool isExact = tolerance.relative == 0 && tolerance.absolute == 0;
  const double least = isExact ? 0 : leastOf(expected.type);
  for (size_t i = 0; i < expected.count; ++i) {
    const double magnitude = std::fabs(readNormal(expected, i, least));
    if (std::isfinite(magnitude) && magnitude > result.scale)
      result.scale = magnitude;
  }
  double worstShare = -1;
  for (size_t i = 0; i < expected.count; ++i) {
    const double a = readNormal(actual, i, least);
    const double b = readNormal(expected, i, least);
    double difference = distance(a, b);
    if (difference == 0 && isInteger(expected.type) && !sameBits(actual, expected, i) && expected.type != NACRE_BOOL)
      difference = 1;
    const double relative = std::isfinite(b) ? tolerance.relative * std::fabs(b) : 0;
    const double allowed = relative + tolerance.absolute * result.scale;
    const bool agrees = difference <= allowed;
    result.differing += !agrees;
    result.largestDifference = std::fmax(result.largestDifference, difference);
    const double share = difference == 0 ? 0 : allowed > 0 ? difference / allowed : kInfinity;
    if (share > worstShare) {
      worstShare = share;
      result.worst = i;
      result.actual = a;
      result.expected = b;
      result.allowed = allowed;
    }
  }
  return result;
}

std::string positionOf(size_t index, const Dims &dims) {
  std::string text = "]";
  for (size_t i = dims.size(); i-- > 0;) {
    const size_t dim = static_cast<size_t>(dims[i]);
    text.insert(0, (i ? "," : "") + std::to_string(index % dim));
    index /= dim;
  }
  return "[" + text;
}

} // namespace nacre::run
