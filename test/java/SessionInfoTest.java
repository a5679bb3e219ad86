// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/** How the engines of a session are named. */
public class SessionInfoTest {
  private static String text(String device, String reason, int threads, int gpuLaunches, int cpuLaunches) {
    long[] numbers = new long[13];
    numbers[0] = threads;
    numbers[1] = gpuLaunches;
    numbers[2] = cpuLaunches;
    return new SessionInfo(new Object[] {device.getBytes(), reason.getBytes(), numbers}).toString();
  }

  @Test
  public void namesTheEngines() {
    assertEquals("CPU, 1 thread", text("", "", 1, 0, 0));
    assertEquals("CPU, 4 threads (no GPU was found)", text("", "no GPU was found", 4, 0, 0));
    assertEquals("GPU: Mali-G610", text("Mali-G610", "", 4, 14, 0));
    assertEquals("GPU: Mali-G610, and CPU, 4 threads", text("Mali-G610", "", 4, 12, 2));
  }
}
