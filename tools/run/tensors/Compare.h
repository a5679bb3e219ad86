// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  whether a tensor is what was expected, and where it is not.
// Why:   one definition of "agrees" for every test of the project.
// How:   an element a agrees with b when |a - b| <= rtol * |b| + atol * max|b|; NaN agrees with NaN, an infinity with
//        itself. atol is relative to the tensor's largest finite element, so that one number serves every scale. Numbers
//        that kernels take for zero (docs/runtime.md, small numbers) are zero here, too,
//        unless both tolerances are 0.

#ifndef NACRE_TOOLS_RUN_TENSORS_COMPARE_H
#define NACRE_TOOLS_RUN_TENSORS_COMPARE_H

#include "tools/run/tensors/Tensor.h"

namespace nacre::run {

struct Tolerance {
  double relative = 1e-3;
  double absolute = 1e-4;
};

struct Comparison {
  size_t differing = 0; // elements beyond the tolerance
  size_t worst = 0;     // the element farthest beyond it, or nearest to it; the first among equals
  double actual = 0, expected = 0, allowed = 0; // there
  double largestDifference = 0;
  double scale = 0; // max|b|
};

/// Both must be of one type and shape.
Comparison compareTensors(const TensorView &actual, const TensorView &expected, Tolerance tolerance);

/// "[0,3]": where element number `index` is in a tensor of that shape.
std::string positionOf(size_t index, const Dims &dims);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TENSORS_COMPARE_H
