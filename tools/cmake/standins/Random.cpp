// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why:  LLVM names temporary files with arc4random, which glibc has since 2.36 only; GCC 12's libstdc++.a calls it, too.
// How:  the kernel's random numbers.

#include <sys/random.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" __attribute__((visibility("hidden"))) uint32_t arc4random() noexcept {
  uint32_t value = 0;
  // So few bytes come at once, unless the kernel has no such call.
  if (getrandom(&value, sizeof value, 0) != sizeof value) {
    std::perror("getrandom");
    std::abort();
  }
  return value;
}
