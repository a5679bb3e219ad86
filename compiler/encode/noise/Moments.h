// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes a value of a network, and the noise in it, by a few numbers.
// Why: how much a layer amplifies noise depends on its weights, and on how much of its input is a mean. Numbers for
//      each channel show both, and no inputs of the model are needed.
// How: values at different positions of a channel are taken as independent. Noise has two parts. Rounding a weight
//      adds the same error at all positions, and an average over positions keeps it. Other noise averages out.
//      Rounding a number adds an error that is proportional to it. So the largest of several numbers, which a pool
//      chooses, has more noise than their average.

#ifndef NACRE_COMPILER_ENCODE_NOISE_MOMENTS_H
#define NACRE_COMPILER_ENCODE_NOISE_MOMENTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace nacre::encode {

/// Noise of a number that is rounded to f16, as a share of its power: the relative error's root mean square is 2.1e-4.
inline constexpr double kHalfRounding = 4.4e-8;

/// Noise of a step of a sum in fp16, as a share of the sum's power. Each step rounds a part of the sum, which has half
/// of its power on average.
inline constexpr double kHalfStepNoise = kHalfRounding / 2;

/// Distribution of the elements of a tensor that have something in common, such as their channel.
struct Moments {
  double mean = 0, variance = 0;
  double offset = 0;       ///< Power of the noise that is equal in all of the elements.
  double noise = 0;        ///< Power of the noise that is independent in each of them.
  double nonzero = 1;      ///< Share of the elements that are not 0.
  double scaled = 0;       ///< Part of `noise` that is proportional to an element's square: large elements have more.
  bool isPositive = false; ///< True if no element is negative, as after a ReLU. Those at 0 have no noise.

  double power() const { return mean * mean + variance; }
  double noisePower() const { return offset + noise; }
  bool operator==(const Moments &other) const {
    return mean == other.mean && variance == other.variance && offset == other.offset && noise == other.noise &&
           nonzero == other.nonzero && scaled == other.scaled && isPositive == other.isPositive;
  }
};

/// Returns `moments` after rounding to f16.
Moments roundedToHalf(Moments moments);

/// Returns the moments of all elements of groups that have equally many elements each.
Moments mergedMoments(llvm::ArrayRef<Moments> groups);

/// Returns the stride of each axis in the numbers of a tensor of which `kept` numbers are kept along each axis; 0 for
/// axes whose elements share a number.
llvm::SmallVector<int64_t, 4> stridesOf(llvm::ArrayRef<int64_t> kept);

/// Moments of a tensor. Elements share moments along the axes on which they are taken as equally distributed.
struct TensorMoments {
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<int64_t, 4> kept; ///< Extent of each axis in `numbers`: that of `shape`, or 1 if it is shared.
  std::vector<Moments> numbers;       ///< Row-major, in the order of `kept`.

  static TensorMoments uniform(llvm::ArrayRef<int64_t> shape, const Moments &moments);

  llvm::SmallVector<int64_t, 4> strides() const { return stridesOf(kept); }
  Moments merged() const { return mergedMoments(numbers); }
  /// Returns the same tensor with moments that are shared along the axes for which `shared` is true.
  TensorMoments sharedAlong(llvm::ArrayRef<bool> shared) const;
  /// Returns `shape` elements from element `offset` on, in row-major order.
  TensorMoments reshaped(llvm::ArrayRef<int64_t> shape, int64_t offset = 0) const;
  TensorMoments sliced(llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> sizes,
                       llvm::ArrayRef<int64_t> steps) const;
  /// Returns this tensor with `part` at `offsets`. A part that has at least half of a shared axis stands for all of it.
  TensorMoments withPart(const TensorMoments &part, llvm::ArrayRef<int64_t> offsets,
                         llvm::ArrayRef<int64_t> steps) const;
};

/// Calls `callback` with each index of a tensor of this shape, in row-major order.
template <typename Callback> void forEachIndex(llvm::ArrayRef<int64_t> shape, Callback callback) {
  for (int64_t extent : shape)
    if (extent == 0)
      return;
  llvm::SmallVector<int64_t, 8> at(shape.size());
  while (true) {
    callback(llvm::ArrayRef<int64_t>(at));
    size_t axis = shape.size();
    while (axis > 0 && ++at[axis - 1] == shape[axis - 1])
      at[--axis] = 0;
    if (axis == 0)
      return;
  }
}

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_NOISE_MOMENTS_H
