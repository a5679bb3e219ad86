// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import dev.nacre.NacreException.Status;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Running, with right and with wrong buffers. */
public class SessionTest {
  private Model model;
  private Session session;

  @Before
  public void open() {
    model = Toy.open();
    session = model.newSession();
  }

  @After
  public void close() {
    session.close();
    model.close();
  }

  @Test
  public void computes() {
    Toy.fill(session.inputFloats("x"));
    session.run();
    Toy.check(session.outputFloats("y"));
    assertEquals(Toy.sum(1), session.output("sum").getFloat(0), 0);
    assertArrayEquals(new long[] {64, 48}, session.outputShape("y"));
  }

  @Test
  public void buffersAreOneMemory() {
    ByteBuffer before = session.input(0);
    assertTrue(before.isDirect());
    assertSame(ByteOrder.nativeOrder(), before.order());
    assertEquals(Toy.BYTES, before.remaining());
    Toy.fill(before.asFloatBuffer());
    session.run();
    assertEquals(Toy.input(5), session.input("x").getFloat(20), 0);
    before.position(8); // a view's own
    assertEquals(0, session.input(0).position());
  }

  @Test
  public void anEntryIsRunByItsName() {
    try (Session second = model.newSession(new SessionOptions().entry("second"))) {
      Toy.fill(second.inputFloats(0));
      second.run();
      Toy.check(second.outputFloats(0));
    }
    Toy.wrong("no entry 'third'", () -> model.newSession(new SessionOptions().entry("third")));
  }

  @Test
  public void readsAndWritesTheCallersBuffers() {
    ByteBuffer x = Buffers.allocate(Toy.BYTES), y = Buffers.allocate(Toy.BYTES + 128);
    Toy.fill(x.asFloatBuffer());
    y.position(64);
    session.bindInput("x", x.asReadOnlyBuffer().order(ByteOrder.nativeOrder()));
    session.bindOutput("y", y);
    session.run();
    y.order(ByteOrder.nativeOrder());
    Toy.check(y.slice().order(ByteOrder.nativeOrder()).asFloatBuffer());
    Toy.check(session.outputFloats("y"));

    session.bindOutput(0, null);
    y.clear();
    y.put(new byte[y.capacity()]);
    session.run();
    Toy.check(session.outputFloats("y"));
    assertEquals(0, y.get(70));
  }

  @Test
  public void aBoundBufferLivesAsLongAsItIsRead() {
    session.bindInput(0, Buffers.allocate(Toy.BYTES));
    Toy.fill(session.inputFloats(0));
    for (int i = 0; i < 20; ++i) {
      System.gc();
      for (int k = 0; k < 8; ++k)
        Buffers.allocate(1 << 20).putInt(0, -1);
      session.run();
    }
    Toy.check(session.outputFloats(0));
  }

  @Test
  public void refusesWrongBuffers() {
    ByteBuffer right = Buffers.allocate(Toy.BYTES);
    Toy.wrong("must be direct", () -> session.bindInput(0, ByteBuffer.allocate(Toy.BYTES)));
    Toy.wrong("the buffer for input 'x' must have at least 12288 bytes from its position to its limit, but has 12284",
              () -> session.bindInput(0, Buffers.allocate(Toy.BYTES - 4)));
    Toy.wrong("must be in native order, but is BIG_ENDIAN",
              () -> session.bindInput(0, right.duplicate().order(ByteOrder.BIG_ENDIAN)));
    Toy.wrong("must be writable", () -> session.bindOutput(0, right.asReadOnlyBuffer().order(ByteOrder.nativeOrder())));
    ByteBuffer odd = Buffers.allocate(Toy.BYTES + 4);
    odd.position(4);
    Toy.wrong("must be aligned to 64 bytes", () -> session.bindInput(0, odd));
    Toy.wrong("has 1 inputs, so it has no number 1", () -> session.bindInput(1, right));
    Toy.wrong("it has no number -1", () -> session.output(-1));
    Toy.wrong("no output 'z'", () -> session.bindOutput("z", right));
    Toy.fill(session.inputFloats(0)); // and nothing has changed
    session.run();
    Toy.check(session.outputFloats(0));
  }

  @Test
  public void refusesOutputsOverInputs() {
    ByteBuffer both = Buffers.allocate(Toy.BYTES);
    session.bindInput(0, both);
    session.bindOutput(0, both);
    Toy.wrong("overlap", session::run);
    session.bindOutput(0, null);
    session.run();
  }

  @Test
  public void refusesAnotherTypeThanTheTensors() {
    try (Model integers = Toy.open("integers"); Session other = integers.newSession()) {
      Toy.wrong("'x' must be F32 to be read as floats, but is I32", () -> other.inputFloats("x"));
      assertEquals(Toy.BYTES, other.input("x").remaining());
    }
  }

