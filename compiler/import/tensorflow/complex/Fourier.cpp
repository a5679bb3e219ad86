// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms of real signals to the first half of their spectra, and the inverse transforms.

#include "compiler/import/compositions/Signal.h"
#include "compiler/import/tensorflow/complex/Handlers.h"
#include "compiler/import/tensorflow/complex/Pairs.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

/// Returns the value of operand 1, fft_length: the number of points of the transform along the last axis of `x`.
FailureOr<int64_t> readPoints(OperandBinder &node, Value x) {
  FailureOr<SmallVector<int64_t>> given = node.getIntegers(1);
  if (failed(given))
    return failure();
  if (getRank(x) < 1)
    return node.error() << node.nameOf(0) << " must have an axis to transform, but is " << describe(x);
  if (given->size() != 1)
    return node.error() << node.nameOf(1) << " must hold one length, but holds " << given->size();
  const int64_t points = given->front();
  if (points < 1 || points > INT32_MAX || !hasFourier(points))
    return node.error() << node.nameOf(1) << " must be 1 or more, with prime factors of " << maxFourierTable
                        << " or less, but is " << points << "; pad the signal to a power of two";
  SmallVector<int64_t> complex(getShape(x));
  complex.back() = std::max(complex.back(), points);
  complex.push_back(2);
  if (!node.checkFits(complex))
    return failure();
  return points;
}

/// Returns `x` in the shape [rows, size, 1]. Rows of `x` are cut off or padded with zeros to `size` real elements.
Value toRows(NnBuilder &nn, Value x, int64_t size) {
  Value fitted = fitAxis(nn, x, getRank(x) - 1, size);
  if (!fitted)
    return {};
  int64_t rows = 1;
  for (int64_t dim : getShape(fitted).drop_back())
    rows *= dim;
  return nn.reshape(fitted, {rows, size, 1});
}

SmallVector<int64_t> withLast(Ints shape, int64_t size) {
  SmallVector<int64_t> result(shape);
  result.back() = size;
  return result;
}

void importRfft(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  FailureOr<int64_t> points = readPoints(node, x);
  if (failed(points))
    return;
  const int64_t bins = *points / 2 + 1;
  Value spectra = fourier(nn, toRows(nn, x, *points), bins, /*isInverse=*/false);
  if (!spectra)
    return node.fail();
  SmallVector<int64_t> shape = withLast(getShape(x), bins);
  setPair(node, {nn.reshape(nn.slice(spectra, 2, 0, 1), shape), nn.reshape(nn.slice(spectra, 2, 1, 1), shape)});
}

void importIrfft(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  FailureOr<ComplexPair> x = getPair(node, 0);
  if (failed(x))
    return;
  FailureOr<int64_t> points = readPoints(node, x->real);
  if (failed(points))
    return;
  const int64_t bins = *points / 2 + 1;
  Value real = toRows(nn, x->real, bins), imaginary = toRows(nn, x->imaginary, bins);
  if (!real || !imaginary)
    return node.fail();
  Value signal = inverseRealFourier(nn, nn.concat({real, imaginary}, 2), *points);
  if (!signal)
    return node.fail();
  node.setResult(nn.reshape(signal, withLast(getShape(x->real), *points)));
}

} // namespace

void registerFourier(ImportRegistry &registry) {
  const OperandRule length{"fft_length", Holds::Indices};
  registry.add("RFFT", 1, {{"input", Holds::Floats}, length}, importRfft);
  registry.add("IRFFT", 1, {{"input", Holds::Sequence}, length}, importIrfft);
  for (StringRef op : {"RFFT", "IRFFT"})
    registry.setLimit(op, "lengths with a prime factor above 2,048");
}

} // namespace nacre::importer::tensorflow_format
