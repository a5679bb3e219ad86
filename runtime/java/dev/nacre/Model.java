// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;
import androidx.annotation.Nullable;
import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * A compiled model: a library that nacre-compile wrote. It is immutable; any thread may use it. Its library stays loaded
 * until the model and its sessions and states are closed.
 */
public final class Model implements AutoCloseable {
  final long handle;
  final Lifetime lifetime;
  private final String name;
  private final String compiler;
  private final String target;
  private final long weightBytes;
  private final long stateBytes;
  private final List<EntryInfo> entries;
  private final List<TensorInfo> states;

  private Model(long library, long handle) {
    this.handle = handle;
    lifetime = new Lifetime("the model", () -> Native.close(library));
    Object[] description = Native.describe(handle, Native.MODEL, 0, 0);
    name = Native.text(description[0]);
    compiler = Native.text(description[1]);
    target = Native.text(description[2]);
    long[] numbers = (long[])description[3];
    weightBytes = numbers[2];
    stateBytes = numbers[3];
    List<EntryInfo> all = new ArrayList<>();
    for (int i = 0; i < numbers[0]; ++i)
      all.add(new EntryInfo(handle, i));
    entries = Collections.unmodifiableList(all);
    states = EntryInfo.tensors(handle, Native.STATE, 0, (int)numbers[4]);
  }

  /**
   * Opens the app's library {@code lib<name>.so}, like System.loadLibrary. The model must have been compiled under this
   * name. A file is checked for damage, as {@link #open(String)} does. A library that Android maps from the APK is not
   * checked: Android verified the APK's signature, and so each byte, when it installed the app.
   *
   * @throws NacreException if it does not exist, is damaged, or is not a model that can be opened here.
   */
  @NonNull
  public static Model load(@NonNull String name) {
    return load(name, name);
  }

  /** Like {@link #load(String)}, for a model whose name differs from its library's. */
  @NonNull
  public static Model load(@NonNull String library, @NonNull String name) {
    return load(Model.class.getClassLoader(), library, name);
  }

  /** The same for the app's class loader. */
  static Model load(ClassLoader loader, String library, String name) {
    String file = System.mapLibraryName(library);
    // On Android, the loader finds the library. Other machines have library folders that only Java knows.
    for (String folder : System.getProperty("java.library.path", "").split(File.pathSeparator)) {
      File found = new File(folder, file);
      if (!folder.isEmpty() && found.isFile())
        return open(found.getPath(), name);
    }
    String path = pathOf(loader, library);
    if (path != null && new File(path).isFile())
      check(path);
    return openLibrary(file, file, name);
  }

  /** Returns where the app's library is, as Android's class loaders tell: a file, or {@code <apk>!/<entry>}. Others tell null. */
  private static String pathOf(ClassLoader loader, String library) {
    if (loader == null)
      return null;
    try {
      return (String)loader.getClass().getMethod("findLibrary", String.class).invoke(loader, library);
    } catch (ReflectiveOperationException notAndroid) {
      return null;
    }
  }

  /** Opens a library whose model is named like the file, without {@code lib} and {@code .so}. */
  @NonNull
  public static Model open(@NonNull String path) {
    String stem = new File(path).getName();
    if (stem.startsWith("lib"))
      stem = stem.substring(3);
    int dot = stem.lastIndexOf('.');
    return open(path, dot > 0 ? stem.substring(0, dot) : stem);
  }

  /** Opens a library whose model has another name, as set by {@code nacre-compile --name}. */
  @NonNull
  public static Model open(@NonNull String path, @NonNull String name) {
    File file = new File(path);
    if (!file.isFile())
      throw new NacreException(NacreException.Status.FAILED, "there is no file '" + path + "'");
    check(path);
    // The loader would search other folders for a path without a slash.
    return openLibrary(path, file.getAbsolutePath(), name);
  }

  /** Refuses a library that would end the process. */
  private static void check(String path) {
    byte[] problem = Native.problemOf(Native.bytes("the path", path));
    if (problem != null)
      throw new NacreException(NacreException.Status.UNSUPPORTED, "'" + path + "' " + Native.text(problem));
  }

  private static Model openLibrary(String shown, String path, String name) {
    byte[] bytes = Native.bytes("the path", path);
    String symbol = "nacre_model_" + identifier(Objects.requireNonNull(name));
    long library = Native.open(bytes);
    try {
      long model = Native.find(library, Native.bytes("the name", symbol));
      if (model == 0)
        throw new NacreException(NacreException.Status.UNSUPPORTED, "'" + shown + "' is not a model called '" + name +
                                                                        "': it has no symbol " + symbol +
                                                                        "; pass the name set by nacre-compile --name");
      return new Model(library, model);
    } catch (Throwable failure) {
      Native.close(library);
      throw failure;
    }
  }

