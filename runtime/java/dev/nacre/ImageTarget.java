// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Where the elements of a picture are in its input. */
final class ImageTarget {
  private final TensorInfo info;
  private final long[] shape;
  int channels;
  int height;
  int width;
  private int channelStep; // in elements, as the others
  private int rowStep;
  private int pixelStep;
  private int first;
  private int channelAxis;
  private boolean isReversed;

  ImageTarget(TensorInfo info) {
    this.info = info;
    shape = info.shape();
  }

  String name() { return info.name(); }

  private NacreException refused(String reason) { return NacreException.badArgument("input '" + name() + "' " + reason); }

  void find(Images.Layout layout, Images.Channels order, int batchIndex) {
    if (shape.length != 3 && shape.length != 4)
      throw NacreException.badArgument("a picture needs an input of 3 or 4 axes (batch, channels, height, width in some " +
                                       "order), but input '" + name() + "' has " + shape.length);
    int batchAxes = shape.length - 3;
    boolean mayBeFirst = shape[batchAxes] == 1 || shape[batchAxes] == 3;
    boolean mayBeLast = shape[batchAxes + 2] == 1 || shape[batchAxes + 2] == 3;
    if (layout == Images.Layout.AUTOMATIC && mayBeFirst && mayBeLast)
      throw NacreException.badArgument("the first and the last axis of input '" + name() +
                                       "' could both hold channels; call layout(NCHW) or layout(NHWC)");
    boolean isFirst = layout == Images.Layout.AUTOMATIC ? mayBeFirst : layout == Images.Layout.NCHW;
    if (!(isFirst ? mayBeFirst : mayBeLast))
      throw refused("has no axis of 1 or 3 channels " +
                    (layout == Images.Layout.AUTOMATIC ? "before or after" : isFirst ? "before" : "after") + " height and width");
    long rows = shape[batchAxes + (isFirst ? 1 : 0)];
    long columns = shape[batchAxes + (isFirst ? 2 : 1)];
    if (rows < 1 || columns < 1 || rows > Resizer.LONGEST_SIDE || columns > Resizer.LONGEST_SIDE)
      throw refused("must be 1 to " + Resizer.LONGEST_SIDE + " pixels wide and high");
    long batch = batchAxes == 1 ? shape[0] : 1;
    if (batchIndex < 0 || batchIndex >= batch)
      throw refused("has room for " + batch + " pictures, but batchIndex is " + batchIndex);
    place((int)shape[batchAxes + (isFirst ? 0 : 2)], (int)rows, (int)columns, isFirst, batchIndex);
    channelAxis = batchAxes + (isFirst ? 0 : 2);
    if (order != Images.Channels.AUTOMATIC && (order == Images.Channels.GRAY) != (channels == 1))
      throw refused("has " + channels + " channels, so its channels cannot be " + (channels == 1 ? "colors" : "gray"));
    isReversed = order == Images.Channels.BGR;
  }

  private void place(int count, int rows, int columns, boolean isFirst, int batchIndex) {
    channels = count;
    height = rows;
    width = columns;
    channelStep = isFirst ? Math.multiplyExact(rows, columns) : 1;
    pixelStep = isFirst ? 1 : count;
    rowStep = pixelStep * columns;
    first = Math.toIntExact((long)batchIndex * count * rows * columns);
  }

  void checkBuffer(ByteBuffer input) {
    String problem = null;
    if (input.remaining() < info.bytes())
      problem =
          "must have at least " + info.bytes() + " bytes from its position to its limit, but has " + input.remaining();
    else if (info.type().bits() > 8 && input.order() != ByteOrder.nativeOrder())
      problem = "must be in native order, but is " + input.order();
    else if (input.isReadOnly())
      problem = "must be writable, but is read-only";
    if (problem != null)
      throw NacreException.badArgument("the buffer for input '" + name() + "' " + problem);
  }

  /** Computes the bits that each value of a pixel becomes, all in single precision. */
  void makeElements(float[] mean, float[] std, float range, int[][] elements) {
    ElementType type = info.type();
    boolean areCodes = Elements.areCodes(type);
    if (!areCodes && type != ElementType.F32 && type != ElementType.F16)
      throw refused("must hold F32, F16, or integers of 8 or 16 bits, but holds " + type);
    if (areCodes && info.channelAxis() >= 0 && info.channelAxis() != channelAxis)
      throw refused("has a scale for each index of axis " + info.channelAxis() + ", not for each channel");
    if (channels == 1 && (mean.length == 3 || std.length == 3))
      throw NacreException.badArgument((mean.length == 3 ? "mean" : "std") + " must be one number, because input '" +
                                       name() + "' is gray");
    boolean holdsPixels = areCodes && info.channelAxis() < 0 && info.scale() == 1;
    float white = range != 0 ? range : holdsPixels ? 255 : 1;
    for (int channel = 0; channel < channels; ++channel) {
      float scale = info.scale(channel);
      if (areCodes && !(scale > 0))
        throw refused("has a scale that is not above 0");
      float middle = mean[mean.length == 1 ? 0 : channel];
      float deviation = std[std.length == 1 ? 0 : channel];
      for (int pixel = 0; pixel < 256; ++pixel)
        elements[channel][pixel] =
            Elements.bits((pixel * white / 255.0f - middle) / deviation, type, scale, info.zeroPoint(channel));
    }
  }

  void store(byte[] pixels, int[][] elements, ByteBuffer input) {
    int bytes = info.type().bits() / 8;
    int step = pixelStep * bytes;
    for (int channel = 0; channel < channels; ++channel) {
      int[] bits = elements[channel];
      int from = isReversed ? 2 - channel : channel;
      for (int y = 0; y < height; ++y) {
        int to = input.position() + (first + channel * channelStep + y * rowStep) * bytes;
        for (int x = 0; x < width; ++x, from += channels, to += step) {
          int element = bits[pixels[from] & 255];
          if (bytes == 4)
            input.putInt(to, element);
          else if (bytes == 2)
            input.putShort(to, (short)element);
          else
            input.put(to, (byte)element);
        }
      }
    }
  }
}
