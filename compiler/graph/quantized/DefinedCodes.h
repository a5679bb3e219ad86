// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds factors with which kernels compute exactly the codes that ONNX defines. ONNX rounds each real to f32 and
// divides it by the scale of the result. A factor for each operand avoids the division, but rounds differently. If
// scales have simple ratios, many reals lie in the middle between two codes, and each rounding decides some of them.
//
// 1. 8-bit operands have few combinations of codes, so all of them are tried, with several factors near the quotient of
//    the scales.
// 2. Averages have too many, but their sums may be far from the middle between two codes.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_DEFINEDCODES_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_DEFINEDCODES_H

#include "compiler/graph/quantized/Numbers.h"

namespace nacre::graph {

/// Quantization of f32 to integers.
struct Coder {
  float scale;
  double zero;
  CodeBounds bounds;

  /// Returns the code that ONNX defines for `real`.
  double code(float real) const;
  /// Returns the code of a real that is `steps` times the scale.
  double round(float steps) const;
};

/// Range of the steps of a tensor (codes less their zero point), and their scale.
struct Steps {
  int64_t low, high;
  float scale;
};

/// Returns a factor that turns the steps of a tensor into the codes of their reals; `nullopt` if no factor does.
std::optional<float> findFactor(const Steps &x, const Coder &coder);

struct FactorPair {
  float a, b;
};

/// Returns factors for the steps of two tensors whose sum, difference or product is quantized. With these factors, each
/// pair of steps gets the same code as its reals. Returns `nullopt` if no factors do, or if there are too many pairs.
std::optional<FactorPair> findFactors(nn::BinaryKind kind, const Steps &a, const Steps &b, const Coder &coder);

struct FactorOfConstants {
  float factor;
  llvm::SmallVector<float> constants;
};

/// Returns a factor for the steps of a tensor, and replacements of the `constants` that are added to, subtracted from
/// or multiplied by its reals. With these, all steps get the same codes. Returns `nullopt` if no factor works.
std::optional<FactorOfConstants> findFactors(nn::BinaryKind kind, const Steps &x, llvm::ArrayRef<float> constants,
                                             const Coder &coder);

/// True if no average of `count` reals is so close to the middle between two codes that the order of f32 operations
/// changes its code.
bool isAverageFarFromMiddles(const Steps &x, int64_t count, const Coder &coder);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_DEFINEDCODES_H
