// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import java.nio.Buffer;
import java.nio.charset.StandardCharsets;

/**
 * The methods of libnacre_jni.so. Handles are addresses, which callers must have checked. Texts are UTF-8; arguments end in
 * a 0.
 */
final class Native {
  /** Kinds of objects for describe(). */
  static final int MODEL = 0, ENTRY = 1, INPUT = 2, OUTPUT = 3, STATE = 4, LAUNCH = 5, DEVICE = 6;

  static { System.loadLibrary("nacre_jni"); }

  private Native() {}

  /** Returns why the system's loader must not open the file, as it would crash or misname the cause; null if it may. */
  static native byte[] problemOf(byte[] path);

  static native long open(byte[] path);

  /** Returns 0 if there is no such symbol. */
  static native long find(long library, byte[] symbol);

  static native void close(long library);

  /** Returns texts as bytes, then numbers as one or two arrays of long; null if there is no such device. */
  static native Object[] describe(long model, int kind, int entry, int index);

  /** Maps and checks a weights file. */
  static native long openWeights(long model, byte[] path);

  static native void closeWeights(long model, long weights);

  /** State and weights may be 0. */
  static native long create(long model, byte[] entry, byte[] cacheFolder, long[] settings, Log log, long state,
                            long weights);

  static native void destroy(long session);

  static native long address(Buffer buffer);

  static native void bind(long session, boolean output, int index, long address);

  static native void use(long session, int entry);

  static native void run(long session);

  /** Returns false if no run is in progress. */
  static native boolean cancel(long session);

  static native long[] outputShape(long session, int index, int rank);

  static native long[] launchTime(long session, int launch);

  static native Object[] describeSession(long session);

  static native long stateOf(long session);

  static native long createState(long model, long weights);

  static native void destroyState(long state);

  /** The address lies in the buffer, which is passed to keep it alive during the call. */
  static native void copyTensor(long state, int index, Buffer buffer, long address, long bytes, boolean writes);

  static native void resetState(long state, int roles);

  static native void copyState(long from, long to);

  static native void moveFile(long state, byte[] path, int roles, boolean saves);

  /** The native library calls this. */
  static void log(Log log, int level, byte[] message) {
    Log.Level[] levels = Log.Level.values();
    log.log(levels[Math.min(level, levels.length - 1)], text(message));
  }

  static String text(Object bytes) { return new String((byte[])bytes, StandardCharsets.UTF_8); }

  static byte[] bytes(String what, String text) {
    if (text.indexOf(0) >= 0)
      throw NacreException.badArgument(what + " must not contain the character 0");
    return (text + '\0').getBytes(StandardCharsets.UTF_8);
  }
}
