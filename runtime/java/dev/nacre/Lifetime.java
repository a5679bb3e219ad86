// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

/** Closes a shared object when its last user is done. */
final class Lifetime {
  private final String what;
  private final Runnable dispose;
  private int users;
  private boolean closed;

  Lifetime(String what, Runnable dispose) {
    this.what = what;
    this.dispose = dispose;
  }

  synchronized void acquire() {
    if (closed)
      throw NacreException.badArgument(what + " is closed");
    ++users;
  }

  synchronized void release() {
    if (--users == 0 && closed)
      dispose.run();
  }

  synchronized void close() {
    if (closed)
      return;
    closed = true;
    if (users == 0)
      dispose.run();
  }
}
