// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GCC 12 gave std::condition_variable::wait a new symbol version (GLIBCXX_3.4.30), because it became noexcept. LLVM's
// archives call it, so programs would not start with GCC 11's libstdc++ (RHEL 9). This file defines the same function
// in the program itself. It is defined by its assembler name, because a member of a class in namespace std cannot be
// hidden.

#include <condition_variable>
#include <cstdlib>
#include <mutex>

#include <pthread.h>

__attribute__((visibility("hidden"))) void waitForCondition(std::condition_variable &condition,
                                                            std::unique_lock<std::mutex> &lock) noexcept
    __asm__("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE");

void waitForCondition(std::condition_variable &condition, std::unique_lock<std::mutex> &lock) noexcept {
  if (pthread_cond_wait(condition.native_handle(), lock.mutex()->native_handle()) != 0)
    std::abort(); // the mutex belongs to another thread, which is a bug of the program
}
