// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;

/** The times of a launch in the latest run, in nanoseconds. A launch in a loop is executed several times. */
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

  /** The time from the start of the run to its first execution. */
  public long begin() { return numbers[0]; }

  /** The sum over its executions; if both engines compute, the longer of both times. */
  public long total() { return numbers[1]; }

  public long executions() { return numbers[2]; }

  public long cpuTotal() { return numbers[3]; }

  public long gpuTotal() { return numbers[4]; }

  /** The CPU's share of the cut axis, in elements. */
  public long cpuShare() { return numbers[5]; }

  public long gpuShare() { return numbers[6]; }

  /** The length of the cut axis. */
  public long cutExtent() { return numbers[7]; }

  @Override
  @NonNull
  public String toString() {
    return name + ": " + total() + " ns";
  }
}
