// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how pictures and sounds of --input become tensors, as the command line says it.
// Why:   each network was trained on numbers of its own; a file says nothing about them.

#ifndef NACRE_TOOLS_RUN_MEDIA_MEDIAOPTIONS_H
#define NACRE_TOOLS_RUN_MEDIA_MEDIAOPTIONS_H

#include "runtime/include/nacre/image.hpp"

#include <string>

namespace nacre::run {

/// Each parse function stores the value of an option. Returns false if it is not one.
struct MediaOptions {
  PictureOptions picture;
  size_t means = 0, stds = 0; // numbers given, 0, 1 or 3
  uint32_t rate = 0;          // samples in a second that a sound must have; 0: not checked
  std::string pictureOption;  // the last option given that is about pictures; empty: none

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
