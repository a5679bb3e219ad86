// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms, windows and frequency bands.

#include "compiler/import/compositions/Signal.h"
#include "compiler/import/onnx/operands/TypeAttribute.h"
#include "compiler/import/onnx/operators/Handlers.h"
#include "dialects/NumberText.h"
#include "dialects/nn/Permutation.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

//===----------------------------------------------------------------------===//
// Transforms
//===----------------------------------------------------------------------===//

/// Reports an error unless a transform of `length` points can be built.
bool checkLength(OperandBinder &node, int64_t length) {
  if (length >= 1 && length <= INT32_MAX && hasFourier(length))
    return true;
  node.error() << "the transform must have 1 or more points, with prime factors of " << maxFourierTable
               << " or less, but has " << length << "; pad the signal to a power of two";
  return false;
}

bool isComplex(Value x) { return getShape(x).back() == 2; }

/// Reports an error unless the last axis of operand 0 holds real or complex numbers.
bool checkParts(OperandBinder &node) {
  Value x = node.getOperand(0);
  if (getShape(x).back() == 1 || isComplex(x))
    return true;
  node.error() << node.nameOf(0) << " must have size 1 (real) or 2 (complex) along its last axis, but is "
               << describe(x);
  return false;
}

/// Returns the axis of the transform. It is an attribute before version 20, and an operand since then. It must not be
/// the last axis.
FailureOr<int64_t> readTransformAxis(OperandBinder &node) {
  int64_t rank = getRank(node.getOperand(0)), given = -2;
  if (node.getVersion() < 20) {
    given = node.getInt("axis", 1);
  } else if (node.getOperand(2)) {
    FailureOr<int64_t> operand = node.getInteger(2);
    if (failed(operand))
      return failure();
    given = *operand;
  }
  FailureOr<int64_t> axis = node.getAxis(given, rank);
  if (succeeded(axis) && *axis == rank - 1)
    return node.error() << "axis must not be the last one, which holds real and imaginary parts, but is " << given;
  return axis;
}

void importDft(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  bool isInverse = node.getFlag("inverse", false), isOneSided = node.getFlag("onesided", false);
  bool toReal = isInverse && isOneSided;
  if (!node.checkRank(0, 2) || !checkParts(node))
    return;
  FailureOr<int64_t> axis = readTransformAxis(node);
  if (failed(axis))
    return;
  int64_t size = getShape(x)[*axis];
  FailureOr<int64_t> length = toReal ? 2 * (size - 1) : size;
  if (node.getOperand(1))
    length = node.getInteger(1);
  if (failed(length) || !checkLength(node, *length))
    return;
  if (toReal && !isComplex(x)) {
    node.error() << node.nameOf(0) << " must hold complex numbers for the inverse of a one-sided transform, but is "
                 << describe(x);
    return;
  }
  int64_t half = *length / 2 + 1, used = toReal ? half : *length, parts = getShape(x).back();
  SmallVector<int64_t> permutation = axisRange(0, getRank(x)), shape(getShape(x));
  std::rotate(permutation.begin() + *axis, permutation.begin() + *axis + 1, permutation.end() - 1);
  shape[*axis] = std::max(used, *length);
  shape.back() = 2;
  if (!node.checkFits(shape))
    return;
  shape.erase(shape.begin() + *axis);
  shape.pop_back();
  int64_t rows = 1;
  for (int64_t dim : shape)
    rows *= dim;
  Value lines = nn.reshape(nn.transpose(fitAxis(nn, x, *axis, used), permutation), {rows, used, parts});
  Value y =
      toReal ? inverseRealFourier(nn, lines, *length) : fourier(nn, lines, isOneSided ? half : *length, isInverse);
  if (!y) {
    node.setResult({});
    return;
  }
  shape.append({getShape(y)[1], getShape(y)[2]});
  node.setResult(nn.transpose(nn.reshape(y, shape), nn::inverse(permutation)));
}

