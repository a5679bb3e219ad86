// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the transforms of Winograd convolutions, F(2, 3) and F(4, 3), in one dimension.
// Why:   m neighbouring outputs of a filter of three are a sum of m + 2 products in place of 3m: a 3x3 convolution by
//        tiles of 4x4 takes 36 products for 144 (Lavin and Gray, Fast Algorithms for Convolutional Neural Networks,
//        2015). Packing, emitters and tests apply one text.
// How:   y = A^T [(G g) * (B^T d)], each matrix written out as the operations that it takes; two dimensions are the
//        same along each. The points are 0, 1, -1 and infinity for F(2, 3); 0, +-sqrt(1/2), +-sqrt(2) and infinity for
//        F(4, 3): the root mean square of the error is twice a direct convolution's, with 0, +-1, +-2 four times. What the
//        filter's rows would be divided by, the way back is: there it costs no operation.

#ifndef NACRE_CODEGEN_FORM_WINOGRAD_H
#define NACRE_CODEGEN_FORM_WINOGRAD_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cassert>
#include <cmath>
#include <cstdint>

namespace nacre::codegen::winograd {

inline constexpr int64_t kTaps = 3;

/// Elements of the input that a tile of so many outputs reads, and products that it takes, along one dimension.
constexpr int64_t inputsOf(int64_t outputs) { return outputs + kTaps - 1; }

/// Of F(4, 3), beside 0 and infinity: these and their negatives. The product of their squares is 1.
inline constexpr double kNear = 0.70710678118654752440, kFar = 1.41421356237309504880;

/// G g, but for those divisions. T: a number, or what stands for one; fma(T, double, T) is its multiply-add.
template <typename T> llvm::SmallVector<T, 6> transformFilter(int64_t outputs, llvm::ArrayRef<T> g) {
  using std::fma;
  if (outputs == 2) {
    const T even = g[0] + g[2];
    return {g[0], even + g[1], even - g[1], g[2]};
  }
  assert(outputs == 4 && "tiles are of 2 or 4 outputs");
  const T near = fma(g[2], 0.5, g[0]), far = fma(g[2], 2.0, g[0]);
  return {g[0], fma(g[1], kNear, near), fma(g[1], -kNear, near), fma(g[1], kFar, far), fma(g[1], -kFar, far), g[2]};
}

/// B^T d.
template <typename T> llvm::SmallVector<T, 6> transformInput(int64_t outputs, llvm::ArrayRef<T> d) {
  using std::fma;
  if (outputs == 2)
    return {d[0] - d[2], d[1] + d[2], d[2] - d[1], d[3] - d[1]};
  assert(outputs == 4 && "tiles are of 2 or 4 outputs");
  const T nearEven = fma(d[2], -2.0, d[4]), nearOdd = fma(d[1], -2.0, d[3]);
  const T farEven = fma(d[2], -0.5, d[4]), farOdd = fma(d[1], -0.5, d[3]);
  return {fma(d[2], -2.5, d[0] + d[4]), fma(nearOdd, kNear, nearEven), fma(nearOdd, -kNear, nearEven),
          fma(farOdd, kFar, farEven),   fma(farOdd, -kFar, farEven),   fma(d[3], -2.5, d[1] + d[5])};
}

/// Groups of B^T's rows, those together that share operations, of which a transform along both dimensions stays in so
/// many registers.
inline llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 3> rowsAtOnce(int64_t outputs, int64_t registers) {
  const bool many = registers >= 32;
  using Groups = llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 3>;
  if (outputs == 2)
    return many ? Groups{{0, 1, 2, 3}} : Groups{{0, 3}, {1, 2}};
  return many ? Groups{{0, 1, 2}, {3, 4, 5}} : Groups{{0, 5}, {1, 2}, {3, 4}};
}

/// A^T m, of products that are those divisions too large.
template <typename T> llvm::SmallVector<T, 4> transformProducts(int64_t outputs, llvm::ArrayRef<T> m) {
  using std::fma;
  if (outputs == 2)
    return {fma(m[1] + m[2], 0.5, m[0]), fma(m[1] - m[2], 0.5, m[3])};
  assert(outputs == 4 && "tiles are of 2 or 4 outputs");
  constexpr double near = -1 / 1.5, far = 1.0 / 6;
  const T nearSum = m[1] + m[2], nearDifference = m[1] - m[2], farSum = m[3] + m[4], farDifference = m[3] - m[4];
  return {fma(nearSum, near, fma(farSum, far, m[0])), fma(nearDifference, near * kNear, farDifference * (far * kFar)),
          fma(nearSum, near / 2, farSum * (far * 2)),
          fma(nearDifference, near * kNear / 2, fma(farDifference, far * 2 * kFar, m[5]))};
}

} // namespace nacre::codegen::winograd

#endif // NACRE_CODEGEN_FORM_WINOGRAD_H
