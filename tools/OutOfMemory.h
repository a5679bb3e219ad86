// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program without memory ends with a message and an exit status, never with a signal. Without exceptions a failed
// allocation aborts, and LLVM and MLIR do not check all allocations. See
// docs/decisions/2026-11-24-memory-that-runs-out-is-an-exit-status.md.

#ifndef NACRE_TOOLS_OUTOFMEMORY_H
#define NACRE_TOOLS_OUTOFMEMORY_H

#include <atomic>
#include <cerrno>
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>

namespace nacre::tools {

/// Exit status of all programs if memory runs out.
inline constexpr int kOutOfMemory = 4;

/// Resource that the system refused. A thread that is refused because of its stack counts as memory.
enum class Lack { Memory, Threads };

/// Prints which resource ran out, and ends the process. Allocates nothing, and may be called by any thread.
[[noreturn]] inline void exitFor(Lack lack) {
  static std::atomic_flag isEnding = ATOMIC_FLAG_INIT;
  while (isEnding.test_and_set()) // another thread already prints the message
    pause();
  static char memory[] = ": error: memory ran out; raise the limit of this process (ulimit -v), or free some\n";
  static char threads[] =
      ": error: the system refused a thread; raise the limits of memory (ulimit -v) or of threads (ulimit -u)\n";
  char *text = lack == Lack::Memory ? memory : threads;
  const iovec message[] = {{program_invocation_short_name, std::strlen(program_invocation_short_name)},
                           {text, std::strlen(text)}};
  [[maybe_unused]] const ssize_t written = writev(STDERR_FILENO, message, 2); // an error is ignored, because the exit
                                                                              // status shows the failure, too
  _exit(kOutOfMemory);
}

[[noreturn]] inline void exitOutOfMemory() { exitFor(Lack::Memory); }

/// Installs the handlers that programs with LLVM need in addition to the checked allocations of OutOfMemory.cpp. Call
/// this first in main.
void handleOutOfMemory();

} // namespace nacre::tools

#endif // NACRE_TOOLS_OUTOFMEMORY_H
