// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user says about an input that takes the pixels of a picture.

#ifndef NACRE_COMPILER_IMPORT_OPTIONS_PIXELS_H
#define NACRE_COMPILER_IMPORT_OPTIONS_PIXELS_H

#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace nacre::importer {

/// The bytes of a pixel in memory, and the channels that a network wants.
enum class PixelOrder { Gray, Rgb, Bgr, Rgba, Bgra };

/// `--preprocess`: the input becomes uint8 of height x width x channels, and the model computes (pixel * range / 255
/// - mean) / std from it.
struct PixelInput {
  std::string input;
  std::string text;                               ///< the whole option, for messages
  llvm::SmallVector<float, 3> mean = {0.0F};      ///< one, or one for each channel in the network's order
  llvm::SmallVector<float, 3> deviation = {1.0F}; ///< likewise, above 0
  float range = 1;                                ///< value of a white pixel
  std::optional<PixelOrder> pixels;               ///< of the app; default: gray for one channel, else rgb
  PixelOrder channels = PixelOrder::Rgb;          ///< of the network, if it has three: Rgb or Bgr
  std::optional<bool> channelsLast;               ///< of the network; default: the axis of size 1 or 3
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPTIONS_PIXELS_H