  /** Returns the model name that nacre-compile derives from a file name. */
  private static String identifier(String name) {
    String identifier = name.replaceAll("[^A-Za-z0-9]", "_");
    return identifier.isEmpty() || Character.isDigit(identifier.charAt(0)) ? "_" + identifier : identifier;
  }

  @NonNull
  public String name() {
    return name;
  }

  /** The compiler and its version. */
  @NonNull
  public String compiler() {
    return compiler;
  }

  /** As given to {@code nacre-compile --target=}. */
  @NonNull
  public String target() {
    return target;
  }

  public long weightBytes() { return weightBytes; }

  public long stateBytes() { return stateBytes; }

  /** The entries, at least one. */
  @NonNull
  public List<EntryInfo> entries() {
    return entries;
  }

  /** @throws NacreException if there is no entry called {@code entryName}. */
  @NonNull
  public EntryInfo entry(@NonNull String entryName) {
    return entries.get(entryIndex(entryName));
  }

  /**
   * Returns the smallest entry whose input has room for a tensor of this shape, among those for several shapes
   * ({@code nacre-compile --shape}), such as {@code main@16} and {@code main@64}. Other inputs are not compared. If the entry is
   * larger, the app fills the rest of its inputs.
   *
   * @throws NacreException if no entry is large enough.
   */
  @NonNull
  public EntryInfo entryFor(@NonNull String input, @NonNull long... shape) {
    return entryFor(entries.get(0).commonName(), input, shape);
  }

  /** The same among the entries called {@code entryName}, or that and a shape after an {@code @}. */
  @NonNull
  public EntryInfo entryFor(@NonNull String entryName, @NonNull String input, @NonNull long... shape) {
    EntryInfo smallest = null;
    long least = Long.MAX_VALUE;
    StringBuilder known = new StringBuilder();
    for (EntryInfo entry : entries) {
      TensorInfo tensor = entry.commonName().equals(entryName) ? entry.input(input) : null;
      if (tensor == null)
        continue;
      known.append(known.length() == 0 ? "" : ", ").append(entry.name()).append(' ').append(Arrays.toString(tensor.shape()));
      if (tensor.hasRoomFor(shape) && tensor.elements() < least) {
        smallest = entry;
        least = tensor.elements();
      }
    }
    if (known.length() == 0)
      throw NacreException.badArgument("the model '" + name + "' has no entry '" + entryName + "' with an input '" + input + "'");
    if (smallest == null)
      throw NacreException.badArgument("no entry has room for " + Arrays.toString(shape) + " of input '" + input +
                                       "'; entries are " + known);
    return smallest;
  }

  int entryIndex(@Nullable String entryName) {
    if (entryName == null)
      return 0;
    for (int i = 0; i < entries.size(); ++i)
      if (entries.get(i).name().equals(entryName))
        return i;
    throw NacreException.badArgument("the model '" + name + "' has no entry '" + entryName + "'");
  }

  /** Returns the inputs of the first entry. */
  @NonNull
  public List<TensorInfo> inputs() {
    return entries.get(0).inputs();
  }

  /** Returns the outputs of the first entry. */
  @NonNull
  public List<TensorInfo> outputs() {
    return entries.get(0).outputs();
  }

  /** The tensors of its state; empty if it has no state. */
  @NonNull
  public List<TensorInfo> states() {
    return states;
  }

  /** The GPUs of this machine, if the model has GPU code. The call loads Vulkan. */
  @NonNull
  public List<DeviceInfo> devices() {
    lifetime.acquire();
    try {
      List<DeviceInfo> devices = new ArrayList<>();
      for (Object[] description; (description = Native.describe(handle, Native.DEVICE, 0, devices.size())) != null;)
        devices.add(new DeviceInfo(description));
      return Collections.unmodifiableList(devices);
    } finally {
      lifetime.release();
    }
  }

  /** Creates a session with default options. */
  @NonNull
  public Session newSession() {
    return newSession(new SessionOptions());
  }

  @NonNull
  public Session newSession(@NonNull SessionOptions options) {
    return new Session(this, options, options.entry);
  }

  /** Creates a state that sessions of this model can share: one trains, another serves from a copy. */
  @NonNull
  public State newState() {
    return newState(new SessionOptions());
  }

  /** Uses only the options' weights file. */
  @NonNull
  public State newState(@NonNull SessionOptions options) {
    return new State(this, options.weightsFile);
  }

  /** May be called twice. Sessions remain usable. */
  @Override
  public void close() {
    lifetime.close();
  }
}
