// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Allocates memory that models read and write without copies. */
public final class Buffers {
  private static final int ALIGNMENT = 64;

  private Buffers() {}

  /** Returns a zeroed direct buffer in native order, aligned so that sessions can bind it. */
  @NonNull
  public static ByteBuffer allocate(long bytes) {
    if (bytes < 0 || bytes > Integer.MAX_VALUE - ALIGNMENT)
      throw NacreException.badArgument("a Java buffer must have 0 to 2^31 - 65 bytes, but this would have " + bytes);
    ByteBuffer block = ByteBuffer.allocateDirect((int)bytes + ALIGNMENT);
    int begin = (int)(-Native.address(block) & ALIGNMENT - 1);
    block.position(begin).limit(begin + (int)bytes);
    return block.slice().order(ByteOrder.nativeOrder());
  }

  /** Returns the address of the tensor's bytes in the caller's buffer, after checking the buffer. */
  static long addressOf(String what, ByteBuffer buffer, TensorInfo tensor, boolean isWritten) {
    String problem = null;
    if (!buffer.isDirect())
      problem = "must be direct, as from Buffers.allocate, but is on the Java heap";
    else if (buffer.remaining() < tensor.bytes())
      problem = "must have at least " + tensor.bytes() + " bytes from its position to its limit, but has " +
                buffer.remaining();
    else if (tensor.type().bits() > 8 && buffer.order() != ByteOrder.nativeOrder())
      problem = "must be in native order, but is " + buffer.order();
    else if (isWritten && buffer.isReadOnly())
      problem = "must be writable, but is read-only";
    if (problem != null)
      throw NacreException.badArgument("the buffer for " + what + " '" + tensor.name() + "' " + problem);
    return address(buffer);
  }

  /** Returns the address of the byte at the buffer's position. */
  static long address(Buffer buffer) { return Native.address(buffer) + buffer.position(); }

  /** Refuses to read floats of a tensor with another element type. */
  static void mustBeFloats(TensorInfo tensor) {
    if (tensor.type() != ElementType.F32)
      throw NacreException.badArgument("'" + tensor.name() + "' must be F32 to be read as floats, but is " +
                                       tensor.type());
  }
}
