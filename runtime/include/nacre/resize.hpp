// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * Resized pictures, for C++17. nacre/image.hpp includes this and makes inputs of them.
 *
 * The bits equal those of Pillow's Image.resize with its filter BILINEAR: a triangle two units wide, of the pixels of the
 * source or of the result, whichever are larger. Weights are fixed-point numbers of 22 bits. Rows are resized first, then
 * columns, and each direction rounds to 8 bits. The bits are the same on every machine, unless the app is compiled with
 * -ffast-math.
 *
 * Memory:  A resizer owns a buffer, which grows to the largest picture; another one of that size allocates nothing.
 * Threads: A resizer belongs to one thread at a time; different ones are independent.
 * Errors:  NULL if malloc fails. Arguments are not checked; nacre::PictureWriter does so.
 * Units:   sizes are pixels, row_bytes bytes.
 */
#ifndef NACRE_RESIZE_HPP
#define NACRE_RESIZE_HPP

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

namespace nacre {

/// The order of the bytes of a pixel. Alpha is ignored. Android's Bitmap.Config.ARGB_8888 is Rgba in memory.
enum class PixelFormat { Rgb, Bgr, Rgba, Bgra, Gray };

/// Returns the number of bytes of a pixel.
constexpr uint32_t pixel_bytes(PixelFormat format) {
  return format == PixelFormat::Gray ? 1 : format == PixelFormat::Rgb || format == PixelFormat::Bgr ? 3 : 4;
}

/// Pixels in the caller's memory.
struct Picture {
  const uint8_t *pixels = nullptr; ///< The top row first.
  uint32_t width = 0;
  uint32_t height = 0;
  PixelFormat format = PixelFormat::Rgb;
  size_t row_bytes = 0; ///< The distance between rows. 0: each row begins where the last one ends.
};

/// The part of a resized picture that is kept.
struct PictureWindow {
  uint32_t resized_width = 0; ///< The size of the whole picture after resizing.
  uint32_t resized_height = 0;
  uint32_t left = 0; ///< The position of the part in it.
  uint32_t top = 0;
  uint32_t width = 0; ///< The size of the part.
  uint32_t height = 0;
};

/// Resizes pictures with Pillow's bilinear filter.
class PictureResizer {
public:
  /// The longest side of a picture, before and after it is resized.
  static constexpr uint32_t longest_side = 65535;

  PictureResizer() = default;
  PictureResizer(const PictureResizer &) = delete;
  PictureResizer &operator=(const PictureResizer &) = delete;
  ~PictureResizer() { free(block); }

  /**
   * Returns `window.height` rows of `window.width` pixels, each of which is red, green and blue, or with 1 channel a gray
   * value. Gray is made of colors as Pillow makes it (ITU-R 601), before the picture is resized. Valid until the next call. Computes only what the
   * window needs.
   */
  const uint8_t *resize(const Picture &picture, uint32_t channels, const PictureWindow &window) {
    Buffers at;
    at.across.most = most_taps(picture.width, window.resized_width);
    at.down.most = most_taps(picture.height, window.resized_height);
    if (!allocate(picture, channels, window, at))
      return nullptr;
    find_taps(picture.width, window.resized_width, window.left, window.width, at.exact, at.across);
    find_taps(picture.height, window.resized_height, window.top, window.height, at.exact, at.down);
    const size_t row = size_t(window.width) * channels;
    const uint32_t first = at.down.begin[0], last = window.height - 1;
    for (uint32_t y = first; y < at.down.begin[last] + at.down.count[last]; ++y) {
      unpack(picture, y, channels, at.line);
      mix_pixels(at.line, channels, at.across, window.width, at.rows + (y - first) * row);
    }
    for (uint32_t y = 0; y < window.height; ++y)
      mix_rows(at.rows + (at.down.begin[y] - first) * row, row, at.down.weights + size_t(y) * at.down.most,
               at.down.count[y], at.result + y * row);
    return at.result;
  }

private:
  static constexpr int weight_bits = 22;

  /// The source pixels of each resulting pixel along one axis, and their weights in fixed point.
  struct Taps {
    uint32_t *begin = nullptr;
    uint32_t *count = nullptr;
    int32_t *weights = nullptr;
    uint32_t most = 0; // weights of a pixel
  };

  /// Parts of the block.
  struct Buffers {
    double *exact = nullptr; // weights of one pixel
    Taps across, down;
    uint8_t *line = nullptr;   // a row of the source
    uint8_t *rows = nullptr;   // the rows that are needed, after the first direction
    uint8_t *result = nullptr; // after both
  };

  /// Hands out parts of a block, aligned to 8 bytes; without a block, only counts.
  struct Parts {
    char *base = nullptr;
    uint64_t bytes = 0;
    template <typename T> void add(T *&part, uint64_t count) {
      part = base ? reinterpret_cast<T *>(base + bytes) : nullptr;
      bytes += (count * sizeof(T) + 7) / 8 * 8;
    }
  };

