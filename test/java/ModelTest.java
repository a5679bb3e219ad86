// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import dev.nacre.NacreException.Status;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Opening models: those that there are, and all that is none. */
public class ModelTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Test
  public void tellsWhatTheModelIs() {
    try (Model model = Toy.open()) {
      assertEquals("toy", model.name());
      assertEquals("nacre 0", model.compiler());
      assertEquals("host", model.target());
      assertEquals(2, model.entries().size());
      assertEquals("second", model.entry("second").name());
      assertEquals(3, model.entry("main").launches() - 1);
      TensorInfo x = model.inputs().get(0);
      assertEquals("x: F32[64, 48]", x.toString());
      assertEquals(Toy.BYTES, x.bytes());
      assertEquals(64 * 48, x.elements());
      assertEquals(1, x.scale(), 0);
      assertEquals(0, x.zeroPoint());
      assertEquals(-1, x.channelAxis());
      assertEquals(1, x.scale(0), 0);
      assertEquals(0, x.zeroPoint(0));
      assertFalse(x.isOpen(0));
      assertEquals(2, model.outputs().size());
      assertArrayEquals(new long[] {48}, model.outputs().get(1).shape());
      assertEquals("total: F32[48]", model.states().get(0).toString());
      assertEquals(State.RECURRENT, model.states().get(0).role());
      assertEquals(0, model.devices().size());
      Toy.wrong("no entry 'third'", () -> model.entry("third"));
    }
  }

  @Test
  public void tellsWhatIntegersStandFor() {
    try (Model model = Toy.open("quantized")) {
      TensorInfo x = model.inputs().get(0), y = model.outputs().get(0);
      assertEquals(0.25f, x.scale(), 0);
      assertEquals(-7, x.zeroPoint());
      assertEquals(-1, x.channelAxis());
      assertEquals(0.25f, x.scale(5), 0);
      assertEquals(-7, x.zeroPoint(5));
      assertEquals(0, y.scale(), 0);
      assertEquals(0, y.zeroPoint());
      assertEquals(1, y.channelAxis());
      for (int column = 0; column < Toy.COLUMNS; ++column) {
        assertEquals(column * 0.5f, y.scale(column), 0);
        assertEquals(column - 24, y.zeroPoint(column));
      }
      assertThrows(IndexOutOfBoundsException.class, () -> y.scale(Toy.COLUMNS));
      assertEquals(1, model.outputs().get(1).scale(), 0);
    }
  }

  @Test
  public void shapesAreCopies() {
    try (Model model = Toy.open()) {
      model.inputs().get(0).shape()[0] = 7;
      assertEquals(64, model.inputs().get(0).shape()[0]);
    }
  }

  @Test
  public void opensByTheLibrarysName() {
    try (Model model = Model.load("models_for_java")) {
      assertEquals("toy", model.name());
    }
    Toy.refused(Status.FAILED, "libno_such_model.so", () -> Model.load("no_such_model"));
  }

  @Test
  public void namesMayBeOfAnyBytes() {
    try (Model model = Toy.open("odd")) {
      assertEquals("a\ufffd\ud83c\udf0az", model.name());
      assertEquals(model.name(), model.inputs().get(0).name());
    }
  }

  @Test
  public void refusesWhatIsNotThere() {
    Toy.refused(Status.FAILED, "there is no file '/no/libmodel.so'", () -> Model.open("/no/libmodel.so"));
    Toy.refused(Status.FAILED, "there is no file", () -> Model.open(folder.getRoot().getPath()));
    Toy.wrong("must not contain the character 0", () -> Model.load("a\0b"));
  }

  @Test
  public void refusesWhatIsNoModel() throws IOException {
    String jni = System.getProperty("java.library.path").split(File.pathSeparator)[0] + "/libnacre_jni.so";
    Toy.refused(Status.UNSUPPORTED, "has no symbol nacre_model_nacre_jni", () -> Model.open(jni));
    Toy.refused(Status.UNSUPPORTED, "has no symbol nacre_model_another_name", () -> Toy.open("another-name"));
    for (byte[] bytes : new byte[][] {{}, "hello".getBytes(), new byte[4096]}) {
      Path file = folder.newFile().toPath();
      Files.write(file, bytes);
      Toy.refused(Status.UNSUPPORTED, "shared library", () -> Model.open(file.toString()));
    }
  }

  @Test
  public void refusesAnotherMachines() {
    boolean isArm = System.getProperty("os.arch").equals("aarch64");
    String foreign =
        System.getProperty("nacre.test.jni") + (isArm ? "/x86_64" : "/aarch64") + "-linux-android24/libnacre_jni.so";
    Toy.refused(Status.UNSUPPORTED, isArm ? "must be for arm64, but is for x86-64" : "must be for x86-64, but is for arm64",
                () -> Model.open(foreign));
  }

  /** A loader maps what the headers say, and the process dies where the file has ended. */
  @Test
  public void refusesFilesThatAreCutOff() throws IOException {
    byte[] whole = Files.readAllBytes(new File(Toy.LIBRARY).toPath());
    for (int length : new int[] {64, 200, 4096, whole.length / 2}) {
      Path file = folder.newFile().toPath();
      Files.write(file, Arrays.copyOf(whole, length));
      Toy.refused(Status.UNSUPPORTED, "is incomplete: it must have at least ", () -> Model.open(file.toString(), "models_for_java"));
    }
  }

  @Test
  public void refusesModelsOlderThanThisLibrary() {
    Toy.refused(Status.UNSUPPORTED, "compile it again", () -> Toy.open("older"));
  }

  @Test
  public void runsModelsNewerThanThisLibrary() {
    try (Model model = Toy.open("newer"); Session session = model.newSession()) {
      Toy.fill(session.inputFloats("x"));
      session.run();
      Toy.check(session.outputFloats("y"));
    }
  }

  @Test
  public void refusesSessionsOfAnotherFormat() {
    try (Model model = Toy.open("another_format")) {
      Toy.refused(Status.UNSUPPORTED, "format", model::newSession);
    }
  }

  @Test
  public void sessionsOutliveTheModelsClosing() {
    Model model = Toy.open();
    Session session = model.newSession();
    model.close();
    model.close();
    Toy.wrong("the model is closed", model::newSession);
    Toy.wrong("the model is closed", model::newState);
    Toy.wrong("the model is closed", model::devices);
    Toy.fill(session.inputFloats(0));
    session.run();
    Toy.check(session.outputFloats(0));
    assertEquals("toy", model.name());
    session.close();
  }

  @Test
  public void statusesAreNumberedAsInC() {
    assertNotEquals(Status.FAILED, new NacreException(1, new byte[0]).status());
    assertEquals(Status.FAILED, new NacreException(4, new byte[0]).status());
    assertEquals(Status.CANCELLED, new NacreException(5, new byte[0]).status());
    assertEquals(Status.TOO_MANY_ITERATIONS, new NacreException(6, new byte[0]).status());
    assertEquals(Status.FAILED, new NacreException(99, new byte[0]).status());
    assertTrue(new NacreException(2, "w\u00f6rds".getBytes(java.nio.charset.StandardCharsets.UTF_8))
                   .getMessage()
                   .equals("w\u00f6rds"));
  }
}
