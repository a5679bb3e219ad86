// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre.sample;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import dev.nacre.Model;
import dev.nacre.Session;
import dev.nacre.TensorInfo;
import java.io.IOException;
import java.io.StringReader;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;
import org.junit.Test;

/** The camera app's own work, without a camera. */
public class SampleTest {
  private static Preparation preparation(String... lines) throws IOException {
    Properties properties = new Properties();
    properties.load(new StringReader(String.join("\n", lines)));
    return new Preparation(properties);
  }

  @Test
  public void theInputSeesAsMuchAsItCan() throws IOException {
    for (int[] one : new int[][] {{640, 480, 224, 224, 224}, {480, 640, 224, 224, 224}, {640, 480, 320, 240, 240}, {640, 480, 320, 200, 240},
                                  {480, 640, 320, 200, 320}, {640, 480, 100, 300, 300}, {641, 479, 321, 200, 240}, {10, 10, 7, 9, 9}}) {
      int shorter = new Preparation().shorterSide(one[0], one[1], one[2], one[3]);
      assertEquals(one[4], shorter);
      int longer = (int)((long)shorter * Math.max(one[0], one[1]) / Math.min(one[0], one[1]));
      assertTrue((one[0] <= one[1] ? shorter : longer) >= one[2] && (one[0] <= one[1] ? longer : shorter) >= one[3]);
    }
    assertEquals(256, preparation("resize=256").shorterSide(640, 480, 224, 224));
  }

  @Test
  public void saysWhichLineIsWrong() throws IOException {
    for (String[] one : new String[][] {{"means=1", "unknown lines: means"}, {"resize=x", "resize has 'x', which is not a number"},
                                        {"mean=1,y,2", "mean has 'y'"}, {"channels=rbg", "must be rgb, bgr or gray, but is 'rbg'"}}) {
      IllegalArgumentException wrong = assertThrows(IllegalArgumentException.class, () -> {
        try (Model model = Model.open(System.getProperty("nacre.test.library")); Session session = model.newSession()) {
          preparation(one[0]).makeImages(session.inputs().get(0));
        }
      });
      assertTrue(wrong.getMessage(), wrong.getMessage().contains(one[1]));
    }
  }

  @Test
  public void preparesPicturesAsInTraining() throws IOException {
    try (Model model = Model.open(System.getProperty("nacre.test.library")); Session session = model.newSession()) {
      TensorInfo info = session.inputs().get(0);
      int[] orange = new int[96 * 96];
      Arrays.fill(orange, 0xff8000);
      FloatBuffer input = session.inputFloats(0);
      new Preparation().makeImages(info).write(orange, 96, 96, session.input(0));
      float[] mean = {0.485f, 0.456f, 0.406f}, deviation = {0.229f, 0.224f, 0.225f}, color = {1, 128 / 255f, 0};
      for (int channel = 0; channel < 3; ++channel)
        assertEquals((color[channel] - mean[channel]) / deviation[channel], input.get(96 * 96 * channel + 77), 0);
      preparation("range=255", "mean = 1, 2, 3", "std=2", "channels=bgr").makeImages(info).write(orange, 96, 96, session.input(0));
      assertEquals(-0.5f, input.get(0), 0);
      assertEquals(63, input.get(96 * 96), 0);
      assertEquals(126, input.get(2 * 96 * 96), 0);
    }
  }

  @Test
  public void namesTheBest() {
    List<Guess> best = GuessKt.bestGuesses(new float[] {1, 3, 2, 3}, 3, 0);
    assertEquals("1 3 2", best.stream().map(guess -> "" + guess.getIndex()).collect(Collectors.joining(" ")));
    double total = Math.exp(-2) + 1 + Math.exp(-1) + 1;
    assertEquals(1 / total, best.get(0).getProbability(), 1e-6);
    assertEquals(Math.exp(-1) / total, best.get(2).getProbability(), 1e-6);
    // What is a softmax's result stays as it is.
    assertEquals(0.7f, GuessKt.bestGuesses(new float[] {0.1f, 0.7f, 0.2f}, 1, 0).get(0).getProbability(), 1e-6);
    assertEquals(2, GuessKt.bestGuesses(new float[] {1, 2}, 5, 0).size());
    assertEquals(2, GuessKt.bestGuesses(new float[] {-500, 0, 800, 700}, 1, 0).get(0).getIndex());
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
  public void quantizedScoresAreReals() {
    // Three codes of a softmax, each rounded to a multiple of 1/256: their sum is not 1.
    assertEquals(0.5f, GuessKt.bestGuesses(new float[] {0.25f, 0.5f, 0.246f}, 1, 1 / 512f).get(0).getProbability(), 0.01f);
    assertEquals(0.39f, GuessKt.bestGuesses(new float[] {0.25f, 0.5f, 0.246f}, 1, 0).get(0).getProbability(), 0.01f);
  }
}
