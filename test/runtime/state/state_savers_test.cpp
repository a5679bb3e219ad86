// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  six savers and a reader of one file, first threads and then processes: every save succeeds, every load
//        succeeds, and a loaded state is that of one saver. usage: state-savers-test FOLDER [SAVES]
// Why:   a service saves what a trainer saves, too; a file that is half of one and half of the other is lost.
// How:   each saver saves SAVES states of numbers of its own; the reader loads until all have ended. Nothing may be
//        left next to the file.

#include "test/runtime/state/NumberedState.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace nacre::test;

static constexpr int kSavers = 6;
static StatefulModel made;

static bool saveAll(const std::string &path, int saver, int64_t saves) {
  NumberedState state(made);
  for (int64_t i = 0; i < saves; ++i) {
    state.make(i * kSavers + saver);
    if (!state.save(path.c_str())) {
      std::fprintf(stderr, "saver %d, save %lld: %s\n", saver, static_cast<long long>(i), state.reason());
      return false;
    }
  }
  return true;
}

/// Loads until `areDone`, and once more; how often, or -1.
template <typename Done> static int64_t loadAll(const std::string &path, Done areDone) {
  NumberedState state(made);
  int64_t loads = 0;
  for (bool isLast = false; !isLast; ++loads) {
    isLast = areDone();
    if (state.load(path.c_str()) < 0) {
      std::fprintf(stderr, "load %lld is refused or mixed: %s\n", static_cast<long long>(loads), state.reason());
      return -1;
    }
  }
  return loads;
}

static int64_t runThreads(const std::string &path, int64_t saves) {
  std::atomic<int> running(kSavers), failed(0);
  std::vector<std::thread> savers;
  for (int saver = 0; saver < kSavers; ++saver)
    savers.emplace_back([&, saver] {
      failed += !saveAll(path, saver, saves);
      --running;
    });
  const int64_t loads = loadAll(path, [&] { return running == 0; });
  for (std::thread &saver : savers)
    saver.join();
  return failed ? -1 : loads;
}

static int64_t runProcesses(const std::string &path, int64_t saves) {
  for (int saver = 0; saver < kSavers; ++saver)
    if (fork() == 0)
      _exit(saveAll(path, saver, saves) ? 0 : 1);
  int running = kSavers, failed = 0;
  const auto areDone = [&] {
    int status = 0;
    while (running && waitpid(-1, &status, WNOHANG) > 0) {
      --running;
      failed += status != 0;
    }
    return running == 0;
  };
  const int64_t loads = loadAll(path, areDone);
  for (int status = 0; running && waitpid(-1, &status, 0) > 0; --running)
    failed += status != 0;
  return failed ? -1 : loads;
}

int main(int count, char **arguments) {
  if (count < 2)
    return 2;
  const FolderOfOneFile folder(arguments[1], "shared.safetensors");
  const std::string path = folder.path();
  const int64_t saves = count > 2 ? std::strtol(arguments[2], nullptr, 10) : 10000;
  if (!saveAll(path, 0, 1))
    return 1;
  const int64_t inThreads = runThreads(path, saves), inProcesses = runProcesses(path, saves);
  std::printf("%d savers, %lld saves each: %lld loads beside threads, %lld beside processes\n", kSavers,
              static_cast<long long>(saves), static_cast<long long>(inThreads), static_cast<long long>(inProcesses));
  return inThreads > 0 && inProcesses > 0 && folder.countStrangers(/*wereKilled=*/false) == 0 ? 0 : 1;
}
