// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import java.nio.Buffer;
import java.nio.charset.StandardCharsets;

/**
 * The methods of libnacre_jni.so. Handles are addresses, so whoever calls has checked what they are; texts are UTF-8, and
 * end in a 0 on their way in.
 */
final class Native {
  /** What describe() tells of. */
  static final int MODEL = 0, ENTRY = 1, INPUT = 2, OUTPUT = 3, STATE = 4, LAUNCH = 5, DEVICE = 6;

  static { System.loadLibrary("nacre_jni"); }

  private Native() {}

  static native long open(byte[] path);

  /** 0 where there is no such symbol. */
  static native long find(long library, byte[] symbol);

  static native void close(long library);

  /** Texts as bytes, then numbers as one array of long; null where there is no such device. */
  static native Object[] describe(long model, int kind, int entry, int index);

  static native long create(long model, byte[] entry, byte[] cacheFolder, long[] settings, Log log, long state);

  static native void destroy(long session);

  static native long address(Buffer buffer);

  static native void bind(long session, boolean output, int index, long address);

  static native void run(long session);

  /** False where no run is in progress. */
  static native boolean cancel(long session);

  static native long[] outputShape(long session, int index, int rank);

  static native long[] launchTime(long session, int launch);

  static native Object[] describeSession(long session);

  static native long stateOf(long session);

  static native long createState(long model);

  static native void destroyState(long state);

  /** The address is in the buffer, which is given so that it lives as long as the call. */
  static native void copyTensor(long state, int index, Buffer buffer, long address, long bytes, boolean writes);

  static native void resetState(long state, int roles);

  static native void copyState(long from, long to);

  static native void moveFile(long state, byte[] path, int roles, boolean saves);

  /** Called by the native library. */
  static void log(Log log, int level, byte[] message) {
    Log.Level[] levels = Log.Level.values();
    log.log(levels[Math.min(level, levels.length - 1)], text(message));
  }

  static String text(Object bytes) { return new String((byte[])bytes, StandardCharsets.UTF_8); }

  static byte[] bytes(String what, String text) {
    if (text.indexOf(0) >= 0)
      throw NacreException.badArgument(what + " must have no character of the number 0");
    return (text + '\0').getBytes(StandardCharsets.UTF_8);
  }
}
