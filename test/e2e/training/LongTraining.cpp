// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  many steps of training, and whether one of them allocates or leaks memory.
// Why:   an app trains for hours; what a step leaks, a day of them shows to the user.
// How:   long <library> <model> <steps>: inputs are random numbers, labels classes. Calls of malloc and its kin are
//        counted while steps are made; how much of the process is in memory is compared between the first tenth and the
//        end.

#include "test/e2e/Program.h"

#include <cmath>
#include <cstring>
#include <fstream>

namespace {

/// Returns the resident size of the process.
long residentKibibytes() {
  std::ifstream file("/proc/self/statm");
  long pages = 0, resident = 0;
  if (!(file >> pages >> resident))
    fail("no /proc/self/statm");
  return resident * 4;
}

class Steps {
public:
  explicit Steps(const nacre_model *model) : model(model) {
    nacre_session_options options = nacre_session_options_default();
    options.entry = "train";
    options.threads = 2;
    check(nacre_session_create(model, &options, &session), "train");
    for (number = 0; nacre_entry_describe(model, number, &entry) == NACRE_OK; ++number)
      if (strcmp(entry.name, "train") == 0)
        return;
    fail("no entry train");
  }
  ~Steps() { nacre_session_destroy(session); }

  void run(long count) {
    for (long step = 0; step < count; ++step) {
      fill();
      watching = true;
      check(nacre_session_run(session), "run");
      watching = false;
    }
  }

  float loss() const {
    void *data;
    check(nacre_session_output_named(session, "loss", &data), "loss");
    return *static_cast<const float *>(data);
  }

private:
  void fill() {
    nacre_tensor_info tensor;
    void *data;
    for (uint32_t i = 0; i < entry.input_count; ++i) {
      check(nacre_input_describe(model, number, i, &tensor), "input");
      check(nacre_session_input(session, i, &data), "input");
      if (strcmp(tensor.name, "learning_rate") == 0)
        *static_cast<float *>(data) = 0.01f;
      else if (tensor.type == NACRE_I64)
        for (uint64_t e = 0; e < tensor.bytes / sizeof(int64_t); ++e)
          static_cast<int64_t *>(data)[e] = next() % 10;
      else
        for (uint64_t e = 0; e < tensor.bytes / sizeof(float); ++e)
          static_cast<float *>(data)[e] = float(next() % 1000) / 1000;
    }
  }

  uint32_t next() { return seed = seed * 1664525 + 1013904223, seed >> 8; }

  const nacre_model *model;
  uint32_t number = 0, seed = 1;
  nacre_entry_info entry;
  nacre_session *session = nullptr;
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 4)
    fail("long <library> <model> <steps>");
  const nacre_model *model = findModel(argv[1], argv[2]);
  constexpr long kNoise = 512; // the kernel counts pages by thread, and adds up now and then
  long count = 0;
  readNumbers(argv[3], {&count});
  Steps steps(model);
  steps.run(count / 10);
  const long before = residentKibibytes();
  steps.run(count - count / 10);
  const long grown = residentKibibytes() - before;
  printf("%ld steps, %ld allocations in them, grown by %ld KiB, loss %g\n", count, allocations.load(), grown,
         double(steps.loss()));
  return allocations == 0 && grown <= kNoise && std::isfinite(steps.loss()) ? 0 : 1;
}