  bool allocate(const Picture &picture, uint32_t channels, const PictureWindow &window, Buffers &at) {
    const uint64_t row = uint64_t(window.width) * channels;
    // The rows of the source that the window needs are never more than this.
    const uint64_t bound =
        uint64_t(window.height) * picture.height / window.resized_height + 2 * uint64_t(at.down.most);
    const uint64_t rows = bound < picture.height ? bound : picture.height;
    Parts parts;
    for (;;) {
      parts.add(at.exact, at.across.most > at.down.most ? at.across.most : at.down.most);
      parts.add(at.across.begin, window.width);
      parts.add(at.across.count, window.width);
      parts.add(at.across.weights, uint64_t(window.width) * at.across.most);
      parts.add(at.down.begin, window.height);
      parts.add(at.down.count, window.height);
      parts.add(at.down.weights, uint64_t(window.height) * at.down.most);
      parts.add(at.line, uint64_t(picture.width) * channels);
      parts.add(at.rows, rows * row);
      parts.add(at.result, row * window.height);
      if (parts.base)
        return true;
      if (!reserve(parts.bytes))
        return false;
      parts = {static_cast<char *>(block), 0};
    }
  }

  bool reserve(uint64_t bytes) {
    if (bytes <= capacity)
      return true;
    void *grown = bytes <= SIZE_MAX / 2 ? malloc(static_cast<size_t>(bytes)) : nullptr;
    if (!grown)
      return false;
    free(block);
    block = grown;
    capacity = bytes;
    return true;
  }

  /// Returns the number of taps of an output pixel: the triangle is two units of the coarser of both grids wide.
  static uint32_t most_taps(uint32_t size, uint32_t resized) {
    const uint32_t support = size <= resized ? 1 : (size + resized - 1) / resized;
    return support * 2 + 1;
  }

  /**
   * Finds the taps of `count` output pixels from `first` on. A product that is volatile is rounded before it is added to
   * something, also by compilers that fuse the two.
   */
  static void find_taps(uint32_t size, uint32_t resized, uint32_t first, uint32_t count, double *exact, Taps &taps) {
    const double scale = static_cast<double>(size) / resized, support = scale < 1 ? 1 : scale, inverse = 1 / support;
    for (uint32_t i = 0; i < count; ++i) {
      volatile const double center = (first + i + 0.5) * scale;
      const double middle = center, low = middle - support + 0.5, high = middle + support + 0.5;
      const uint32_t begin = low < 0 ? 0 : static_cast<uint32_t>(low);
      const uint32_t end = high > size ? size : static_cast<uint32_t>(high);
      double sum = 0;
      for (uint32_t tap = begin; tap < end; ++tap) {
        volatile const double product = (tap - middle + 0.5) * inverse;
        const double distance = product < 0 ? -product : product;
        exact[tap - begin] = distance < 1 ? 1 - distance : 0;
        sum += exact[tap - begin];
      }
      int32_t *weights = taps.weights + size_t(i) * taps.most;
      for (uint32_t tap = 0; tap < end - begin; ++tap) {
        const double share = sum != 0 ? exact[tap] / sum : exact[tap];
        const double above = 0.5 + share * (1 << weight_bits);
        weights[tap] = static_cast<int32_t>(above);
      }
      taps.begin[i] = begin;
      taps.count[i] = end - begin;
    }
  }

  static uint8_t rounded(int32_t sum) {
    return static_cast<uint8_t>(sum >> weight_bits > 255 ? 255 : sum >> weight_bits);
  }

  /// Makes a row of the picture one of 1 gray value or of red, green and blue.
  static void unpack(const Picture &picture, uint32_t y, uint32_t channels, uint8_t *line) {
    const uint32_t step = pixel_bytes(picture.format);
    const size_t row_bytes = picture.row_bytes ? picture.row_bytes : size_t(picture.width) * step;
    const uint8_t *pixel = picture.pixels + y * row_bytes;
    const bool is_gray = picture.format == PixelFormat::Gray;
    const bool is_reversed = picture.format == PixelFormat::Bgr || picture.format == PixelFormat::Bgra;
    const uint32_t red = is_reversed ? 2 : 0, green = is_gray ? 0 : 1, blue = is_gray || is_reversed ? 0 : 2;
    for (uint32_t x = 0; x < picture.width; ++x, pixel += step)
      if (channels == 3) {
        line[3 * x] = pixel[red];
        line[3 * x + 1] = pixel[green];
        line[3 * x + 2] = pixel[blue];
      } else { // ITU-R 601, in 16 bits of fixed point
        line[x] = is_gray ? pixel[0]
                          : static_cast<uint8_t>(
                                (pixel[red] * 19595u + pixel[green] * 38470u + pixel[blue] * 7471u + 0x8000u) >> 16);
      }
  }

  static void mix_pixels(const uint8_t *line, uint32_t channels, const Taps &taps, uint32_t width, uint8_t *to) {
    for (uint32_t x = 0; x < width; ++x) {
      const int32_t *weights = taps.weights + size_t(x) * taps.most;
      for (uint32_t channel = 0; channel < channels; ++channel) {
        const uint8_t *from = line + size_t(taps.begin[x]) * channels + channel;
        int32_t sum = 1 << (weight_bits - 1);
        for (uint32_t tap = 0; tap < taps.count[x]; ++tap)
          sum += from[size_t(tap) * channels] * weights[tap];
        *to++ = rounded(sum);
      }
    }
  }

  static void mix_rows(const uint8_t *from, size_t row, const int32_t *weights, uint32_t count, uint8_t *to) {
    for (size_t i = 0; i < row; ++i) {
      int32_t sum = 1 << (weight_bits - 1);
      for (uint32_t tap = 0; tap < count; ++tap)
        sum += from[tap * row + i] * weights[tap];
      to[i] = rounded(sum);
    }
  }

  void *block = nullptr;
  uint64_t capacity = 0;
};

} // namespace nacre

#endif // NACRE_RESIZE_HPP
