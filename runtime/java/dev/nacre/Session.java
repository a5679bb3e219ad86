// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;
import androidx.annotation.Nullable;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * A model that is ready to run, with its memory and threads. One thread at a time may use it; a second one gets an exception,
 * except in cancel(), which ends a run, and close(), which waits for its end.
 *
 * <p>Inputs and outputs are direct buffers that the model reads and writes without copies: the session's or the caller's.
 * The session's buffers are Java memory, so they can be used after the session is closed; no run writes them any more.
 *
 * <p>A session has one entry of the model, or all of them ({@link SessionOptions#allEntries}). All calls concern the entry in
 * use, but each entry keeps its buffers while another one is in use.
 */
public final class Session implements AutoCloseable {
  final Guard guard = new Guard("the session");
  private final Model model;
  private final Tensors[] inputs; // of each entry of the model; null for those that the session does not have
  private final Tensors[] outputs;
  private final State ownState;
  private final State sharedState;
  private final WeightsFile weights;
  private final Object life = new Object(); // held while the handle is let go, or used by cancel()
  private long handle;
  private volatile int entry; // the number of the entry in use

  Session(Model model, SessionOptions options, String entryName) {
    this.model = model;
    entry = model.entryIndex(entryName);
    inputs = new Tensors[model.entries().size()];
    outputs = new Tensors[model.entries().size()];
    sharedState = options.state;
    byte[] entryBytes = Native.bytes("the entry", model.entries().get(entry).name());
    byte[] cache = options.cacheFolder == null ? null : Native.bytes("the cache folder", options.cacheFolder);
    model.lifetime.acquire();
    try {
      weights = WeightsFile.open(model, options.weightsFile);
      try {
        long state = sharedState == null ? 0 : sharedState.acquireFor(model);
        try {
          handle =
              Native.create(model.handle, entryBytes, cache, options.settings(), options.log, state, weights.handle);
        } catch (Throwable failure) {
          if (sharedState != null)
            sharedState.release();
          throw failure;
        }
      } catch (Throwable failure) {
        weights.close();
        throw failure;
      }
    } catch (Throwable failure) {
      model.lifetime.release();
      throw failure;
    }
    ownState =
        sharedState == null && !model.states().isEmpty() ? new State(model, guard, Native.stateOf(handle)) : null;
    try {
      bindOwn(options.allEntries);
    } catch (Throwable failure) {
      close();
      throw failure;
    }
  }

  private void bindOwn(boolean allEntries) {
    int first = entry;
    for (int i = 0; i < inputs.length; ++i) {
      if (i != first && !allEntries)
        continue;
      EntryInfo info = model.entries().get(i);
      inputs[i] = new Tensors(this, false, info.inputs());
      outputs[i] = new Tensors(this, true, info.outputs());
      switchTo(i);
      inputs[i].bindOwn();
      outputs[i].bindOwn();
    }
    switchTo(first);
  }

  private void switchTo(int number) {
    if (number == entry)
      return;
    Native.use(handle, number);
    entry = number;
  }

  long handle() { return handle; }

  /** Enters the guard for tensors of the entry in use. Another thread may have switched since this one found them. */
  void enter(Tensors tensors) {
    guard.enter();
    if (tensors == inputs[entry] || tensors == outputs[entry])
      return;
    guard.leave();
    throw NacreException.badArgument("the session is in use by another thread; use it from one thread at a time");
  }

  /** The entry in use: that of the options, or of the latest {@link #use(String)}. */
  @NonNull
  public EntryInfo entry() {
    return model.entries().get(entry);
  }

  /**
   * Lets later calls concern another entry, such as {@code train}. Each entry keeps its buffers, also bound ones. Allocates
   * nothing.
   *
   * @throws NacreException if there is no such entry, or the session was created without {@link SessionOptions#allEntries}.
   */
  public void use(@NonNull String entryName) { use(model.entryIndex(Objects.requireNonNull(entryName))); }

  /** The same for an entry of {@link Model#entries()} or {@link Model#entryFor(String, long...)}. */
  public void use(@NonNull EntryInfo other) { use(model.entries().indexOf(Objects.requireNonNull(other))); }

  private void use(int number) {
    if (number < 0)
      throw NacreException.badArgument("the entry belongs to another model");
    guard.enter();
    try {
      if (inputs[number] == null)
        throw NacreException.badArgument("the session has only the entry '" + entry().name() +
                                         "'; create it with allEntries(true)");
      switchTo(number);
    } finally {
      guard.leave();
    }
  }

  /** The inputs, in the order of their numbers. */
  @NonNull
  public List<TensorInfo> inputs() {
    return inputs[entry].infos;
  }

  @NonNull
  public List<TensorInfo> outputs() {
    return outputs[entry].infos;
  }

  /**
   * Returns the buffer of input number {@code index}, in native order; the same memory until another buffer is bound. No run
   * overwrites it.
   */
  @NonNull
  public ByteBuffer input(int index) {
    return inputs[entry].view(index);
  }

  @NonNull
  public ByteBuffer input(@NonNull String name) {
    return inputs[entry].view(name);
  }

  /** {@link #input(int)} for a float tensor. */
  @NonNull
  public FloatBuffer inputFloats(int index) {
    return inputs[entry].floats(index);
  }

  @NonNull
  public FloatBuffer inputFloats(@NonNull String name) {
    return inputs[entry].floats(name);
  }

  /**
   * Returns the buffer of output number {@code index}, in native order; the same memory until another buffer is bound.
   */
  @NonNull
  public ByteBuffer output(int index) {
    return outputs[entry].view(index);
  }

  @NonNull
  public ByteBuffer output(@NonNull String name) {
    return outputs[entry].view(name);
  }

  @NonNull
  public FloatBuffer outputFloats(int index) {
    return outputs[entry].floats(index);
  }

  @NonNull
  public FloatBuffer outputFloats(@NonNull String name) {
    return outputs[entry].floats(name);
  }

  /**
   * Lets later runs read the input from this buffer, from its position on, without a copy. The buffer must be direct, in native
   * order, and aligned to 64 bytes, like those of {@link Buffers#allocate} and of other sessions. Null restores the session's
   * own buffer.
   */
  public void bindInput(int index, @Nullable ByteBuffer buffer) { inputs[entry].bindCallers(index, buffer); }

  public void bindInput(@NonNull String name, @Nullable ByteBuffer buffer) {
    inputs[entry].bindCallers(name, buffer);
  }

  /** Like {@link #bindInput(int, ByteBuffer)}, but it must not overlap another bound buffer, which run() checks. */
  public void bindOutput(int index, @Nullable ByteBuffer buffer) { outputs[entry].bindCallers(index, buffer); }

  public void bindOutput(@NonNull String name, @Nullable ByteBuffer buffer) {
    outputs[entry].bindCallers(name, buffer);
  }

  /** Computes the outputs from the inputs, and returns when they are complete. Allocates nothing. */
  public void run() {
    guard.enter();
    try {
      Native.run(handle);
    } finally {
      guard.leave();
    }
  }

  /**
   * Cancels the run of another thread, which gets an exception with the status CANCELLED after the current launch. The
   * state is unchanged, and the session can run again. A run that has begun to write the state continues to its end.
   *
   * @return false if no run is in progress: later runs are not affected.
   */
  public boolean cancel() {
    synchronized (life) {
      return handle != 0 && Native.cancel(handle);
    }
  }

  /** Returns an output's shape after the latest run; it equals that of its info, except along open axes. */
  @NonNull
  public long[] outputShape(int index) {
    return outputs[entry].shape(index);
  }

  @NonNull
  public long[] outputShape(@NonNull String name) {
    return outputs[entry].shape(name);
  }

  /**
   * Returns the times of each launch in the latest run, in the order of execution.
   *
   * @throws NacreException if there was no run, or the session was created without {@link SessionOptions#profile}.
   */
  @NonNull
  public List<LaunchTime> profile() {
    guard.enter();
    try {
      List<LaunchTime> times = new ArrayList<>();
      for (int i = 0, count = model.entries().get(entry).launches(); i < count; ++i)
        times.add(new LaunchTime(Native.describe(model.handle, Native.LAUNCH, entry, i), Native.launchTime(handle, i)));
      return Collections.unmodifiableList(times);
    } finally {
      guard.leave();
    }
  }

  /** Describes the engines and threads of this session. */
  @NonNull
  public SessionInfo info() {
    guard.enter();
    try {
      return new SessionInfo(Native.describeSession(handle));
    } finally {
      guard.leave();
    }
  }

  /**
   * Returns the state: the session's own, which lives as long as the session, or that of the options.
   *
   * @throws NacreException if the model has no state.
   */
  @NonNull
  public State state() {
    State state = sharedState != null ? sharedState : ownState;
    if (state == null)
      throw NacreException.badArgument("the model '" + model.name() + "' has no state");
    return state;
  }

  /** Waits for a run to end, joins the threads and returns the memory. May be called twice. */
  @Override
  public void close() {
    if (!guard.close())
      return;
    synchronized (life) {
      Native.destroy(handle);
      handle = 0;
    }
    if (sharedState != null)
      sharedState.release();
    weights.close();
    model.lifetime.release();
  }
}
