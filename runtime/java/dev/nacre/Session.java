// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;
import androidx.annotation.Nullable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A model that is ready to run, with its memory and threads. One thread at a time may use it; a second one gets an exception,
 * except in cancel(), which ends a run, and close(), which waits for its end.
 *
 * <p>Inputs and outputs are direct buffers that the model reads and writes without copies: the session's or the caller's.
 * The session's buffers are Java memory, so they can be used after the session is closed; no run writes them any more.
 */
public final class Session implements AutoCloseable {
  final Guard guard = new Guard("the session");
  private final Model model;
  private final int entry;
  private final Tensors inputs;
  private final Tensors outputs;
  private final State ownState;
  private final State sharedState;
  private final WeightsFile weights;
  private final Object life = new Object(); // held while the handle is let go, or used by cancel()
  private long handle;

  Session(Model model, SessionOptions options, String entryName) {
    this.model = model;
    entry = model.entryIndex(entryName);
    inputs = new Tensors("input", model.entries().get(entry).inputs());
    outputs = new Tensors("output", model.entries().get(entry).outputs());
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
      inputs.bindOwn();
      outputs.bindOwn();
    } catch (Throwable failure) {
      close();
      throw failure;
    }
  }

  /** The inputs or the outputs: their descriptions, and their Java memory. */
  private final class Tensors {
    final String what;
    final List<TensorInfo> infos;
    private final ByteBuffer[] own;
    private final ByteBuffer[] bound; // keeps buffers alive whose addresses the runtime has

    Tensors(String what, List<TensorInfo> infos) {
      this.what = what;
      this.infos = infos;
      own = new ByteBuffer[infos.size()];
      bound = new ByteBuffer[infos.size()];
    }

    TensorInfo info(int index) {
      if (index < 0 || index >= infos.size())
        throw NacreException.badArgument("the entry has " + infos.size() + " " + what + "s, so it has no number " +
                                         index);
      return infos.get(index);
    }

    int find(String name) {
      for (int i = 0; i < infos.size(); ++i)
        if (infos.get(i).name().equals(name))
          return i;
      throw NacreException.badArgument("the entry has no " + what + " '" + name + "'");
    }

    void bind(int index, ByteBuffer buffer, long address) {
      Native.bind(handle, this == outputs, index, address);
      bound[index] = buffer;
    }

    void bindCallers(int index, ByteBuffer buffer) {
      TensorInfo tensor = info(index);
      guard.enter();
      try {
        if (buffer == null) {
          bindOwn(index);
          return;
        }
        long address = Buffers.addressOf(what, buffer, tensor, this == outputs);
        ByteBuffer slice = buffer.slice();
        slice.limit((int)tensor.bytes());
        bind(index, slice, address);
      } finally {
        guard.leave();
      }
    }

    void bindOwn() {
      for (int i = 0; i < own.length; ++i)
        bindOwn(i);
    }

    private void bindOwn(int index) {
      if (own[index] == null)
        own[index] = Buffers.allocate(infos.get(index).bytes());
      bind(index, own[index], Buffers.address(own[index]));
    }

    ByteBuffer view(int index) {
      info(index);
      guard.enter();
      try {
        return bound[index].duplicate().order(ByteOrder.nativeOrder());
      } finally {
        guard.leave();
      }
    }

    FloatBuffer floats(int index) {
      Buffers.mustBeFloats(info(index));
      return view(index).asFloatBuffer();
    }
  }

  /** The inputs, in the order of their numbers. */
  @NonNull
  public List<TensorInfo> inputs() {
    return inputs.infos;
  }

  @NonNull
  public List<TensorInfo> outputs() {
    return outputs.infos;
  }

  /**
   * Returns the buffer of input number {@code index}, in native order; the same memory until another buffer is bound. No run
   * overwrites it.
   */
  @NonNull
  public ByteBuffer input(int index) {
    return inputs.view(index);
  }

  @NonNull
  public ByteBuffer input(@NonNull String name) {
    return inputs.view(inputs.find(name));
  }

  /** {@link #input(int)} for a float tensor. */
  @NonNull
  public FloatBuffer inputFloats(int index) {
    return inputs.floats(index);
  }

  @NonNull
  public FloatBuffer inputFloats(@NonNull String name) {
    return inputs.floats(inputs.find(name));
  }

  /**
   * Returns the buffer of output number {@code index}, in native order; the same memory until another buffer is bound.
   */
  @NonNull
  public ByteBuffer output(int index) {
    return outputs.view(index);
  }

  @NonNull
  public ByteBuffer output(@NonNull String name) {
    return outputs.view(outputs.find(name));
  }

  @NonNull
  public FloatBuffer outputFloats(int index) {
    return outputs.floats(index);
  }

  @NonNull
  public FloatBuffer outputFloats(@NonNull String name) {
    return outputs.floats(outputs.find(name));
  }

  /**
   * Lets later runs read the input from this buffer, from its position on, without a copy. The buffer must be direct, in native
   * order, and aligned to 64 bytes, like those of {@link Buffers#allocate} and of other sessions. Null restores the session's
   * own buffer.
   */
  public void bindInput(int index, @Nullable ByteBuffer buffer) { inputs.bindCallers(index, buffer); }

  public void bindInput(@NonNull String name, @Nullable ByteBuffer buffer) {
    inputs.bindCallers(inputs.find(name), buffer);
  }

  /** Like {@link #bindInput(int, ByteBuffer)}, but it must not overlap another bound buffer, which run() checks. */
  public void bindOutput(int index, @Nullable ByteBuffer buffer) { outputs.bindCallers(index, buffer); }

  public void bindOutput(@NonNull String name, @Nullable ByteBuffer buffer) {
    outputs.bindCallers(outputs.find(name), buffer);
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
    int rank = outputs.info(index).shape().length;
    guard.enter();
    try {
      return Native.outputShape(handle, index, rank);
    } finally {
      guard.leave();
    }
  }

  @NonNull
  public long[] outputShape(@NonNull String name) {
    return outputShape(outputs.find(name));
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
