// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one ONNX model through libonnxruntime's C interface and prints one JSON line, as nacre-run --benchmark does.
//
// Why: the rival is measured by a program as thin as ours, with the same inputs, threads and kind of statistics.
// How: no vendor header is needed: the interface is a table of function pointers whose order is part of its ABI, so the
//      few entries used here are named by their position in that table.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace {

enum Slot {
  kGetErrorMessage = 2,
  kCreateEnv = 3,
  kCreateSession = 7,
  kRun = 9,
  kCreateSessionOptions = 10,
  kSetGraphOptimization = 23,
  kSetIntraThreads = 24,
  kSetInterThreads = 25,
  kInputCount = 30,
  kOutputCount = 31,
  kInputType = 33,
  kOutputType = 34,
  kInputName = 36,
  kOutputName = 37,
  kTensorWithData = 49,
  kTensorData = 51,
  kCastToTensor = 55,
  kElementType = 60,
  kDimensionCount = 61,
  kDimensions = 62,
  kValueTensorInfo = 65,
  kCpuMemoryInfo = 69,
  kDefaultAllocator = 78,
};

void **table;

[[noreturn]] void fail(const std::string &text) {
  fprintf(stderr, "ort_run: %s\n", text.c_str());
  exit(1);
}

template <typename... Args> void call(Slot slot, Args... args) {
  auto function = reinterpret_cast<void *(*)(Args...)>(table[slot]);
  if (void *status = function(args...))
    fail(reinterpret_cast<const char *(*)(void *)>(table[kGetErrorMessage])(status));
}

/// Marks the counted region for qemu_insn_count.c: unallocated hints, no-ops on every core.
inline void mark(bool begin) {
#if defined(__aarch64__)
  if (begin)
    asm volatile("hint #0x60" ::: "memory");
  else
    asm volatile("hint #0x61" ::: "memory");
#else
  (void)begin;
#endif
}

/// Numbers of ONNX's TensorProto.DataType, as far as the bench models use them, with NumPy's names.
struct ElementType {
  int number;
  size_t bytes;
  const char *numpy;
};
constexpr ElementType kElementTypes[] = {{1, 4, "<f4"}, {2, 1, "|u1"}, {3, 1, "|i1"},
                                         {6, 4, "<i4"}, {7, 8, "<i8"}, {9, 1, "|b1"}};

const ElementType &elementType(int number) {
  for (const ElementType &type : kElementTypes)
    if (type.number == number)
      return type;
  fail("element type " + std::to_string(number) + " is not handled");
}

struct Port {
  std::string name;
  int type = 0;
  std::vector<int64_t> dims;
  std::vector<char> data;
  void *value = nullptr;
};

size_t elementCount(const std::vector<int64_t> &dims) {
  size_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

void readNpy(const std::string &path, Port &port) {
  std::ifstream file(path, std::ios::binary);
  char prefix[10];
  if (!file.read(prefix, sizeof prefix))
    fail("cannot read " + path);
  std::string header(uint8_t(prefix[8]) | uint8_t(prefix[9]) << 8, 0);
  file.read(header.data(), header.size());
  port.dims.clear();
  size_t open = header.find('(', header.find("shape")), close = header.find(')', open);
  for (const char *at = header.c_str() + open + 1; at < header.c_str() + close;) {
    char *end;
    long value = strtol(at, &end, 10);
    if (end == at)
      break;
    port.dims.push_back(value);
    for (at = end; *at == ' ' || *at == ',';)
      ++at;
  }
  port.data.resize(elementCount(port.dims) * elementType(port.type).bytes);
  if (!file.read(port.data.data(), port.data.size()))
    fail(path + " is too short");
}

void writeNpy(const std::string &path, int type, const std::vector<int64_t> &dims, const void *data) {
  std::string shape;
  for (int64_t dim : dims)
    shape += std::to_string(dim) + ", ";
  std::string header =
      std::string("{'descr': '") + elementType(type).numpy + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  while ((header.size() + 11) % 64)
    header += ' ';
  header += '\n';
  char length[2] = {char(header.size() & 255), char(header.size() >> 8)};
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8).write(length, 2);
  file << header;
  file.write(static_cast<const char *>(data), elementCount(dims) * elementType(type).bytes);
}

Port describe(void *session, void *allocator, bool input, size_t index) {
  Port port;
  char *name;
  call(input ? kInputName : kOutputName, session, index, allocator, &name);
  port.name = name;
  void *type;
  const void *tensor;
  call(input ? kInputType : kOutputType, session, index, &type);
  call(kCastToTensor, (const void *)type, &tensor);
  call(kElementType, tensor, &port.type);
  return port;
}

long peakKilobytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

constexpr int kAllOptimizations = 99;

struct Options {
  std::string library, model, data, dump;
  int threads = 1, warmup = 5, runs = 20, level = kAllOptimizations;
  double seconds = 1e9;
};

