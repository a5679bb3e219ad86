// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;
import java.nio.charset.StandardCharsets;

/** A failed call: its status and its cause. */
public final class NacreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The kind of failure, and the app's next step. */
  public enum Status {
    /** The call is always wrong: correct the app. */
    BAD_ARGUMENT,
    /** Free memory, then repeat the call. */
    OUT_OF_MEMORY,
    /** This device or version can never run this model: use another model. */
    UNSUPPORTED,
    /** The system failed, not the app: close the session; a new one may succeed. */
    FAILED,
    /** {@link Session#cancel} ended the run: run again at any time. */
    CANCELLED,
    /** The loops of a run exceeded {@link SessionOptions#maxIterations}: change the inputs or the limit. */
    TOO_MANY_ITERATIONS
  }

  private final Status status;

  NacreException(Status status, String reason) {
    super(reason);
    this.status = status;
  }

  /** The native library calls this with a number of nacre_status. */
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
