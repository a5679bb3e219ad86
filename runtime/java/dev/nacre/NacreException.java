// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;
import java.nio.charset.StandardCharsets;

/** A call that failed: what it asks of the caller, and why, in words. */
public final class NacreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What to do next. */
  public enum Status {
    /** The call is wrong in every state: correct the app. */
    BAD_ARGUMENT,
    /** Free memory, then try the same call again. */
    OUT_OF_MEMORY,
    /** This device or this version can never run this model: use another model or another way. */
    UNSUPPORTED,
    /** The system failed, not the app: close the session; a new one may succeed. */
    FAILED,
    /** {@link Session#cancel} ended the run: run again whenever you like. */
    CANCELLED,
    /** A run had more iterations of loops than {@link SessionOptions#maxIterations} allows: change the inputs or the limit. */
    TOO_MANY_ITERATIONS
  }

  private final Status status;

  NacreException(Status status, String reason) {
    super(reason);
    this.status = status;
  }

  /** Called by the native library, with a number of nacre_status. */
  NacreException(int status, byte[] reason) { this(statusOf(status), new String(reason, StandardCharsets.UTF_8)); }

  @NonNull
  public Status status() {
    return status;
  }

  private static Status statusOf(int number) {
    Status[] all = Status.values();
    return number >= 1 && number <= all.length ? all[number - 1] : Status.FAILED;
  }

  static NacreException badArgument(String reason) { return new NacreException(Status.BAD_ARGUMENT, reason); }
}
