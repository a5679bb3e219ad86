// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  two processes that save their states to one file without pause, killed at any moment: the file always loads,
//        and is the last one that one of them saved or the one before. usage: state-kill-test FOLDER [ITERATIONS]
// Why:   that is what happens to apps.
// How:   each state is made of its number, which it has; what is loaded must be what its number makes. Savers take
//        turns with numbers, so that each number has one saver.

#include "test/runtime/state/NumberedState.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace nacre::test;

static constexpr int kSavers = 2;

/// `begun`: the number of this saver's latest save that was begun.
[[noreturn]] static void saveWithoutPause(NumberedState &state, const char *path, volatile int64_t *begun) {
  for (int64_t number = *begun + kSavers;; number += kSavers) {
    state.make(number);
    *begun = number;
    if (!state.save(path))
      _exit(1);
  }
}

int main(int count, char **arguments) {
  if (count < 2)
    return 2;
  const FolderOfOneFile folder(arguments[1], "killed.safetensors");
  const std::string path = folder.path();
  const int iterations = count > 2 ? int(std::strtol(arguments[2], nullptr, 10)) : 300;
  auto *begun = static_cast<int64_t *>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  StatefulModel made;
  NumberedState state(made);
  state.make(0);
  if (begun == MAP_FAILED || !state.save(path.c_str()))
    return 1;
  begun[1] = 1 - kSavers;
  std::mt19937 random(1);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    pid_t children[kSavers];
    for (int saver = 0; saver < kSavers; ++saver)
      if ((children[saver] = fork()) == 0)
        saveWithoutPause(state, path.c_str(), begun + saver);
    bool killed = true;
    for (pid_t child : children) {
      usleep(random() % 30000);
      int status = 0;
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      killed &= WIFSIGNALED(status);
    }
    const int64_t number = state.load(path.c_str());
    const int64_t latest = number < 0 ? 0 : begun[number % kSavers];
    if (!killed || number < 0 || number > latest || number < latest - kSavers) {
      std::fprintf(stderr, "iteration %d: save %lld is there, of %lld and %lld: %s\n", iteration,
                   static_cast<long long>(number), static_cast<long long>(begun[0]), static_cast<long long>(begun[1]),
                   state.reason());
      return 1;
    }
    begun[number % kSavers] = number; // what was begun after it and killed never was
  }
  std::printf("killed %d times %d processes in %lld saves\n", iterations, kSavers,
              static_cast<long long>((begun[0] + begun[1]) / kSavers));
  return folder.countStrangers(/*wereKilled=*/true) == 0 ? 0 : 1;
}
