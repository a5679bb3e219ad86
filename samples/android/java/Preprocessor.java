// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre.sample;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;

/** Makes a network's input of a camera's picture: its middle, upright, as small as the network wants it. */
public final class Preprocessor {
  /** Of ImageNet's pictures; networks that were trained on others have others. */
  private static final float[] MEAN = {0.485f, 0.456f, 0.406f};
  private static final float[] DEVIATION = {0.229f, 0.224f, 0.225f};
  private static final int CHANNELS = 3;
  private static final int PIXEL_BYTES = 4;

  private final int width;
  private final int height;
  private final boolean channelsFirst;

  /** The shape of the network's input. */
  public Preprocessor(long[] shape) {
    channelsFirst = shape.length == 4 && shape[1] == CHANNELS;
    if (shape.length != 4 || shape[0] != 1 || !channelsFirst && shape[3] != CHANNELS)
      throw new IllegalArgumentException("the input must be one picture of three channels");
    height = (int)shape[channelsFirst ? 2 : 1];
    width = (int)shape[channelsFirst ? 3 : 2];
  }

  /**
   * Fills the input with the means of the pixels in each of its cells.
   *
   * @param rgba bytes in rows of rowStride
   * @param rotation by how many degrees, clockwise, the picture is to be turned to be upright: 0, 90, 180 or 270
   */
  public void fill(ByteBuffer rgba, int rgbaWidth, int rgbaHeight, int rowStride, int rotation, FloatBuffer input) {
    boolean lies = rotation % 180 != 0;
    // As it lies in the camera's picture, the network's has these many columns and rows of cells.
    int columns = lies ? height : width;
    int rows = lies ? width : height;
    int side = Math.min(rgbaWidth, rgbaHeight);
    int left = (rgbaWidth - side) / 2;
    int top = (rgbaHeight - side) / 2;
    for (int row = 0; row < rows; ++row) {
      int y0 = top + side * row / rows;
      int y1 = Math.max(y0 + 1, top + side * (row + 1) / rows);
      for (int column = 0; column < columns; ++column) {
        int x0 = left + side * column / columns;
        int x1 = Math.max(x0 + 1, left + side * (column + 1) / columns);
        int pixel = uprightIndex(row, column, rows, columns, rotation);
        for (int channel = 0; channel < CHANNELS; ++channel) {
          int sum = 0;
          for (int y = y0; y < y1; ++y)
            for (int x = x0; x < x1; ++x)
              sum += rgba.get(y * rowStride + x * PIXEL_BYTES + channel) & 0xff;
          float mean = sum / (255f * (y1 - y0) * (x1 - x0));
          int at = channelsFirst ? channel * height * width + pixel : pixel * CHANNELS + channel;
          input.put(at, (mean - MEAN[channel]) / DEVIATION[channel]);
        }
      }
    }
  }

  /** Which of the input's pixels a cell is once the picture is turned. */
  private int uprightIndex(int row, int column, int rows, int columns, int rotation) {
    switch (rotation) {
    case 0:
      return row * width + column;
    case 90:
      return column * width + (rows - 1 - row);
    case 180:
      return (rows - 1 - row) * width + (columns - 1 - column);
    case 270:
      return (columns - 1 - column) * width + row;
    default:
      throw new IllegalArgumentException("a rotation must be 0, 90, 180 or 270 degrees, but is " + rotation);
    }
  }
}
