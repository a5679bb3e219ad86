// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre.sample;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import dev.nacre.Model;
import dev.nacre.Session;
import dev.nacre.SessionOptions;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.Test;

/** The camera app's own work, without a camera. */
public class SampleTest {
  private static final float[] MEAN = {0.485f, 0.456f, 0.406f};
  private static final float[] DEVIATION = {0.229f, 0.224f, 0.225f};

  /** A picture whose pixel (x, y) has the red value x, the green y and the blue 200; rows are padded. */
  private static ByteBuffer picture(int width, int height, int rowStride) {
    ByteBuffer rgba = ByteBuffer.allocateDirect(rowStride * height);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        byte[] pixel = {(byte)x, (byte)y, (byte)200, (byte)255};
        for (int i = 0; i < 4; ++i)
          rgba.put(y * rowStride + 4 * x + i, pixel[i]);
      }
    return rgba;
  }

  private static int pixelOf(float value, int channel) {
    return Math.round((value * DEVIATION[channel] + MEAN[channel]) * 255);
  }

  /** The red and green of the input's pixels, row by row, as column.row of the picture. */
  private static String cells(int rotation, int width, int height, int size) {
    FloatBuffer input = FloatBuffer.allocate(3 * size * size);
    new Preprocessor(new long[] {1, size, size, 3})
        .fill(picture(width, height, 4 * width + 12), width, height, 4 * width + 12, rotation, input);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < size * size; ++i) {
      assertEquals(200, pixelOf(input.get(3 * i + 2), 2));
      text.append(pixelOf(input.get(3 * i), 0)).append('.').append(pixelOf(input.get(3 * i + 1), 1)).append(' ');
    }
    return text.toString().trim();
  }

  @Test
  public void takesTheMiddleUpright() {
    // Columns 1 to 2 of 4 by 2; turned clockwise, the lower left comes to the upper left.
    assertEquals("1.0 2.0 1.1 2.1", cells(0, 4, 2, 2));
    assertEquals("1.1 1.0 2.1 2.0", cells(90, 4, 2, 2));
    assertEquals("2.1 1.1 2.0 1.0", cells(180, 4, 2, 2));
    assertEquals("2.0 2.1 1.0 1.1", cells(270, 4, 2, 2));
    assertEquals("0.1 1.1 0.2 1.2", cells(0, 2, 4, 2));
  }

  @Test
  public void averagesAndRepeats() {
    assertEquals("1.1 5.1 1.5 5.5",
                 cells(0, 8, 8, 2).replace("2.", "1.").replace(".2", ".1").replace("6.", "5.").replace(".6", ".5"));
    assertEquals("0.0 0.0 1.0 1.0 0.0 0.0 1.0 1.0 0.1 0.1 1.1 1.1 0.1 0.1 1.1 1.1", cells(0, 2, 2, 4));
  }

  @Test
  public void channelsMayComeFirst() {
    FloatBuffer last = FloatBuffer.allocate(3 * 6);
    FloatBuffer first = FloatBuffer.allocate(3 * 6);
    ByteBuffer rgba = picture(20, 20, 80);
    for (int rotation : new int[] {0, 90, 180, 270}) {
      new Preprocessor(new long[] {1, 2, 3, 3}).fill(rgba, 20, 20, 80, rotation, last);
      new Preprocessor(new long[] {1, 3, 2, 3}).fill(rgba, 20, 20, 80, rotation, first);
      for (int pixel = 0; pixel < 6; ++pixel)
        for (int channel = 0; channel < 3; ++channel)
          // [1, 3, 2, 3] is three channels of 2 by 3
          assertEquals(last.get(3 * pixel + channel), first.get(6 * channel + pixel), 0);
    }
  }

  @Test
  public void refusesWhatIsNoPicture() {
    for (long[] shape : new long[][] {{1, 3, 8}, {2, 3, 8, 8}, {1, 4, 8, 8}})
      assertThrows(IllegalArgumentException.class, () -> new Preprocessor(shape));
    Preprocessor preprocessor = new Preprocessor(new long[] {1, 3, 2, 2});
    assertThrows(IllegalArgumentException.class,
                 () -> preprocessor.fill(picture(2, 2, 8), 2, 2, 8, 45, FloatBuffer.allocate(12)));
  }

  @Test
  public void namesTheBest() {
    List<Guess> best = GuessKt.bestGuesses(FloatBuffer.wrap(new float[] {1, 3, 2, 3}), 3);
    assertEquals("1 3 2", best.stream().map(guess -> "" + guess.getIndex()).collect(Collectors.joining(" ")));
    double total = Math.exp(-2) + 1 + Math.exp(-1) + 1;
    assertEquals(1 / total, best.get(0).getProbability(), 1e-6);
    assertEquals(Math.exp(-1) / total, best.get(2).getProbability(), 1e-6);
    // What is a softmax's result stays as it is.
    assertEquals(0.7f, GuessKt.bestGuesses(FloatBuffer.wrap(new float[] {0.1f, 0.7f, 0.2f}), 1).get(0).getProbability(), 1e-6);
    assertEquals(2, GuessKt.bestGuesses(FloatBuffer.wrap(new float[] {1, 2}), 5).size());
    assertEquals(2, GuessKt.bestGuesses(FloatBuffer.wrap(new float[] {-500, 0, 800, 700}), 1).get(0).getIndex());
  }

  @Test
  public void namesClassesByLines() {
    Labels labels = new Labels(List.of("cat", " dog ", ""));
    assertEquals("cat: 70 %", labels.describe(new Guess(0, 0.7f)));
    assertEquals("dog: 0 %", labels.describe(new Guess(1, 0.001f)));
    assertEquals("class 2: 100 %", labels.describe(new Guess(2, 1)));
    assertEquals("class 900: 5 %", labels.describe(new Guess(900, 0.05f)));
  }

  @Test
  public void showsTheMedianOfTheLatestRuns() {
    Latency latency = new Latency(3);
    for (long milliseconds : new long[] {100, 7, 5, 6})
      latency.add(milliseconds * 1_000_000);
    assertEquals("6.0 ms", latency.describe());
  }

  @Test
  public void saysWhoComputes() {
    try (Model model = Model.open(System.getProperty("nacre.test.models"));
         Session one = model.newSession(new SessionOptions().threads(1));
         Session two = model.newSession(new SessionOptions().threads(2))) {
      assertEquals("CPU, 1 thread", SpeedKt.describeEngine(one.info()));
      assertEquals("CPU, 2 threads", SpeedKt.describeEngine(two.info()));
    }
  }
}
