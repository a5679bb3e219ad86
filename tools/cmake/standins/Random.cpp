// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM names temporary files with arc4random, which glibc only has since 2.36; GCC 12's libstdc++.a calls it, too. This
// file takes random numbers from the kernel.

#include <sys/random.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" __attribute__((visibility("hidden"))) uint32_t arc4random() noexcept {
  uint32_t value = 0;
  // getrandom always returns such a small number of bytes completely, unless the kernel does not have this call.
  if (getrandom(&value, sizeof value, 0) != sizeof value) {
    std::perror("getrandom");
    std::abort();
  }
  return value;
}
