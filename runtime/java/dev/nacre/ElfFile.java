// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Refuses truncated files, such as incomplete downloads, because the system's loader would crash the process.
 */
final class ElfFile {
  private static final int MAGIC = 0x464c457f;
  private static final int HEADER_BYTES = 64;
  private static final int SEGMENT_BYTES = 56;
  private static final int LOADED = 1;

  private ElfFile() {}

  /** Returns why the file is not a complete 64-bit library; null if it is one or does not exist. */
  static String problemOf(String path) {
    try (RandomAccessFile file = new RandomAccessFile(path, "r")) {
      long length = file.length();
      if (length < HEADER_BYTES)
        return "it is not a shared library";
      ByteBuffer header = read(file, 0, HEADER_BYTES);
      if (header.getInt(0) != MAGIC || header.get(4) != 2)
        return "it is not a 64-bit shared library";
      long table = header.getLong(32);
      int count = header.getShort(56) & 0xffff;
      if (table < 0 || table > length - (long)count * SEGMENT_BYTES || header.getShort(54) != SEGMENT_BYTES)
        return "it is truncated";
      ByteBuffer segments = read(file, table, count * SEGMENT_BYTES);
      for (int at = 0; at < segments.limit(); at += SEGMENT_BYTES) {
        long offset = segments.getLong(at + 8);
        long bytes = segments.getLong(at + 32);
        if (segments.getInt(at) == LOADED && (offset < 0 || bytes < 0 || offset > length || bytes > length - offset))
          return "it is truncated";
      }
      return null;
    } catch (IOException unreadable) {
      return null;
    }
  }

  private static ByteBuffer read(RandomAccessFile file, long position, int count) throws IOException {
    byte[] bytes = new byte[count];
    file.seek(position);
    file.readFully(bytes);
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
