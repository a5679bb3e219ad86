// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * Pictures as inputs, for C++17: resizes, crops, normalizes and quantizes 8-bit pixels into an input's memory.
 *
 *   nacre_tensor_info info;
 *   nacre_input_describe(&nacre_model_squeezenet, 0, 0, &info);
 *   nacre::PictureOptions options;
 *   options.resize_shorter = 256; // then the center, as torchvision prepares pictures
 *   options.crop = true;
 *   options.set_mean(0.485f, 0.456f, 0.406f).set_std(0.229f, 0.224f, 0.225f);
 *   nacre::PictureWriter writer;
 *   if (writer.write({pixels, width, height}, options, info, session.input<float>(0u)) != NACRE_OK)
 *     return fail(writer.reason());
 *
 * The result equals that of torchvision's Resize, CenterCrop, ToTensor and Normalize on a picture of PIL, bit for bit, on
 * every machine (nacre/resize.hpp).
 *
 * Memory:  A writer owns buffers, which grow to the largest picture; writing another one of that size allocates nothing.
 *          Pixels are only read during the call.
 * Threads: A writer belongs to one thread at a time; different writers are independent.
 * Errors:  write() returns a nacre_status; after a failure, reason() gives the cause, and the input is unchanged. It throws no
 *          exceptions and does not use the C++ standard library.
 * Units:   sizes are pixels, row_bytes bytes.
 */
#ifndef NACRE_IMAGE_HPP
#define NACRE_IMAGE_HPP

#include "elements.hpp"
#include "resize.hpp"
#include "runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

namespace nacre {

/// The order of a tensor's axes: batch, channels, height, width, or with the channels last.
enum class PictureLayout { Automatic, Nchw, Nhwc };

/// The channels of a tensor. Automatic: Gray if there is one channel, Rgb if there are three.
enum class PictureChannels { Automatic, Rgb, Bgr, Gray };

/// How a picture becomes an input: value = (pixel * range / 255 - mean) / std, for each channel.
struct PictureOptions {
  uint32_t resize_shorter = 0; ///< Scales the shorter side to this size, and the longer one alike. 0: no.
  uint32_t resize_width = 0;   ///< With resize_height: scales to exactly this size. 0: no.
  uint32_t resize_height = 0;  ///< See resize_width.
  bool crop = false;           ///< Keeps the center that the input has room for. Otherwise sizes must be equal.
  float range = 0;             ///< The value of a white pixel before mean and std. 0: see range_of.
  float mean[3] = {0, 0, 0};   ///< For each channel of the input, in its order.
  float std[3] = {1, 1, 1};    ///< In the order of mean.
  PictureLayout layout = PictureLayout::Automatic;       ///< Automatic: the axis of 1 or 3 elements holds channels.
  PictureChannels channels = PictureChannels::Automatic; ///< Gray is made of colors as PIL makes it.
  uint32_t batch_index = 0;                              ///< The picture's place in the batch.

  PictureOptions &set_mean(float first, float second, float third) { return set(mean, first, second, third); }
  PictureOptions &set_std(float first, float second, float third) { return set(std, first, second, third); }

private:
  PictureOptions &set(float (&values)[3], float first, float second, float third) {
    values[0] = first;
    values[1] = second;
    values[2] = third;
    return *this;
  }
};

/// The kinds of failures of a writer, for programs that give advice of their own.
enum class PictureProblem { None, Argument, Rank, Layout, Channels, Batch, Type, Quantization, Size, Memory };

/// Writes pictures to inputs.
class PictureWriter {
public:
  PictureWriter() = default;
  PictureWriter(const PictureWriter &) = delete;
  PictureWriter &operator=(const PictureWriter &) = delete;

  /**
   * Writes a picture to `data`, the memory of an input that `info` describes: f32, f16, or integers of 8 or 16 bits. Integers
   * are quantized by the input's scale and zero point, rounded to nearest even, and clamped.
   * NACRE_BAD_ARGUMENT: the picture, the options and the input do not fit together. NACRE_OUT_OF_MEMORY: malloc failed.
   */
  nacre_status write(const Picture &picture, const PictureOptions &options, const nacre_tensor_info &info, void *data) {
    Target target;
    PictureWindow window;
    found = PictureProblem::None;
    text[0] = 0;
    if (!check(picture, options, data) || !find_axes(options, info, target) ||
        !find_window(picture, options, info, target, window) || !make_values(options, info, target))
      return NACRE_BAD_ARGUMENT;
    const uint8_t *pixels = resizer.resize(picture, target.channels, window);
    if (!pixels) {
      fail(PictureProblem::Memory, "no memory for a picture of %u x %u pixels", picture.width, picture.height);
      return NACRE_OUT_OF_MEMORY;
    }
    store(info, target, pixels, data);
    return NACRE_OK;
  }

  /// Returns the cause of the latest failure, or "" after a success.
  const char *reason() const { return text; }
  /// Returns the kind of the latest failure.
  PictureProblem problem() const { return found; }

