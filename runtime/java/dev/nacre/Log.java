// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;

/** Receives the causes of failures, and the choices of a new session. */
public interface Log {
  /**
   * Runtime threads may call this, but never two at once for one session. It must not use the session. Exceptions are
   * ignored.
   */
  void log(@NonNull Level level, @NonNull String message);

  enum Level { ERROR, INFO }
}
