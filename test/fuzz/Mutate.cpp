// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  runs a fuzz target on every file of a corpus and on random changes of them.
// Why:   builds without libFuzzer still meet hostile bytes in every test run. The seed is fixed: a failure comes again.
// How:   of every two inputs one is changed as a model (MutateModel.h), the other by one to eight changes of bytes: a
//        bit, a byte, a run copied, dropped or repeated, the end cut off. An input that crashes, or takes half a
//        minute, is kept in the file `crash`.

#include "test/fuzz/MutateModel.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// The input that is run now, for the handler of signals.
static const std::vector<uint8_t> *current;

/// Only what is allowed in a handler: open, write, raise.
static void leaveBehind(int number) {
  if (const int file = open("crash", O_WRONLY | O_CREAT | O_TRUNC, 0644); file >= 0 && current) {
    const bool whole = write(file, current->data(), current->size()) == ssize_t(current->size());
    constexpr char kept[] = "the input is in the file 'crash'\n", lost[] = "the input could not be kept\n";
    if (write(2, whole ? kept : lost, whole ? sizeof kept - 1 : sizeof lost - 1) < 0)
      _exit(1);
  }
  std::signal(number, SIG_DFL);
  std::raise(number);
}

/// Limits the time of the processor, so that a busy machine is no hang; 0: no limit.
static void limitTime(time_t seconds) {
  const itimerval limit = {{}, {seconds, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

static void run(const std::string &input) {
  // An exactly sized block, so that a sanitizer sees one byte too many.
  std::vector<uint8_t> bytes(input.begin(), input.end());
  current = &bytes;
  limitTime(30);
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  limitTime(0);
  current = nullptr;
}

static std::string mutate(std::string input, std::mt19937 &random) {
  auto below = [&](size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random); };
  for (size_t changes = below(8) + 1; changes && !input.empty(); --changes) {
    size_t at = below(input.size()), length = std::min(below(16) + 1, input.size() - at);
    switch (below(6)) {
    case 0:
      input[at] = static_cast<char>(input[at] ^ 1 << below(8));
      break;
    case 1:
      input[at] = static_cast<char>(below(256));
      break;
    case 2:
      input.insert(below(input.size() + 1), input.substr(at, length));
      break;
    case 3:
      input.erase(at, length);
      break;
    case 4:
      input.insert(at, length, static_cast<char>(0xff));
      break;
    case 5:
      input.resize(at);
      break;
    }
  }
  return input;
}

/// Returns whether the argument is the option `name` and a number.
static bool readOption(const char *argument, const char *name, unsigned &value) {
  const size_t size = std::strlen(name);
  if (std::strncmp(argument, name, size) != 0)
    return false;
  const char *end = argument + std::strlen(argument);
  return std::from_chars(argument + size, end, value).ptr == end;
}

int main(int argc, char **argv) {
  unsigned seconds = 10, seed = 1;
  std::vector<std::string> corpus;
  for (int index = 1; index < argc; ++index) {
    if (readOption(argv[index], "--seconds=", seconds) || readOption(argv[index], "--seed=", seed))
      continue;
    // A folder is listed in any order, another on each file system.
    std::set<std::filesystem::path> paths;
    for (const auto &entry : std::filesystem::directory_iterator(argv[index]))
      paths.insert(entry.path());
    for (const std::filesystem::path &path : paths) {
      std::ifstream file(path, std::ios::binary);
      corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "usage: %s [--seconds=N] [--seed=N] CORPUS_FOLDER...   (10 seconds, seed 1)\n", argv[0]);
    return 2;
  }
  for (int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPROF})
    std::signal(number, leaveBehind);
  for (const std::string &input : corpus)
    run(input);

  std::mt19937 random(seed);
  size_t runs = 0;
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  for (; std::chrono::steady_clock::now() < end; ++runs)
    run(random() % 2 ? mutate(corpus[runs % corpus.size()], random)
                     : mutateModel(corpus[runs % corpus.size()], random()));
  std::printf("%zu files, %zu mutations\n", corpus.size(), runs);
  return 0;
}
