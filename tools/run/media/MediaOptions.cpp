// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the options about pictures and sounds.

#include "tools/run/media/MediaOptions.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace nacre::run {
namespace {

bool parseSize(const std::string &text, size_t begin, size_t end, uint32_t &size) {
  const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, size);
  return error == std::errc() && stop == text.data() + end && size > 0 && size <= PictureResizer::longest_side;
}

/// Parses one number for all channels, or three numbers. Returns the count of numbers, or 0 if `text` is invalid.
size_t parseNumbers(const std::string &text, float (&numbers)[3]) {
  float read[3];
  size_t count = 0;
  const char *at = text.c_str();
  for (;;) {
    char *end = nullptr;
    const float number = std::strtof(at, &end);
    if (end == at || count == 3 || !std::isfinite(number))
      return 0;
    read[count++] = number;
    if (*end == 0)
      break;
    if (*end != ',')
      return 0;
    at = end + 1;
  }
  if (count == 2)
    return 0;
  for (size_t i = 0; i < 3; ++i)
    numbers[i] = read[count == 1 ? 0 : i];
  return count;
}

/// Sets `value` to the value of the word `text` in the list. Returns false if the list does not have the word.
template <typename Value, size_t count>
bool parseWord(const std::string &text, const std::pair<const char *, Value> (&words)[count], Value &value) {
  for (const auto &[word, meaning] : words)
    if (text == word) {
      value = meaning;
      return true;
    }
  return false;
}

} // namespace

bool MediaOptions::parseResize(const std::string &text) {
  pictureOption = "--resize";
  picture.resize_shorter = picture.resize_width = picture.resize_height = 0;
  const size_t times = text.find('x');
  if (times == text.npos)
    return parseSize(text, 0, text.size(), picture.resize_shorter);
  return parseSize(text, 0, times, picture.resize_width) &&
         parseSize(text, times + 1, text.size(), picture.resize_height);
}

bool MediaOptions::parseCrop() {
  pictureOption = "--crop";
  return picture.crop = true;
}

bool MediaOptions::parseMean(const std::string &text) {
  pictureOption = "--mean";
  return (means = parseNumbers(text, picture.mean)) != 0;
}

bool MediaOptions::parseStd(const std::string &text) {
  pictureOption = "--std";
  stds = parseNumbers(text, picture.std);
  return stds != 0 && picture.std[0] > 0 && picture.std[1] > 0 && picture.std[2] > 0;
}

bool MediaOptions::parseRange(const std::string &text) {
  pictureOption = "--range";
  float numbers[3];
  const bool isOne = parseNumbers(text, numbers) == 1;
  picture.range = isOne ? numbers[0] : 0;
  return picture.range > 0;
}

bool MediaOptions::parseLayout(const std::string &text) {
  pictureOption = "--layout";
  return parseWord(text, {std::pair("nchw", PictureLayout::Nchw), std::pair("nhwc", PictureLayout::Nhwc)},
                   picture.layout);
}

bool MediaOptions::parseChannels(const std::string &text) {
  pictureOption = "--channels";
  return parseWord(text,
                   {std::pair("rgb", PictureChannels::Rgb), std::pair("bgr", PictureChannels::Bgr),
                    std::pair("gray", PictureChannels::Gray)},
                   picture.channels);
}

bool MediaOptions::parseRate(const std::string &text) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  return error == std::errc() && end == text.data() + text.size() && rate > 0;
}

} // namespace nacre::run
