// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/OutOfMemory.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"

#include <algorithm>
#include <alloca.h>
#include <cstdlib>
#include <cxxabi.h>
#include <exception>
#include <sys/mman.h>
#include <sys/resource.h>

namespace nacre::tools {

/// Ends the process after removing incomplete files.
[[noreturn]] static void endProgram(Lack lack = Lack::Memory) {
  llvm::sys::RunInterruptHandlers();
  exitFor(lack);
}

/// Handles LLVM's fatal errors. A thread that the system refused is one of them. All others are bugs: LLVM aborts and
/// prints the place.
static void onFatalError(void *, const char *reason, bool) {
  if (llvm::StringRef(reason).starts_with("pthread_"))
    endProgram(Lack::Threads);
  for (const char *part : {"LLVM ERROR: ", reason, "\n"})
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0)
      return;
}

/// Ends the program if LLD cannot start a thread. LLD deletes a replaced file in a std::thread, whose constructor may
/// throw.
[[noreturn]] static void onTerminate() {
  const std::type_info *thrown = abi::__cxa_current_exception_type();
  if (thrown && llvm::StringRef(thrown->name()) == "St12system_error")
    endProgram(Lack::Threads);
  std::abort();
}

/// Reserves the addresses of the main thread's stack, because a stack that cannot grow ends the process with a signal.
/// Pages that are never accessed use no memory. Other threads have their whole stack from the beginning.
static void reserveStack() {
  constexpr size_t mostBytes = 4 << 20;
  struct rlimit limit;
  const size_t bytes = getrlimit(RLIMIT_STACK, &limit) ? 0 : size_t(std::min<rlim_t>(limit.rlim_cur / 2, mostBytes));
  void *trial = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (trial == MAP_FAILED)
    endProgram();
  munmap(trial, bytes);
  auto *lowest = static_cast<volatile char *>(alloca(bytes));
  *lowest = 0;
}

void handleOutOfMemory() {
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { endProgram(); });
  llvm::install_fatal_error_handler(onFatalError);
  std::set_terminate(onTerminate);
  reserveStack();
}

} // namespace nacre::tools

//===----------------------------------------------------------------------===//
// Allocations, of this program and of all libraries that it links
//===----------------------------------------------------------------------===//

// Sanitizers have their own allocation functions.
#ifndef NACRE_SANITIZED

extern "C" {
// glibc's functions, under the names that remain if a program defines the usual ones.
void *__libc_malloc(size_t bytes) noexcept;                     // NOLINT(bugprone-reserved-identifier)
void *__libc_calloc(size_t count, size_t bytes) noexcept;       // NOLINT(bugprone-reserved-identifier)
void *__libc_realloc(void *old, size_t bytes) noexcept;         // NOLINT(bugprone-reserved-identifier)
void *__libc_memalign(size_t alignment, size_t bytes) noexcept; // NOLINT(bugprone-reserved-identifier)

void *malloc(size_t bytes) noexcept {
  void *memory = __libc_malloc(bytes);
  if (!memory)
    nacre::tools::endProgram();
  return memory;
}

void *calloc(size_t count, size_t bytes) noexcept {
  void *memory = __libc_calloc(count, bytes);
  if (!memory)
    nacre::tools::endProgram();
  return memory;
}

void *realloc(void *old, size_t bytes) noexcept {
  void *memory = __libc_realloc(old, bytes);
  if (!memory && bytes)
    nacre::tools::endProgram();
  return memory;
}

void *aligned_alloc(size_t alignment, size_t bytes) noexcept {
  void *memory = __libc_memalign(alignment, bytes);
  if (!memory)
    nacre::tools::endProgram();
  return memory;
}
}

#endif
