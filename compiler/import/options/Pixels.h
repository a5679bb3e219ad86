// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of inputs that take the pixels of a picture.

#ifndef NACRE_COMPILER_IMPORT_OPTIONS_PIXELS_H
#define NACRE_COMPILER_IMPORT_OPTIONS_PIXELS_H

#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace nacre::importer {

/// Order of the bytes of a pixel in memory, or of the channels of a network.
enum class PixelOrder { Gray, Rgb, Bgr, Rgba, Bgra };

/// Option `--preprocess` of one input. The input becomes uint8 of height x width x channels. The model computes (pixel
/// * range / 255 - mean) / std from it.
struct PixelInput {
  std::string input;
  std::string text;                               ///< the whole option, for messages
  llvm::SmallVector<float, 3> mean = {0.0F};      ///< one value, or one per channel in the network's order
  llvm::SmallVector<float, 3> deviation = {1.0F}; ///< one value, or one per channel; each is above 0
  float range = 1;                                ///< value of a white pixel
  std::optional<PixelOrder> pixels;               ///< order of the bytes of the app's pixels; Gray or Rgb by default
  PixelOrder channels = PixelOrder::Rgb;          ///< order of the network's channels if there are three: Rgb or Bgr
  std::optional<bool> channelsLast;               ///< true if the last axis is the channels; by default, the axis of
                                                  ///< size 1 or 3 is
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPTIONS_PIXELS_H
