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
/// Starts a thread that calls `body(argument)`. The thread handles only signals that it causes itself, such as SIGSEGV.
/// The app's own threads handle signals to the process.
bool start_thread(ThreadHandle &handle, void *(*body)(void *), void *argument);
void join_thread(ThreadHandle handle);

/// Sleeps while `*word` is `value`. It may also return early, so the caller must check the word again.
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

/// Returns the time in nanoseconds since a fixed but arbitrary moment.
uint64_t now();

/// Set of the CPUs that this process may use.
struct CpuSet {
  static constexpr unsigned kCount = 1024;
  uint64_t words[kCount / 64] = {};

  bool has(unsigned cpu) const { return words[cpu / 64] >> cpu % 64 & 1; }
  void add(unsigned cpu) { words[cpu / 64] |= uint64_t(1) << cpu % 64; }
};
CpuSet allowed_cpus();

/// Returns the number at the beginning of a file, or -1 if the file does not begin with a number. The number is
/// decimal, or hexadecimal after 0x.
int64_t read_number(const char *path);

/// Reads up to `bytes` bytes from the beginning of a file. Returns the number of bytes read, or -1 after an error.
/// Never waits for a pipe.
int64_t read_file(const char *path, void *to, uint64_t bytes);
/// Creates a file that contains the `first` bytes and then the `second` bytes. The file must not exist yet. On failure,
/// returns false and leaves no file.
bool write_file(const char *path, const void *first, uint64_t first_bytes, const void *second, uint64_t second_bytes);
/// Renames a file atomically: a reader finds either the whole old file or the whole new one.
bool rename_file(const char *from, const char *to);
/// Opens a file to read it in pieces. Like the functions below, it returns a negative error number on failure;
/// file_error_text() returns its text.
long open_to_read(const char *path); ///< Never waits for a pipe.
int64_t file_bytes(long file);       ///< Size of a regular file in bytes; an error for anything else.
long read_at(long file, void *to, uint64_t bytes, uint64_t offset);
long write_at(long file, const void *from, uint64_t bytes, uint64_t offset);
long close_file(long file);
/// Maps a whole file of `bytes` bytes into memory, read-only, and returns its address. The mapping outlives the
/// descriptor.
long map_file(long file, uint64_t bytes);
void unmap_file(const void *data, uint64_t bytes);

/// Paths of a new file and of the file that it replaces. Symbolic links are resolved.
struct NewFile {
  static constexpr uint64_t kMostPath = 4096; ///< Longest path that the system accepts.

  char path[2 * kMostPath]; ///< Room for a folder, followed by the contents of a link.
  char beside[2 * kMostPath + 256];
};
/// Opens a temporary file in the folder of `path`. If `path` exists, the new file has the same mode.
long begin_file(NewFile &made, const char *path);
/// Flushes the file to the disk and renames it to its final path. If that fails, or if `error` is an earlier error,
/// removes the file and returns the error.
long end_file(NewFile &made, long file, long error);
/// Returns the text of an error of the functions above; nullptr if there is no text for it.
const char *file_error_text(long error);

/// Returns the id of this process.
uint64_t process_number();

/// Opens a shared library; nullptr on failure.
void *open_library(const char *name);
void *find_symbol(void *library, const char *name);
void close_library(void *library);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_PLATFORM_H
