// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a tensor with its expected value, with one definition of "agrees" for all tests of the project. An element a
// agrees with b if |a - b| <= rtol * |b| + atol * max|b|. NaN agrees with NaN, an infinity with itself. atol is
// relative to the tensor's largest finite element, so one number fits every scale. Numbers that kernels treat as zero
// (docs/runtime.md, small numbers) also count as zero in comparisons, unless both tolerances are 0.

#ifndef NACRE_TOOLS_RUN_TENSORS_COMPARE_H
#define NACRE_TOOLS_RUN_TENSORS_COMPARE_H

#include "tools/run/tensors/Tensor.h"

namespace nacre::run {

struct Tolerance {
  double relative = 1e-3;
  double absolute = 1e-4;
};

struct Comparison {
  size_t differing = 0; // number of elements whose difference exceeds the tolerance
  size_t worst = 0;     // index of the element whose difference is largest relative to its tolerance; the first of
                        // several
  double actual = 0, expected = 0, allowed = 0; // values of the worst element
  double largestDifference = 0;
  double scale = 0; // max|b|
};

/// Compares two tensors of the same type and shape.
Comparison compareTensors(const TensorView &actual, const TensorView &expected, Tolerance tolerance);

/// Returns the coordinates of the element with index `index` in a tensor of shape `dims`, such as "[0,3]".
std::string positionOf(size_t index, const Dims &dims);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TENSORS_COMPARE_H
