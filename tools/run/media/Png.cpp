// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses libpng with the conversions of PIL's convert("RGB"): palettes are looked up, alpha is dropped, and gamma is
// ignored. The upper 8 of 16 bits are used.

#include "tools/run/media/Decoders.h"

#include <csetjmp>
#include <cstring>
#include <png.h>

namespace nacre::run {
namespace {

constexpr png_alloc_size_t kMostChunk = 64 << 20; // limit for the uncompressed size of a text or a color profile

struct Decoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string_view rest; // bytes not yet read
  std::jmp_buf place;
  char text[256] = "";
};

[[noreturn]] void fail(png_structp png, png_const_charp message) {
  Decoder &decoder = *static_cast<Decoder *>(png_get_error_ptr(png));
  std::snprintf(decoder.text, sizeof decoder.text, "%s", message);
  std::longjmp(decoder.place, 1);
}

void ignore(png_structp, png_const_charp) {} // warnings do not concern pixels

void read(png_structp png, png_bytep to, size_t count) {
  Decoder &decoder = *static_cast<Decoder *>(png_get_io_ptr(png));
  if (count > decoder.rest.size())
    png_error(png, "it ends early");
  std::memcpy(to, decoder.rest.data(), count);
  decoder.rest.remove_prefix(count);
}

/// Reads the header with the size of the picture. Returns false after an error.
bool begin(Decoder &decoder) {
  if (setjmp(decoder.place))
    return false;
  png_set_user_limits(decoder.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX); // findSizeProblem has a better message
  png_set_chunk_malloc_max(decoder.png, kMostChunk);
  png_set_read_fn(decoder.png, &decoder, read);
  png_read_info(decoder.png, decoder.info);
  if (png_get_color_type(decoder.png, decoder.info) == PNG_COLOR_TYPE_PALETTE)
    png_set_palette_to_rgb(decoder.png);
  if (png_get_bit_depth(decoder.png, decoder.info) < 8)
    png_set_expand_gray_1_2_4_to_8(decoder.png);
  png_set_strip_16(decoder.png);
  png_set_strip_alpha(decoder.png);
  png_set_interlace_handling(decoder.png);
  png_read_update_info(decoder.png, decoder.info);
  return true;
}

/// Reads the rows. Returns false after an error.
bool readRows(Decoder &decoder, png_bytepp rows) {
  if (setjmp(decoder.place))
    return false;
  png_read_image(decoder.png, rows);
  png_read_end(decoder.png, nullptr);
  return true;
}

std::string decode(Decoder &decoder, DecodedPicture &picture) {
  if (!begin(decoder))
    return decoder.text;
  picture.width = png_get_image_width(decoder.png, decoder.info);
  picture.height = png_get_image_height(decoder.png, decoder.info);
  std::string problem = findSizeProblem(picture.width, picture.height);
  if (!problem.empty())
    return problem;
  const size_t channels = png_get_channels(decoder.png, decoder.info), rowBytes = picture.width * channels;
  if ((channels != 1 && channels != 3) || png_get_rowbytes(decoder.png, decoder.info) != rowBytes)
    return "it has neither colors nor gray values of up to 16 bits";
  picture.format = channels == 1 ? PixelFormat::Gray : PixelFormat::Rgb;
  picture.pixels.resize(rowBytes * picture.height);
  std::vector<png_bytep> rows(picture.height);
  for (size_t y = 0; y < rows.size(); ++y)
    rows[y] = picture.pixels.data() + y * rowBytes;
  return readRows(decoder, rows.data()) ? "" : decoder.text;
}

} // namespace

std::string decodePng(std::string_view bytes, DecodedPicture &picture) {
  Decoder decoder;
  decoder.rest = bytes;
  decoder.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder, fail, ignore);
  decoder.info = decoder.png ? png_create_info_struct(decoder.png) : nullptr;
  std::string problem = decoder.info ? decode(decoder, picture) : "there is no memory to decode it";
  png_destroy_read_struct(&decoder.png, &decoder.info, nullptr);
  return problem;
}

} // namespace nacre::run