  @Test
  public void refusesImpossibleSizes() {
    Toy.wrong("2^31 - 65", () -> Buffers.allocate(-1));
    Toy.wrong("2^31 - 65", () -> Buffers.allocate(1L << 31));
  }

  @Test
  public void refusesAClosedSession() {
    ByteBuffer x = session.input(0);
    State state = session.state();
    session.close();
    session.close();
    String closed = "the session is closed";
    Toy.wrong(closed, session::run);
    Toy.wrong(closed, () -> session.input(0));
    Toy.wrong(closed, () -> session.outputFloats("y"));
    Toy.wrong(closed, () -> session.bindInput(0, Buffers.allocate(Toy.BYTES)));
    Toy.wrong(closed, () -> session.bindOutput(0, null));
    Toy.wrong(closed, () -> session.outputShape(0));
    Toy.wrong(closed, session::profile);
    Toy.wrong(closed, session::info);
    Toy.wrong(closed, state::reset);
    Toy.fill(x.asFloatBuffer()); // its memory is still there
  }

  @Test
  public void profilesWhatItIsAskedTo() {
    Toy.wrong("profile", session::profile);
    try (Session profiled = model.newSession(new SessionOptions().profile(true).threads(1))) {
      Toy.wrong("run", profiled::profile);
      profiled.run();
      List<LaunchTime> times = profiled.profile();
      assertEquals(4, times.size());
      assertEquals("mul_1+add_1", times.get(0).name());
      assertEquals("scale", times.get(0).kernel());
      assertEquals("contraction", times.get(0).kind());
      assertEquals(64, times.get(2).executions());
      assertEquals(64, times.get(0).cpuShare());
      assertEquals(64, times.get(0).cutExtent());
      assertEquals(0, times.get(0).gpuTotal());
      assertTrue(times.get(3).begin() >= times.get(0).begin() + times.get(0).total());
    }
  }

  @Test
  public void tellsWhatComputes() {
    try (Session two = model.newSession(new SessionOptions().threads(2).gpu(SessionOptions.Gpu.NEVER))) {
      assertEquals(2, two.info().threads());
      assertEquals("", two.info().device());
      assertEquals("CPU, 2 threads", two.info().toString());
      assertTrue(two.info().memoryBytes() > 2 * Toy.BYTES);
    }
  }

  @Test
  public void refusesWhatCannotBe() {
    Toy.refused(Status.UNSUPPORTED, "the GPU cannot be required",
                () -> model.newSession(new SessionOptions().gpu(SessionOptions.Gpu.REQUIRED)));
    Toy.wrong("threads must be at least 0", () -> new SessionOptions().threads(-1));
    Toy.wrong("gpuShare must be at most 100", () -> new SessionOptions().gpuShare(101));
  }

  @Test
  public void logsToAListener() {
    List<String> heard = Collections.synchronizedList(new ArrayList<>());
    Log log = (level, message) -> heard.add(level + " " + message);
    try (Session logging = model.newSession(new SessionOptions().log(log))) {
      int before = heard.size();
      ByteBuffer both = Buffers.allocate(Toy.BYTES);
      logging.bindInput(0, both);
      logging.bindOutput(0, both);
      Toy.wrong("overlap", logging::run);
      assertEquals(heard.toString(), before + 1, heard.size());
      assertTrue(heard.get(before), heard.get(before).startsWith("ERROR "));
    }
  }

  @Test
  public void aListenerMayFail() {
    Session[] reentered = new Session[1];
    Log log = (level, message) -> {
      if (reentered[0] != null)
        reentered[0].run();
      throw new IllegalStateException("of the listener's own");
    };
    try (Session logging = model.newSession(new SessionOptions().log(log))) {
      reentered[0] = logging;
      ByteBuffer both = Buffers.allocate(Toy.BYTES);
      logging.bindInput(0, both);
      logging.bindOutput(0, both);
      Toy.wrong("overlap", logging::run);
    }
  }

  @Test
  public void optionsAreForManySessions() {
    SessionOptions options = new SessionOptions()
                                 .threads(1)
                                 .cacheFolder(System.getProperty("java.io.tmpdir"))
                                 .gpuShare(50)
                                 .gpuInBackground(true)
                                 .gpuSelfTest(true)
                                 .tuneMilliseconds(1)
                                 .gpuSequential(true);
    try (Session one = model.newSession(options); Session other = model.newSession(options)) {
      one.inputFloats(0).put(0, 1);
      assertFalse(other.inputFloats(0).get(0) == 1);
    }
  }
}
