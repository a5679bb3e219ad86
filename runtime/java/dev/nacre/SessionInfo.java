// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;

/** The engines of a session, and the cost of creating it. Times are nanoseconds. */
public final class SessionInfo {
  private final String device;
  private final String reason;
  private final long[] numbers;

  SessionInfo(Object[] description) {
    device = Native.text(description[0]);
    reason = Native.text(description[1]);
    numbers = (long[])description[2];
  }

  /** The GPU's name; empty if only the CPU computes. */
  @NonNull
  public String device() {
    return device;
  }

  /** The cause of the latest failure, or of using the CPU instead of the GPU; empty if neither has happened. */
  @NonNull
  public String reason() {
    return reason;
  }

  /** The CPU threads. */
  public int threads() { return (int)numbers[0]; }

  /** The launches per run that the GPU computes, wholly or in part. */
  public int gpuLaunches() { return (int)numbers[1]; }

  /** The same for the CPU; both are 0 if only the CPU computes. */
  public int cpuLaunches() { return (int)numbers[2]; }

  /** The batches per run, between which the GPU waits for the CPU. */
  public int submissions() { return (int)numbers[3]; }

  /** The number of different GPU pipelines. */
  public int pipelines() { return (int)numbers[4]; }

  public int barriers() { return (int)numbers[5]; }

  /** The GPU memory of the session. */
  public long gpuBytes() { return numbers[6]; }

  public long gpuOpenTime() { return numbers[7]; }

  public long gpuPipelinesTime() { return numbers[8]; }

  public long gpuWeightsTime() { return numbers[9]; }

  public long gpuRecordingTime() { return numbers[10]; }

  /** The time of self-test and tuning. */
  public long gpuMeasuringTime() { return numbers[11]; }

  /** The session's block of memory; Java buffers are additional. */
  public long memoryBytes() { return numbers[12]; }

  /** The engines, such as {@code CPU, 4 threads}, {@code GPU: Mali-G610}, or {@code GPU: Mali-G610, and CPU, 4 threads}; then the reason. */
  @Override
  @NonNull
  public String toString() {
    String cpu = "CPU, " + threads() + (threads() == 1 ? " thread" : " threads");
    String engines = device.isEmpty() ? cpu : "GPU: " + device + (cpuLaunches() == 0 ? "" : ", and " + cpu);
    return reason.isEmpty() ? engines : engines + " (" + reason + ")";
  }
}
