// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linux system calls, and the calls that open and close files, for the sources of platform.h. They return -errno, with
// glibc and with bionic. x86-64 and arm64 have different numbers for the calls.

#ifndef NACRE_RUNTIME_SRC_SYSTEM_CALL_H
#define NACRE_RUNTIME_SRC_SYSTEM_CALL_H

#include <stddef.h>
#include <stdint.h>

namespace nacre::runtime {

#if defined(__aarch64__)
enum SystemCall : long {
  kFutex = 98,
  kOpenat = 56,
  kClose = 57,
  kRead = 63,
  kWrite = 64,
  kPread = 67,
  kPwrite = 68,
  kFsync = 82,
  kFstat = 80,
  kFstatat = 79,
  kFchmod = 52,
  kReadlinkat = 78,
  kUnlinkat = 35,
  kRenameat = 38,
  kGetpid = 172,
  kMmap = 222,
  kMunmap = 215,
  kSigprocmask = 135,
  kSchedGetaffinity = 123,
  kSchedYield = 124
};

inline long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
  return x0;
}

inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}
#elif defined(__x86_64__)
enum SystemCall : long {
  kFutex = 202,
  kOpenat = 257,
  kClose = 3,
  kRead = 0,
  kWrite = 1,
  kPread = 17,
  kPwrite = 18,
  kFsync = 74,
  kFstat = 5,
  kFstatat = 262,
  kFchmod = 91,
  kReadlinkat = 267,
  kUnlinkat = 263,
  kRenameat = 264,
  kGetpid = 39,
  kMmap = 9,
  kMunmap = 11,
  kSigprocmask = 14,
  kSchedGetaffinity = 204,
  kSchedYield = 24,
  kArchPrctl = 158
};

inline long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
  register long r10 __asm__("r10") = d;
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
  return result;
}

inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}
#else
#error "the runtime knows x86-64 and arm64"
#endif

inline long address(const void *pointer) { return reinterpret_cast<long>(pointer); }

constexpr long kWorkingFolder = -100; // AT_FDCWD
constexpr long kInterrupted = -4;     // -EINTR
constexpr long kReadOnly = 0;
constexpr long kNoWaiting = 04000;       // O_NONBLOCK: a pipe counts as empty instead of blocking its reader.
constexpr long kNotInherited = 02000000; // O_CLOEXEC: programs that the app starts do not inherit our files.

/// Makes a system call, and repeats it if a signal handler of the app interrupted it.
inline long restarted_call(long number, long a, long b, long c, long d = 0) {
  long result;
  do
    result = system_call(number, a, b, c, d);
  while (result == kInterrupted);
  return result;
}

inline long open_file(const char *path, long how, long mode = 0) {
  return restarted_call(kOpenat, kWorkingFolder, address(path), how | kNotInherited, mode);
}

/// Closes a file. Returns false if written data may be lost. An interrupted call has also closed the file.
inline bool close_opened(long file) {
  const long result = system_call(kClose, file);
  return result == 0 || result == kInterrupted;
}

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_SYSTEM_CALL_H
