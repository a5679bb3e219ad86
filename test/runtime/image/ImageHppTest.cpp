// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  pictures as inputs: sizes, filters, layouts, numbers, and every refusal.
// Why:   a network answers wrongly, without an error, if its picture is prepared otherwise than in training.
// How:   numbers of Pillow 9.4, for pixels that a recurrence makes; test/e2e/models/pictures_test.py compares with PIL
//        where it is.

#include "dialects/nn/FloatFormats.h"
#include "runtime/include/nacre/image.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace nacre::test {
namespace {

using Dims = std::vector<int64_t>;

std::vector<uint8_t> randomPixels(size_t count) {
  std::vector<uint8_t> pixels(count);
  uint32_t state = 1;
  for (uint8_t &pixel : pixels) {
    state = state * 1664525 + 1013904223;
    pixel = uint8_t(state >> 24);
  }
  return pixels;
}

nacre_tensor_info infoOf(const Dims &dims, nacre_element_type type, float scale = 1, int32_t zero = 0) {
  nacre_tensor_info info = {};
  info.name = "image";
  info.type = type;
  info.rank = uint32_t(dims.size());
  info.dims = dims.data();
  info.scale = scale;
  info.zero_point = zero;
  return info;
}

size_t countOf(const Dims &dims) {
  size_t count = 1;
  for (int64_t dim : dims)
    count *= size_t(dim);
  return count;
}

/// Writes a picture to an input of elements of type T.
template <typename T>
std::vector<T> write(const Picture &picture, const PictureOptions &options, const Dims &dims, nacre_element_type type,
                     float scale = 1, int32_t zero = 0) {
  std::vector<T> data(countOf(dims));
  PictureWriter writer;
  EXPECT_EQ(writer.write(picture, options, infoOf(dims, type, scale, zero), data.data()), NACRE_OK) << writer.reason();
  EXPECT_STREQ(writer.reason(), "");
  return data;
}

PictureOptions resizedTo(uint32_t width, uint32_t height) {
  PictureOptions options;
  options.resize_width = width;
  options.resize_height = height;
  return options;
}

TEST(ImageHpp, ResizesAsPillow) {
  const std::vector<uint8_t> pixels = randomPixels(7 * 5 * 3);
  const Picture picture = {pixels.data(), 7, 5};
  PictureOptions options = resizedTo(3, 2);
  options.layout = PictureLayout::Nhwc;
  EXPECT_EQ(
      write<uint8_t>(picture, options, {2, 3, 3}, NACRE_U8),
      (std::vector<uint8_t>{82, 98, 115, 161, 119, 100, 170, 174, 124, 97, 136, 162, 144, 162, 97, 138, 143, 91}));
  const std::vector<uint8_t> larger = write<uint8_t>(picture, resizedTo(9, 6), {6, 9, 3}, NACRE_U8);
  EXPECT_EQ(std::vector<uint8_t>(larger.begin(), larger.begin() + 27),
            (std::vector<uint8_t>{60,  94,  129, 140, 39,  106, 188, 70,  54,  190, 125, 27,  163, 64,
                                  108, 154, 181, 71,  207, 217, 73,  225, 192, 74,  174, 136, 55}));
  EXPECT_EQ(write<uint8_t>(picture, resizedTo(2, 3), {1, 3, 2}, NACRE_U8),
            (std::vector<uint8_t>{102, 168, 119, 130, 146, 149}));
}

TEST(ImageHpp, KeepsTheCenterAsTorchvision) {
  const std::vector<uint8_t> pixels = randomPixels(500 * 333 * 3);
  PictureOptions options;
  options.resize_shorter = 64;
  options.crop = true;
  const std::vector<uint8_t> kept = write<uint8_t>({pixels.data(), 500, 333}, options, {1, 56, 56, 3}, NACRE_U8);
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (uint8_t byte : kept)
    hash = (hash ^ byte) * 0x100000001b3;
  EXPECT_EQ(hash, 0x7065b48c7abb77deu);
}

TEST(ImageHpp, RoundsHalfOfAnOddRestToEven) {
  const uint8_t pixels[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const int firsts[] = {0, 0, 1, 2, 2, 2, 3, 4}; // int(round(rest / 2.0)) of Python
  PictureOptions options;
  options.crop = true;
  for (uint32_t rest = 0; rest < 8; ++rest) {
    const int64_t width = 8 - int64_t(rest);
    Picture picture = {pixels, 8, 1, PixelFormat::Gray};
    options.layout = PictureLayout::Nchw;
    EXPECT_EQ(write<uint8_t>(picture, options, {1, 1, width}, NACRE_U8)[0], firsts[rest]) << rest;
  }
}

TEST(ImageHpp, NormalizesInSinglePrecision) {
  const std::vector<uint8_t> pixels = randomPixels(4 * 2 * 3);
  PictureOptions options;
  options.set_mean(0.485f, 0.456f, 0.406f).set_std(0.229f, 0.224f, 0.225f);
  const std::vector<float> planes = write<float>({pixels.data(), 4, 2}, options, {1, 3, 2, 4}, NACRE_F32);
  const std::vector<float> last = write<float>({pixels.data(), 4, 2}, options, {2, 4, 3}, NACRE_F32);
  options.channels = PictureChannels::Bgr;
  const std::vector<float> reversed = write<float>({pixels.data(), 4, 2}, options, {1, 3, 2, 4}, NACRE_F32);
  for (size_t pixel = 0; pixel < 8; ++pixel)
    for (size_t channel = 0; channel < 3; ++channel) {
      const float scaled = float(pixels[3 * pixel + channel]) / 255.0f;
      const float value = (scaled - options.mean[channel]) / options.std[channel];
      EXPECT_EQ(planes[channel * 8 + pixel], value);
      EXPECT_EQ(last[pixel * 3 + channel], value);
      const float other = float(pixels[3 * pixel + 2 - channel]) / 255.0f;
      EXPECT_EQ(reversed[channel * 8 + pixel], (other - options.mean[channel]) / options.std[channel]);
    }
}

TEST(ImageHpp, RangeIsTheValueOfWhite) {
  const uint8_t pixels[] = {0, 51, 255};
  PictureOptions options;
  options.range = 255;
  options.mean[0] = 100;
  options.layout = PictureLayout::Nchw;
  EXPECT_EQ(write<float>({pixels, 3, 1, PixelFormat::Gray}, options, {1, 1, 1, 3}, NACRE_F32),
            (std::vector<float>{-100, -49, 155}));
}

TEST(ImageHpp, ReadsEveryFormatAndRowsWithGaps) {
  struct Case {
    PixelFormat format;
    std::vector<uint8_t> bytes;
  } cases[] = {{PixelFormat::Rgb, {10, 20, 30, 0}},
               {PixelFormat::Bgr, {30, 20, 10, 0}},
               {PixelFormat::Rgba, {10, 20, 30, 99}},
               {PixelFormat::Bgra, {30, 20, 10, 99}}};
  PictureOptions options;
  options.layout = PictureLayout::Nhwc;
  for (const Case &one : cases) {
    std::vector<uint8_t> rows(16, 7);
    std::copy(one.bytes.begin(), one.bytes.end(), rows.begin());
    std::copy(one.bytes.begin(), one.bytes.end(), rows.begin() + 8);
    const Picture picture = {rows.data(), 1, 2, one.format, 8};
    EXPECT_EQ(write<uint8_t>(picture, options, {2, 1, 3}, NACRE_U8), (std::vector<uint8_t>{10, 20, 30, 10, 20, 30}));
    EXPECT_EQ(write<uint8_t>(picture, options, {2, 1, 1}, NACRE_U8), (std::vector<uint8_t>{18, 18}));
  }
  const uint8_t gray[] = {9};
  EXPECT_EQ(write<uint8_t>({gray, 1, 1, PixelFormat::Gray}, options, {1, 1, 3}, NACRE_U8),
            (std::vector<uint8_t>{9, 9, 9}));
}

TEST(ImageHpp, RoundsHalvesAsTheCompiler) {
  std::vector<uint8_t> pixels(256);
  for (int i = 0; i < 256; ++i)
    pixels[size_t(i)] = uint8_t(i);
  PictureOptions options;
  options.layout = PictureLayout::Nchw;
  for (float range : {1.0f, 3.7e-5f, 6e-8f, 65520.0f, 1e6f})
    for (float mean : {0.0f, 0.5f}) {
      options.range = range;
      options.mean[0] = mean;
      const auto halves = write<uint16_t>({pixels.data(), 256, 1, PixelFormat::Gray}, options, {1, 1, 256}, NACRE_F16);
      for (size_t i = 0; i < 256; ++i)
        EXPECT_EQ(halves[i], nn::encode(nn::formatF16, double(float(i) * range / 255.0f - mean), false))
            << range << " " << i;
    }
}

TEST(ElementsHpp, ClampsWhatNoElementHolds) {
  for (nacre_element_type type : {NACRE_U8, NACRE_I8, NACRE_U16, NACRE_I16}) {
    const bool isSigned = type == NACRE_I8 || type == NACRE_I16;
    const int32_t codes = type == NACRE_U8 || type == NACRE_I8 ? 256 : 65536, least = isSigned ? -codes / 2 : 0;
    EXPECT_EQ(int32_t(element_bits(INFINITY, type, 0.5f, 3)), least + codes - 1);
    EXPECT_EQ(int32_t(element_bits(-INFINITY, type, 0.5f, 3)), least);
    EXPECT_EQ(int32_t(element_bits(NAN, type, 0.5f, 3)), least);
    EXPECT_EQ(int32_t(element_bits(1e6f, type, 1, INT32_MAX)), least + codes - 1);
    EXPECT_EQ(int32_t(element_bits(-1.25f, type, 0.5f, 100)), 98) << "-2.5 is rounded to even";
    EXPECT_EQ(int32_t(element_bits(-1e-9f, type, 0.5f, 100)), 100);
  }
  EXPECT_EQ(element_bits(NAN, NACRE_F16, 1, 0), 0x7e00u);
  EXPECT_EQ(element_bits(-INFINITY, NACRE_F16, 1, 0), 0xfc00u);
}

TEST(ImageHpp, QuantizesByScaleAndZeroPoint) {
  const uint8_t pixels[] = {0, 1, 127, 128, 255};
  PictureOptions options;
  options.layout = PictureLayout::Nchw;
  const Picture picture = {pixels, 5, 1, PixelFormat::Gray};
  EXPECT_EQ(write<int8_t>(picture, options, {1, 1, 5}, NACRE_I8, 1 / 255.0f, -128),
            (std::vector<int8_t>{-128, -127, -1, 0, 127}));
  options.range = 255;
  options.mean[0] = 127.5f;
  options.std[0] = 127.5f;
  EXPECT_EQ(write<uint8_t>(picture, options, {1, 1, 5}, NACRE_U8, 1 / 64.0f, 100),
            (std::vector<uint8_t>{36, 37, 100, 100, 164}));
  EXPECT_EQ(write<uint8_t>(picture, options, {1, 1, 5}, NACRE_U8, 1 / 1024.0f, 100),
            (std::vector<uint8_t>{0, 0, 96, 104, 255}));
  EXPECT_EQ(write<int16_t>(picture, options, {1, 1, 5}, NACRE_I16, 1 / 32768.0f, 0),
            (std::vector<int16_t>{-32768, -32511, -129, 129, 32767}));
  options = PictureOptions();
  options.layout = PictureLayout::Nchw;
  options.range = 255; // 0.5, 63.5, 64 and 127.5 are rounded to even
  EXPECT_EQ(write<uint8_t>(picture, options, {1, 1, 5}, NACRE_U8, 2, 0), (std::vector<uint8_t>{0, 0, 64, 64, 128}));
}

TEST(ImageHpp, QuantizesChannelsByThemselves) {
  const uint8_t pixels[] = {10, 20, 30};
  const Dims dims = {1, 1, 3};
  const nacre_channel_info channels[] = {{1, 0}, {2, 1}, {0.5f, 2}};
  nacre_tensor_info info = infoOf(dims, NACRE_U8, 0, 0);
  info.channels = channels;
  info.channel_axis = 2;
  PictureOptions options;
  options.layout = PictureLayout::Nhwc;
  options.range = 255;
  uint8_t data[3] = {};
  PictureWriter writer;
  ASSERT_EQ(writer.write({pixels, 1, 1}, options, info, data), NACRE_OK) << writer.reason();
  EXPECT_EQ(std::vector<uint8_t>(data, data + 3), (std::vector<uint8_t>{10, 11, 62}));
  info.channel_axis = 1;
  EXPECT_EQ(writer.write({pixels, 1, 1}, options, info, data), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(writer.problem(), PictureProblem::Quantization);
}

TEST(ImageHpp, WritesOnePictureOfABatch) {
  const uint8_t pixels[] = {1, 2};
  const Dims dims = {3, 1, 1, 2};
  std::vector<uint8_t> data(6, 9);
  PictureOptions options;
  options.layout = PictureLayout::Nchw;
  options.batch_index = 1;
  PictureWriter writer;
  const Picture picture = {pixels, 2, 1, PixelFormat::Gray};
  ASSERT_EQ(writer.write(picture, options, infoOf(dims, NACRE_U8), data.data()), NACRE_OK);
  EXPECT_EQ(data, (std::vector<uint8_t>{9, 9, 1, 2, 9, 9}));
  options.batch_index = 3;
  EXPECT_EQ(writer.write(picture, options, infoOf(dims, NACRE_U8), data.data()), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(writer.problem(), PictureProblem::Batch);
}

/// Checks that a picture is refused for this reason, and that the input stays as it is.
void expectRefused(const Picture &picture, const PictureOptions &options, const nacre_tensor_info &info,
                   PictureProblem problem, const std::string &reason) {
  std::vector<uint8_t> data(4096, 9);
  PictureWriter writer;
  EXPECT_EQ(writer.write(picture, options, info, data.data()), NACRE_BAD_ARGUMENT) << reason;
  EXPECT_EQ(writer.problem(), problem) << writer.reason();
  EXPECT_NE(std::string(writer.reason()).find(reason), std::string::npos) << writer.reason();
  EXPECT_EQ(data, std::vector<uint8_t>(4096, 9));
}

TEST(ImageHpp, RefusesInputsThatHoldNoPicture) {
  const std::vector<uint8_t> pixels = randomPixels(8 * 8 * 3);
  const Picture picture = {pixels.data(), 8, 8};
  PictureOptions options;
  struct {
    Dims dims;
    nacre_element_type type;
    PictureLayout layout;
    PictureProblem problem;
    const char *reason;
  } cases[] = {
      {{8, 8}, NACRE_F32, {}, PictureProblem::Rank, "input 'image' has 2"},
      {{1, 3, 8, 3}, NACRE_F32, {}, PictureProblem::Layout, "could both hold channels"},
      {{1, 4, 8, 8}, NACRE_F32, {}, PictureProblem::Channels, "no axis of 1 or 3 channels before or after"},
      {{1, 3, 8, 8}, NACRE_F32, PictureLayout::Nhwc, PictureProblem::Channels, "channels after height and width"},
      {{1, 3, 8, 9}, NACRE_F32, {}, PictureProblem::Size, "the picture is 8 x 8 pixels, but input 'image' takes 9 x 8"},
      {{1, 3, 8, 8}, NACRE_I64, {}, PictureProblem::Type, "must hold f32, f16, or integers"},
  };
  for (const auto &one : cases) {
    options.layout = one.layout;
    expectRefused(picture, options, infoOf(one.dims, one.type), one.problem, one.reason);
  }
  const Dims dims = {1, 3, 8, 8};
  options.layout = PictureLayout::Automatic;
  expectRefused(picture, options, infoOf(dims, NACRE_U8, 0), PictureProblem::Quantization, "not above 0");
  options.channels = PictureChannels::Gray;
  expectRefused(picture, options, infoOf(dims, NACRE_U8), PictureProblem::Channels, "cannot be gray");
}

TEST(ImageHpp, RefusesOptionsThatContradict) {
  const std::vector<uint8_t> pixels = randomPixels(8 * 8 * 3);
  const Picture picture = {pixels.data(), 8, 8};
  const Dims dims = {1, 3, 8, 8};
  const nacre_tensor_info info = infoOf(dims, NACRE_F32);
  PictureOptions options;
  options.resize_shorter = 6;
  options.crop = true;
  expectRefused(picture, options, info, PictureProblem::Size,
                "is 6 x 6 pixels when resized, but input 'image' takes at least 8 x 8");
  options.resize_width = 8;
  expectRefused(picture, options, info, PictureProblem::Argument, "resize_shorter, or both");
  options = PictureOptions();
  options.std[1] = 0;
  expectRefused(picture, options, info, PictureProblem::Argument, "std above 0");
  options = PictureOptions();
  options.mean[2] = NAN;
  expectRefused(picture, options, info, PictureProblem::Argument, "mean must be finite");
  options = PictureOptions();
  options.resize_shorter = 70000;
  expectRefused(picture, options, info, PictureProblem::Argument, "at most 65535");
  options = PictureOptions();
  expectRefused({nullptr, 8, 8}, options, info, PictureProblem::Argument, "NULL");
  expectRefused({pixels.data(), 0, 8}, options, info, PictureProblem::Argument, "1 to 65535");
  expectRefused({pixels.data(), 8, 8, PixelFormat::Rgb, 23}, options, info, PictureProblem::Argument, "row_bytes");
}

TEST(ImageHpp, ReadsNothingOutsideOfThePicture) { // asan and valgrind see it
  for (uint32_t width = 1; width < 12; ++width)
    for (uint32_t height = 1; height < 12; height += 3) {
      const std::vector<uint8_t> pixels(size_t(width) * height * 3, 200);
      for (uint32_t to = 1; to < 20; to += 2) {
        PictureOptions options = resizedTo(to, 21 - to);
        options.layout = PictureLayout::Nchw;
        const auto all = write<uint8_t>({pixels.data(), width, height}, options, {3, 21 - to, to}, NACRE_U8);
        EXPECT_EQ(all, std::vector<uint8_t>(all.size(), 200)) << width << " " << height << " " << to;
      }
    }
}

} // namespace
} // namespace nacre::test
