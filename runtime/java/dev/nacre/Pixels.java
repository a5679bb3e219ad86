// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import java.nio.ByteBuffer;

/** Pixels in the caller's memory. */
abstract class Pixels {
  final int width;
  final int height;

  Pixels(int width, int height) {
    this.width = width;
    this.height = height;
  }

  /** Reads the pixels at (x, y), (x + dx, y + dy) and so on; blue is in the lowest 8 bits, then green, then red. */
  abstract void read(int x, int y, int dx, int dy, int count, int[] colors);

  /** Reads a row of the picture that is turned clockwise by so many degrees. */
  void readTurned(int rotation, int row, int[] colors) {
    switch (rotation) {
    case 90:
      read(row, height - 1, 0, -1, height, colors);
      break;
    case 180:
      read(width - 1, height - 1 - row, -1, 0, width, colors);
      break;
    case 270:
      read(width - 1 - row, 0, 0, 1, height, colors);
      break;
    default:
      read(0, row, 1, 0, width, colors);
    }
  }

  /** Pixels of a Bitmap: alpha in the highest 8 bits, which is ignored, then red, green and blue. */
  static final class Argb extends Pixels {
    private final int[] argb;

    Argb(int[] argb, int width, int height) {
      super(width, height);
      this.argb = argb;
    }

    @Override
    void read(int x, int y, int dx, int dy, int count, int[] colors) {
      int step = dy * width + dx;
      for (int i = 0, at = y * width + x; i < count; ++i, at += step)
        colors[i] = argb[at];
    }
  }

  /** Bytes of red, green, blue and alpha, which is ignored, in rows that may have gaps. */
  static final class Rgba extends Pixels {
    private final ByteBuffer bytes;
    private final int rowStride;

    Rgba(ByteBuffer bytes, int width, int height, int rowStride) {
      super(width, height);
      this.bytes = bytes;
      this.rowStride = rowStride;
    }

    @Override
    void read(int x, int y, int dx, int dy, int count, int[] colors) {
      int step = dy * rowStride + 4 * dx;
      for (int i = 0, at = bytes.position() + y * rowStride + 4 * x; i < count; ++i, at += step)
        colors[i] = (bytes.get(at) & 255) << 16 | (bytes.get(at + 1) & 255) << 8 | bytes.get(at + 2) & 255;
    }
  }

  /** A camera's planes of YUV_420_888: a value of U and of V for each 2 by 2 pixels. */
  static final class Yuv extends Pixels {
    private static final int HALF = 1 << 15;
    private final ByteBuffer y;
    private final ByteBuffer u;
    private final ByteBuffer v;
    private final int yRowStride;
    private final int uvRowStride;
    private final int uvPixelStride;

    Yuv(int width, int height, ByteBuffer y, int yRowStride, ByteBuffer u, ByteBuffer v, int uvRowStride,
        int uvPixelStride) {
      super(width, height);
      this.y = y;
      this.u = u;
      this.v = v;
      this.yRowStride = yRowStride;
      this.uvRowStride = uvRowStride;
      this.uvPixelStride = uvPixelStride;
    }

    @Override
    void read(int x, int row, int dx, int dy, int count, int[] colors) {
      for (int i = 0; i < count; ++i, x += dx, row += dy) {
        int chroma = row / 2 * uvRowStride + x / 2 * uvPixelStride;
        colors[i] = color(y.get(y.position() + row * yRowStride + x) & 255, (u.get(u.position() + chroma) & 255) - 128,
                          (v.get(v.position() + chroma) & 255) - 128);
      }
    }

    /** Converts as JFIF defines it (BT.601, all of 0 to 255), with the fixed-point numbers of libjpeg. */
    private static int color(int y, int u, int v) {
      int red = clamped(y + (91881 * v + HALF >> 16));
      int green = clamped(y + (HALF - 22554 * u - 46802 * v >> 16));
      int blue = clamped(y + (116130 * u + HALF >> 16));
      return red << 16 | green << 8 | blue;
    }

    private static int clamped(int value) { return Math.max(0, Math.min(255, value)); }
  }
}
