// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import org.junit.Test;

/** Sessions of all entries, and entries for several shapes. */
public class EntriesTest {
  private static final String SHAPES = System.getProperty("nacre.test.shapes");
  private static final int CLASSES = 10;

  private static Session all(Model model) { return model.newSession(new SessionOptions().allEntries(true).threads(1)); }

  private static void fill(FloatBuffer image) {
    for (int i = 0; i < image.capacity(); ++i)
      image.put(i, (i * 37 % 101) / 50f - 1);
  }

  private static float[] run(Session session) {
    fill(session.inputFloats("image"));
    session.run();
    FloatBuffer answer = session.outputFloats("probabilities");
    float[] numbers = new float[answer.remaining()];
    answer.get(numbers);
    return numbers;
  }

  @Test
  public void computesEachEntry() {
    try (Model model = Toy.open(); Session session = all(model)) {
      assertEquals("main", session.entry().name());
      for (String name : new String[] {"second", "main", "main", "second"}) {
        session.use(name);
        assertEquals(name, session.entry().name());
        Toy.fill(session.inputFloats("x"));
        session.run();
        Toy.check(session.outputFloats("y"));
      }
    }
  }

  @Test
  public void beginsWithTheEntryOfTheOptions() {
    try (Model model = Toy.open();
         Session session = model.newSession(new SessionOptions().entry("second").allEntries(true))) {
      assertSame(model.entry("second"), session.entry());
      Toy.fill(session.inputFloats("x"));
      session.run();
      Toy.check(session.outputFloats("y"));
    }
  }

  @Test
  public void entriesKeepTheirBuffersAndShareTheState() {
    try (Model model = Toy.open(); Session session = all(model)) {
      ByteBuffer mine = Buffers.allocate(Toy.BYTES);
      Toy.fill(mine.asFloatBuffer());
      session.bindInput("x", mine);
      FloatBuffer y = session.outputFloats("y");
      session.run();
      session.use("second");
      assertNotEquals(Toy.input(1), session.inputFloats("x").get(1), 0);
      session.run(); // of zeros
      Toy.check(y);
      assertEquals(1, session.outputFloats("y").get(0), 0);
      session.use("main");
      session.run();
      Toy.check(session.outputFloats("y"));
      assertEquals(Toy.sum(2), session.outputFloats("sum").get(0), 1e-3);
      session.state().reset();
      session.run();
      assertEquals(Toy.sum(1), session.outputFloats("sum").get(0), 0);
    }
  }

  @Test
  public void timesAreThoseOfTheEntryInUse() {
    try (Model model = Toy.open();
         Session session = model.newSession(new SessionOptions().allEntries(true).profile(true).threads(1))) {
      session.run();
      session.use("second");
      Toy.wrong("run", session::profile);
      session.run();
      assertEquals(model.entry("second").launches(), session.profile().size());
      session.use("main");
      assertEquals(model.entry("main").launches(), session.profile().size());
    }
  }

  @Test
  public void refusesEntriesThatItDoesNotHave() {
    try (Model model = Toy.open(); Session one = model.newSession(); Session session = all(model); Model other = Toy.open("integers")) {
      one.use("main");
      Toy.wrong("the session has only the entry 'main'; create it with allEntries(true)", () -> one.use("second"));
      Toy.wrong("has no entry 'third'", () -> session.use("third"));
      Toy.wrong("the entry belongs to another model", () -> session.use(other.entry("second")));
      assertThrows(NullPointerException.class, () -> session.use((String)null));
      assertEquals("main", session.entry().name());
      session.close();
      Toy.wrong("the session is closed", () -> session.use("second"));
      assertEquals("main", session.entry().name());
    }
  }

  @Test
  public void anotherThreadMustNotSwitch() throws InterruptedException {
    try (Model model = Toy.open("slow"); Session session = all(model)) {
      Thread runner = new Thread(session::run);
      runner.start();
      Thread.sleep(100);
      Toy.wrong("the session is in use by another thread", () -> session.use("second"));
      runner.join();
      session.use("second");
    }
  }

  @Test
  public void findsTheSmallestEntryForAShape() {
    try (Model model = Model.open(SHAPES)) {
      assertEquals("main@1", model.entryFor("image", 1, 3, 96, 96).name());
      assertEquals("main@3", model.entryFor("image", 2, 3, 90, 1).name());
      assertEquals("main@3", model.entryFor("main", "image", 3, 3, 96, 96).name());
      Toy.wrong("no entry has room for [4, 3, 96, 96] of input 'image'; entries are main@1 [1, 3, 96, 96], main@3 [3, 3, 96, 96]",
                () -> model.entryFor("image", 4, 3, 96, 96));
      Toy.wrong("no entry has room for [96, 96]", () -> model.entryFor("image", 96, 96));
      Toy.wrong("has no entry 'main' with an input 'picture'", () -> model.entryFor("picture", 1));
      Toy.wrong("has no entry 'other' with an input 'image'", () -> model.entryFor("other", "image", 1));
    }
    try (Model model = Toy.open()) {
      assertEquals("main", model.entryFor("x", 1, 1).name());
      assertEquals("second", model.entryFor("second", "x", 64, 48).name());
      Toy.wrong("no entry has room for [65, 48] of input 'x'; entries are main [64, 48]", () -> model.entryFor("x", 65, 48));
    }
  }

  @Test
  public void oneSessionComputesSeveralShapes() {
    try (Model model = Model.open(SHAPES); Session session = all(model); Session small = model.newSession();
         Session large = model.newSession(new SessionOptions().entry("main@3").threads(1))) {
      float[] one = run(small), three = run(large);
      assertEquals(CLASSES, one.length);
      assertEquals(3 * CLASSES, three.length);
      for (int i = 0; i < CLASSES; ++i)
        assertEquals(one[i], three[i], 1e-4); // The first of the pictures is the same.
      for (int rows : new int[] {3, 1, 1, 3}) {
        session.use(model.entryFor("image", rows, 3, 96, 96));
        assertArrayEquals(rows == 1 ? one : three, run(session), 0);
        assertArrayEquals(new long[] {rows, CLASSES}, session.outputShape("probabilities"));
        assertEquals(rows, session.inputs().get(0).shape()[0]);
      }
      assertTrue(session.info().memoryBytes() < small.info().memoryBytes() + large.info().memoryBytes());
      assertTrue(session.info().memoryBytes() > large.info().memoryBytes());
    }
  }
}
