// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of an input that takes the pixels of a picture.

#ifndef NACRE_COMPILER_IMPORT_OPTIONS_PIXELS_H
#define NACRE_COMPILER_IMPORT_OPTIONS_PIXELS_H

#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace nacre::importer {

/// Bytes of a pixel in memory, or channels of a network, in order.
enum class PixelOrder { Gray, Rgb, Bgr, Rgba, Bgra };

/// Option `--preprocess`. The input becomes uint8 of height x width x channels, and the model computes (pixel * range /
/// 255 - mean) / std from it.
struct PixelInput {
  std::string input;
  std::string text;                               ///< the whole option, for messages
  llvm::SmallVector<float, 3> mean = {0.0F};      ///< one, or one for each channel in the network's order
  llvm::SmallVector<float, 3> deviation = {1.0F}; ///< one, or one for each channel, above 0
  float range = 1;                                ///< value of a white pixel
  std::optional<PixelOrder> pixels;               ///< order of the app's pixels; default: gray or rgb
  PixelOrder channels = PixelOrder::Rgb;          ///< order of the network's channels, if it has three: Rgb or Bgr
  std::optional<bool> channelsLast;               ///< true if channels are last; default: the axis of size 1 or 3
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPTIONS_PIXELS_H
