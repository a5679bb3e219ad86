// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes JPEG and PNG files with libjpeg-turbo and libpng, like PIL. No other file of nacre-run uses these libraries.
// Both libraries report errors by longjmp, so functions between the jump and its target must not have destructors. A
// program that is built without the libraries links NoDecoders.cpp instead. Files may be malicious.

#ifndef NACRE_TOOLS_RUN_MEDIA_DECODERS_H
#define NACRE_TOOLS_RUN_MEDIA_DECODERS_H

#include "runtime/include/nacre/image.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace nacre::run {

/// Maximum number of pixels: more than the 200 megapixels of phones' cameras.
constexpr uint64_t kMostPixels = uint64_t(1) << 28;

struct DecodedPicture {
  std::vector<uint8_t> pixels; // rows without padding
  uint32_t width = 0, height = 0;
  PixelFormat format = PixelFormat::Rgb; // Rgb or Gray

  Picture view() const { return {pixels.data(), width, height, format}; }
};

/// Decode a file to the same pixels as PIL's Image.open(...).convert("RGB"). Return the problem with the file, or "".
std::string decodeJpeg(std::string_view bytes, DecodedPicture &picture);
std::string decodePng(std::string_view bytes, DecodedPicture &picture);

/// Returns the reason why a picture of this size is refused, or "".
inline std::string findSizeProblem(uint64_t width, uint64_t height) {
  if (width == 0 || height == 0)
    return "it has no pixels";
  if (width <= PictureResizer::longest_side && height <= PictureResizer::longest_side && width * height <= kMostPixels)
    return "";
  return "it is " + std::to_string(width) + " x " + std::to_string(height) + " pixels, but may have at most " +
         std::to_string(PictureResizer::longest_side) + " along each side and " + std::to_string(kMostPixels) +
         " in all";
}

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_MEDIA_DECODERS_H
