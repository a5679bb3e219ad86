// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

/**
 * Resizes pictures with the bits of nacre/resize.hpp, which are those of Pillow's filter BILINEAR. Its buffers grow to the
 * largest picture, so that another one of that size allocates nothing.
 */
final class Resizer {
  /** The longest side of a picture, before and after it is resized. */
  static final int LONGEST_SIDE = 65535;
  private static final int WEIGHT_BITS = 22;

  /** The part of a turned and resized picture that is kept. */
  static final class Window {
    int resizedWidth;
    int resizedHeight;
    int left;
    int top;
    int width;
    int height;
  }

  /** The source pixels of each resulting pixel along one axis, and their weights in fixed point. */
  private static final class Taps {
    int[] begin = new int[0];
    int[] count = new int[0];
    int[] weights = new int[0];
    double[] exact = new double[0]; // weights of one pixel
    int most;                       // weights of a pixel

    void find(int size, int resized, int first, int wanted) {
      // The triangle is two units of the coarser of both grids wide.
      most = (size <= resized ? 1 : (size + resized - 1) / resized) * 2 + 1;
      if (begin.length < wanted) {
        begin = new int[wanted];
        count = new int[wanted];
      }
      if (weights.length < wanted * most)
        weights = new int[wanted * most];
      if (exact.length < most)
        exact = new double[most];
      double scale = (double)size / resized;
      double support = scale < 1 ? 1 : scale;
      double inverse = 1 / support;
      for (int i = 0; i < wanted; ++i)
        findOne(i, (first + i + 0.5) * scale, support, inverse, size);
    }

    private void findOne(int i, double middle, double support, double inverse, int size) {
      double low = middle - support + 0.5;
      double high = middle + support + 0.5;
      int from = low < 0 ? 0 : (int)low;
      int taps = (high > size ? size : (int)high) - from;
      double sum = 0;
      for (int tap = 0; tap < taps; ++tap) {
        double distance = Math.abs((from + tap - middle + 0.5) * inverse);
        exact[tap] = distance < 1 ? 1 - distance : 0;
        sum += exact[tap];
      }
      for (int tap = 0; tap < taps; ++tap) {
        double share = sum != 0 ? exact[tap] / sum : exact[tap];
        weights[i * most + tap] = (int)(0.5 + share * (1 << WEIGHT_BITS));
      }
      begin[i] = from;
      count[i] = taps;
    }
  }

  private final Taps across = new Taps();
  private final Taps down = new Taps();
  private int[] colors = new int[0];  // a row of the source
  private byte[] line = new byte[0];  // the same, as channels
  private byte[] rows = new byte[0];  // the rows that are needed, after the first direction
  private byte[] result = new byte[0]; // after both

  /**
   * Returns rows of pixels, each of which is red, green and blue, or with 1 channel a gray value, which is made of colors as
   * Pillow makes it (ITU-R 601). Valid until the next call.
   */
  byte[] resize(Pixels pixels, int rotation, int channels, Window window) {
    boolean isTurned = rotation % 180 != 0;
    int width = isTurned ? pixels.height : pixels.width;
    int height = isTurned ? pixels.width : pixels.height;
    across.find(width, window.resizedWidth, window.left, window.width);
    down.find(height, window.resizedHeight, window.top, window.height);
    int row = window.width * channels;
    int first = down.begin[0];
    int end = down.begin[window.height - 1] + down.count[window.height - 1];
    colors = colors.length < width ? new int[width] : colors;
    line = grown(line, width * channels);
    rows = grown(rows, Math.multiplyExact(end - first, row));
    result = grown(result, Math.multiplyExact(window.height, row));
    for (int y = first; y < end; ++y) {
      pixels.readTurned(rotation, y, colors);
      unpack(width, channels);
      mixPixels(channels, window.width, (y - first) * row);
    }
    for (int y = 0; y < window.height; ++y)
      mixRows(y, (down.begin[y] - first) * row, row);
    return result;
  }

  private static byte[] grown(byte[] buffer, int bytes) { return buffer.length < bytes ? new byte[bytes] : buffer; }

  private void unpack(int width, int channels) {
    for (int x = 0, at = 0; x < width; ++x) {
      int red = colors[x] >> 16 & 255;
      int green = colors[x] >> 8 & 255;
      int blue = colors[x] & 255;
      if (channels == 3) {
        line[at++] = (byte)red;
        line[at++] = (byte)green;
        line[at++] = (byte)blue;
      } else { // ITU-R 601, in 16 bits of fixed point
        line[at++] = (byte)(red * 19595 + green * 38470 + blue * 7471 + 0x8000 >> 16);
      }
    }
  }

  private void mixPixels(int channels, int width, int to) {
    for (int x = 0; x < width; ++x)
      for (int channel = 0; channel < channels; ++channel) {
        int sum = 1 << WEIGHT_BITS - 1;
        int from = across.begin[x] * channels + channel;
        for (int tap = 0, weight = x * across.most; tap < across.count[x]; ++tap, from += channels)
          sum += (line[from] & 255) * across.weights[weight + tap];
        rows[to++] = rounded(sum);
      }
  }

  private void mixRows(int y, int from, int row) {
    for (int i = 0; i < row; ++i) {
      int sum = 1 << WEIGHT_BITS - 1;
      for (int tap = 0, at = from + i; tap < down.count[y]; ++tap, at += row)
        sum += (rows[at] & 255) * down.weights[y * down.most + tap];
      result[y * row + i] = rounded(sum);
    }
  }

  private static byte rounded(int sum) { return (byte)Math.min(sum >> WEIGHT_BITS, 255); }
}
