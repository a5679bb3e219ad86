// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how a program ends when memory runs out: a message and an exit status, never a signal.
// Why:   without exceptions a failed allocation aborts, and LLVM and MLIR do not check all of theirs.
// How:   docs/decisions/2026-11-24-memory-that-runs-out-is-an-exit-status.md

#ifndef NACRE_TOOLS_OUTOFMEMORY_H
#define NACRE_TOOLS_OUTOFMEMORY_H

#include <atomic>
#include <cerrno>
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>

namespace nacre::tools {

/// Exit status of a program whose memory ran out; the same in all programs.
inline constexpr int kOutOfMemory = 4;

/// What the system refused. A thread is refused for its stack, too, and counts as memory.
enum class Lack { Memory, Threads };

/// Says what ran out and ends the process. Allocates nothing; any thread may call it.
[[noreturn]] inline void exitFor(Lack lack) {
  static std::atomic_flag isEnding = ATOMIC_FLAG_INIT;
  while (isEnding.test_and_set()) // another thread says it
    pause();
  static char memory[] = ": error: memory ran out; raise the limit of this process (ulimit -v), or free some\n";
  static char threads[] =
      ": error: the system refused a thread; raise the limits of memory (ulimit -v) or of threads (ulimit -u)\n";
  char *text = lack == Lack::Memory ? memory : threads;
  const iovec message[] = {{program_invocation_short_name, std::strlen(program_invocation_short_name)},
                           {text, std::strlen(text)}};
  [[maybe_unused]] const ssize_t written = writev(STDERR_FILENO, message, 2); // the status says it, too
  _exit(kOutOfMemory);
}

[[noreturn]] inline void exitOutOfMemory() { exitFor(Lack::Memory); }

/// For programs that link LLVM: what they need beside the allocations that OutOfMemory.cpp checks. Called first in main.
void handleOutOfMemory();

} // namespace nacre::tools

#endif // NACRE_TOOLS_OUTOFMEMORY_H
