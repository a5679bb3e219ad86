// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/measure/Repeat.h"
#include "tools/measure/Libc.h"

namespace nacre::measure {

uint64_t readClock() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return uint64_t(time.tv_sec) * 1000000000 + uint64_t(time.tv_nsec);
}

Eviction::Eviction(uint64_t mebibytes) : bytes(mebibytes << 20) {
  if (bytes == 0)
    return;
  buffer = static_cast<char *>(malloc(bytes));
  if (buffer)
    memset(buffer, 1, bytes);
}

Eviction::~Eviction() { free(buffer); }

void Eviction::operator()() const {
  constexpr size_t line = 64;
  unsigned sum = 0;
  for (size_t i = 0; i < bytes; i += line)
    sum += static_cast<unsigned char>(buffer[i]);
  const volatile unsigned read = sum; // keeps the compiler from dropping the sum
  (void)read;
}

} // namespace nacre::measure
