// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;
import androidx.annotation.Nullable;
import java.util.Objects;

/**
 * How a session is made. What is not set is as the runtime thinks best: the first entry, the device's big cores, the GPU
 * where the model has code for it and it is useful.
 */
public final class SessionOptions {
  /** Which engine may compute. */
  public enum Gpu {
    IF_USEFUL,
    NEVER,
    /** The session cannot be made where there is none. */
    REQUIRED
  }

  String entry;
  String cacheFolder;
  Log log;
  State state;
  private Gpu gpu = Gpu.IF_USEFUL;
  private int threads;
  private int gpuCut;
  private int gpuDevice;
  private int tuneBudget;
  private long maxIterations;
  private boolean profile;
  private boolean gpuSequential;
  private boolean gpuBackground;
  private boolean gpuSelfTest;

  /** The entry to run; null: the first. */
  @NonNull
  public SessionOptions entry(@Nullable String name) {
    entry = name;
    return this;
  }

  /** How many threads compute, the calling one counted; 0: the device's big cores. */
  @NonNull
  public SessionOptions threads(int count) {
    threads = atLeast("threads", 0, count);
    return this;
  }

  /** Lets {@link Session#profile} tell what each launch cost. */
  @NonNull
  public SessionOptions profile(boolean wanted) {
    profile = wanted;
    return this;
  }

  /** Told why calls fail and what is chosen; null: nobody. */
  @NonNull
  public SessionOptions log(@Nullable Log listener) {
    log = listener;
    return this;
  }

  /**
   * A folder of the app, such as {@code context.getCodeCacheDir()}, where compiled GPU code and what was measured is kept
   * from one session to the next; null: nowhere.
   */
  @NonNull
  public SessionOptions cacheFolder(@Nullable String path) {
    cacheFolder = path;
    return this;
  }

  /** A state that several sessions share; null: the session has its own. */
  @NonNull
  public SessionOptions state(@Nullable State shared) {
    state = shared;
    return this;
  }

  @NonNull
  public SessionOptions gpu(@NonNull Gpu choice) {
    gpu = Objects.requireNonNull(choice);
    return this;
  }

  /** The GPU's share of every launch that it has code for, 0 to 100 percent, in place of what was compiled. */
  @NonNull
  public SessionOptions gpuShare(int percent) {
    if (percent > 100)
      throw NacreException.badArgument("gpuShare must be at most 100, but is " + percent);
    gpuCut = atLeast("gpuShare", 0, percent) + 1;
    return this;
  }

  /** That of {@link Model#devices} to use, counted from 0. */
  @NonNull
  public SessionOptions gpuDevice(int index) {
    gpuDevice = atLeast("gpuDevice", 0, index) + 1;
    return this;
  }

  /** First the GPU's part of each phase, then the CPU's; to measure or debug. */
  @NonNull
  public SessionOptions gpuSequential(boolean wanted) {
    gpuSequential = wanted;
    return this;
  }

  /** The CPU computes until the GPU is ready, which no run waits for. */
  @NonNull
  public SessionOptions gpuInBackground(boolean wanted) {
    gpuBackground = wanted;
    return this;
  }

  /** Compares each of the GPU's kernels with the CPU's once, and does without those that are wrong on this device. */
  @NonNull
  public SessionOptions gpuSelfTest(boolean wanted) {
    gpuSelfTest = wanted;
    return this;
  }

  /** Measures both engines for about so long, and shares the work as is fastest. Kept in the cache folder. */
  @NonNull
  public SessionOptions tuneMilliseconds(int budget) {
    tuneBudget = atLeast("tuneMilliseconds", 0, budget);
    return this;
  }

  /**
   * The most iterations of loops, all together, that a run may finish; one that goes on ends with the status
   * TOO_MANY_ITERATIONS. 0: no limit.
   */
  @NonNull
  public SessionOptions maxIterations(long most) {
    if (most < 0)
      throw NacreException.badArgument("maxIterations must be at least 0, but is " + most);
    maxIterations = most;
    return this;
  }

  private static int atLeast(String what, int least, int value) {
    if (value < least)
      throw NacreException.badArgument(what + " must be at least " + least + ", but is " + value);
    return value;
  }

  /** In the order of jni/session.cpp. */
  long[] settings() {
    return new long[] {threads,   profile ? 1 : 0,       gpu.ordinal(),         gpuCut,
                       gpuDevice, gpuSequential ? 1 : 0, gpuBackground ? 1 : 0, gpuSelfTest ? 1 : 0,
                       tuneBudget, maxIterations};
  }
}
