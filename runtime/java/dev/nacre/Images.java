// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import android.graphics.Bitmap;
import androidx.annotation.NonNull;
import java.nio.ByteBuffer;

/**
 * Makes inputs of pictures: turns, resizes, crops, normalizes and quantizes pixels into the buffer of an input. One thread at a
 * time may use it.
 *
 * <pre>{@code
 * Images images = new Images(session.inputs().get(0)).resizeShorter(256).crop(true)
 *                     .mean(0.485f, 0.456f, 0.406f).std(0.229f, 0.224f, 0.225f);
 * images.write(bitmap, session.input(0));
 * }</pre>
 *
 * <p>Each element is (pixel * range / 255 - mean) / std; integers are quantized by the input's scale and zero point. The result
 * equals that of torchvision's Resize, CenterCrop, ToTensor and Normalize, and of Nacre in C++ and Python, bit for bit. Keep one
 * object for a camera's frames: it allocates memory only for the first one.
 *
 * <p>Buffers are read and written from their positions on, which stay. If a picture, the options and the input do not fit
 * together, a {@link NacreException} says why, and the input is unchanged.
 */
public final class Images {
  /** The order of an input's axes. */
  public enum Layout {
    /** The axis of 1 or 3 elements holds the channels. */
    AUTOMATIC,
    NCHW,
    NHWC
  }

  /** The channels of an input. */
  public enum Channels {
    /** GRAY if there is one channel, RGB if there are three. */
    AUTOMATIC,
    RGB,
    BGR,
    GRAY
  }

  private final ImageTarget target;
  private final Resizer resizer = new Resizer();
  private final Resizer.Window window = new Resizer.Window();
  private final int[][] elements = new int[3][256]; // the bits that a pixel's channel becomes
  private boolean hasElements;
  private int[] argb = new int[0];
  private int shorter;
  private int width;
  private int height;
  private boolean crops;
  private int rotation;
  private int batchIndex;
  private float range;
  private float[] mean = {0};
  private float[] std = {1};
  private Layout layout = Layout.AUTOMATIC;
  private Channels channels = Channels.AUTOMATIC;

  /** Prepares pictures for an input, such as {@code session.inputs().get(0)}. */
  public Images(@NonNull TensorInfo input) {
    target = new ImageTarget(input);
  }

  /** Scales the shorter side to this size, and the longer one alike. 0: no. */
  @NonNull
  public Images resizeShorter(int size) {
    checkSide(size);
    shorter = size;
    width = height = 0;
    return this;
  }

  /** Scales to exactly this size. 0 and 0: no. */
  @NonNull
  public Images resize(int newWidth, int newHeight) {
    checkSide(newWidth);
    checkSide(newHeight);
    if ((newWidth == 0) != (newHeight == 0))
      throw NacreException.badArgument("a picture cannot be resized to " + newWidth + " x " + newHeight + " pixels");
    shorter = 0;
    width = newWidth;
    height = newHeight;
    return this;
  }

  /** Keeps the center that the input has room for. Otherwise sizes must be equal. */
  @NonNull
  public Images crop(boolean wanted) {
    crops = wanted;
    return this;
  }

  /** The degrees by which a picture must be turned clockwise to be upright: 0, 90, 180 or 270, as cameras report them. */
  @NonNull
  public Images rotation(int degrees) {
    if (degrees != 0 && degrees != 90 && degrees != 180 && degrees != 270)
      throw NacreException.badArgument("a rotation must be 0, 90, 180 or 270 degrees, but is " + degrees);
    rotation = degrees;
    return this;
  }

  /** The value of a white pixel before mean and std. 0: 1, or 255 for integers with the scale 1, which hold pixels. */
  @NonNull
  public Images range(float white) {
    if (!(white >= 0 && white <= Float.MAX_VALUE))
      throw NacreException.badArgument("range must be finite and at least 0, but is " + white);
    range = white;
    hasElements = false;
    return this;
  }

  /** One number, or one for each channel of the input, in its order. */
  @NonNull
  public Images mean(@NonNull float... values) {
    mean = perChannel("mean", values, -Float.MAX_VALUE);
    hasElements = false;
    return this;
  }

  /** The standard deviation: one number, or one for each channel of the input, in its order. */
  @NonNull
  public Images std(@NonNull float... values) {
    std = perChannel("std", values, Float.MIN_VALUE);
    hasElements = false;
    return this;
  }

  @NonNull
  public Images layout(@NonNull Layout order) {
    layout = order;
    hasElements = false;
    return this;
  }

  @NonNull
  public Images channels(@NonNull Channels order) {
    channels = order;
    hasElements = false;
    return this;
  }

  /** The picture's place in the batch. */
  @NonNull
  public Images batchIndex(int index) {
    batchIndex = index;
    return this;
  }

  /** Writes a bitmap that is not of the configuration HARDWARE. */
  public void write(@NonNull Bitmap bitmap, @NonNull ByteBuffer input) {
    int pixels = Math.multiplyExact(bitmap.getWidth(), bitmap.getHeight());
    if (argb.length < pixels)
      argb = new int[pixels];
    bitmap.getPixels(argb, 0, bitmap.getWidth(), 0, 0, bitmap.getWidth(), bitmap.getHeight());
    write(argb, bitmap.getWidth(), bitmap.getHeight(), input);
  }

  /** Writes pixels of {@code Bitmap.getPixels}: alpha, which is ignored, red, green and blue, from the highest bits on. */
  public void write(@NonNull int[] pixels, int pixelsWidth, int pixelsHeight, @NonNull ByteBuffer input) {
    checkSize(pixelsWidth, pixelsHeight);
    if (pixels.length < (long)pixelsWidth * pixelsHeight)
      throw NacreException.badArgument("a picture of " + pixelsWidth + " x " + pixelsHeight + " pixels has more than " +
                                       pixels.length + " of them");
    write(new Pixels.Argb(pixels, pixelsWidth, pixelsHeight), input);
  }

