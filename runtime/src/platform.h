// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  everything the runtime takes from the operating system: memory, threads, waiting, the clock, small files,
//        libraries.
// Why:   one seam. glibc and bionic differ in errno, in the sizes of pthread types and in headers; behind this file
//        nothing of that is seen, and one source serves both.
// How:   no libc header is included. Waiting, files and affinity are raw system calls, which answer -errno and so need
//        no errno; what is left of libc is declared by hand in platform.cpp.

#ifndef NACRE_RUNTIME_SRC_PLATFORM_H
#define NACRE_RUNTIME_SRC_PLATFORM_H

#include "runtime/src/text.h"

#include <stddef.h>
#include <stdint.h>

namespace nacre::runtime {

/// The C library's memory, or nullptr.
void *allocate_aligned(size_t bytes, size_t alignment);
void release_aligned(void *block);

using ThreadHandle = uintptr_t;
/// Signals that are sent to the process are handled by the app's own threads: this one takes only those of its own faults.
bool start_thread(ThreadHandle &handle, void *(*body)(void *), void *argument);
void join_thread(ThreadHandle handle);

/// Sleeps while the word holds `value`; may also return without a reason.
void wait_on(uint32_t *word, uint32_t value);
void wake(uint32_t *word, uint32_t count);

/// Lets the next thread on this core run.
void yield_core();

/// Tells the core that this is a spin.
inline void pause_core() {
#if defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory"); // `yield` is a no-op on most cores
#else
  __asm__ volatile("pause");
#endif
}

/// Nanoseconds from an arbitrary, fixed point.
uint64_t now();

/// The CPUs that this process may use.
struct CpuSet {
  static constexpr unsigned kCount = 1024;
  uint64_t words[kCount / 64] = {};

  bool has(unsigned cpu) const { return words[cpu / 64] >> cpu % 64 & 1; }
  void add(unsigned cpu) { words[cpu / 64] |= uint64_t(1) << cpu % 64; }
};
CpuSet allowed_cpus();

/// The number that a file starts with, decimal or, after 0x, hexadecimal; or -1.
int64_t read_number(const char *path);

/// Reads as many bytes of a file's beginning as there are, but at most `bytes`; how many, or -1. Never waits for a pipe.
int64_t read_file(const char *path, void *to, uint64_t bytes);
/// Writes a file anew; false, and no file, if that fails. A file of that name must not exist.
bool write_file(const char *path, const void *first, uint64_t first_bytes, const void *second, uint64_t second_bytes);
/// Gives a file another name, in one step: who opens that name finds the old file or the new one, whole.
bool rename_file(const char *from, const char *to);
/// Files that are read and written in pieces. What goes wrong is answered as the system's number, which is below 0.
long open_to_read(const char *path); ///< Waits for nobody, if it is a pipe.
int64_t file_bytes(long file);       ///< Of a regular file; anything else is an error.
long read_at(long file, void *to, uint64_t bytes, uint64_t offset);
long write_at(long file, const void *from, uint64_t bytes, uint64_t offset);
long close_file(long file);
/// The address of a whole file in memory, which nobody may write to; it outlives the descriptor.
long map_file(long file, uint64_t bytes);
void unmap_file(const void *data, uint64_t bytes);

/// A file that is being written, and the one whose place it takes: not a symbolic link, but what it leads to.
struct NewFile {
  static constexpr uint64_t kMostPath = 4096; ///< More the system does not take.

  char path[2 * kMostPath]; ///< A folder's, and what a link says.
  char beside[2 * kMostPath + 256];
};
/// Opens a file beside the one of this path, with its mode where there is one.
long begin_file(NewFile &made, const char *path);
/// Gives it that name, in one step, when it is on the disk; removes it after an error, which is answered.
long end_file(NewFile &made, long file, long error);
/// What such a number means, where there are words for it; else nullptr.
const char *file_error_text(long error);

/// A number that no other process has at this time.
uint64_t process_number();

/// A shared library, or nullptr.
void *open_library(const char *name);
void *find_symbol(void *library, const char *name);
void close_library(void *library);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_PLATFORM_H
