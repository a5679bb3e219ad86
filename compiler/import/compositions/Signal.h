// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms and related operators, as products with constant matrices.
//
// Lengths are known at compile time, and matrix products have the fastest kernels. A transform of up to
// `maxFourierTable` points is one product, which includes the window. A longer transform of n1 * n2 points consists of
// shorter transforms of n1 and n2 points, with factors between them. A complex number is two elements of the last axis,
// as in ONNX.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SIGNAL_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SIGNAL_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

constexpr int64_t maxFourierTable = 2048;

/// True if a transform of `length` points can be built, because all of its prime factors are small enough.
bool hasFourier(int64_t length);

/// Returns `x` truncated or zero-padded to `size` elements along `axis`.
mlir::Value fitAxis(NnBuilder &nn, mlir::Value x, int64_t axis, int64_t size);

/// Returns the first `bins` values of the spectrum of each row. `x` is [rows, n, 1] if real, or [rows, n, 2] if
/// complex. The result is [rows, bins, 2]. The inverse transform divides by n.
mlir::Value fourier(NnBuilder &nn, mlir::Value x, int64_t bins, bool isInverse);

/// Returns the real rows [rows, length, 1] whose spectra begin with `half`, [rows, length / 2 + 1, 2].
mlir::Value inverseRealFourier(NnBuilder &nn, mlir::Value half, int64_t length);

struct Frames {
  int64_t length, step; ///< samples of a frame, and the distance between frames in samples
  int64_t points;       ///< size of the transform, at least `length`; the rest is zeros
  int64_t bins;         ///< number of bins to compute
};

/// Returns the spectra of all whole frames. `signal` is [batch, samples, 1 or 2], and the result [batch, frames, bins,
/// 2]. `window` has one element per sample of a frame, or is null.
mlir::Value shortTimeFourier(NnBuilder &nn, mlir::Value signal, const Frames &frames, mlir::Value window);

/// Returns a[0] - a[1] cos(2 pi i / n) + a[2] cos(4 pi i / n) - ... for i < size; a are the `coefficients`. n is `size`
/// if the window is periodic, and `size` - 1 otherwise.
mlir::Value cosineWindow(NnBuilder &nn, mlir::Type elementType, int64_t size, bool isPeriodic,
                         llvm::ArrayRef<double> coefficients);

struct MelBands {
  int64_t count, points; ///< number of bands, and the size of the transform whose one-sided spectrum they weight
  int64_t rate;          ///< samples per second
  double low, high;      ///< frequencies of the lowest and the highest edge, in hertz
};

/// Returns ONNX's matrix [points / 2 + 1, count] of triangles of height 1. Their corners are at whole bins.
mlir::Value melWeights(NnBuilder &nn, mlir::Type elementType, const MelBands &bands);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SIGNAL_H
