// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  any bytes as the file of a state: it is loaded, or it is refused with a reason, and then nothing has changed.
// Why:   such files come from others, too, and the runtime that reads them is part of an app.
// How:   a file in memory, opened by its path. Chance does not get past a checksum of the bytes; half of
//        the corpus has none.

#include "test/runtime/state/StatefulModel.h"

#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace nacre::test;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static StatefulModel made;
  static nacre_state *state = nullptr;
  static std::string before;
  static const int file = memfd_create("state", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (!state) {
    if (file < 0 || nacre_state_create(made.model(), nullptr, &state) != NACRE_OK)
      std::abort();
    fill(made.model(), state, 1);
    before = contents(made.model(), state);
  }
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != ssize_t(size))
    std::abort();
  for (uint32_t roles : {NACRE_STATE_ALL, uint32_t(NACRE_STATE_WEIGHT | NACRE_STATE_STATISTIC)}) {
    if (nacre_state_load(state, path.c_str(), roles) == NACRE_OK) {
      before = contents(made.model(), state);
      continue;
    }
    if (nacre_state_reason(state)[0] == 0 || contents(made.model(), state) != before)
      std::abort();
  }
  return 0;
}
