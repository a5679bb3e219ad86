// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses libjpeg's default transform and upsampling, as PIL does. A warning about damaged data counts as an error,
// because the decoder would fill the rest of the picture with wrong pixels.

#include "tools/run/media/Decoders.h"

#include <csetjmp>
#include <cstdio>
// These headers need cstdio first.
#include <jerror.h>
#include <jpeglib.h>

namespace nacre::run {
namespace {

constexpr long kMostMemory = 2000L << 20; // limit for the library, which stores the coefficients of progressive files
constexpr int kMostScans = 500;           // a file with many empty scans would take hours

struct Decoder {
  jpeg_decompress_struct info = {};
  jpeg_error_mgr errors = {};
  jpeg_progress_mgr progress = {};
  std::jmp_buf place;
  char text[JMSG_LENGTH_MAX] = "";
};

Decoder &decoderOf(j_common_ptr info) { return *static_cast<Decoder *>(info->client_data); }

[[noreturn]] void fail(j_common_ptr info) {
  Decoder &decoder = decoderOf(info);
  if (!decoder.text[0])
    info->err->format_message(info, decoder.text);
  std::longjmp(decoder.place, 1);
}

void warn(j_common_ptr info, int level) {
  const int code = info->err->msg_code;
  const bool isHarmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR;
  if (level < 0 && !isHarmless)
    fail(info);
}

void watchScans(j_common_ptr info) {
  Decoder &decoder = decoderOf(info);
  if (decoder.info.input_scan_number <= kMostScans)
    return;
  std::snprintf(decoder.text, sizeof decoder.text, "it has more than %d scans", kMostScans);
  fail(info);
}

/// Reads the header with the size of the picture. Returns false after an error.
bool begin(Decoder &decoder, std::string_view bytes) {
  if (setjmp(decoder.place))
    return false;
  jpeg_create_decompress(&decoder.info);
  decoder.info.mem->max_memory_to_use = kMostMemory;
  decoder.info.progress = &decoder.progress;
  jpeg_mem_src(&decoder.info, reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size());
  jpeg_read_header(&decoder.info, TRUE);
  const J_COLOR_SPACE space = decoder.info.jpeg_color_space;
  decoder.info.out_color_space = space == JCS_GRAYSCALE                   ? JCS_GRAYSCALE
                                 : space == JCS_CMYK || space == JCS_YCCK ? JCS_CMYK
                                                                          : JCS_RGB;
  jpeg_calc_output_dimensions(&decoder.info);
  return true;
}

/// Reads the rows. Returns false after an error.
bool readRows(Decoder &decoder, uint8_t *rows, size_t rowBytes) {
  if (setjmp(decoder.place))
    return false;
  jpeg_start_decompress(&decoder.info);
  while (decoder.info.output_scanline < decoder.info.output_height) {
    JSAMPROW row = rows + decoder.info.output_scanline * rowBytes;
    jpeg_read_scanlines(&decoder.info, &row, 1);
  }
  jpeg_finish_decompress(&decoder.info);
  return true;
}

uint8_t productOf255ths(uint32_t a, uint32_t b) {
  const uint32_t product = a * b + 128;
  return static_cast<uint8_t>(((product >> 8) + product) >> 8);
}

/// Converts CMYK pixels, which JPEG files store inverted, to RGB like PIL.
std::vector<uint8_t> mixInks(const std::vector<uint8_t> &inks) {
  std::vector<uint8_t> pixels(inks.size() / 4 * 3);
  for (size_t i = 0; i < inks.size() / 4; ++i)
    for (size_t channel = 0; channel < 3; ++channel) {
      const uint8_t white = inks[4 * i + 3];
      pixels[3 * i + channel] =
          static_cast<uint8_t>(white - productOf255ths(static_cast<uint8_t>(~inks[4 * i + channel]), white));
    }
  return pixels;
}

std::string decode(Decoder &decoder, std::string_view bytes, DecodedPicture &picture) {
  if (!begin(decoder, bytes))
    return decoder.text;
  picture.width = decoder.info.output_width;
  picture.height = decoder.info.output_height;
  std::string problem = findSizeProblem(picture.width, picture.height);
  if (!problem.empty())
    return problem;
  const size_t channels = static_cast<size_t>(decoder.info.output_components);
  picture.format = channels == 1 ? PixelFormat::Gray : PixelFormat::Rgb;
  picture.pixels.resize(size_t(picture.width) * picture.height * channels);
  if (!readRows(decoder, picture.pixels.data(), picture.width * channels))
    return decoder.text;
  if (channels == 4)
    picture.pixels = mixInks(picture.pixels);
  return "";
}

} // namespace

std::string decodeJpeg(std::string_view bytes, DecodedPicture &picture) {
  Decoder decoder;
  decoder.info.err = jpeg_std_error(&decoder.errors);
  decoder.errors.error_exit = fail;
  decoder.errors.emit_message = warn;
  decoder.progress.progress_monitor = watchScans;
  decoder.info.client_data = &decoder; // jpeg_create_decompress keeps client_data and err, and clears the rest
  std::string problem = decode(decoder, bytes, picture);
  jpeg_destroy_decompress(&decoder.info);
  return problem;
}

} // namespace nacre::run
