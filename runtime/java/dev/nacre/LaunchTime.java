// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;

/** What one launch cost in the latest run, in nanoseconds. In a loop it is executed several times. */
public final class LaunchTime {
  private final String name;
  private final String kernel;
  private final String kind;
  private final long[] numbers;

  LaunchTime(Object[] description, long[] numbers) {
    name = Native.text(description[0]);
    kernel = Native.text(description[1]);
    kind = Native.text(description[2]);
    this.numbers = numbers;
  }

  /** The model's nodes that it computes. */
  @NonNull
  public String name() {
    return name;
  }

  /** The code that it runs. */
  @NonNull
  public String kernel() {
    return kernel;
  }

  /** Contraction, nest, row and so on. */
  @NonNull
  public String kind() {
    return kind;
  }

  /** When it was first executed, from the start of the run. */
  public long begin() { return numbers[0]; }

  /** Of all its executions; where both engines computed, the longer of theirs. */
  public long total() { return numbers[1]; }

  public long executions() { return numbers[2]; }

  public long cpuTotal() { return numbers[3]; }

  public long gpuTotal() { return numbers[4]; }

  /** How much of the cut axis the CPU computed. */
  public long cpuShare() { return numbers[5]; }

  public long gpuShare() { return numbers[6]; }

  /** The whole axis. */
  public long cutExtent() { return numbers[7]; }

  @Override
  @NonNull
  public String toString() {
    return name + ": " + total() + " ns";
  }
}
