// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables that resize one axis: the elements that each new position reads, and their weights. Frameworks agree on no
// rule for resizing, but every rule gives such a table. `nn.resample` and kernels know only tables. A rule of the
// framework maps a position to the old axis (1). Another rule chooses elements around it and their weights (2). All
// functions here are plain arithmetic.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_RESAMPLETABLES_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_RESAMPLETABLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace nacre::importer {

/// Elements and weights of a resized axis: `taps` of each for every position.
struct AxisTable {
  int64_t taps = 1;
  llvm::SmallVector<int32_t, 0> indices;
  llvm::SmallVector<float, 0> weights;

  int64_t getPositions() const { return static_cast<int64_t>(indices.size()) / taps; }
  /// True if every position copies one element.
  bool isMove() const;
  /// True if an axis of `extent` elements does not change.
  bool isIdentity(int64_t extent) const;
};

//===----------------------------------------------------------------------===//
// 1. Coordinates
//===----------------------------------------------------------------------===//

/// Position on the old axis for each new position, counted in elements from the center of the first element.
using Coordinates = llvm::SmallVector<double, 0>;

/// Factor by which an axis grows: a number that the model states, or the exact ratio of two sizes.
struct Scale {
  int64_t to = 1, from = 1;
  std::optional<float> stated = std::nullopt;

  double getValue() const { return stated ? *stated : static_cast<double>(to) / static_cast<double>(from); }
};

struct Resize {
  int64_t input, output;
  Scale scale; ///< output / input, before the output was rounded
};

/// Rules for coordinates that models name.
enum class CoordinateRule {
  HalfPixel,
  HalfPixelSymmetric,
  HalfPixelUnlessOne, ///< an output of one element reads the first element
  Asymmetric,
  AlignCorners,
  HalfPixelForNearest,
  CropAndResize
};
/// Part of the axis that `CropAndResize` reads, as fractions of the axis.
struct Region {
  float begin = 0, end = 1;
};
/// Computes in single precision if the model states a scale or a region, in ONNX Runtime's order of operations. Another
/// order could round a position away from the element that it coincides with. Positions that follow from sizes are
/// divided only once, so that rounding never moves them across an element or a midpoint.
Coordinates mapCoordinates(Resize resize, CoordinateRule rule, Region region = {});

/// Rules of models that have flags for corners and centers instead of a name; no flag is `Asymmetric`. They compute in
/// single precision, as those frameworks do.
enum class CornerRule { Asymmetric, AlignCorners, HalfPixelCenters };
Coordinates mapInSinglePrecision(int64_t input, int64_t output, CornerRule rule);
/// Maps coordinates for nearest elements by the same rules, without subtracting half a pixel.
Coordinates mapNearestInSinglePrecision(int64_t input, int64_t output, CornerRule rule);

//===----------------------------------------------------------------------===//
// 2. Elements and weights
//===----------------------------------------------------------------------===//

/// Rounding of a coordinate to an index. The first two differ only for halves; `HalfAway` rounds halves away from zero.
enum class Rounding { RoundPreferFloor, RoundPreferCeil, Floor, Ceil, HalfAway };

/// Distance from a midpoint at which a single precision coordinate still counts as the midpoint, as in ONNX Runtime.
constexpr double middleTolerance = 1e-6;

/// Returns the nearest elements of an axis of `input` elements. Positions outside take the element at that end. The
/// preference of `rounding` for one of two elements applies up to `tolerance` from their midpoint.
AxisTable takeNearest(llvm::ArrayRef<double> coordinates, int64_t input, Rounding rounding, double tolerance = 0);
AxisTable interpolateLinear(llvm::ArrayRef<double> coordinates, int64_t input);

/// Keys' cubic function over 2 elements on each side. With `excludeOutside`, elements outside have no weight, and the
/// others are normalized.
struct Cubic {
  double a = -0.75;
  bool excludeOutside = false;
};
AxisTable interpolateCubic(llvm::ArrayRef<double> coordinates, int64_t input, Cubic cubic);

/// Interpolates with the functions stretched by 1 / `scale`, where `scale` < 1, so that every element is read. Elements
/// outside are treated as above. A null `cubic` is the linear function.
AxisTable interpolateStretched(llvm::ArrayRef<double> coordinates, int64_t input, double scale, const Cubic *cubic,
                               bool excludeOutside);
/// Returns the number of taps of that table. It may be too large for any table, or infinite.
double countStretchedTaps(double scale, bool isCubic);

/// Interpolates by Keys' function from a table of 1,024 steps in single precision. Only HalfPixelCenters excludes
/// elements outside and has a = -0.5.
AxisTable interpolateCubicBySteps(llvm::ArrayRef<double> coordinates, int64_t input, CornerRule rule);

/// Averages the elements that a position covers, with fractions at both ends.
AxisTable averageArea(int64_t input, int64_t output, CornerRule rule);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_RESAMPLETABLES_H
