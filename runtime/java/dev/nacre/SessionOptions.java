// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;
import androidx.annotation.Nullable;
import java.util.Objects;

/**
 * Options of a session. Defaults: the first entry, the device's big cores, and the GPU if the model has code for it and it
 * is useful.
 */
public final class SessionOptions {
  /** Selects the engines that may compute. */
  public enum Gpu {
    IF_USEFUL,
    NEVER,
    /** Creating a session fails without a GPU. */
    REQUIRED
  }

  String entry;
  String cacheFolder;
  String weightsFile;
  Log log;
  State state;
  boolean allEntries;
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

  /** The entry to run. Null: the first one. */
  @NonNull
  public SessionOptions entry(@Nullable String name) {
    entry = name;
    return this;
  }

  /**
   * The session has all entries of the model: {@link #entry} first, and {@link Session#use(String)} selects another. They share
   * state, threads and the memory of temporaries. Each has its own inputs and outputs, and on a GPU its own weights.
   */
  @NonNull
  public SessionOptions allEntries(boolean wanted) {
    allEntries = wanted;
    return this;
  }

  /** The number of threads, including the caller. 0: one per big core. */
  @NonNull
  public SessionOptions threads(int count) {
    threads = atLeast("threads", 0, count);
    return this;
  }

  /** Records times for {@link Session#profile}. */
  @NonNull
  public SessionOptions profile(boolean wanted) {
    profile = wanted;
    return this;
  }

  /** Receives causes of failures and choices of the session. Null: no log. */
  @NonNull
  public SessionOptions log(@Nullable Log listener) {
    log = listener;
    return this;
  }

  /**
   * A folder of the app, such as {@code context.getCodeCacheDir()}, that caches compiled GPU code and measurements between
   * sessions. Null: no cache.
   */
  @NonNull
  public SessionOptions cacheFolder(@Nullable String path) {
    cacheFolder = path;
    return this;
  }

  /**
   * The weights file of a model that was compiled with {@code --weights-in=file}. Creating the session maps it and checks it
   * by its hash; a file that is damaged or does not fit the library is refused with the status BAD_ARGUMENT. While a session
   * uses the file, write a new one under another name, then rename it. Null: the library contains the weights.
   */
  @NonNull
  public SessionOptions weightsFile(@Nullable String path) {
    weightsFile = path;
    return this;
  }

  /** A state that several sessions share. Null: the session has its own. */
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

  /** The GPU's share of every launch with GPU code, 0 to 100 percent, instead of the compiled one. */
  @NonNull
  public SessionOptions gpuShare(int percent) {
    if (percent > 100)
      throw NacreException.badArgument("gpuShare must be at most 100, but is " + percent);
    gpuCut = atLeast("gpuShare", 0, percent) + 1;
    return this;
  }

  /** The number of the GPU in {@link Model#devices}, counted from 0. */
  @NonNull
  public SessionOptions gpuDevice(int index) {
    gpuDevice = atLeast("gpuDevice", 0, index) + 1;
    return this;
  }

  /** In each phase, the CPU waits for the GPU; to measure or debug. */
  @NonNull
  public SessionOptions gpuSequential(boolean wanted) {
    gpuSequential = wanted;
    return this;
  }

  /** The CPU computes until the GPU is ready; no run waits for it. */
  @NonNull
  public SessionOptions gpuInBackground(boolean wanted) {
    gpuBackground = wanted;
    return this;
  }

  /** Compares each GPU kernel's result with the CPU's once, and disables kernels whose results differ on this device. */
  @NonNull
  public SessionOptions gpuSelfTest(boolean wanted) {
    gpuSelfTest = wanted;
    return this;
  }

  /** Measures both engines for about this long, and selects the fastest split. The cache folder keeps the result. */
  @NonNull
  public SessionOptions tuneMilliseconds(int budget) {
    tuneBudget = atLeast("tuneMilliseconds", 0, budget);
    return this;
  }

  /**
   * The maximum number of iterations of all loops in a run together. A run that exceeds it ends with the status
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
                       tuneBudget, maxIterations,         allEntries ? 1 : 0};
  }
}
