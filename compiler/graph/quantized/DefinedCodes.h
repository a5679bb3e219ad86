// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  factors with which kernels compute the codes that ONNX defines.
// Why:   ONNX rounds each real to f32 and divides by the scale of the result. A factor for each operand costs no division, but rounds
//        otherwise. Where scales have simple ratios, many reals lie half-way between two codes, and each rounding decides some of them.
// How:   1. 8-bit operands have few combinations of codes, so all of them are tried, with several factors next to the quotient of the scales;
//        2. averages have too many, but what they add up to may be far from the middle between two codes.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_DEFINEDCODES_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_DEFINEDCODES_H

#include "compiler/graph/quantized/Numbers.h"

namespace nacre::graph {

/// A quantization of f32 to integers.
struct Coder {
  float scale;
  double zero;
  CodeBounds bounds;

  /// Returns the code that ONNX defines for `real`.
  double code(float real) const;
  /// Returns the code of a real that is `steps` times the scale.
  double round(float steps) const;
};

/// The steps, codes less their zero point, that a tensor may have, and their scale.
struct Steps {
  int64_t low, high;
  float scale;
};

/// Returns a factor that turns the steps of a tensor into the codes of their reals, or nothing if no factor does.
std::optional<float> findFactor(const Steps &x, const Coder &coder);

struct FactorPair {
  float a, b;
};

/// Returns factors for the steps of two tensors whose sum, difference or product is quantized, with which each pair of steps becomes the
/// same code as its reals. Returns nothing if there are none, or too many pairs.
std::optional<FactorPair> findFactors(nn::BinaryKind kind, const Steps &a, const Steps &b, const Coder &coder);

struct FactorOfConstants {
  float factor;
  llvm::SmallVector<float> constants;
};

/// Returns a factor for the steps of a tensor and what takes the place of each of `constants`, which are added to, subtracted from or
/// multiplied by its reals before they are quantized, with which all steps become the same codes. Returns nothing if there are none.
std::optional<FactorOfConstants> findFactors(nn::BinaryKind kind, const Steps &x, llvm::ArrayRef<float> constants,
                                             const Coder &coder);

/// Returns whether the average of any `count` reals has the same code in any order of f32 operations: none is close to the middle between two
/// codes.
bool isAverageFarFromMiddles(const Steps &x, int64_t count, const Coder &coder);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_DEFINEDCODES_H
