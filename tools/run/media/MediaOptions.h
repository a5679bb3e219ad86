// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options for converting pictures and sounds of --input to tensors. Each network was trained with its own scale of
// pixels, which the model's file does not contain.

#ifndef NACRE_TOOLS_RUN_MEDIA_MEDIAOPTIONS_H
#define NACRE_TOOLS_RUN_MEDIA_MEDIAOPTIONS_H

#include "runtime/include/nacre/image.hpp"

#include <string>

namespace nacre::run {

/// Options of media. Each parse function stores the value of an option, or returns false if it is invalid.
struct MediaOptions {
  PictureOptions picture;
  size_t means = 0, stds = 0; // number of given values: 0, 1 or 3
  uint32_t rate = 0;          // required samples per second of a sound; 0: not checked
  std::string pictureOption;  // name of the last picture option on the command line; empty without one

  bool parseResize(const std::string &text);
  bool parseCrop();
  bool parseMean(const std::string &text);
  bool parseStd(const std::string &text);
  bool parseRange(const std::string &text);
  bool parseLayout(const std::string &text);
  bool parseChannels(const std::string &text);
  bool parseRate(const std::string &text);
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_MEDIA_MEDIAOPTIONS_H
