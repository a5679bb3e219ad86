// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables that resize one axis: the elements that each new position reads, and their weights.
//
// Frameworks have different rules for resizing, but every rule gives such a table. `nn.resample` and kernels know only
// tables. The first part of a rule maps a new position to the old axis. The second part chooses elements around this
// position and their weights. The functions are plain arithmetic without IR.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_RESAMPLETABLES_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_RESAMPLETABLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace nacre::importer {

/// Elements and weights for each position of a resized axis. Each position has `taps` elements.
struct AxisTable {
  int64_t taps = 1;
  llvm::SmallVector<int32_t, 0> indices;
  llvm::SmallVector<float, 0> weights;

  int64_t getPositions() const { return static_cast<int64_t>(indices.size()) / taps; }
  /// True if every position copies one element.
  bool isMove() const;
  /// True if the table does not change an axis of `extent` elements.
  bool isIdentity(int64_t extent) const;
};

//===----------------------------------------------------------------------===//
// 1. Coordinates
//===----------------------------------------------------------------------===//

/// Position on the old axis for each new position. Its unit is one element, and the center of the first element is 0.
using Coordinates = llvm::SmallVector<double, 0>;

/// Factor by which an axis grows: a value that the model states, or the exact ratio of two sizes.
struct Scale {
  int64_t to = 1, from = 1;
  std::optional<float> stated = std::nullopt;

  double getValue() const { return stated ? *stated : static_cast<double>(to) / static_cast<double>(from); }
};

struct Resize {
  int64_t input, output;
  Scale scale; ///< output / input before the output was rounded
};

/// Rules for coordinates that models refer to by name.
enum class CoordinateRule {
  HalfPixel,
  HalfPixelSymmetric,
  HalfPixelUnlessOne, ///< variant of HalfPixel in which an output of one element reads the first element
  Asymmetric,
  AlignCorners,
  HalfPixelForNearest,
  CropAndResize
};
/// Part of the axis that `CropAndResize` reads, as fractions of the axis.
struct Region {
  float begin = 0, end = 1;
};
/// Maps new positions to the old axis. If the model states a scale or a region, computes in single precision and in
/// ONNX Runtime's order of operations. Another order could round a position away from an element at the same place.
/// Positions that follow from sizes are divided only once, so rounding never moves them across an element or a
/// midpoint.
Coordinates mapCoordinates(Resize resize, CoordinateRule rule, Region region = {});

/// Rules of models that have flags for corners and centers instead of a name. Without a flag, the rule is `Asymmetric`.
/// These frameworks compute in single precision, so the functions do, too.
enum class CornerRule { Asymmetric, AlignCorners, HalfPixelCenters };
Coordinates mapInSinglePrecision(int64_t input, int64_t output, CornerRule rule);
/// Maps coordinates for nearest elements. Differs from mapInSinglePrecision() in that half a pixel is not subtracted.
Coordinates mapNearestInSinglePrecision(int64_t input, int64_t output, CornerRule rule);

//===----------------------------------------------------------------------===//
// 2. Elements and weights
//===----------------------------------------------------------------------===//

/// Rounding of a coordinate to an index. The first two differ only for halves. `HalfAway` rounds halves away from zero.
enum class Rounding { RoundPreferFloor, RoundPreferCeil, Floor, Ceil, HalfAway };

/// Distance from a midpoint up to which a coordinate in single precision is treated as the midpoint, as in ONNX
/// Runtime.
constexpr double middleTolerance = 1e-6;

/// Returns a table of the nearest elements on an axis of `input` elements. Positions outside take the element at that
/// end. A position within `tolerance` of a midpoint is rounded as the midpoint.
AxisTable takeNearest(llvm::ArrayRef<double> coordinates, int64_t input, Rounding rounding, double tolerance = 0);
AxisTable interpolateLinear(llvm::ArrayRef<double> coordinates, int64_t input);

/// Keys' cubic function, which reads 2 elements on each side. With `excludeOutside`, elements outside the axis have
/// weight 0, and the other weights are normalized.
struct Cubic {
  double a = -0.75;
  bool excludeOutside = false;
};
AxisTable interpolateCubic(llvm::ArrayRef<double> coordinates, int64_t input, Cubic cubic);

/// Interpolates with the linear function, or with `cubic` if it is not null. The function is stretched by 1 / `scale`,
/// where `scale` < 1, so that every element is read. `excludeOutside` has the meaning of Cubic::excludeOutside.
AxisTable interpolateStretched(llvm::ArrayRef<double> coordinates, int64_t input, double scale, const Cubic *cubic,
                               bool excludeOutside);
/// Returns the number of taps of a table from interpolateStretched(). It may be too large for any table, or infinite.
double countStretchedTaps(double scale, bool isCubic);

/// Interpolates by Keys' function from a table of 1,024 steps in single precision. With HalfPixelCenters, elements
/// outside are excluded and a = -0.5; with the other rules, neither holds.
AxisTable interpolateCubicBySteps(llvm::ArrayRef<double> coordinates, int64_t input, CornerRule rule);

/// Averages the elements that a position covers. The elements at both ends count by the fraction that is covered.
AxisTable averageArea(int64_t input, int64_t output, CornerRule rule);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_RESAMPLETABLES_H
