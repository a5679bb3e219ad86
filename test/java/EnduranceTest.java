// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import org.junit.Test;

/** What is done a hundred thousand times must take no more than what is done once. */
public class EnduranceTest {
  private static final int RUNS = 100_000;
  private static final int SESSIONS = 2_000;
  private static final int REFUSALS = 20_000;
  /** Less than 100 bytes a run, 10 KiB a session or 500 bytes a refusal; more than what a JVM takes meanwhile. */
  private static final int MOST_GROWTH_KIB = 8 * 1024;

  private static long residentKib() throws IOException, InterruptedException {
    System.gc();
    Thread.sleep(200); // in which a thread of the JVM returns the memory of buffers
    Matcher line =
        Pattern.compile("VmRSS:\\s+(\\d+) kB").matcher(new String(Files.readAllBytes(Path.of("/proc/self/status"))));
    assertTrue(line.find());
    return Long.parseLong(line.group(1));
  }

  /** Global references, as the JVM's own thread dump counts them. */
  private static int references() throws Exception {
    String dump = (String)ManagementFactory.getPlatformMBeanServer().invoke(
        new ObjectName("com.sun.management:type=DiagnosticCommand"), "threadPrint", new Object[] {new String[0]},
        new String[] {String[].class.getName()});
    Matcher line = Pattern.compile("JNI global refs: (\\d+), weak refs: (\\d+)").matcher(dump);
    assertTrue(dump, line.find());
    return Integer.parseInt(line.group(1)) + Integer.parseInt(line.group(2));
  }

  private interface Work {
    void once(int i);
  }

  private static void checkGrowth(String what, int count, Work work) throws Exception {
    for (int i = 0; i < count / 4; ++i)
      work.once(i);
    long before = residentKib();
    int referencesBefore = references();
    for (int i = 0; i < count; ++i)
      work.once(i);
    long growth = residentKib() - before;
    System.out.println(count + " " + what + ": " + growth + " KiB, " + (references() - referencesBefore) +
                       " references");
    assertTrue(growth + " KiB", growth < MOST_GROWTH_KIB);
    assertEquals(referencesBefore, references());
  }

  @Test
  public void runsTakeNothing() throws Exception {
    try (Model model = Toy.open(); Session session = model.newSession(new SessionOptions().threads(1))) {
      ByteBuffer[] buffers = {Buffers.allocate(Toy.BYTES), Buffers.allocate(Toy.BYTES)};
      checkGrowth("runs", RUNS, i -> {
        session.bindInput(0, buffers[i & 1]);
        session.inputFloats(0).put(0, i);
        session.run();
        session.outputFloats(0).get(0);
      });
    }
  }

  @Test
  public void sessionsAreReturned() throws Exception {
    try (Model model = Toy.open()) {
      checkGrowth("sessions with a listener", SESSIONS, i -> {
        try (Session session = model.newSession(new SessionOptions().threads(1).log((level, message) -> {}))) {
          session.input(0);
          session.run();
        }
      });
    }
  }

  @Test
  public void modelsAreReturned() throws Exception {
    checkGrowth("models", SESSIONS, i -> {
      try (Model model = Toy.open(); State state = model.newState()) {
        state.reset();
      }
    });
  }

  @Test
  public void exceptionsTakeNothing() throws Exception {
    try (Model model = Toy.open(); Session session = model.newSession(new SessionOptions().threads(1))) {
      ByteBuffer odd = Buffers.allocate(Toy.BYTES + 4);
      odd.position(4);
      checkGrowth("refusals", REFUSALS, i -> Toy.wrong("aligned", () -> session.bindInput(0, odd)));
    }
  }

  @Test
  public void sessionsThatCannotBeTakeNothing() throws Exception {
    SessionOptions impossible =
        new SessionOptions().gpu(SessionOptions.Gpu.REQUIRED).log((level, message) -> {}).cacheFolder("cache");
    try (Model model = Toy.open()) {
      checkGrowth("refused sessions", SESSIONS,
                  i -> Toy.refused(NacreException.Status.UNSUPPORTED, "the GPU cannot be required", () -> model.newSession(impossible)));
    }
  }
}
