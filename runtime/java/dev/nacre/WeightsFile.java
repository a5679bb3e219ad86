// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

/** A mapped weights file, for a session or a state of a model that was compiled with --weights-in=file. */
final class WeightsFile {
  private final Model model;
  final long handle;

  private WeightsFile(Model model, long handle) {
    this.model = model;
    this.handle = handle;
  }

  /** The caller must have acquired the model. Null: no file, for a model whose library contains its weights. */
  static WeightsFile open(Model model, String path) {
    long handle = path == null ? 0 : Native.openWeights(model.handle, Native.bytes("the weights file", path));
    return new WeightsFile(model, handle);
  }

  /** Once, when nothing reads the weights any more. */
  void close() {
    if (handle != 0)
      Native.closeWeights(model.handle, handle);
  }
}
