// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** An entry, one way to run a model, with its inputs and outputs. */
public final class EntryInfo {
  private final String name;
  private final List<TensorInfo> inputs;
  private final List<TensorInfo> outputs;
  private final int launches;
  private final long arenaBytes;

  EntryInfo(long model, int entry) {
    Object[] description = Native.describe(model, Native.ENTRY, entry, 0);
    name = Native.text(description[0]);
    long[] numbers = (long[])description[1];
    inputs = tensors(model, Native.INPUT, entry, (int)numbers[0]);
    outputs = tensors(model, Native.OUTPUT, entry, (int)numbers[1]);
    launches = (int)numbers[2];
    arenaBytes = numbers[3];
  }

  static List<TensorInfo> tensors(long model, int kind, int entry, int count) {
    List<TensorInfo> tensors = new ArrayList<>(count);
    for (int i = 0; i < count; ++i)
      tensors.add(new TensorInfo(Native.describe(model, kind, entry, i)));
    return Collections.unmodifiableList(tensors);
  }

  @NonNull
  public String name() {
    return name;
  }

  /** The name that entries for several shapes share: {@code main} of {@code main@16} and {@code main@64}. */
  String commonName() {
    int at = name.indexOf('@');
    return at < 0 ? name : name.substring(0, at);
  }

  @NonNull
  public List<TensorInfo> inputs() {
    return inputs;
  }

  /** Returns null if there is no such input. */
  TensorInfo input(String inputName) {
    for (TensorInfo input : inputs)
      if (input.name().equals(inputName))
        return input;
    return null;
  }

  @NonNull
  public List<TensorInfo> outputs() {
    return outputs;
  }

  /** The number of launches, the steps of the schedule that compute. */
  public int launches() { return launches; }

  /** The bytes of temporaries. */
  public long arenaBytes() { return arenaBytes; }
}
