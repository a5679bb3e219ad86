// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements platform.h with Linux system calls and ten functions of libc. Constants for arguments have the values of
// the Linux kernel.

#include "runtime/src/platform.h"
#include "runtime/src/system_call.h"

extern "C" {
#if defined(__ANDROID__)
using pthread_t = long;
#else
using pthread_t = unsigned long;
#endif
struct timespec {
  long seconds;
  long nanoseconds;
};
int pthread_create(pthread_t *, const void *attributes, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int posix_memalign(void **, size_t, size_t);
void free(void *);
int clock_gettime(int, timespec *); // The function of libc is faster, because it makes no system call.
void *dlopen(const char *, int);
void *dlsym(void *, const char *);
int dlclose(void *);
}

namespace nacre::runtime {
namespace {

constexpr long kFutexWaitPrivate = 128;
constexpr long kFutexWakePrivate = 129;
constexpr int kMonotonic = 1;
constexpr long kCreateNew = 1 | 0100 | 0200; // O_WRONLY | O_CREAT | O_EXCL
constexpr long kOwnerOnly = 0600;
constexpr int kResolveNow = 2; // RTLD_NOW
constexpr long kBlock = 0;     // SIG_BLOCK
constexpr long kSetMask = 2;   // SIG_SETMASK

constexpr uint64_t bit_of(unsigned signal) { return uint64_t(1) << (signal - 1); }

#if defined(__ANDROID__)
constexpr unsigned kFirstFree = 42; // bionic reserves the signals from 32 on.
#else
constexpr unsigned kFirstFree = 34; // SIGRTMIN
#endif
/// SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS: their handlers report the app's crashes.
constexpr uint64_t kFaults = bit_of(4) | bit_of(5) | bit_of(6) | bit_of(7) | bit_of(8) | bit_of(11) | bit_of(31);
/// All signals except faults and those that libc sends to its threads.
constexpr uint64_t kBlocked = ~(kFaults | (bit_of(kFirstFree) - bit_of(32)));

bool write_all(long file, const char *bytes, uint64_t count) {
  while (count != 0) {
    const long written = restarted_call(kWrite, file, address(bytes), long(count));
    if (written <= 0)
      return false;
    bytes += written;
    count -= uint64_t(written);
  }
  return true;
}

} // namespace

void *allocate_aligned(size_t bytes, size_t alignment) {
  void *block = nullptr;
  return posix_memalign(&block, alignment, bytes) == 0 ? block : nullptr;
}

void release_aligned(void *block) { free(block); }

bool start_thread(ThreadHandle &handle, void *(*body)(void *), void *argument) {
  // A thread inherits the signal mask of its creator.
  uint64_t before = 0;
  system_call(kSigprocmask, kBlock, address(&kBlocked), address(&before), sizeof before);
  pthread_t thread;
  const bool started = pthread_create(&thread, nullptr, body, argument) == 0;
  system_call(kSigprocmask, kSetMask, address(&before), 0, sizeof before);
  if (started)
    handle = static_cast<ThreadHandle>(thread);
  return started;
}

void join_thread(ThreadHandle handle) { pthread_join(static_cast<pthread_t>(handle), nullptr); }

void wait_on(uint32_t *word, uint32_t value) { system_call(kFutex, address(word), kFutexWaitPrivate, value); }

void wake(uint32_t *word, uint32_t count) { system_call(kFutex, address(word), kFutexWakePrivate, count); }

void yield_core() { system_call(kSchedYield); }

uint64_t now() {
  timespec time;
  clock_gettime(kMonotonic, &time);
  return uint64_t(time.seconds) * 1000000000 + uint64_t(time.nanoseconds);
}

CpuSet allowed_cpus() {
  CpuSet set;
  if (system_call(kSchedGetaffinity, 0, sizeof set.words, address(set.words)) < 0)
    set.add(0); // The system has more CPUs than the set can hold. CPU 0 certainly exists.
  return set;
}

int64_t read_number(const char *path) {
  const long file = open_file(path, kReadOnly);
  if (file < 0)
    return -1;
  char text[18]; // Room for the longest number.
  const long length = restarted_call(kRead, file, address(text), sizeof text);
  close_opened(file);
  const bool hex = length > 1 && text[1] == 'x';
  const unsigned base = hex ? 16 : 10;
  int64_t number = -1;
  for (long i = hex ? 2 : 0; i < length; ++i) {
    const unsigned digit = text[i] < 'a' ? text[i] - '0' : text[i] - 'a' + 10;
    if (digit >= base)
      break;
    number = (number < 0 ? 0 : number * base) + digit;
  }
  return number;
}

int64_t read_file(const char *path, void *to, uint64_t bytes) {
  const long file = open_file(path, kReadOnly | kNoWaiting);
  if (file < 0)
    return -1;
  uint64_t count = 0;
  long got = 0;
  while (count < bytes &&
         (got = restarted_call(kRead, file, address(static_cast<char *>(to) + count), long(bytes - count))) > 0)
    count += uint64_t(got);
  close_opened(file);
  return got < 0 ? -1 : int64_t(count);
}

bool write_file(const char *path, const void *first, uint64_t first_bytes, const void *second, uint64_t second_bytes) {
  const long file = open_file(path, kCreateNew, kOwnerOnly);
  if (file < 0)
    return false;
  bool good = write_all(file, static_cast<const char *>(first), first_bytes) &&
              write_all(file, static_cast<const char *>(second), second_bytes);
  good = close_opened(file) && good;
  if (!good)
    system_call(kUnlinkat, kWorkingFolder, address(path));
  return good;
}

bool rename_file(const char *from, const char *to) {
  if (system_call(kRenameat, kWorkingFolder, address(from), kWorkingFolder, address(to)) == 0)
    return true;
  system_call(kUnlinkat, kWorkingFolder, address(from));
  return false;
}

uint64_t process_number() { return uint64_t(system_call(kGetpid)); }

void *open_library(const char *name) { return dlopen(name, kResolveNow); }

void *find_symbol(void *library, const char *name) { return dlsym(library, name); }

void close_library(void *library) { dlclose(library); }

} // namespace nacre::runtime
