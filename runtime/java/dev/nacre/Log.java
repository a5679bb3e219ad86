// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;

/** Told why a call failed, and what a session chose when it was made. */
public interface Log {
  /**
   * May be called from threads of the runtime, but from no two at once for one session. Must not use the session. What it
   * throws is dropped.
   */
  void log(@NonNull Level level, @NonNull String message);

  enum Level { ERROR, INFO }
}
