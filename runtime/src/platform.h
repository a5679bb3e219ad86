// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares everything that the runtime needs from the operating system: memory, threads, waiting, the clock, small
// files, libraries.
// Why: glibc and bionic differ in errno, in the sizes of pthread types and in headers. Only the sources of this file
//      depend on that, so one source serves both.
// How: includes no libc header. Waiting, files and affinity use raw system calls, which return -errno, so errno is not
//      needed. The few libc functions are declared by hand in platform.cpp.

#ifndef NACRE_RUNTIME_SRC_PLATFORM_H
#define NACRE_RUNTIME_SRC_PLATFORM_H

#include "runtime/src/text.h"

#include <stddef.h>
#include <stdint.h>

namespace nacre::runtime {

/// Allocates memory of the C library; nullptr on failure.
void *allocate_aligned(size_t bytes, size_t alignment);
void release_aligned(void *block);

using ThreadHandle = uintptr_t;
/// Starts a thread that receives only the signals of its own faults. Signals to the process are left to the app's own
/// threads.
bool start_thread(ThreadHandle &handle, void *(*body)(void *), void *argument);
void join_thread(ThreadHandle handle);

/// Sleeps while the word holds `value`; may also return without a reason.
void wait_on(uint32_t *word, uint32_t value);
void wake(uint32_t *word, uint32_t count);

/// Lets another thread on this core run.
void yield_core();

/// Tells the core that the caller is spinning.
inline void pause_core() {
#if defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory"); // `yield` is a no-op on most cores.
#else
  __asm__ volatile("pause");
#endif
}

/// Returns nanoseconds since a fixed but arbitrary time.
uint64_t now();

/// Set of the CPUs that this process may use.
struct CpuSet {
  static constexpr unsigned kCount = 1024;
  uint64_t words[kCount / 64] = {};

  bool has(unsigned cpu) const { return words[cpu / 64] >> cpu % 64 & 1; }
  void add(unsigned cpu) { words[cpu / 64] |= uint64_t(1) << cpu % 64; }
};
CpuSet allowed_cpus();

/// Returns the number at the beginning of a file, decimal or, after 0x, hexadecimal; -1 if no number is there.
int64_t read_number(const char *path);

/// Reads up to `bytes` bytes from the beginning of a file. Returns their number, or -1. Never waits for a pipe.
int64_t read_file(const char *path, void *to, uint64_t bytes);
/// Creates a file, which must not exist. On failure returns false and leaves no file.
bool write_file(const char *path, const void *first, uint64_t first_bytes, const void *second, uint64_t second_bytes);
/// Renames a file atomically: a reader finds either the whole old file or the whole new one.
bool rename_file(const char *from, const char *to);
/// Opens a file to read it in pieces. It and the functions below return a negative number on errors, for
/// file_error_text.
long open_to_read(const char *path); ///< Never waits for a pipe.
int64_t file_bytes(long file);       ///< Size of a regular file; an error for anything else.
long read_at(long file, void *to, uint64_t bytes, uint64_t offset);
long write_at(long file, const void *from, uint64_t bytes, uint64_t offset);
long close_file(long file);
/// Returns the address of a whole file in memory, read-only. The mapping outlives the descriptor.
long map_file(long file, uint64_t bytes);
void unmap_file(const void *data, uint64_t bytes);

/// New file, and the path of the file that it replaces, with symbolic links resolved.
struct NewFile {
  static constexpr uint64_t kMostPath = 4096; ///< The system accepts no longer path.

  char path[2 * kMostPath]; ///< Room for a folder, followed by the contents of a link.
  char beside[2 * kMostPath + 256];
};
/// Opens a temporary file next to that of `path`. It has the same mode if that file exists.
long begin_file(NewFile &made, const char *path);
/// Flushes the file to the disk and renames it to its final path. After an error, also an earlier one in `error`,
/// removes it and returns the error.
long end_file(NewFile &made, long file, long error);
/// Returns a text for such an error; nullptr if it has none.
const char *file_error_text(long error);

/// Returns the id of this process.
uint64_t process_number();

/// Opens a shared library; nullptr on failure.
void *open_library(const char *name);
void *find_symbol(void *library, const char *name);
void close_library(void *library);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_PLATFORM_H
