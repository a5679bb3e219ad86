// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: counts the bytes that cross the bus while an app trains, saves and evaluates, and the memory that it takes.
// Why:  the state stays on the GPU, and only tests notice if it does not.
// How:  state_bytes <library> <model> <file>. The sessions of train, evaluate and main share a state. A line for each
//       action says `copied <action> <to the GPU> <to the CPU>`; one says `memory <entry> <reported> <peak>` of a
//       session of only train, which is created first, with `launches <of the GPU> <of the CPU>`, and one `losses <sum
//       of 64 steps>`. The file has the state at the end. libvulkan.so.1 must be the tests'
//       (test/runtime/gpu_vulkan/FakeVulkan.h), which counts.

#include "test/e2e/Program.h"
#include "test/runtime/gpu_vulkan/FakeVulkan.h"

#include <cinttypes>
#include <cstring>
#include <functional>

namespace {

template <typename Function> Function *locate(const char *name) {
  static void *library = dlopen("libvulkan.so.1", RTLD_NOW);
  auto *function = library ? reinterpret_cast<Function *>(dlsym(library, name)) : nullptr;
  if (!function)
    fail(std::string("libvulkan.so.1 has no ") + name);
  return function;
}

void printCopies(const char *action, const std::function<void()> &act) {
  static auto *copies = locate<decltype(fakeVulkanCopies)>("fakeVulkanCopies");
  uint64_t toGpu[2], toCpu[2], inside;
  copies(&toGpu[0], &toCpu[0], &inside);
  act();
  copies(&toGpu[1], &toCpu[1], &inside);
  printf("copied %s %" PRIu64 " %" PRIu64 "\n", action, toGpu[1] - toGpu[0], toCpu[1] - toCpu[0]);
}

struct Entry {
  Entry(const nacre_model *model, const char *name, nacre_state *state) {
    nacre_session_options options = nacre_session_options_default();
    options.entry = name;
    options.state = state;
    options.gpu = NACRE_GPU_REQUIRED;
    check(nacre_session_create(model, &options, &session), name);
    uint32_t number = 0;
    for (nacre_entry_info entry;
         nacre_entry_describe(model, number, &entry) == NACRE_OK && std::strcmp(entry.name, name) != 0;)
      ++number;
    void *data;
    nacre_tensor_info input;
    // Zeros are labels, too.
    for (uint32_t i = 0; nacre_input_describe(model, number, i, &input) == NACRE_OK; ++i) {
      check(nacre_session_input(session, i, &data), input.name);
      std::memset(data, 0, input.bytes);
      if (std::strcmp(input.name, "learning_rate") == 0)
        *static_cast<float *>(data) = 0.01f;
    }
  }
  ~Entry() { nacre_session_destroy(session); }

  void run() {
    check(nacre_session_run(session), "run");
    if (*nacre_session_reason(session))
      fail(nacre_session_reason(session));
  }

  nacre_session *session = nullptr;
};

void printMemory(const nacre_model *model, const char *path) {
  static auto *peak = locate<decltype(fakeVulkanPeakBytes)>("fakeVulkanPeakBytes");
  static auto *reset = locate<decltype(fakeVulkanReset)>("fakeVulkanReset");
  reset();
  nacre_state *state;
  check(nacre_state_create(model, nullptr, &state), "state");
  {
    Entry train(model, "train", state);
    nacre_session_info info;
    check(nacre_session_describe(train.session, &info), "describe");
    printf("launches %u %u\n", info.gpu_launches, info.cpu_launches);
    train.run();
    check(nacre_state_save(state, path, NACRE_STATE_ALL), nacre_state_reason(state));
    printf("memory train %" PRIu64 " %" PRIu64 "\n", info.gpu_bytes, peak());
  }
  nacre_state_destroy(state);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4)
    fail("state_bytes <library> <model> <file>");
  const nacre_model *model = findModel(argv[1], argv[2]);
  printMemory(model, argv[3]);
  nacre_state *state;
  check(nacre_state_create(model, nullptr, &state), "state");
  auto save = [&] { check(nacre_state_save(state, argv[3], NACRE_STATE_ALL), nacre_state_reason(state)); };
  {
    Entry train(model, "train", state), evaluate(model, "evaluate", state), main(model, "main", state);
    printCopies("first-step", [&] { train.run(); });
    printCopies("step", [&] { train.run(); });
    printCopies("save", save);
    printCopies("second-save", save);
    printCopies("step-after-save", [&] { train.run(); });
    printCopies("first-main", [&] { main.run(); });
    printCopies("main", [&] { main.run(); });
    printCopies("first-evaluate", [&] { evaluate.run(); });
    printCopies("evaluate", [&] { evaluate.run(); });
    printCopies("last-step", [&] { train.run(); });
    void *loss;
    check(nacre_session_output_named(train.session, "loss", &loss), "loss");
    double sum = 0;
    printCopies("64-steps", [&] {
      for (int step = 0; step < 64; ++step) {
        train.run();
        sum += double(*static_cast<const float *>(loss));
      }
    });
    printf("losses %.17g\n", sum);
    save();
  }
  nacre_state_destroy(state);
  return 0;
}
