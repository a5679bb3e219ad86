// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms and what belongs to them, as products with constant matrices.
//
// Why:  lengths are known when the model is compiled, and products of matrices are what kernels are best at. Up to
//       `maxFourierTable` points one product is taken, which a window is part of; a longer transform of n1 * n2 points is
//       two shorter ones with factors between them.
// How:  a complex number is two elements of the last axis, as in ONNX.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SIGNAL_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SIGNAL_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

constexpr int64_t maxFourierTable = 2048;

/// Whether a transform of `length` points can be built: all of its prime factors are small enough.
bool hasFourier(int64_t length);

/// `x` with `size` elements along `axis`: cut, or filled up with zeros.
mlir::Value fitAxis(NnBuilder &nn, mlir::Value x, int64_t axis, int64_t size);

/// `bins` of the spectrum of each row: [rows, n, 1] of real numbers or [rows, n, 2] of complex ones to [rows, bins, 2].
/// The inverse transform divides by n.
mlir::Value fourier(NnBuilder &nn, mlir::Value x, int64_t bins, bool isInverse);

/// The real rows of `length` whose spectra begin with `half`: [rows, length / 2 + 1, 2] to [rows, length, 1].
mlir::Value inverseRealFourier(NnBuilder &nn, mlir::Value half, int64_t length);

struct Frames {
  int64_t length, step; ///< of a frame, and from one to the next
  int64_t points;       ///< of the transform, which zeros fill up; at least `length`
  int64_t bins;         ///< that are wanted
};

/// The spectra of all whole frames of each signal: [batch, samples, 1 or 2] to [batch, frames, bins, 2]. `window` has an
/// element for each sample of a frame, or is null.
mlir::Value shortTimeFourier(NnBuilder &nn, mlir::Value signal, const Frames &frames, mlir::Value window);

/// a[0] - a[1] cos(2 pi i / n) + a[2] cos(4 pi i / n) - ..., for i < size; n is the size, or one less if the window is
/// not `isPeriodic`.
mlir::Value cosineWindow(NnBuilder &nn, mlir::Type elementType, int64_t size, bool isPeriodic,
                         llvm::ArrayRef<double> coefficients);

struct MelBands {
  int64_t count, points; ///< of bands, and of the transform whose one-sided spectrum they weigh
  int64_t rate;          ///< samples a second
  double low, high;      ///< the edges, in hertz
};

/// ONNX's matrix [points / 2 + 1, count] of triangles of height 1 whose corners are whole bins.
mlir::Value melWeights(NnBuilder &nn, mlir::Type elementType, const MelBands &bands);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SIGNAL_H
