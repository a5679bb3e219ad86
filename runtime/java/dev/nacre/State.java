// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The state that a model keeps between runs. Files are safetensors, as in {@code nacre/state.h}; they can be moved between
 * devices. One call or run at a time can use a state; a second one throws an exception and changes nothing.
 */
public final class State implements AutoCloseable {
  /** The memory of a recurrent network. Roles can be added. */
  public static final int RECURRENT = 1;
  /** Trained weights. */
  public static final int WEIGHT = 2;
  /** Moments of an optimizer. */
  public static final int MOMENT = 4;
  /** Running means and variances. */
  public static final int STATISTIC = 8;
  /** The number of training steps. */
  public static final int COUNTER = 16;
  /** All roles, including those of later versions. */
  public static final int ALL = -1;

  private final Model model;
  private final Guard guard;
  private final long handle;
  private final Lifetime lifetime;

  /** Creates a state to share. */
  State(Model model, String weightsPath) {
    this.model = model;
    model.lifetime.acquire();
    WeightsFile weights;
    try {
      weights = WeightsFile.open(model, weightsPath);
      try {
        handle = Native.createState(model.handle, weights.handle);
      } catch (Throwable failure) {
        weights.close();
        throw failure;
      }
    } catch (Throwable failure) {
      model.lifetime.release();
      throw failure;
    }
    guard = new Guard("the state");
    long mine = handle;
    lifetime = new Lifetime("the state", () -> {
      Native.destroyState(mine);
      weights.close();
      model.lifetime.release();
    });
  }

  /** Creates the state of a session, whose guard it uses. */
  State(Model model, Guard guard, long handle) {
    this.model = model;
    this.guard = guard;
    this.handle = handle;
    lifetime = null;
  }

  /** Retains the state for a session, until the session releases it. */
  long acquireFor(Model sessions) {
    if (lifetime == null)
      throw NacreException.badArgument(
          "the state belongs to a session and cannot be shared; create one with Model.newState");
    if (sessions != model)
      throw NacreException.badArgument("the state must belong to the session's model");
    lifetime.acquire();
    return handle;
  }

  void release() { lifetime.release(); }

  /** Its tensors, like {@link Model#states}. */
  @NonNull
  public List<TensorInfo> tensors() {
    return model.states();
  }

  /** Copies a tensor into a direct buffer of its size, from the position on. */
  public void read(@NonNull String name, @NonNull ByteBuffer buffer) { copy(name, buffer, false); }

  /** Sets a tensor to the contents of a direct buffer, for the next run. */
  public void write(@NonNull String name, @NonNull ByteBuffer buffer) { copy(name, buffer, true); }

  private void copy(String name, ByteBuffer buffer, boolean writes) {
    int index = find(name);
    TensorInfo tensor = tensors().get(index);
    long address = Buffers.addressOf("the state", buffer, tensor, !writes);
    use(() -> Native.copyTensor(handle, index, buffer, address, tensor.bytes(), writes));
  }

  private int find(String name) {
    List<TensorInfo> all = tensors();
    for (int i = 0; i < all.size(); ++i)
      if (all.get(i).name().equals(name))
        return i;
    throw NacreException.badArgument("the model has no state '" + name + "'");
  }

  /** Resets all tensors to their initial values. */
  public void reset() { reset(ALL); }

  public void reset(int roles) { use(() -> Native.resetState(handle, roles)); }

  /** Saves all tensors. The new file is written completely to disk and then replaces an old one atomically. */
  public void save(@NonNull String path) { save(path, ALL); }

  public void save(@NonNull String path, int roles) {
    byte[] bytes = Native.bytes("the path", path);
    use(() -> Native.moveFile(handle, bytes, roles, true));
  }

  /** Loads all tensors. A file that is damaged or does not match is refused before a byte changes. */
  public void load(@NonNull String path) { load(path, ALL); }

  public void load(@NonNull String path, int roles) {
    byte[] bytes = Native.bytes("the path", path);
    use(() -> Native.moveFile(handle, bytes, roles, false));
  }

  /** Copies another state of the same model to this one. */
  public void copyFrom(@NonNull State other) {
    if (other.model != model)
      throw NacreException.badArgument("the states must belong to the same model");
    if (other != this)
      other.use(() -> use(() -> Native.copyState(other.handle, handle)));
  }

  private void use(Runnable call) {
    if (lifetime != null)
      lifetime.acquire();
    try {
      guard.enter();
      try {
        call.run();
      } finally {
        guard.leave();
      }
    } finally {
      if (lifetime != null)
        lifetime.release();
    }
  }

  /** Frees its memory when no session uses it any more. A session's own state is freed with the session. */
  @Override
  public void close() {
    if (lifetime != null)
      lifetime.close();
  }
}
