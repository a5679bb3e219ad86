// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  many steps of training, and whether one of them asks for memory or leaves some behind.
// Why:   an app trains for hours; what a step leaks, a day of them shows to the user.
// How:   long <library> <model> <steps>: inputs are random numbers, labels classes. The program defines malloc and its kin and counts
//        calls while steps are made; how much of the process is in memory is compared between the first tenth and the end.

#include "nacre/runtime.h"

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>

static std::atomic<long> allocations;
static std::atomic<bool> watching;

#ifdef NACRE_COUNT_ALLOCATIONS
extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes) {
  allocations += watching;
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  allocations += watching;
  return __libc_calloc(count, bytes);
}
void *realloc(void *block, size_t bytes) {
  allocations += watching;
  return __libc_realloc(block, bytes);
}
int posix_memalign(void **block, size_t alignment, size_t bytes) {
  allocations += watching;
  *block = __libc_memalign(alignment, bytes);
  return *block ? 0 : 12;
}
}
#endif

namespace {

[[noreturn]] void fail(const std::string &text) {
  fprintf(stderr, "long: %s\n", text.c_str());
  exit(1);
}

void check(nacre_status status, const std::string &what) {
  if (status != NACRE_OK)
    fail(what + ": " + nacre_status_text(status));
}

/// What of the process is in memory.
long residentKibibytes() {
  FILE *file = fopen("/proc/self/statm", "re");
  long pages = 0, resident = 0;
  if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2)
    fail("no /proc/self/statm");
  fclose(file);
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
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail(dlerror());
  const auto *model = static_cast<const nacre_model *>(dlsym(library, (std::string("nacre_model_") + argv[2]).c_str()));
  if (!model)
    fail("no model in the library");
  constexpr long kNoise = 512; // the kernel counts pages by thread, and adds up now and then
  const long count = atol(argv[3]);
  Steps steps(model);
  steps.run(count / 10);
  const long before = residentKibibytes();
  steps.run(count - count / 10);
  const long grown = residentKibibytes() - before;
  printf("%ld steps, %ld allocations in them, grown by %ld KiB, loss %g\n", count, allocations.load(), grown,
         double(steps.loss()));
  return allocations == 0 && grown <= kNoise && std::isfinite(steps.loss()) ? 0 : 1;
}
