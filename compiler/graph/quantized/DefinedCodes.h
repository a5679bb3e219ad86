// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds factors with which kernels compute exactly the codes that ONNX defines. ONNX rounds each real to f32 and
// divides it by the scale of the result. One factor per operand avoids the division, but rounds differently. If scales
// have simple ratios, many reals lie in the middle between two codes. Their codes depend on each rounding.
//
// 1. Two 8-bit operands have few combinations of codes. So all of them are tried, with several factors near the
//    quotient of the scales.
// 2. Averages have too many combinations, but their sums may be far from the middle between two codes.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_DEFINEDCODES_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_DEFINEDCODES_H

#include "compiler/graph/quantized/Numbers.h"

namespace nacre::graph {

/// Parameters of a quantization from f32 to integers.
struct Coder {
  float scale;
  double zero;
  CodeBounds bounds;

  /// Returns the code that ONNX defines for `real`.
  double code(float real) const;
  /// Returns the code of the real `steps` * scale.
  double round(float steps) const;
};

/// Range of a tensor in steps (codes minus zero point), and the scale, which is the size of a step.
struct Steps {
  int64_t low, high;
  float scale;
};

/// Returns a factor that converts the steps of `x` to the codes of their reals. Returns `nullopt` if there is no such
/// factor.
std::optional<float> findFactor(const Steps &x, const Coder &coder);

struct FactorPair {
  float a, b;
};

/// Returns factors for the steps of two tensors whose sum, difference or product is quantized. With these factors, each
/// pair of steps gets the code that ONNX defines. Returns `nullopt` if there are no such factors or too many pairs.
std::optional<FactorPair> findFactors(nn::BinaryKind kind, const Steps &a, const Steps &b, const Coder &coder);

struct FactorOfConstants {
  float factor;
  llvm::SmallVector<float> constants;
};

/// Returns a factor for the steps of a tensor, and replacements of `constants`, the other operands of a sum, difference
/// or product. With them, all steps get the codes that ONNX defines. Returns `nullopt` if there is no such factor.
std::optional<FactorOfConstants> findFactors(nn::BinaryKind kind, const Steps &x, llvm::ArrayRef<float> constants,
                                             const Coder &coder);

/// True if no average of `count` reals is close to the middle between two codes. The order of f32 operations then
/// cannot change its code.
bool isAverageFarFromMiddles(const Steps &x, int64_t count, const Coder &coder);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_DEFINEDCODES_H
