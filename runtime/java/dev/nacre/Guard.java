// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import java.util.concurrent.locks.ReentrantLock;

/** Lets one thread at a time use an open object. It refuses other threads at once, because they would wait for a run. */
final class Guard {
  private final ReentrantLock lock = new ReentrantLock();
  private final String what;
  private boolean closed;

  Guard(String what) { this.what = what; }

  /** Must be followed by leave(), in a finally block. */
  void enter() {
    if (lock.isHeldByCurrentThread())
      throw NacreException.badArgument(what + " must not be used by its log");
    if (!lock.tryLock())
      throw NacreException.badArgument(what + " is in use by another thread; use it from one thread at a time");
    if (closed) {
      lock.unlock();
      throw NacreException.badArgument(what + " is closed");
    }
  }

  void leave() { lock.unlock(); }

  /** Waits for the thread inside, then lets no thread in. Returns false if it was closed already. */
  boolean close() {
    if (lock.isHeldByCurrentThread())
      throw NacreException.badArgument(what + " must not be closed by its log");
    lock.lock();
    try {
      boolean isNews = !closed;
      closed = true;
      return isNews;
    } finally {
      lock.unlock();
    }
  }
}