double numberOf(const std::string &option, const char *text) {
  char *end = nullptr;
  const double number = strtod(text, &end);
  if (end == text || *end != 0)
    fail(option + " must be a number, but is '" + text + "'");
  return number;
}

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    if (name.compare(0, 2, "--") != 0) {
      options.model = name;
      continue;
    }
    if (++i == argc)
      fail(name + " needs a value");
    const char *value = argv[i];
    if (name == "--lib")
      options.library = value;
    else if (name == "--threads")
      options.threads = int(numberOf(name, value));
    else if (name == "--warmup")
      options.warmup = int(numberOf(name, value));
    else if (name == "--level")
      options.level = int(numberOf(name, value));
    else if (name == "--runs")
      options.runs = int(numberOf(name, value));
    else if (name == "--max-seconds")
      options.seconds = numberOf(name, value);
    else if (name == "--data")
      options.data = value;
    else if (name == "--dump")
      options.dump = value;
    else
      fail("unknown option " + name);
  }
  if (options.library.empty() || options.model.empty() || options.data.empty())
    fail("usage: ort_run --lib libonnxruntime.so.1 --data FOLDER [--threads N] [--warmup N] [--runs N] [--max-seconds "
         "S]\n"
         "               [--level N] [--dump FOLDER] model.onnx\n"
         "inputs are FOLDER/input_<i>.npy; --level 0 computes the graph as written; --dump writes output_<i>.npy");
  return options;
}

} // namespace

int main(int argc, char **argv) {
  Options options = parse(argc, argv);
  void *library = dlopen(options.library.c_str(), RTLD_NOW);
  if (!library)
    fail(dlerror());
  struct Base {
    void **(*api)(uint32_t);
    const char *(*version)();
  };
  auto base = reinterpret_cast<const Base *(*)()>(dlsym(library, "OrtGetApiBase"))();
  constexpr uint32_t kApiVersion = 14;
  table = base->api(kApiVersion);
  if (!table)
    fail("the library is too old");

  void *env, *sessionOptions, *session, *allocator, *memory;
  constexpr int kErrorsOnly = 3;
  call(kCreateEnv, kErrorsOnly, "bench", &env);
  call(kCreateSessionOptions, &sessionOptions);
  call(kSetGraphOptimization, sessionOptions, options.level);
  call(kSetIntraThreads, sessionOptions, options.threads);
  call(kSetInterThreads, sessionOptions, 1);
  call(kCreateSession, (const void *)env, options.model.c_str(), (const void *)sessionOptions, &session);
  call(kDefaultAllocator, &allocator);
  call(kCpuMemoryInfo, 1, 0, &memory);

  size_t inputCount, outputCount;
  call(kInputCount, (const void *)session, &inputCount);
  call(kOutputCount, (const void *)session, &outputCount);
  std::vector<Port> inputs, outputs;
  for (size_t i = 0; i < inputCount; ++i) {
    inputs.push_back(describe(session, allocator, true, i));
    readNpy(options.data + "/input_" + std::to_string(i) + ".npy", inputs.back());
  }
  for (size_t i = 0; i < outputCount; ++i)
    outputs.push_back(describe(session, allocator, false, i));

  std::vector<const char *> inputNames, outputNames;
  std::vector<void *> inputValues, outputValues(outputCount, nullptr);
  for (Port &port : inputs) {
    call(kTensorWithData, (const void *)memory, (void *)port.data.data(), port.data.size(),
         (const int64_t *)port.dims.data(), port.dims.size(), port.type, &port.value);
    inputNames.push_back(port.name.c_str());
    inputValues.push_back(port.value);
  }
  for (Port &port : outputs)
    outputNames.push_back(port.name.c_str());
  auto run = [&] {
    call(kRun, session, (const void *)nullptr, inputNames.data(), (const void *const *)inputValues.data(), inputCount,
         outputNames.data(), outputCount, outputValues.data());
  };

  // The first run allocates the outputs; later runs write into the same buffers.
  for (int i = 0; i < std::max(1, options.warmup); ++i)
    run();
  std::vector<double> times;
  double total = 0;
  for (int i = 0; i < options.runs && (i < 3 || total < options.seconds * 1e3); ++i) {
    auto begin = std::chrono::steady_clock::now();
    mark(true);
    run();
    mark(false);
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    total += times.back();
  }
  std::sort(times.begin(), times.end());

  for (size_t i = 0; i < outputCount && !options.dump.empty(); ++i) {
    void *info, *data;
    size_t rank;
    call(kValueTensorInfo, (const void *)outputValues[i], &info);
    call(kDimensionCount, (const void *)info, &rank);
    std::vector<int64_t> dims(rank);
    call(kDimensions, (const void *)info, dims.data(), rank);
    call(kTensorData, outputValues[i], &data);
    writeNpy(options.dump + "/output_" + std::to_string(i) + ".npy", outputs[i].type, dims, data);
  }

  auto at = [&](double quantile) { return times[std::min(times.size() - 1, size_t(quantile * times.size()))]; };
  printf("{\"ort\":\"%s\",\"threads\":%d,\"runs\":%zu,\"min_ms\":%.5f,\"median_ms\":%.5f,\"p90_ms\":%.5f,\"peak_rss_"
         "mb\":%.1f}\n",
         base->version(), options.threads, times.size(), times[0], at(0.5), at(0.9), peakKilobytes() / 1024.0);
  fflush(stdout);
  // Its destructors are slow and none of our business.
  _Exit(0);
}