  /** Writes bytes of red, green, blue and alpha, which is ignored, such as those of CameraX's OUTPUT_IMAGE_FORMAT_RGBA_8888. */
  public void writeRgba(@NonNull ByteBuffer rgba, int pixelsWidth, int pixelsHeight, int rowStride,
                        @NonNull ByteBuffer input) {
    checkSize(pixelsWidth, pixelsHeight);
    checkPlane("rgba", rgba, pixelsWidth, pixelsHeight, rowStride, 4, 4);
    write(new Pixels.Rgba(rgba, pixelsWidth, pixelsHeight, rowStride), input);
  }

  /**
   * Writes a camera's picture in the format YUV_420_888: planes of Y, U and V with their strides, in bytes. U and V have half as
   * many rows and columns, rounded up.
   */
  public void writeYuv(int pixelsWidth, int pixelsHeight, @NonNull ByteBuffer y, int yRowStride, @NonNull ByteBuffer u,
                       @NonNull ByteBuffer v, int uvRowStride, int uvPixelStride, @NonNull ByteBuffer input) {
    checkSize(pixelsWidth, pixelsHeight);
    checkPlane("y", y, pixelsWidth, pixelsHeight, yRowStride, 1, 1);
    checkPlane("u", u, (pixelsWidth + 1) / 2, (pixelsHeight + 1) / 2, uvRowStride, uvPixelStride, 1);
    checkPlane("v", v, (pixelsWidth + 1) / 2, (pixelsHeight + 1) / 2, uvRowStride, uvPixelStride, 1);
    write(new Pixels.Yuv(pixelsWidth, pixelsHeight, y, yRowStride, u, v, uvRowStride, uvPixelStride), input);
  }

  private void write(Pixels pixels, ByteBuffer input) {
    target.find(layout, channels, batchIndex);
    boolean isTurned = rotation % 180 != 0;
    findWindow(isTurned ? pixels.height : pixels.width, isTurned ? pixels.width : pixels.height);
    target.checkBuffer(input);
    if (!hasElements)
      target.makeElements(mean, std, range, elements);
    hasElements = true;
    target.store(resizer.resize(pixels, rotation, target.channels, window), elements, input);
  }

  private void findWindow(int oldWidth, int oldHeight) {
    long newWidth = width != 0 ? width : oldWidth;
    long newHeight = height != 0 ? height : oldHeight;
    if (shorter != 0) {
      boolean isWide = oldWidth > oldHeight;
      newWidth = isWide ? (long)shorter * oldWidth / oldHeight : shorter;
      newHeight = isWide ? shorter : (long)shorter * oldHeight / oldWidth;
    }
    if (newWidth > Resizer.LONGEST_SIDE || newHeight > Resizer.LONGEST_SIDE)
      throw NacreException.badArgument("a picture must be resized to at most " + Resizer.LONGEST_SIDE +
                                       " pixels along each side");
    boolean fits = crops ? newWidth >= target.width && newHeight >= target.height
                         : newWidth == target.width && newHeight == target.height;
    if (!fits)
      throw NacreException.badArgument("the picture is " + newWidth + " x " + newHeight + " pixels" +
                                       (newWidth != oldWidth || newHeight != oldHeight ? " when resized" : "") +
                                       ", but input '" + target.name() + "' takes " + (crops ? "at least " : "") +
                                       target.width + " x " + target.height);
    window.resizedWidth = (int)newWidth;
    window.resizedHeight = (int)newHeight;
    window.width = target.width;
    window.height = target.height;
    window.left = halfToEven(window.resizedWidth - window.width);
    window.top = halfToEven(window.resizedHeight - window.height);
  }

  /** A rest that is odd is cut as Python rounds its half: 1 to 0, 3 to 2, 5 to 2. */
  private static int halfToEven(int rest) { return rest / 2 + (rest % 4 == 3 ? 1 : 0); }

  private static float[] perChannel(String name, float[] values, float least) {
    boolean isUsable = values.length == 1 || values.length == 3;
    for (float value : values)
      isUsable = isUsable && value >= least && value <= Float.MAX_VALUE;
    if (!isUsable)
      throw NacreException.badArgument(name + " must be one number or three, each finite" +
                                       (least > 0 ? " and above 0" : ""));
    return values.clone();
  }

  private static void checkSide(int size) {
    if (size < 0 || size > Resizer.LONGEST_SIDE)
      throw NacreException.badArgument("a picture must be resized to at most " + Resizer.LONGEST_SIDE +
                                       " pixels along each side, but " + size + " are asked for");
  }

  private static void checkSize(int width, int height) {
    if (width < 1 || height < 1 || width > Resizer.LONGEST_SIDE || height > Resizer.LONGEST_SIDE)
      throw NacreException.badArgument("a picture must have 1 to " + Resizer.LONGEST_SIDE +
                                       " pixels along each side, but is " + width + " x " + height);
  }

  private static void checkPlane(String name, ByteBuffer plane, int columns, int rows, int rowStride, int pixelStride,
                                 int pixelBytes) {
    if (pixelStride < pixelBytes || rowStride < (columns - 1L) * pixelStride + pixelBytes)
      throw NacreException.badArgument("the strides of " + name + ", " + rowStride + " and " + pixelStride +
                                       " bytes, are too short for " + columns + " columns");
    long bytes = (rows - 1L) * rowStride + (columns - 1L) * pixelStride + pixelBytes;
    if (plane.remaining() < bytes)
      throw NacreException.badArgument("the buffer " + name + " must have at least " + bytes +
                                       " bytes from its position to its limit, but has " + plane.remaining());
  }
}
