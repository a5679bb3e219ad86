// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;

/** What computes a session's runs, and what it took to make it ready. Times are nanoseconds. */
public final class SessionInfo {
  private final String device;
  private final String reason;
  private final long[] numbers;

  SessionInfo(Object[] description) {
    device = Native.text(description[0]);
    reason = Native.text(description[1]);
    numbers = (long[])description[2];
  }

  /** The GPU's name; empty where the CPU alone computes. */
  @NonNull
  public String device() {
    return device;
  }

  /** Why the latest call failed, or why the CPU computes what was placed on a GPU; empty where neither has happened. */
  @NonNull
  public String reason() {
    return reason;
  }

  /** The CPU's. */
  public int threads() { return (int)numbers[0]; }

  /** Launches of a run that the GPU computes, wholly or in part. */
  public int gpuLaunches() { return (int)numbers[1]; }

  /** The same of the CPU; 0 for both where the CPU alone computes. */
  public int cpuLaunches() { return (int)numbers[2]; }

  /** Batches of a run, between which the GPU waits for the CPU. */
  public int submissions() { return (int)numbers[3]; }

  /** Different pieces of GPU code. */
  public int pipelines() { return (int)numbers[4]; }

  public int barriers() { return (int)numbers[5]; }

  /** The GPU's memory that the session took. */
  public long gpuBytes() { return numbers[6]; }

  public long gpuOpenTime() { return numbers[7]; }

  public long gpuPipelinesTime() { return numbers[8]; }

  public long gpuWeightsTime() { return numbers[9]; }

  public long gpuRecordingTime() { return numbers[10]; }

  /** What self-test and tuning took. */
  public long gpuMeasuringTime() { return numbers[11]; }

  /** The session's one block of memory; buffers of Java come on top. */
  public long memoryBytes() { return numbers[12]; }
}
