// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.Test;

/** Pictures as inputs: the bits of C++, cameras' formats, and what is refused. */
public class ImagesTest {
  private static final float[] MEAN = {0.485f, 0.456f, 0.406f};
  private static final float[] STD = {0.229f, 0.224f, 0.225f};
  private static final int F32 = 1;
  private static final int U8 = 2;
  private static final int I8 = 3;
  private static final int U16 = 4;
  private static final int I16 = 5;
  private static final int I64 = 7;
  private static final int F16 = 10;

  private static TensorInfo info(int type, float scale, int zeroPoint, long... shape) {
    long bytes = ElementType.of(type).bits() / 8;
    for (long extent : shape)
      bytes *= extent;
    long[] numbers = Arrays.copyOf(new long[] {type, bytes, Float.floatToRawIntBits(scale), zeroPoint, 0, 0, -1}, 7 + shape.length);
    System.arraycopy(shape, 0, numbers, 7, shape.length);
    return new TensorInfo(new Object[] {"image".getBytes(), numbers});
  }

  private static TensorInfo floats(long... shape) { return info(F32, 1, 0, shape); }

  private static ByteBuffer room(TensorInfo info) {
    return ByteBuffer.allocate((int)info.bytes()).order(ByteOrder.nativeOrder());
  }

  /** The pixels of PictureBits.cpp. */
  private static int[] randomPixels(int count) {
    int[] pixels = new int[count];
    int state = 1;
    for (int i = 0; i < 3 * count; ++i) {
      state = state * 1664525 + 1013904223;
      pixels[i / 3] |= (state >>> 24) << 16 - i % 3 * 8;
    }
    return pixels;
  }

