// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.nio.FloatBuffer;
import org.junit.function.ThrowingRunnable;

/** The models made by hand: y = relu(x * w + 1), and the state adds the rows of y up to sum. */
final class Toy {
  static final String LIBRARY = System.getProperty("nacre.test.models");
  static final int ROWS = 64;
  static final int COLUMNS = 48;
  static final int BYTES = ROWS * COLUMNS * Float.BYTES;

  private Toy() {}

  static Model open() { return Model.open(LIBRARY); }

  static Model open(String name) { return Model.open(LIBRARY, name); }

  static float input(int i) { return i % 17 * 0.25f - 2; }

  static float output(int i) { return Math.max(input(i) * (i % COLUMNS % 5 - 2) + 1, 0); }

  static void fill(FloatBuffer x) {
    assertEquals(ROWS * COLUMNS, x.remaining());
    for (int i = 0; i < ROWS * COLUMNS; ++i)
      x.put(i, input(i));
  }

  static void check(FloatBuffer y) {
    for (int i = 0; i < ROWS * COLUMNS; ++i)
      assertEquals(output(i), y.get(i), 0);
  }

  /** Column 0 of the state after so many runs. */
  static float sum(int runs) {
    float sum = 0;
    for (int run = 0; run < runs; ++run)
      for (int row = 0; row < ROWS; ++row)
        sum += output(row * COLUMNS);
    return sum;
  }

  static NacreException refused(NacreException.Status status, String words, ThrowingRunnable call) {
    NacreException exception = assertThrows(NacreException.class, call);
    assertEquals(exception.getMessage(), status, exception.status());
    assertTrue(exception.getMessage(), exception.getMessage().contains(words));
    return exception;
  }

  static NacreException wrong(String words, ThrowingRunnable call) {
    return refused(NacreException.Status.BAD_ARGUMENT, words, call);
  }
}
