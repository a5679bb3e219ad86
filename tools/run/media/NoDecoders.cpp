// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces the decoders of Decoders.h if nacre-run is built without libjpeg-turbo and libpng, which may be missing for
// a cross compiler. Arrays and sounds can still be read.

#include "tools/run/media/Decoders.h"

namespace nacre::run {

static std::string noDecoder(const char *kind) {
  return std::string("this nacre-run was built without the library that reads ") + kind +
         " files; write the input as .npy: on the computer, nacre-run --save-inputs=<folder> does so";
}

std::string decodeJpeg(std::string_view, DecodedPicture &) { return noDecoder("JPEG"); }
std::string decodePng(std::string_view, DecodedPicture &) { return noDecoder("PNG"); }

} // namespace nacre::run