  /** Runs PictureBits.cpp. */
  private static byte[] bytesOfCpp(List<Object> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(System.getProperty("nacre.test.picture.bits")));
    for (Object argument : arguments)
      command.add(argument instanceof Float ? Integer.toUnsignedString(Float.floatToRawIntBits((Float)argument)) : argument.toString());
    Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    byte[] bytes = process.getInputStream().readAllBytes();
    assertEquals(command.toString(), 0, process.waitFor());
    return bytes;
  }

  @Test
  public void equalsCppToTheLastBit() throws IOException, InterruptedException {
    Random draw = new Random(4);
    int[] types = {F32, U8, I8, F16, U16, I16};
    for (int number = 0; number < 24; ++number) {
      int type = types[number % types.length];
      int width = 30 + draw.nextInt(400), height = 30 + draw.nextInt(300);
      boolean isFirst = draw.nextBoolean(), crops = number % 4 != 0;
      Images.Channels order = number % 5 == 4 ? Images.Channels.GRAY : number % 3 == 2 ? Images.Channels.BGR : Images.Channels.AUTOMATIC;
      long channels = order == Images.Channels.GRAY ? 1 : 3;
      long[] shape = isFirst ? new long[] {1, channels, 20, 26} : new long[] {1, 20, 26, channels};
      float scale = type == F32 || type == F16 ? 1 : 0.005f + draw.nextFloat() * 0.03f;
      int zeroPoint = type == F32 || type == F16 ? 0 : draw.nextInt(100) - (type == I8 || type == I16 ? 50 : 0);
      float range = number % 7 == 6 ? 255 : 0;
      float[] mean = channels == 1 ? new float[] {0.44f} : MEAN, std = channels == 1 ? new float[] {0.21f} : STD;
      int shorter = crops ? 26 + draw.nextInt(60) : 0;

      TensorInfo input = info(type, scale, zeroPoint, shape);
      Images images = new Images(input).crop(crops).range(range).mean(mean).std(std).channels(order)
                          .layout(isFirst ? Images.Layout.NCHW : Images.Layout.NHWC);
      if (crops)
        images.resizeShorter(shorter);
      else
        images.resize(26, 20);
      ByteBuffer made = room(input);
      images.write(randomPixels(width * height), width, height, made);

      List<Object> arguments = new ArrayList<>(List.of(width, height, shorter, crops ? 0 : 26, crops ? 0 : 20, crops ? 1 : 0,
                                                       isFirst ? 1 : 2, order.ordinal(), range));
      for (float[] values : new float[][] {mean, std})
        for (int channel = 0; channel < 3; ++channel)
          arguments.add(values[values.length == 1 ? 0 : channel]);
      arguments.addAll(List.of(type, scale, zeroPoint));
      for (long extent : shape)
        arguments.add(extent);
      assertArrayEquals("picture " + number + ", " + input, bytesOfCpp(arguments), made.array());
    }
  }

  /** Pixels that show where they were: red is the column, green the row. */
  private static int[] positions(int width, int height) {
    int[] pixels = new int[width * height];
    for (int i = 0; i < pixels.length; ++i)
      pixels[i] = 0xff000000 | i % width << 16 | i / width << 8;
    return pixels;
  }

  private static String cells(ByteBuffer bytes) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < bytes.capacity(); i += 3)
      text.append(i > 0 ? " " : "").append(bytes.get(i)).append('.').append(bytes.get(i + 1));
    return text.toString();
  }

  @Test
  public void turnsPicturesUpright() {
    for (Object[] one : new Object[][] {{0, 3L, 2L, "0.0 1.0 2.0 0.1 1.1 2.1"}, {90, 2L, 3L, "0.1 0.0 1.1 1.0 2.1 2.0"},
                                        {180, 3L, 2L, "2.1 1.1 0.1 2.0 1.0 0.0"}, {270, 2L, 3L, "2.0 2.1 1.0 1.1 0.0 0.1"}}) {
      TensorInfo input = info(U8, 1, 0, (Long)one[2], (Long)one[1], 3);
      Images images = new Images(input).rotation((Integer)one[0]).layout(Images.Layout.NHWC);
      ByteBuffer made = room(input);
      images.write(positions(3, 2), 3, 2, made);
      assertEquals(one[3], cells(made));
      // Bytes in rows with gaps, after a position.
      ByteBuffer rgba = ByteBuffer.allocate(5 + 16 + 12);
      for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 3; ++x)
          rgba.putInt(5 + 16 * y + 4 * x, x << 24 | y << 16 | 99);
      rgba.position(5);
      ByteBuffer same = room(input);
      images.writeRgba(rgba, 3, 2, 16, same);
      assertEquals(made, same);
    }
  }

  @Test
  public void aTurnedPictureEqualsOneThatWasTurnedBefore() {
    int[] pixels = randomPixels(50 * 40), turned = new int[50 * 40];
    for (int y = 0; y < 40; ++y)
      for (int x = 0; x < 50; ++x)
        turned[x * 40 + 39 - y] = pixels[y * 50 + x];
    TensorInfo input = floats(1, 3, 24, 20);
    Images images = new Images(input).resizeShorter(26).crop(true).mean(MEAN).std(STD);
    ByteBuffer upright = room(input), rotated = room(input);
    images.write(turned, 40, 50, upright);
    images.rotation(90).write(pixels, 50, 40, rotated);
    assertEquals(upright, rotated);
  }

  /** Planes of a picture as cameras store them: U and V in one buffer, pixel by pixel, or apart; rows have gaps. */
  private static void checkYuv(int[] colors, int width, int height, int pixelStride, int[][] yuv) {
    int columns = (width + 1) / 2, rows = (height + 1) / 2, rowStride = columns * pixelStride + 3;
    ByteBuffer y = ByteBuffer.allocate(2 + (height - 1) * (width + 5) + width);
    ByteBuffer both = ByteBuffer.allocate(2 * rows * rowStride);
    for (int i = 0; i < width * height; ++i)
      y.put(2 + i / width * (width + 5) + i % width, (byte)yuv[0][i]);
    int vBegin = pixelStride == 2 ? 1 : rows * rowStride;
    for (int i = 0; i < rows * columns; ++i) {
      int at = i / columns * rowStride + i % columns * pixelStride;
      both.put(at, (byte)yuv[1][i]).put(vBegin + at, (byte)yuv[2][i]);
    }
    y.position(2);
    ByteBuffer v = both.duplicate();
    v.position(vBegin);
    TensorInfo input = info(U8, 1, 0, height, width, 3);
    for (int rotation : new int[] {0, 90, 180, 270}) {
      boolean isTurned = rotation % 180 != 0;
      TensorInfo turned = isTurned ? info(U8, 1, 0, width, height, 3) : input;
      Images images = new Images(turned).rotation(rotation).layout(Images.Layout.NHWC);
      ByteBuffer made = room(turned), expected = room(turned);
      images.writeYuv(width, height, y, width + 5, both, v, rowStride, pixelStride, made);
      images.write(colors, width, height, expected);
      assertEquals(expected, made);
    }
  }

  @Test
  public void convertsACamerasPlanes() {
    // What JFIF defines for Y, U and V: white, black, gray, and colors, of which some are beyond 0 to 255.
    int[][] known = {{255, 128, 128, 0xffffff}, {0, 128, 128, 0}, {99, 128, 128, 0x636363}, {76, 85, 255, 0xfe0000},
                     {150, 44, 21, 0x00ff01}, {29, 255, 107, 0x0000fe}, {100, 200, 30, 0x0091e4}, {200, 0, 255, 0xff9900}};
    for (int[] one : known)
      checkYuv(new int[] {one[3]}, 1, 1, 1, new int[][] {{one[0]}, {one[1]}, {one[2]}});
    // A value of U and V is that of 2 by 2 pixels, also at odd edges. Checked with the formula in real numbers.
    Random draw = new Random(8);
    for (int stride = 1; stride <= 2; ++stride) {
      int width = 7, height = 5;
      int[][] yuv = {draw.ints(35, 0, 256).toArray(), draw.ints(12, 0, 256).toArray(), draw.ints(12, 0, 256).toArray()};
      int[] colors = new int[35];
      for (int i = 0; i < 35; ++i) {
        int at = i / width / 2 * 4 + i % width / 2;
        double u = yuv[1][at] - 128, v = yuv[2][at] - 128;
        double[] rgb = {yuv[0][i] + 1.402 * v, yuv[0][i] - 0.344136286 * u - 0.714136286 * v, yuv[0][i] + 1.772 * u};
        for (double part : rgb)
          colors[i] = colors[i] << 8 | (int)Math.max(0, Math.min(255, Math.floor(part + 0.5)));
      }
      checkYuv(colors, width, height, stride, yuv);
    }
  }

  @Test
  public void writesOnePictureOfABatchFromThePositionOn() {
    TensorInfo input = info(U8, 1, 0, 2, 1, 2, 3);
    ByteBuffer room = ByteBuffer.allocate(20);
    room.position(4);
    new Images(input).layout(Images.Layout.NHWC).batchIndex(1).write(new int[] {0x010203, 0x040506}, 2, 1, room);
    assertArrayEquals(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0, 0}, room.array());
    assertEquals(4, room.position());
  }

  @Test
  public void quantizesChannelsByThemselves() {
    long[] channels = {(long)Float.floatToRawIntBits(1) & 0xffffffffL, (long)Float.floatToRawIntBits(2) | 1L << 32,
                       (long)Float.floatToRawIntBits(0.5f) | 2L << 32};
    TensorInfo input = new TensorInfo(new Object[] {"image".getBytes(), new long[] {U8, 3, 0, 0, 0, 0, 2, 1, 1, 3}, channels});
    ByteBuffer made = room(input);
    new Images(input).layout(Images.Layout.NHWC).range(255).write(new int[] {0x0a141e}, 1, 1, made);
    assertArrayEquals(new byte[] {10, 11, 62}, made.array());
  }

  @Test
  public void optionsCanBeChanged() {
    TensorInfo input = floats(1, 1, 1);
    Images images = new Images(input).layout(Images.Layout.NCHW);
    ByteBuffer made = room(input);
    for (float white : new float[] {0, 255, 1}) {
      images.range(white).write(new int[] {0xffffff}, 1, 1, made);
      assertEquals(white == 0 ? 1 : white, made.getFloat(0), 0);
    }
    images.mean(0.5f).std(0.25f).write(new int[] {0xffffff}, 1, 1, made);
    assertEquals(2, made.getFloat(0), 0);
  }

  private static void refused(String words, Images images, TensorInfo input) {
    ByteBuffer made = room(input);
    Toy.wrong(words, () -> images.write(new int[64], 8, 8, made));
    assertArrayEquals(new byte[made.capacity()], made.array());
  }

  @Test
  public void saysWhatDoesNotFit() {
    TensorInfo input = floats(1, 3, 8, 8);
    for (Object[] one : new Object[][] {{floats(8, 8), "input of 3 or 4 axes (batch, channels, height, width in some order), but input 'image' has 2"},
                                        {floats(1, 3, 8, 3), "could both hold channels; call layout(NCHW) or layout(NHWC)"},
                                        {floats(1, 4, 8, 8), "has no axis of 1 or 3 channels before or after height and width"},
                                        {floats(1, 3, 8, 9), "the picture is 8 x 8 pixels, but input 'image' takes 9 x 8"},
                                        {info(I64, 1, 0, 1, 3, 8, 8), "must hold F32, F16, or integers of 8 or 16 bits, but holds I64"},
                                        {info(U8, 0, 0, 1, 3, 8, 8), "has a scale that is not above 0"}})
      refused((String)one[1], new Images((TensorInfo)one[0]), (TensorInfo)one[0]);
    refused("channels after height and width", new Images(input).layout(Images.Layout.NHWC), input);
    refused("is 6 x 6 pixels when resized, but input 'image' takes at least 8 x 8", new Images(input).resizeShorter(6).crop(true), input);
    refused("has 3 channels, so its channels cannot be gray", new Images(input).channels(Images.Channels.GRAY), input);
    refused("has room for 1 pictures, but batchIndex is 1", new Images(input).batchIndex(1), input);
    refused("mean must be one number, because input 'image' is gray", new Images(floats(1, 1, 8, 8)).mean(MEAN), floats(1, 1, 8, 8));
    Images images = new Images(input);
    Toy.wrong("must be 0, 90, 180 or 270 degrees, but is 45", () -> images.rotation(45));
    Toy.wrong("std must be one number or three, each finite and above 0", () -> images.std(1, 0, 1));
    Toy.wrong("mean must be one number or three, each finite", () -> images.mean(1, 2));
    Toy.wrong("mean must be one number or three, each finite", () -> images.mean(Float.NaN));
    Toy.wrong("range must be finite", () -> images.range(Float.POSITIVE_INFINITY));
    Toy.wrong("at most 65535 pixels along each side, but 70000", () -> images.resizeShorter(70000));
    Toy.wrong("cannot be resized to 8 x 0", () -> images.resize(8, 0));
  }

  @Test
  public void checksBuffers() {
    TensorInfo input = floats(1, 3, 8, 8);
    Images images = new Images(input);
    ByteBuffer right = room(input);
    int[] pixels = new int[64];
    Toy.wrong("has more than 63 of them", () -> images.write(new int[63], 8, 8, right));
    Toy.wrong("1 to 65535 pixels along each side, but is 0 x 8", () -> images.write(pixels, 0, 8, right));
    Toy.wrong("must have at least 768 bytes from its position to its limit, but has 767",
              () -> images.write(pixels, 8, 8, ByteBuffer.allocate(767).order(ByteOrder.nativeOrder())));
    Toy.wrong("must be in native order, but is BIG_ENDIAN", () -> images.write(pixels, 8, 8, ByteBuffer.allocate(768)));
    Toy.wrong("must be writable", () -> images.write(pixels, 8, 8, right.asReadOnlyBuffer().order(ByteOrder.nativeOrder())));
    Toy.wrong("the strides of rgba, 31 and 4 bytes, are too short for 8 columns",
              () -> images.writeRgba(ByteBuffer.allocate(999), 8, 8, 31, right));
    Toy.wrong("the buffer rgba must have at least 256 bytes from its position to its limit, but has 255",
              () -> images.writeRgba(ByteBuffer.allocate(255), 8, 8, 32, right));
    ByteBuffer plane = ByteBuffer.allocate(64), quarter = ByteBuffer.allocate(15);
    Toy.wrong("the buffer v must have at least 16 bytes", () -> images.writeYuv(8, 8, plane, 8, plane, quarter, 4, 1, right));
    Toy.wrong("the strides of u", () -> images.writeYuv(8, 8, plane, 8, plane, plane, 4, 0, right));
    images.writeYuv(8, 8, plane, 8, plane, ByteBuffer.allocate(16), 4, 1, right);
    assertTrue(right.getFloat(0) >= 0);
  }
}