  /// Returns the range that 0 stands for: 255 for integers whose scale is 1, which hold pixels as they are; otherwise 1.
  static float range_of(const nacre_tensor_info &info) {
    return is_small_integer(info.type) && !info.channels && info.scale == 1 ? 255.0f : 1.0f;
  }

private:
  /// Where the elements of a picture are in its input.
  struct Target {
    uint32_t channels = 0, height = 0, width = 0;
    size_t channel_step = 0, row_step = 0, pixel_step = 0, first = 0; // in elements
    uint32_t channel_axis = 0;
    PictureChannels order = PictureChannels::Rgb;
  };

  __attribute__((format(printf, 3, 4))) bool fail(PictureProblem kind, const char *format, ...) {
    found = kind;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return false;
  }

  // The two comparisons are false for a NaN, too.
  static bool is_finite(float value) { return value >= -3.4e38f && value <= 3.4e38f; }

  bool check(const Picture &picture, const PictureOptions &options, const void *data) {
    if (!picture.pixels || !data)
      return fail(PictureProblem::Argument, "the pixels and the input's memory must not be NULL");
    if (picture.width == 0 || picture.height == 0 || picture.width > PictureResizer::longest_side ||
        picture.height > PictureResizer::longest_side)
      return fail(PictureProblem::Argument, "a picture must have 1 to %u pixels along each side, but is %u x %u",
                  PictureResizer::longest_side, picture.width, picture.height);
    if (picture.row_bytes != 0 && picture.row_bytes < size_t(picture.width) * pixel_bytes(picture.format))
      return fail(PictureProblem::Argument, "row_bytes must be at least width * %u", pixel_bytes(picture.format));
    if ((options.resize_width == 0) != (options.resize_height == 0) || (options.resize_width && options.resize_shorter))
      return fail(PictureProblem::Argument, "give resize_shorter, or both of resize_width and resize_height");
    bool usable = is_finite(options.range) && options.range >= 0;
    for (int i = 0; i < 3; ++i)
      usable = usable && is_finite(options.mean[i]) && is_finite(options.std[i]) && options.std[i] > 0;
    return usable || fail(PictureProblem::Argument, "mean must be finite, std above 0, and range at least 0");
  }

  bool find_axes(const PictureOptions &options, const nacre_tensor_info &info, Target &target) {
    if (info.rank != 3 && info.rank != 4)
      return fail(PictureProblem::Rank,
                  "a picture needs an input of 3 or 4 axes (batch, channels, height, width in some order), but input "
                  "'%.80s' has %u",
                  info.name, info.rank);
    const uint32_t batch_axes = info.rank - 3;
    const int64_t *dims = info.dims + batch_axes;
    const bool may_be_first = dims[0] == 1 || dims[0] == 3, may_be_last = dims[2] == 1 || dims[2] == 3;
    PictureLayout layout = options.layout;
    if (layout == PictureLayout::Automatic && may_be_first && may_be_last)
      return fail(PictureProblem::Layout, "the first and the last axis of input '%.80s' could both hold channels",
                  info.name);
    if (layout == PictureLayout::Automatic)
      layout = may_be_first ? PictureLayout::Nchw : PictureLayout::Nhwc;
    const bool is_first = layout == PictureLayout::Nchw;
    if (!(is_first ? may_be_first : may_be_last))
      return fail(PictureProblem::Channels, "input '%.80s' has no axis of 1 or 3 channels %s", info.name,
                  options.layout == PictureLayout::Automatic ? "before or after height and width"
                  : is_first                                 ? "before height and width"
                                                             : "after height and width");
    const int64_t channels = dims[is_first ? 0 : 2], height = dims[is_first ? 1 : 0], width = dims[is_first ? 2 : 1];
    if (height < 1 || width < 1 || height > PictureResizer::longest_side || width > PictureResizer::longest_side)
      return fail(PictureProblem::Size, "input '%.80s' must be 1 to %u pixels wide and high", info.name,
                  PictureResizer::longest_side);
    const int64_t batch = batch_axes ? info.dims[0] : 1;
    if (options.batch_index >= batch)
      return fail(PictureProblem::Batch, "input '%.80s' has room for %lld pictures, but batch_index is %u", info.name,
                  static_cast<long long>(batch), options.batch_index);
    target.channels = static_cast<uint32_t>(channels);
    target.height = static_cast<uint32_t>(height);
    target.width = static_cast<uint32_t>(width);
    target.channel_step = is_first ? size_t(height) * size_t(width) : 1;
    target.pixel_step = is_first ? 1 : size_t(channels);
    target.row_step = target.pixel_step * size_t(width);
    target.first = options.batch_index * size_t(channels) * size_t(height) * size_t(width);
    target.channel_axis = batch_axes + (is_first ? 0 : 2);
    target.order = options.channels;
    if (target.order == PictureChannels::Automatic)
      target.order = channels == 1 ? PictureChannels::Gray : PictureChannels::Rgb;
    if ((target.order == PictureChannels::Gray) != (channels == 1))
      return fail(PictureProblem::Channels, "input '%.80s' has %u channels, so its channels cannot be %s", info.name,
                  target.channels, channels == 1 ? "colors" : "gray");
    return true;
  }

