// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;

/** A GPU, real or emulated, as a model's runtime sees it. */
public final class DeviceInfo {
  private final String name;
  private final String report;
  private final long[] numbers;

  DeviceInfo(Object[] description) {
    name = Native.text(description[0]);
    report = Native.text(description[1]);
    numbers = (long[])description[2];
  }

  @NonNull
  public String name() {
    return name;
  }

  /** Lists the features found and missing. */
  @NonNull
  public String report() {
    return report;
  }

  /** 0: Vulkan 1.1 with fp32; 1: also fp16; 2: also cooperative matrices. */
  public int tier() { return (int)numbers[0]; }

  public boolean isUsable() { return numbers[1] != 0; }

  /** Whether it shares memory with the CPU. */
  public boolean isUnified() { return numbers[2] != 0; }

  /** Whether it is emulated on the CPU. */
  public boolean isCpu() { return numbers[3] != 0; }
}
