// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. what the launches compute; 2. a library with a session; 3. the least time of each launch, and the median of
//          a run that does nothing.

#include "tools/tune/GpuFigures.h"
#include "tools/measure/Peak.h"
#include "tools/tune/KernelWork.h"

#include "runtime/include/nacre/runtime.h"
#include "runtime/inspect/library_check.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <vector>

namespace nacre::tune {

using measure::now;

namespace {

//===----------------------------------------------------------------------===//
// 1. Launches
//===----------------------------------------------------------------------===//

constexpr int kKernelCount = sizeof(kKernels) / sizeof(kKernels[0]);

/// Bytes that the maps read and write.
constexpr double kSmallBytes = 2.0 * 4 * 16 * (1 << 14), kLargeBytes = 2.0 * 4 * 16 * (1 << 18);

constexpr double kSecondsOfRates = 2, kSecondsOfLatency = 0.5;

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

//===----------------------------------------------------------------------===//
// 2. A library
//===----------------------------------------------------------------------===//

class Library {
public:
  Library() = default;
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;
  ~Library() {
    if (session)
      nacre_session_destroy(session);
    if (handle)
      dlclose(handle);
  }

  bool open(const std::string &folder, const char *name, int device, bool profile, std::string &reason) {
    const std::string path = folder + "/lib" + name + ".so", symbol = std::string("nacre_model_") + name;
    nacre_library_facts facts;
    if (const int verdict = nacre_library_check(path.c_str(), &facts)) {
      reason = verdict == NACRE_LIBRARY_UNREADABLE ? "cannot read '" + path + "': " + std::strerror(facts.system_error)
                                                   : "'" + path + "' " + facts.reason;
      return false;
    }
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    model = handle ? static_cast<const nacre_model *>(dlsym(handle, symbol.c_str())) : nullptr;
    if (!model) {
      const char *why = dlerror();
      reason = why ? why : path + " is not a model";
      return false;
    }
    char text[512] = "";
    nacre_session_options options = nacre_session_options_default();
    options.threads = 1;
    options.profile = profile;
    options.gpu = NACRE_GPU_REQUIRED;
    options.gpu_device = uint32_t(device + 1);
    options.reason = text;
    options.reason_capacity = sizeof text;
    if (nacre_session_create(model, &options, &session) != NACRE_OK) {
      reason = text;
      return false;
    }
    nacre_entry_info entry;
    if (nacre_entry_describe(model, 0, &entry) != NACRE_OK)
      return false;
    launches = entry.launch_count;
    for (uint32_t i = 0; i < entry.input_count; ++i)
      if (!clearInput(i))
        return false;
    return true;
  }

  bool run(std::string &reason) {
    nacre_session_info info;
    if (nacre_session_run(session) == NACRE_OK && nacre_session_describe(session, &info) == NACRE_OK &&
        info.device[0] && info.cpu_launches == 0) {
      device = info.device;
      return true;
    }
    reason = std::string("the GPU did not compute all: ") + nacre_session_reason(session);
    return false;
  }

  const nacre_model *model = nullptr;
  nacre_session *session = nullptr;
  uint32_t launches = 0;
  std::string device;

private:
  bool clearInput(uint32_t index) {
    nacre_tensor_info tensor;
    void *data = nullptr;
    if (nacre_input_describe(model, 0, index, &tensor) != NACRE_OK ||
        nacre_session_input(session, index, &data) != NACRE_OK)
      return false;
    std::memset(data, 0, tensor.bytes);
    return true;
  }

