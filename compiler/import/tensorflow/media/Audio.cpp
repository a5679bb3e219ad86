// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers for keyword spotting: spectra of the frames of a sound, and mel-frequency cepstral coefficients (MFCC) of
// spectra.

#include "compiler/import/compositions/Signal.h"
#include "compiler/import/compositions/Tables.h"
#include "compiler/import/tensorflow/operators/Handlers.h"
#include "dialects/NumberText.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

/// Imports AudioSpectrogram, from [samples, channels] to [channels, frames, bins]. An element is the power of a
/// frequency in a frame, or the root of the power.
void importAudioSpectrogram(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  int64_t window = node.getInt("window_size", 0), stride = node.getInt("stride", 0);
  bool isSquared = node.getFlag("magnitude_squared", false);
  if (!node.checkRank(0, 2, 2))
    return;
  int64_t samples = getShape(node.getOperand(0))[0], channels = getShape(node.getOperand(0))[1];
  if (window < 2 || stride < 1 || window > samples || window > (maxFourierTable << 10)) {
    node.error() << "frames must have 2 samples or more, be 1 or more apart and fit into "
                 << describe(node.getOperand(0)) << ", but have " << window << " and lie " << stride << " apart";
    return;
  }
  auto points = static_cast<int64_t>(llvm::PowerOf2Ceil(window));
  int64_t frames = (samples - window) / stride + 1, bins = points / 2 + 1;
  if (!node.checkFits({channels, frames, points, 2}))
    return;
  Value signal = nn.reshape(nn.transpose(node.getOperand(0), {1, 0}), {channels, samples, 1});
  Value hann = cosineWindow(nn, getElementType(node.getOperand(0)), window, /*isPeriodic=*/true, {0.5, 0.5});
  Value spectra = shortTimeFourier(nn, signal, {window, stride, points, bins}, hann);
  if (!spectra)
    return node.fail();
  Value power = nn.reduce(nn::ReduceKind::Sum, nn.mul(spectra, spectra), {3}, /*keepDims=*/false);
  node.setResult(isSquared ? power : nn.unary(nn::UnaryKind::Sqrt, power));
}

/// The mel filter bank: triangles on the mel scale. The middle of each triangle is the end of its neighbours.
struct MelFilter {
  int64_t bands, bins;
  double low, high, hertzPerBin;

  static double toMel(double hertz) { return 1127 * std::log1p(hertz / 700); }
  /// Returns the middle of a band in mel. Band -1 is the lower edge of the first band.
  double middleOf(int64_t band) const {
    double begin = toMel(low), spacing = (toMel(high) - begin) / static_cast<double>(bands + 1);
    return begin + spacing * static_cast<double>(band + 1);
  }
  /// Returns the weight of a bin in a band.
  double weigh(int64_t bin, int64_t band) const {
    if (bin < static_cast<int64_t>(1.5 + low / hertzPerBin) || bin > static_cast<int64_t>(high / hertzPerBin))
      return 0;
    double mel = toMel(static_cast<double>(bin) * hertzPerBin);
    double left = middleOf(band - 1), middle = middleOf(band), right = middleOf(band + 1);
    if (mel > left && mel <= middle)
      return (mel - left) / (middle - left);
    // Below the lower edge of the first band, the rising side of its triangle continues.
    if (band == 0 && mel <= left)
      return (mel - left) / (middle - left);
    return mel > middle && mel <= right ? (right - mel) / (right - middle) : 0;
  }
};

/// Operands: spectrogram, sample_rate. The result is the cosine transform of the logarithms of all bands.
void importMfcc(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  double high = node.getFloat("upper_frequency_limit", 4000), low = node.getFloat("lower_frequency_limit", 20);
  int64_t bands = node.getInt("filterbank_channel_count", 40), count = node.getInt("dct_coefficient_count", 13);
  FailureOr<int64_t> rate = node.getInteger(1);
  if (failed(rate) || !node.checkRank(0, 3, 3))
    return;
  int64_t bins = getShape(node.getOperand(0))[2];
  double hertzPerBin = 0.5 * static_cast<double>(*rate) / static_cast<double>(std::max<int64_t>(bins - 1, 1));
  bool areRight = bins >= 2 && *rate > 0 && low >= 0 && high > low && high / hertzPerBin < static_cast<double>(bins) &&
                  bands >= 1 && count >= 1 && count <= bands && bands <= INT32_MAX;
  if (!areRight) {
    node.error() << "bands must lie within the " << bins << " bins of " << *rate
                 << " samples per second, and be at least as many as the coefficients, but are " << bands << " from "
                 << describeNumber(low) << " to " << describeNumber(high) << " hertz for " << count;
    return;
  }
  MelFilter filter{bands, bins, low, high, hertzPerBin};
  // The computation uses floats of at least 32 bits.
  Type given = getElementType(node.getOperand(0)), type = given.isF64() ? given : Type(nn.types().getF32Type());
  Value weights = makeTable<double>(nn, RankedTensorType::get({bins, bands}, type),
                                    [&](int64_t index) { return filter.weigh(index / bands, index % bands); });
  Value cosines = makeTable<double>(nn, RankedTensorType::get({bands, count}, type), [&](int64_t index) {
    const int64_t band = index / count, coefficient = index % count;
    double angle = M_PI / static_cast<double>(bands) * (static_cast<double>(band) + 0.5);
    return std::sqrt(2.0 / static_cast<double>(bands)) * std::cos(angle * static_cast<double>(coefficient));
  });
  Value heard = nn.matmul(nn.unary(nn::UnaryKind::Sqrt, nn.cast(node.getOperand(0), type)), weights);
  Value loudness = nn.unary(nn::UnaryKind::Log, nn.binary(nn::BinaryKind::Max, heard, 1e-12));
  node.setResult(nn.cast(nn.matmul(loudness, cosines), given));
}

} // namespace

void registerAudio(ImportRegistry &registry) {
  registry.add("AudioSpectrogram", 1, {{"input", Holds::Floats}}, importAudioSpectrogram);
  registry.add("Mfcc", 1, {{"spectrogram", Holds::Floats}, {"sample_rate", Holds::Indices}}, importMfcc);
}

} // namespace nacre::importer::tensorflow_format
