// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * What a model remembers from run to run. Files are safetensors, as of {@code nacre/state.h}: they move between devices.
 * In one call or run at a time; another gets an exception and changes nothing.
 */
public final class State implements AutoCloseable {
  /** What a network remembers of the inputs so far. Roles can be added up. */
  public static final int RECURRENT = 1;
  /** What training changes. */
  public static final int WEIGHT = 2;
  /** What an optimizer keeps of gradients. */
  public static final int MOMENT = 4;
  /** Running means and variances. */
  public static final int STATISTIC = 8;
  /** How many steps there were. */
  public static final int COUNTER = 16;
  /** All roles, also those of later versions. */
  public static final int ALL = -1;

  private final Model model;
  private final Guard guard;
  private final long handle;
  private final Lifetime lifetime;

  /** One to share. */
  State(Model model) {
    this.model = model;
    model.lifetime.acquire();
    try {
      handle = Native.createState(model.handle);
    } catch (Throwable failure) {
      model.lifetime.release();
      throw failure;
    }
    guard = new Guard("the state");
    long mine = handle;
    lifetime = new Lifetime("the state", () -> {
      Native.destroyState(mine);
      model.lifetime.release();
    });
  }

  /** That of a session, whose guard it has. */
  State(Model model, Guard guard, long handle) {
    this.model = model;
    this.guard = guard;
    this.handle = handle;
    lifetime = null;
  }

  /** For a session, until it releases it. */
  long acquireFor(Model sessions) {
    if (lifetime == null)
      throw NacreException.badArgument(
          "the state is a session's own, and cannot be shared; make one by Model.newState");
    if (sessions != model)
      throw NacreException.badArgument("the state must be of the session's model");
    lifetime.acquire();
    return handle;
  }

  void release() { lifetime.release(); }

  /** Its tensors, as {@link Model#states}. */
  @NonNull
  public List<TensorInfo> tensors() {
    return model.states();
  }

  /** Copies a tensor into a direct buffer of its bytes, from the position on. */
  public void read(@NonNull String name, @NonNull ByteBuffer buffer) { copy(name, buffer, false); }

  /** Makes a tensor what a direct buffer holds, for the next run. */
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

  /** Makes all of it what it was at first. */
  public void reset() { reset(ALL); }

  public void reset(int roles) { use(() -> Native.resetState(handle, roles)); }

  /** Saves all of it. A file of that name is replaced in one step, when the new one is safe on its disk. */
  public void save(@NonNull String path) { save(path, ALL); }

  public void save(@NonNull String path, int roles) {
    byte[] bytes = Native.bytes("the path", path);
    use(() -> Native.moveFile(handle, bytes, roles, true));
  }

  /** Loads all of it. What is damaged or does not fit is refused before a byte changes. */
  public void load(@NonNull String path) { load(path, ALL); }

  public void load(@NonNull String path, int roles) {
    byte[] bytes = Native.bytes("the path", path);
    use(() -> Native.moveFile(handle, bytes, roles, false));
  }

  /** Makes all of this state what another of the same model is. */
  public void copyFrom(@NonNull State other) {
    if (other.model != model)
      throw NacreException.badArgument("the states must be of one model");
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

  /** Returns its memory when no session has it any more. A session's own goes with the session. */
  @Override
  public void close() {
    if (lifetime != null)
      lifetime.close();
  }
}
