// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import java.util.concurrent.locks.ReentrantLock;

/** Lets one thread at a time use what is open, and refuses the others at once: they would wait for a run. */
final class Guard {
  private final ReentrantLock lock = new ReentrantLock();
  private final String what;
  private boolean closed;

  Guard(String what) { this.what = what; }

  /** To be followed by leave(), in a finally. */
  void enter() {
    if (lock.isHeldByCurrentThread())
      throw NacreException.badArgument(what + " must not be used by what it logs to");
    if (!lock.tryLock())
      throw NacreException.badArgument(what + " is in use by another thread; it must be used by one at a time");
    if (closed) {
      lock.unlock();
      throw NacreException.badArgument(what + " is closed");
    }
  }

  void leave() { lock.unlock(); }

  /** Waits for who is inside, then lets nobody in. False where it was so already. */
  boolean close() {
    if (lock.isHeldByCurrentThread())
      throw NacreException.badArgument(what + " must not be closed by what it logs to");
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
