// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the bytes that nacre/image.hpp makes of a picture; ImagesTest.java compares them with those of
//        dev.nacre.Images.
// Why:   an app in Java and one in C++ must give one answer for one picture.
// How:   arguments are whole numbers; floats are given by their bits. The pixels are those of a recurrence, in the
//        order of bytes.

#include "runtime/include/nacre/image.hpp"

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

/// Reads the arguments one after another.
class Arguments {
public:
  explicit Arguments(char **argv) : next(argv + 1) {}
  int64_t number() { return *next ? std::strtoll(*next++, nullptr, 10) : 0; }
  uint32_t count() { return static_cast<uint32_t>(number()); }
  float real() {
    const uint32_t bits = count();
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  bool atEnd() const { return !*next; }

private:
  char **next;
};

} // namespace

int main(int, char **argv) {
  Arguments arguments(argv);
  const uint32_t width = arguments.count(), height = arguments.count();
  nacre::PictureOptions options;
  options.resize_shorter = arguments.count();
  options.resize_width = arguments.count();
  options.resize_height = arguments.count();
  options.crop = arguments.number() != 0;
  options.layout = static_cast<nacre::PictureLayout>(arguments.count());
  options.channels = static_cast<nacre::PictureChannels>(arguments.count());
  options.range = arguments.real();
  for (float &mean : options.mean)
    mean = arguments.real();
  for (float &deviation : options.std)
    deviation = arguments.real();
  nacre_tensor_info info = {};
  info.name = "image";
  info.type = static_cast<nacre_element_type>(arguments.count());
  info.scale = arguments.real();
  info.zero_point = static_cast<int32_t>(arguments.number());
  std::vector<int64_t> dims;
  size_t elements = 1;
  while (!arguments.atEnd()) {
    dims.push_back(arguments.number());
    elements *= static_cast<size_t>(dims.back());
  }
  info.rank = static_cast<uint32_t>(dims.size());
  info.dims = dims.data();

  std::vector<uint8_t> pixels(size_t(width) * height * 3);
  uint32_t state = 1;
  for (uint8_t &pixel : pixels) {
    state = state * 1664525 + 1013904223;
    pixel = static_cast<uint8_t>(state >> 24);
  }
  const size_t bytes = elements * (info.type == NACRE_F32 ? 4 : info.type == NACRE_U8 || info.type == NACRE_I8 ? 1 : 2);
  std::vector<uint8_t> made(bytes);
  nacre::PictureWriter writer;
  if (writer.write({pixels.data(), width, height}, options, info, made.data()) != NACRE_OK) {
    std::fprintf(stderr, "%s\n", writer.reason());
    return 1;
  }
  return std::fwrite(made.data(), 1, bytes, stdout) == bytes ? 0 : 1;
}
