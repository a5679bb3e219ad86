// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.Test;

/** What belongs to a thread at a time, used by several. */
public class ThreadsTest {
  private static final int SWITCH = 3; // the element of x that lets "endless" go on where it is not zero

  private static Thread start(AtomicReference<Throwable> failure, Runnable body) {
    Thread thread = new Thread(() -> {
      try {
        body.run();
      } catch (Throwable thrown) {
        failure.compareAndSet(null, thrown);
      }
    });
    thread.start();
    return thread;
  }

  /** Returns while another thread is in a run of 400 ms. */
  private static Thread startRun(Session session, AtomicReference<Throwable> failure) throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    Thread runner = start(failure, () -> {
      begun.countDown();
      session.run();
    });
    begun.await();
    Thread.sleep(100);
    return runner;
  }

  @Test
  public void aSecondThreadIsRefused() throws InterruptedException {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (Model model = Toy.open("slow"); Session session = model.newSession()) {
      Thread runner = startRun(session, failure);
      String words = "the session is in use by another thread";
      Toy.wrong(words, session::run);
      Toy.wrong(words, () -> session.input(0));
      Toy.wrong(words, () -> session.bindInput(0, null));
      Toy.wrong(words, session::profile);
      Toy.wrong(words, () -> session.state().reset());
      runner.join();
      session.run();
    }
    assertNull(failure.get());
  }

  @Test
  public void closingWaitsForARun() throws InterruptedException {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (Model model = Toy.open("slow")) {
      Session session = model.newSession();
      Thread runner = startRun(session, failure);
      long begin = System.nanoTime();
      session.close();
      assertTrue(System.nanoTime() - begin > 50_000_000);
      runner.join();
      Toy.wrong("the session is closed", session::run);
    }
    assertNull(failure.get());
  }

  @Test
  public void aRunThatNeverEndsIsCancelled() throws InterruptedException {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (Model model = Toy.open("endless"); Session session = model.newSession(new SessionOptions().threads(2))) {
      assertFalse(session.cancel()); // and the next run goes on
      Toy.fill(session.inputFloats(0));
      for (int iteration = 0; iteration < 3; ++iteration) {
        Thread canceller = start(failure, () -> {
          while (!session.cancel())
            Thread.yield();
        });
        session.inputFloats(0).put(SWITCH, 1);
        Toy.refused(NacreException.Status.CANCELLED, "the run was cancelled before '", session::run);
        canceller.join();
        session.inputFloats(0).put(SWITCH, 0);
        session.run();
        assertEquals(1, session.outputFloats(0).get(SWITCH), 0);
      }
      session.close();
      assertFalse(session.cancel());
    }
    assertNull(failure.get());
  }

  @Test
  public void iterationsHaveALimit() {
    Toy.wrong("maxIterations must be at least 0", () -> new SessionOptions().maxIterations(-1));
    try (Model model = Toy.open("endless");
         Session session = model.newSession(new SessionOptions().maxIterations(100_000))) {
      session.inputFloats(0).put(SWITCH, 1);
      Toy.refused(NacreException.Status.TOO_MANY_ITERATIONS, "exceeded max_iterations (100000)", session::run);
      session.inputFloats(0).put(SWITCH, 0);
      session.run();
    }
  }

  @Test
  public void manyThreadsGetAnswersOrExceptions() throws InterruptedException {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    AtomicInteger answers = new AtomicInteger();
    try (Model model = Toy.open()) {
      Session session = model.newSession(new SessionOptions().threads(2));
      Toy.fill(session.inputFloats(0));
      Thread[] threads = new Thread[4];
      for (int i = 0; i < threads.length; ++i)
        threads[i] = start(failure, () -> {
          for (int k = 0; k < 3000; ++k)
            try {
              session.run();
              session.bindOutput(0, null);
              answers.incrementAndGet();
            } catch (NacreException refused) {
              assertEquals(refused.getMessage(), NacreException.Status.BAD_ARGUMENT, refused.status());
            }
        });
      Thread.sleep(20);
      for (int k = 0; k < 2; ++k)
        session.close(); // in the midst of it
      for (Thread thread : threads)
        thread.join();
    }
    assertNull(failure.get());
    assertTrue(answers.get() > 0);
  }

  @Test
  public void eachThreadMayHaveASession() throws InterruptedException {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (Model model = Toy.open()) {
      Thread[] threads = new Thread[4];
      for (int i = 0; i < threads.length; ++i)
        threads[i] = start(failure, () -> {
          for (int k = 0; k < 50; ++k)
            try (Session session = model.newSession(new SessionOptions().threads(1))) {
              Toy.fill(session.inputFloats(0));
              session.run();
              Toy.check(session.outputFloats(0));
            }
        });
      for (Thread thread : threads)
        thread.join();
    }
    assertNull(failure.get());
  }
}
