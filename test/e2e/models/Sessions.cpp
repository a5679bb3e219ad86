// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: several models in one process, and one model in several threads, give the answers that each gives by itself;
//       and running asks no allocator for anything.
// Why:  an app bundles several models and calls them from where it likes; an allocation in `run` would be a hiccup.
// How:  each argument is a compiled library; or the models are linked in (linkedModels), as the thread sanitizer
//       needs, which must see the runtime's sources. A seeded input, one session: the reference. Then sessions of all
//       models are alive at once and run in turn, then four threads run sessions of their own; every output must equal
//       its reference to the bit. The C library's allocator is interposed and counted while a session runs.

#include "test/e2e/Program.h"

#include <thread>
#include <vector>

// The models of a program they are linked into, ended by a null pointer; absent where they are libraries.
extern "C" const nacre_model *const linkedModels[] __attribute__((weak));

namespace {

/// A session with its input filled from a seed.
class Run {
public:
  Run(const nacre_model *model, uint32_t threads) : model(model) {
    nacre_session_options options = nacre_session_options_default();
    options.threads = threads;
    check(nacre_session_create(model, &options, &session), "create");
    nacre_entry_info entry;
    check(nacre_entry_describe(model, 0, &entry), "describe");
    outputCount = entry.output_count;
    for (uint32_t i = 0; i < entry.input_count; ++i)
      fillInput(i);
  }
  ~Run() { nacre_session_destroy(session); }
  Run(const Run &) = delete;
  Run &operator=(const Run &) = delete;

  void operator()() { check(nacre_session_run(session), nacre_session_reason(session)); }

  /// All outputs, one after the other.
  std::string bytes() const {
    std::string all;
    for (uint32_t i = 0; i < outputCount; ++i) {
      nacre_tensor_info info;
      void *data;
      check(nacre_output_describe(model, 0, i, &info), "describe output");
      check(nacre_session_output(session, i, &data), "output");
      all.append(static_cast<const char *>(data), info.bytes);
    }
    return all;
  }

private:
  void fillInput(uint32_t index) {
    nacre_tensor_info info;
    void *data;
    check(nacre_input_describe(model, 0, index, &info), "describe input");
    check(nacre_session_input(session, index, &data), "input");
    if (info.type != NACRE_F32)
      fail("the test feeds float inputs only");
    uint32_t state = 1 + index;
    for (uint64_t i = 0; i < info.bytes / sizeof(float); ++i) {
      state = state * 1664525 + 1013904223;
      static_cast<float *>(data)[i] = float(state >> 8) / (1 << 23) - 1;
    }
  }

  const nacre_model *model;
  nacre_session *session = nullptr;
  uint32_t outputCount = 0;
};

const nacre_model *load(const std::string &path) {
  const size_t begin = path.rfind('/') + 1;
  const std::string stem = path.substr(begin, path.rfind('.') - begin);
  return findModel(path, stem.substr(stem.compare(0, 3, "lib") == 0 ? 3 : 0));
}

void expectSame(const std::string &left, const std::string &right, const char *where) {
  if (left != right)
    fail(std::string("outputs differ ") + where);
}

} // namespace

int main(int argc, char **argv) {
  constexpr int kThreads = 4, kRepeats = 20;
  std::vector<const nacre_model *> models;
  for (int i = 1; i < argc; ++i)
    models.push_back(load(argv[i]));
  for (auto model = linkedModels; model && *model; ++model)
    models.push_back(*model);
  if (models.empty())
    fail("usage: sessions libmodel.so ...");

  std::vector<std::string> references;
  for (const nacre_model *model : models) {
    Run alone(model, /*threads=*/1);
    alone();
    references.push_back(alone.bytes());
  }

  { // Several models at once, with threads of their own, in turn.
    std::vector<Run *> runs;
    for (const nacre_model *model : models)
      runs.push_back(new Run(model, /*threads=*/2));
    for (int repeat = 0; repeat < kRepeats; ++repeat)
      for (size_t i = 0; i < runs.size(); ++i) {
        watching = true;
        (*runs[i])();
        watching = false;
        if (repeat == 0 || repeat + 1 == kRepeats)
          expectSame(runs[i]->bytes(), references[i], "between two models in turn");
      }
    for (Run *run : runs)
      delete run;
  }
  if (allocations != 0)
    fail("running allocated " + std::to_string(allocations) + " times");

  // Each model in several threads.
  std::vector<std::thread> workers;
  for (int t = 0; t < kThreads; ++t)
    workers.emplace_back([&] {
      for (size_t i = 0; i < models.size(); ++i) {
        Run run(models[i], /*threads=*/1);
        for (int repeat = 0; repeat < kRepeats; ++repeat) {
          run();
          expectSame(run.bytes(), references[i], "between threads");
        }
      }
    });
  for (std::thread &worker : workers)
    worker.join();
  printf("%zu models, %d threads: all outputs equal, no allocation in run\n", models.size(), kThreads);
  return 0;
}