void importStft(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value signal = node.getOperand(0), window = node.getOperand(2);
  bool isOneSided = node.getFlag("onesided", true);
  if (!node.checkRank(0, 2, 3) || !node.checkRank(2, 1, 1))
    return;
  if (getRank(signal) == 2)
    signal = nn.reshape(signal, {getShape(signal)[0], getShape(signal)[1], 1});
  else if (!checkParts(node))
    return;
  if (!window && !node.getOperand(3)) {
    node.error() << node.nameOf(2) << " or " << node.nameOf(3)
                 << " is required to set the frame length, but both are missing";
    return;
  }
  FailureOr<int64_t> step = node.getInteger(1), length = window ? getShape(window)[0] : 0;
  if (node.getOperand(3))
    length = node.getInteger(3);
  if (failed(step) || failed(length) || !checkLength(node, *length) ||
      !node.checkShape(2, *length, "one element per sample of a frame"))
    return;
  if (!signal)
    return node.fail();
  int64_t samples = getShape(signal)[1];
  if (*step < 1 || *step > INT32_MAX || *length > samples) {
    node.error() << "frames must be 1 or more samples apart and not longer than the " << samples << " samples of "
                 << describe(node.getOperand(0)) << ", but are " << *step << " apart and of length " << *length;
    return;
  }
  int64_t bins = isOneSided ? *length / 2 + 1 : *length;
  if (node.checkFits({getShape(signal)[0], (samples - *length) / *step + 1, std::max(bins, *length), 2}))
    node.setResult(shortTimeFourier(nn, signal, {*length, *step, *length, bins}, window));
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

void importWindow(OperandBinder &node, ArrayRef<double> coefficients) {
  bool isPeriodic = node.getFlag("periodic", true);
  Type type = readElementType(node, "output_datatype", node.nn.types().getF32Type());
  FailureOr<int64_t> size = node.getInteger(0);
  if (!type || failed(size))
    return;
  if (*size < 0)
    node.error() << node.nameOf(0) << " must be 0 or more, but is " << *size;
  else
    node.setResult(cosineWindow(node.nn, type, *size, isPeriodic, coefficients));
}

void importMelWeights(OperandBinder &node) {
  Type type = readElementType(node, "output_datatype", node.nn.types().getF32Type());
  FailureOr<int64_t> count = node.getInteger(0), points = node.getInteger(1), rate = node.getInteger(2);
  FailureOr<double> low = node.getNumber(3), high = node.getNumber(4);
  if (!type || failed(count) || failed(points) || failed(rate) || failed(low) || failed(high))
    return;
  for (size_t index = 0; index < 3; ++index)
    if (int64_t size = *std::array{count, points, rate}[index]; size < 1 || size > INT32_MAX) {
      node.error() << node.nameOf(index) << " must lie between 1 and " << INT32_MAX << ", but is " << size;
      return;
    }
  if (!(*low >= 0 && *high >= *low && *high < 1e15)) {
    node.error() << node.nameOf(3) << " and " << node.nameOf(4) << " must be edges of 0 Hz or more, but are "
                 << describeNumber(*low) << " and " << describeNumber(*high);
    return;
  }
  node.setResult(melWeights(node.nn, type, {*count, *points, *rate, *low, *high}));
}

} // namespace

void registerSignals(ImportRegistry &registry) {
  registry.add("DFT", 17, {{"input", Holds::Floats}, {"dft_length?", Holds::Indices}}, importDft);
  registry.add("DFT", 20, {{"input", Holds::Floats}, {"dft_length?", Holds::Indices}, {"axis?", Holds::Indices}},
               importDft);
  registry.add("STFT", 17,
               {{"signal", Holds::Floats, 'T'},
                {"frame_step", Holds::Indices},
                {"window?", Holds::Floats, 'T'},
                {"frame_length?", Holds::Indices}},
               importStft);
  for (StringRef op : {"DFT", "STFT"})
    registry.setLimit(op, "lengths with a prime factor above 2,048");
  const Signature size{{"size", Holds::Indices}};
  auto addWindow = [&](StringRef op, std::initializer_list<double> coefficients) {
    registry.add(op, 17, size, [coefficients = SmallVector<double>(coefficients)](OperandBinder &node) {
      importWindow(node, coefficients);
    });
  };
  addWindow("BlackmanWindow", {0.42, 0.5, 0.08});
  addWindow("HammingWindow", {25.0 / 46, 21.0 / 46});
  addWindow("HannWindow", {0.5, 0.5});
  registry.add("MelWeightMatrix", 17,
               {{"num_mel_bins", Holds::Indices},
                {"dft_length", Holds::Indices},
                {"sample_rate", Holds::Indices},
                {"lower_edge_hertz", Holds::Floats},
                {"upper_edge_hertz", Holds::Floats}},
               importMelWeights);
}

} // namespace nacre::importer::onnx_format
