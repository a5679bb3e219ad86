// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;

/** Base of the classes that nacre-package writes: an entry of a model and a session of it. */
public abstract class CompiledModel implements AutoCloseable {
  private final Model model;
  private final Session session;
  private final boolean closesModel;

  /** Opens the app's library {@code lib<library>.so}; close() closes it. */
  protected CompiledModel(@NonNull String library, @NonNull String name, @NonNull String entry,
                          @NonNull SessionOptions options) {
    model = Model.load(library, name);
    closesModel = true;
    try {
      session = new Session(model, options, entry);
    } catch (Throwable failure) {
      model.close();
      throw failure;
    }
  }

  /** Creates another session of a model, which remains the caller's. */
  protected CompiledModel(@NonNull Model model, @NonNull String entry, @NonNull SessionOptions options) {
    this.model = model;
    closesModel = false;
    session = new Session(model, options, entry);
  }

  @NonNull
  public final Model model() {
    return model;
  }

  @NonNull
  public final Session session() {
    return session;
  }

  /** Computes the outputs from the inputs. */
  public final void run() { session.run(); }

  @Override
  public final void close() {
    session.close();
    if (closesModel)
      model.close();
  }
}