  void *handle = nullptr;
};

//===----------------------------------------------------------------------===//
// 3. Times
//===----------------------------------------------------------------------===//

using Times = std::map<std::pair<std::string, std::string>, double>; // seconds, by node and kind

/// Of a launch, which may do for another what comes before it: a product in halves narrows what it reads.
std::vector<std::string> nodesOf(const std::string &names) {
  std::vector<std::string> nodes;
  for (size_t begin = 0, end; begin < names.size(); begin = end + std::strlen(", ")) {
    end = std::min(names.find(", ", begin), names.size());
    nodes.push_back(names.substr(begin, end - begin));
  }
  return nodes;
}

bool readTimes(Library &library, Times &least, std::string &reason) {
  for (uint32_t i = 0; i < library.launches; ++i) {
    nacre_launch_info info;
    nacre_launch_time time;
    if (nacre_launch_describe(library.model, 0, i, &info) != NACRE_OK ||
        nacre_session_launch_time(library.session, i, &time) != NACRE_OK || time.gpu_total == 0) {
      reason = "the device tells no times of its work";
      return false;
    }
    for (const std::string &node : nodesOf(info.name)) {
      auto [at, isNew] = least.try_emplace({node, info.kind}, 1e9);
      at->second = std::min(at->second, time.gpu_total * 1e-9);
    }
  }
  return true;
}

bool measureLeast(Library &library, Times &least, std::string &reason) {
  constexpr int kLeastRuns = 4;
  // The first compiles and wakes what sleeps.
  if (!library.run(reason))
    return false;
  const double begin = now();
  for (int runs = 0; runs < kLeastRuns || now() - begin < kSecondsOfRates; ++runs)
    if (!library.run(reason) || !readTimes(library, least, reason))
      return false;
  return true;
}

bool measureRates(const std::string &folder, int device, GpuFigures &figures, std::string &reason) {
  Library library;
  Times least;
  if (!library.open(folder, "tune_rates", device, true, reason) || !measureLeast(library, least, reason))
    return false;
  figures.device = library.device;
  std::vector<double> tiny;
  for (const auto &[key, seconds] : least)
    if (key.first.rfind("tiny_", 0) == 0)
      tiny.push_back(seconds);
  const double dispatch = median(tiny);
  figures.dispatchMicroseconds = dispatch * 1e6;
  // What a launch takes beside its work is counted once.
  auto rateOf = [&](const char *name, const char *kind, double work) {
    const double seconds = least[{name, kind}];
    return work / std::max(seconds - dispatch, seconds / 2) * 1e-9;
  };
  double *const rates[kKernelCount] = {&figures.product,   &figures.row,       &figures.movement,
                                       &figures.pointwise, &figures.depthwise, &figures.streamed};
  for (int i = 0; i < kKernelCount; ++i)
    *rates[i] = rateOf(kKernels[i].name, kKernels[i].kind, kKernels[i].work);
  figures.bytes = rateOf("large", "nest", kLargeBytes);
  figures.cacheBytes = std::max(figures.bytes, rateOf("small", "nest", kSmallBytes));
  figures.halves = figures.product;
  return true;
}

/// Leaves the figure as it is where the device has no halves, so that the library's product is on the CPU.
void measureHalves(const std::string &folder, int device, GpuFigures &figures) {
  Library library;
  Times least;
  std::string ignored;
  if (library.open(folder, "tune_halves", device, true, ignored) && measureLeast(library, least, ignored))
    figures.halves = kKernels[0].work / least[{kKernels[0].name, kKernels[0].kind}] * 1e-9;
}

bool measureMeeting(const std::string &folder, int device, GpuFigures &figures, std::string &reason) {
  Library library;
  if (!library.open(folder, "tune_latency", device, false, reason) || !library.run(reason))
    return false;
  std::vector<double> times;
  for (const double begin = now(); now() - begin < kSecondsOfLatency;) {
    const double before = now();
    if (!library.run(reason))
      return false;
    times.push_back(now() - before);
  }
  figures.meetingMicroseconds = std::max(1.0, median(times) * 1e6 - figures.dispatchMicroseconds);
  return true;
}

/// Which of the devices has this name, as the runtime chose it.
bool describe(const std::string &folder, GpuFigures &figures, std::string &reason) {
  Library library;
  if (!library.open(folder, "tune_latency", -1, false, reason))
    return false;
  nacre_device_info info;
  for (uint32_t i = 0; nacre_device_describe(library.model, i, &info) == NACRE_OK; ++i)
    if (figures.device == info.name) {
      figures.isUnified = info.unified;
      figures.isPlayed = info.is_cpu;
      return true;
    }
  reason = "no device is called '" + figures.device + "' any more";
  return false;
}

} // namespace

bool measureGpu(const std::string &folder, int device, GpuFigures &figures, std::string &reason) {
  if (!measureRates(folder, device, figures, reason) || !measureMeeting(folder, device, figures, reason) ||
      !describe(folder, figures, reason))
    return false;
  measureHalves(folder, device, figures);
  return true;
}

} // namespace nacre::tune
