// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what every framework means by resizing an axis, as a table: the elements that each new position is made of, and
//        their weights.
// Why:   frameworks agree on nothing but that; a table is all that `nn.resample` knows, and all that kernels read.
// How:   where a position lies on the old axis is a rule of the framework (1), what is made of the elements around it
//        another (2). Plain functions of numbers.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_RESAMPLETABLES_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_RESAMPLETABLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace nacre::importer {

/// Position by position, `taps` elements and their weights.
struct AxisTable {
  int64_t taps = 1;
  llvm::SmallVector<int32_t, 0> indices;
  llvm::SmallVector<float, 0> weights;

  int64_t getPositions() const { return static_cast<int64_t>(indices.size()) / taps; }
  /// Whether elements are moved as they are.
  bool isMove() const;
  /// Whether an axis of `extent` stays what it is.
  bool isIdentity(int64_t extent) const;
};

//===----------------------------------------------------------------------===//
// 1. Where
//===----------------------------------------------------------------------===//

/// Where each position lies on the old axis, counted in elements from the middle of the first.
using Coordinates = llvm::SmallVector<double, 0>;

/// How much longer an axis becomes: a number that the model states, or else the ratio of two sizes, which is exact.
struct Scale {
  int64_t to = 1, from = 1;
  std::optional<float> stated = std::nullopt;

  double getValue() const { return stated ? *stated : static_cast<double>(to) / static_cast<double>(from); }
};

struct Resize {
  int64_t input, output;
  Scale scale; ///< Output / input before the output was rounded.
};

/// The rules that a model names.
enum class CoordinateRule {
  HalfPixel,
  HalfPixelSymmetric,
  HalfPixelUnlessOne, ///< Of outputs: one is the first element.
  Asymmetric,
  AlignCorners,
  HalfPixelForNearest,
  CropAndResize
};
/// What `CropAndResize` reads, as parts of the axis.
struct Region {
  float begin = 0, end = 1;
};
/// Computes in single precision if the model states a scale or a region, in ONNX Runtime's order of operations: a position that should
/// be an element's own depends on how its computation rounds. Positions that follow from sizes are divided only once, so that no
/// rounding moves one of them across an element or the middle between two.
Coordinates mapCoordinates(Resize resize, CoordinateRule rule, Region region = {});

/// The rules of models that name none, but have flags for corners and centers: in single precision, as they are computed
/// there. Without a flag it is the asymmetric one.
enum class CornerRule { Asymmetric, AlignCorners, HalfPixelCenters };
Coordinates mapInSinglePrecision(int64_t input, int64_t output, CornerRule rule);
/// The same for nearest elements: half of a pixel is not taken off again.
Coordinates mapNearestInSinglePrecision(int64_t input, int64_t output, CornerRule rule);

//===----------------------------------------------------------------------===//
// 2. What
//===----------------------------------------------------------------------===//

/// How a coordinate becomes an index: halves down, halves up, or all; and halves away from zero.
enum class Rounding { RoundPreferFloor, RoundPreferCeil, Floor, Ceil, HalfAway };

/// How far from the middle between two elements a coordinate of single precision still counts as the middle, as in ONNX Runtime.
constexpr double middleTolerance = 1e-6;

/// Returns the nearest elements of an axis of `input` elements; positions outside take the element at that end. The preference of `rounding`
/// for one of two elements applies up to `tolerance` from their middle.
AxisTable takeNearest(llvm::ArrayRef<double> coordinates, int64_t input, Rounding rounding, double tolerance = 0);
AxisTable interpolateLinear(llvm::ArrayRef<double> coordinates, int64_t input);

/// Keys' function, 2 elements on each side. With `excludeOutside`, what is outside has no weight, and the rest makes one.
struct Cubic {
  double a = -0.75;
  bool excludeOutside = false;
};
AxisTable interpolateCubic(llvm::ArrayRef<double> coordinates, int64_t input, Cubic cubic);

/// The same functions stretched by 1 / `scale`, which is less than 1, so that all elements are seen; of those outside, as
/// above. `cubic` is null for the linear one.
AxisTable interpolateStretched(llvm::ArrayRef<double> coordinates, int64_t input, double scale, const Cubic *cubic,
                               bool excludeOutside);
/// The taps of that table, at most: infinity is a number that no table has.
double countStretchedTaps(double scale, bool isCubic);

/// Keys' function read from a table of 1,024 steps, in single precision. Only with HalfPixelCenters is what is outside
/// excluded, and a = -0.5.
AxisTable interpolateCubicBySteps(llvm::ArrayRef<double> coordinates, int64_t input, CornerRule rule);

/// The mean of what a position covers, elements at its ends in part.
AxisTable averageArea(int64_t input, int64_t output, CornerRule rule);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_RESAMPLETABLES_H
