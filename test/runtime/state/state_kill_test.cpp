// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a process that saves its state without pause, killed at any moment: the file always loads, and is the last one
//        that was saved or the one before. usage: state-kill-test FOLDER [TURNS]
// Why:   that is what happens to apps.
// How:   each state is made of its number, which it has; what is loaded must be what its number makes.

#include "test/runtime/state/StatefulModel.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace nacre::test;

static void make(StatefulModel &made, nacre_state *state, int64_t number) {
  uint32_t index = 0;
  fill(made.model(), state, static_cast<unsigned>(number));
  nacre_state_find(state, "#step", &index);
  nacre_state_write(state, index, &number, sizeof number);
}

/// `begun`: the number of the latest save that was begun.
[[noreturn]] static void saveWithoutPause(StatefulModel &made, nacre_state *state, const char *path,
                                          volatile int64_t *begun) {
  for (int64_t number = *begun + 1;; ++number) {
    make(made, state, number);
    *begun = number;
    if (nacre_state_save(state, path, NACRE_STATE_ALL) != NACRE_OK)
      _exit(1);
  }
}

int main(int count, char **arguments) {
  if (count < 2)
    return 2;
  const std::string path = std::string(arguments[1]) + "/killed.safetensors";
  const int turns = count > 2 ? int(std::strtol(arguments[2], nullptr, 10)) : 300;
  auto *begun = static_cast<int64_t *>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  StatefulModel made;
  nacre_state *state = nullptr, *expected = nullptr;
  if (begun == MAP_FAILED || nacre_state_create(made.model(), nullptr, &state) != NACRE_OK ||
      nacre_state_create(made.model(), nullptr, &expected) != NACRE_OK)
    return 1;
  make(made, state, 0);
  if (nacre_state_save(state, path.c_str(), NACRE_STATE_ALL) != NACRE_OK)
    return 1;
  std::mt19937 random(1);
  for (int turn = 0; turn < turns; ++turn) {
    const pid_t child = fork();
    if (child == 0)
      saveWithoutPause(made, state, path.c_str(), begun);
    usleep(random() % 60000);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    int64_t number = -1;
    uint32_t index = 0;
    const bool loaded = nacre_state_load(state, path.c_str(), NACRE_STATE_ALL) == NACRE_OK;
    nacre_state_find(state, "#step", &index);
    nacre_state_read(state, index, &number, sizeof number);
    make(made, expected, number);
    if (!WIFSIGNALED(status) || !loaded || number < *begun - 1 || number > *begun ||
        contents(made.model(), state) != contents(made.model(), expected)) {
      std::fprintf(stderr, "turn %d: save %lld of %lld is there: %s\n", turn, static_cast<long long>(number),
                   static_cast<long long>(*begun), nacre_state_reason(state));
      return 1;
    }
    *begun = number; // the next begins there, for it is what the file has
  }
  std::printf("killed %d times in %lld saves\n", turns, static_cast<long long>(*begun));
  nacre_state_destroy(state);
  nacre_state_destroy(expected);
  return 0;
}
