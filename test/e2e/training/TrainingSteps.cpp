// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: runs a compiled model's entries step by step, and writes what they give as raw bytes.
// Why:  tests of training compare losses, gradients and weights with numbers that others computed.
// How:  steps [--gpu] <library> <model> <folder> <steps> <batches> <entry>...: in each step all entries run, in this
//       order, each in a session of its own, to which the state of the one before is copied. Batch b of an input is
//       <folder>/<name>.<b>, or <folder>/<name> where that is the same in all; the runs of the entries take one batch
//       after the other. A line says each loss. At the end <folder>/<entry>.<output>.out has the outputs of the first
//       run and <folder>/<name>.state the state. A number of threads may follow the batches, `4:2`, and then the
//       number of the first batch, `4:2:10`. The state begins as <folder>/begin.safetensors if that file exists;
//       <folder>/end.safetensors has the state at the end. With `--gpu` before the library, a GPU is required, a run
//       that falls back to the CPU is an error, and a last line for each entry counts launches: `launches <entry> <of
//       the GPU> <of the CPU>`.

#include "test/e2e/Program.h"

#include <fstream>
#include <vector>

namespace {

bool readFile(const std::string &path, void *data, uint64_t bytes) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return false;
  if (!file.read(static_cast<char *>(data), std::streamsize(bytes)) || file.peek() != EOF)
    fail(path + " must have " + std::to_string(bytes) + " bytes");
  return true;
}

void writeFile(const std::string &path, const void *data, uint64_t bytes) {
  std::ofstream(path, std::ios::binary).write(static_cast<const char *>(data), std::streamsize(bytes));
}

class Entry {
public:
  Entry(const nacre_model *model, const std::string &name, const std::string &folder, unsigned threads, bool onGpu)
      : model(model), name(name), folder(folder), onGpu(onGpu) {
    nacre_session_options options = nacre_session_options_default();
    options.threads = threads;
    options.entry = name.c_str();
    options.gpu = onGpu ? NACRE_GPU_REQUIRED : NACRE_GPU_NEVER;
    check(nacre_session_create(model, &options, &session), name);
    check(nacre_session_state(session, &state), "state");
    for (number = 0; nacre_entry_describe(model, number, &entry) == NACRE_OK; ++number)
      if (entry.name == name)
        return;
    fail("no entry " + name);
  }
  ~Entry() { nacre_session_destroy(session); }

  void run(int batch) {
    nacre_tensor_info tensor;
    void *data;
    for (uint32_t i = 0; i < entry.input_count; ++i) {
      check(nacre_input_describe(model, number, i, &tensor), "input");
      check(nacre_session_input(session, i, &data), "input");
      const std::string path = folder + "/" + tensor.name;
      if (!readFile(path + "." + std::to_string(batch), data, tensor.bytes) && !readFile(path, data, tensor.bytes))
        fail("no file " + path);
    }
    check(nacre_session_run(session), "run");
    if (onGpu && *nacre_session_reason(session))
      fail(name + " fell back to the CPU: " + nacre_session_reason(session));
    for (uint32_t i = 0; i < entry.output_count; ++i) {
      check(nacre_output_describe(model, number, i, &tensor), "output");
      check(nacre_session_output(session, i, &data), "output");
      if (i == 0)
        printf("%s %.9g\n", name.c_str(), double(*static_cast<const float *>(data)));
      if (runs == 0)
        writeFile(folder + "/" + name + "." + tensor.name + ".out", data, tensor.bytes);
    }
    ++runs;
  }

  /// Copies the whole state of `other`, one tensor after the other.
  void take(Entry &other) {
    forEach([&](uint32_t index, const nacre_state_info &, std::vector<char> &bytes) {
      check(nacre_state_read(other.state, index, bytes.data(), bytes.size()), "read");
      check(nacre_state_write(state, index, bytes.data(), bytes.size()), "write");
    });
  }

  void load(const std::string &path) {
    if (std::ifstream(path))
      check(nacre_state_load(state, path.c_str(), NACRE_STATE_ALL), nacre_state_reason(state));
  }

  void save() {
    check(nacre_state_save(state, (folder + "/end.safetensors").c_str(), NACRE_STATE_ALL), nacre_state_reason(state));
    forEach([&](uint32_t index, const nacre_state_info &info, std::vector<char> &bytes) {
      check(nacre_state_read(state, index, bytes.data(), bytes.size()), "read");
      writeFile(folder + "/" + info.name + ".state", bytes.data(), bytes.size());
    });
  }

  void printLaunches() {
    nacre_session_info info;
    check(nacre_session_describe(session, &info), "describe");
    printf("launches %s %u %u\n", name.c_str(), info.gpu_launches, info.cpu_launches);
  }

private:
  template <typename Visit> void forEach(Visit visit) {
    nacre_state_info info;
    for (uint32_t index = 0; nacre_state_describe(model, index, &info) == NACRE_OK; ++index) {
      std::vector<char> bytes(info.bytes);
      visit(index, info, bytes);
    }
  }

  const nacre_model *model;
  std::string name, folder;
  bool onGpu;
  uint32_t number = 0;
  nacre_entry_info entry;
  nacre_session *session = nullptr;
  nacre_state *state = nullptr;
  int runs = 0;
};

} // namespace

int main(int argc, char **argv) {
  const bool onGpu = argc > 1 && std::string(argv[1]) == "--gpu";
  if (onGpu)
    ++argv, --argc;
  if (argc < 7)
    fail("steps [--gpu] <library> <model> <folder> <steps> <batches> <entry>...");
  const nacre_model *model = findModel(argv[1], argv[2]);
  long steps = 0, batches = 1, threads = 1, run = 0;
  readNumbers(argv[4], {&steps});
  readNumbers(argv[5], {&batches, &threads, &run});
  std::vector<Entry *> entries;
  for (int i = 6; i < argc; ++i)
    entries.push_back(new Entry(model, argv[i], argv[3], unsigned(threads), onGpu));
  entries.front()->load(std::string(argv[3]) + "/begin.safetensors");
  Entry *before = nullptr;
  for (long step = 0; step < steps; ++step)
    for (Entry *entry : entries) {
      if (before && before != entry)
        entry->take(*before);
      entry->run(int(run++ % batches));
      before = entry;
    }
  before->save();
  if (onGpu)
    for (Entry *entry : entries)
      entry->printLaunches();
  for (Entry *entry : entries)
    delete entry;
  return 0;
}