  bool find_window(const Picture &picture, const PictureOptions &options, const nacre_tensor_info &info,
                   const Target &target, PictureWindow &window) {
    uint64_t width = picture.width, height = picture.height;
    if (options.resize_shorter) {
      const uint64_t shorter = options.resize_shorter;
      const bool is_wide = width > height;
      const uint64_t longer = is_wide ? shorter * width / height : shorter * height / width;
      width = is_wide ? longer : shorter;
      height = is_wide ? shorter : longer;
    } else if (options.resize_width) {
      width = options.resize_width;
      height = options.resize_height;
    }
    if (width > PictureResizer::longest_side || height > PictureResizer::longest_side)
      return fail(PictureProblem::Argument, "a picture must be resized to at most %u pixels along each side",
                  PictureResizer::longest_side);
    window.resized_width = static_cast<uint32_t>(width);
    window.resized_height = static_cast<uint32_t>(height);
    window.width = target.width;
    window.height = target.height;
    const bool fits = options.crop ? width >= target.width && height >= target.height
                                   : width == target.width && height == target.height;
    if (!fits)
      return fail(PictureProblem::Size, "the picture is %u x %u pixels%s, but input '%.80s' takes %s%u x %u",
                  window.resized_width, window.resized_height,
                  width != picture.width || height != picture.height ? " when resized" : "", info.name,
                  options.crop ? "at least " : "", target.width, target.height);
    window.left = half_to_even(window.resized_width - target.width);
    window.top = half_to_even(window.resized_height - target.height);
    return true;
  }

  // A rest that is odd is cut as Python rounds its half: 1 -> 0, 3 -> 2, 5 -> 2.
  static uint32_t half_to_even(uint32_t rest) { return rest / 2 + (rest % 4 == 3); }

  bool make_values(const PictureOptions &options, const nacre_tensor_info &info, const Target &target) {
    const bool quantizes = is_small_integer(info.type);
    if (!quantizes && info.type != NACRE_F32 && info.type != NACRE_F16)
      return fail(PictureProblem::Type, "input '%.80s' must hold f32, f16, or integers of 8 or 16 bits", info.name);
    if (quantizes && info.channels && info.channel_axis != target.channel_axis)
      return fail(PictureProblem::Quantization,
                  "input '%.80s' has a scale for each index of axis %u, not for each channel", info.name,
                  info.channel_axis);
    const float range = options.range != 0 ? options.range : range_of(info);
    for (uint32_t channel = 0; channel < target.channels; ++channel) {
      const float scale = info.channels ? info.channels[channel].scale : info.scale;
      const int32_t zero = info.channels ? info.channels[channel].zero_point : info.zero_point;
      if (quantizes && !(scale > 0))
        return fail(PictureProblem::Quantization, "input '%.80s' has a scale that is not above 0", info.name);
      for (int pixel = 0; pixel < 256; ++pixel) {
        const float value = (static_cast<float>(pixel) * range / 255.0f - options.mean[channel]) / options.std[channel];
        values[channel][pixel] = element_bits(value, info.type, scale, zero);
      }
    }
    return true;
  }

  void store(const nacre_tensor_info &info, const Target &target, const uint8_t *pixels, void *data) const {
    if (info.type == NACRE_F32)
      store_as<uint32_t>(target, pixels, data);
    else if (info.type == NACRE_U8 || info.type == NACRE_I8)
      store_as<uint8_t>(target, pixels, data);
    else
      store_as<uint16_t>(target, pixels, data);
  }

  template <typename Bits> void store_as(const Target &target, const uint8_t *pixels, void *data) const {
    for (uint32_t channel = 0; channel < target.channels; ++channel) {
      const uint32_t color = target.order == PictureChannels::Bgr ? 2 - channel : channel;
      const uint8_t *from = pixels + color;
      for (uint32_t y = 0; y < target.height; ++y) {
        char *to = static_cast<char *>(data) +
                   (target.first + channel * target.channel_step + y * target.row_step) * sizeof(Bits);
        for (uint32_t x = 0; x < target.width; ++x, from += target.channels, to += target.pixel_step * sizeof(Bits)) {
          const Bits bits = static_cast<Bits>(values[channel][*from]);
          memcpy(to, &bits, sizeof bits);
        }
      }
    }
  }

  PictureResizer resizer;
  uint32_t values[3][256] = {}; // the bits that a pixel's channel becomes
  PictureProblem found = PictureProblem::None;
  char text[256] = "";
};

} // namespace nacre

#endif // NACRE_IMAGE_HPP
