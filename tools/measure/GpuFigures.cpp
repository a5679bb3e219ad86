// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. the work of each launch, 2. a library with a session, 3. the shortest time of each launch, and the median
//          time of a run without work.

#include "runtime/include/nacre/runtime.h"
#include "runtime/inspect/library_check.h"
#include "tools/measure/DeviceFigures.h"
#include "tools/measure/KernelWork.h"
#include "tools/measure/Libc.h"

namespace nacre::measure {
namespace {

//===----------------------------------------------------------------------===//
// 1. Launches
//===----------------------------------------------------------------------===//

constexpr int kKernelCount = sizeof(kKernels) / sizeof(kKernels[0]);

/// Number of bytes that the elementwise nodes of both sizes read and write.
constexpr double kSmallBytes = 2.0 * 4 * 16 * (1 << 14), kLargeBytes = 2.0 * 4 * 16 * (1 << 18);

constexpr double kSecondsOfRates = 2, kSecondsOfLatency = 0.5;
constexpr unsigned kMostLaunches = 256, kMostTimes = 1 << 16;

double larger(double a, double b) { return a > b ? a : b; }

double median(double *values, size_t count) {
  qsort(values, count, sizeof *values, [](const void *a, const void *b) {
    const double one = *static_cast<const double *>(a), other = *static_cast<const double *>(b);
    return int(one > other) - int(one < other);
  });
  return values[count / 2];
}

/// Sets the reason of a failure; returns false.
bool refuse(Reason &reason, const char *text, const char *more = "") {
  snprintf(reason.text, sizeof reason.text, "%s%s", text, more);
  return false;
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

  bool open(const char *folder, const char *file, int device, bool profile, Reason &reason) {
    return load(folder, file, reason) && create(device, profile, reason);
  }

  bool run(Reason &reason) {
    nacre_session_info info;
    if (nacre_session_run(session) == NACRE_OK && nacre_session_describe(session, &info) == NACRE_OK &&
        info.device[0] && info.cpu_launches == 0) {
      snprintf(device, sizeof device, "%s", info.device);
      return true;
    }
    return refuse(reason, "the GPU did not compute all: ", nacre_session_reason(session));
  }

  const nacre_model *model = nullptr;
  nacre_session *session = nullptr;
  uint32_t launches = 0;
  char device[sizeof nacre_session_info::device] = "";

private:
  bool load(const char *folder, const char *file, Reason &reason) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    nacre_library_facts facts;
    const int verdict = nacre_library_check(path, &facts);
    if (verdict == NACRE_LIBRARY_UNREADABLE) {
      snprintf(reason.text, sizeof reason.text, "cannot read '%s': %s", path, strerror(facts.system_error));
      return false;
    }
    if (verdict != NACRE_LIBRARY_GOOD) {
      snprintf(reason.text, sizeof reason.text, "'%s' %s", path, facts.reason);
      return false;
    }
    handle = dlopen(path, RTLD_NOW);
    model = handle ? static_cast<const nacre_model *>(dlsym(handle, facts.symbol)) : nullptr;
    if (model)
      return true;
    const char *why = dlerror();
    return refuse(reason, why ? why : path, why ? "" : " is not a model");
  }

  bool create(int device, bool profile, Reason &reason) {
    nacre_session_options options = nacre_session_options_default();
    options.threads = 1;
    options.profile = profile;
    options.gpu = NACRE_GPU_REQUIRED;
    options.gpu_device = uint32_t(device + 1);
    options.reason = reason.text;
    options.reason_capacity = sizeof reason.text;
    if (nacre_session_create(model, &options, &session) != NACRE_OK)
      return false;
    nacre_entry_info entry;
    if (nacre_entry_describe(model, 0, &entry) != NACRE_OK || entry.launch_count > kMostLaunches)
      return refuse(reason, "a library of kernels has no such entry as it should have");
    launches = entry.launch_count;
    for (uint32_t i = 0; i < entry.input_count; ++i)
      if (!clearInput(i))
        return refuse(reason, "an input of a library of kernels has no memory");
    return true;
  }

  bool clearInput(uint32_t index) {
    nacre_tensor_info tensor;
    void *data = nullptr;
    if (nacre_input_describe(model, 0, index, &tensor) != NACRE_OK ||
        nacre_session_input(session, index, &data) != NACRE_OK)
      return false;
    memset(data, 0, tensor.bytes);
    return true;
  }

  void *handle = nullptr;
};

//===----------------------------------------------------------------------===//
// 3. Times
//===----------------------------------------------------------------------===//

/// Shortest time of each launch, in seconds.
struct Times {
  double least[kMostLaunches];

  Times() {
    for (double &seconds : least)
      seconds = 1e9;
  }
};

/// True if a launch computes the node `node`. If `isPrefix`, also true for a node whose name begins with `node`. A
/// launch may also compute earlier nodes: for example, a product of f16 converts its operand.
bool computes(const char *names, const char *node, bool isPrefix) {
  const size_t length = strlen(node);
  for (const char *at = names; at; at = strstr(at, ", ") ? strstr(at, ", ") + 2 : nullptr)
    if (strncmp(at, node, length) == 0 && (isPrefix || at[length] == 0 || strncmp(at + length, ", ", 2) == 0))
      return true;
  return false;
}

bool readTimes(const Library &library, Times &times, Reason &reason) {
  for (uint32_t i = 0; i < library.launches; ++i) {
    nacre_launch_time time;
    if (nacre_session_launch_time(library.session, i, &time) != NACRE_OK || time.gpu_total == 0)
      return refuse(reason, "the device tells no times of its work");
    const double seconds = double(time.gpu_total) * 1e-9;
    times.least[i] = seconds < times.least[i] ? seconds : times.least[i];
  }
  return true;
}

bool measureLeast(Library &library, Times &times, Reason &reason) {
  constexpr int kLeastRuns = 4;
  // The first run compiles code and wakes the device.
  if (!library.run(reason))
    return false;
  const double begin = now();
  for (int runs = 0; runs < kLeastRuns || now() - begin < kSecondsOfRates; ++runs)
    if (!library.run(reason) || !readTimes(library, times, reason))
      return false;
  return true;
}

/// Returns the seconds that a node's launch takes. If the library has no such launch, returns 0 and sets the reason.
double secondsOf(const Library &library, const Times &times, const char *node, const char *kind, Reason &reason) {
  double seconds = 0;
  for (uint32_t i = 0; i < library.launches; ++i) {
    nacre_launch_info info;
    if (nacre_launch_describe(library.model, 0, i, &info) == NACRE_OK && strcmp(info.kind, kind) == 0 &&
        computes(info.name, node, false) && (seconds == 0 || times.least[i] < seconds))
      seconds = times.least[i];
  }
  if (seconds == 0)
    refuse(reason, "the library of kernels is of another version: it has no launch of the node ", node);
  return seconds;
}

/// Returns the median of launches with almost no work. If there are no such launches, returns 0 and sets the reason.
double secondsOfDispatch(const Library &library, const Times &times, Reason &reason) {
  double tiny[kMostLaunches];
  size_t count = 0;
  for (uint32_t i = 0; i < library.launches; ++i) {
    nacre_launch_info info;
    if (nacre_launch_describe(library.model, 0, i, &info) == NACRE_OK && computes(info.name, "tiny_", true))
      tiny[count++] = times.least[i];
  }
  if (count == 0)
    refuse(reason, "the library of kernels is of another version: it has no launches of tiny nodes");
  return count ? median(tiny, count) : 0;
}

bool measureRates(const char *folder, int device, GpuFigures &figures, Reason &reason) {
  Library library;
  Times times;
  if (!library.open(folder, kKernelLibraries[0], device, true, reason) || !measureLeast(library, times, reason))
    return false;
  snprintf(figures.device, sizeof figures.device, "%s", library.device);
  const double dispatch = secondsOfDispatch(library, times, reason);
  if (dispatch == 0)
    return false;
  figures.dispatchMicroseconds = dispatch * 1e6;
  // The time that each launch needs in addition to its work must be counted only once.
  auto setRate = [&](double &rate, const char *name, const char *kind, double work) {
    const double seconds = secondsOf(library, times, name, kind, reason);
    rate = seconds == 0 ? 0 : work / larger(seconds - dispatch, seconds / 2) * 1e-9;
    return seconds != 0;
  };
  double *const rates[kKernelCount] = {&figures.product,   &figures.row,       &figures.movement,
                                       &figures.pointwise, &figures.depthwise, &figures.streamed};
  for (int i = 0; i < kKernelCount; ++i)
    if (!setRate(*rates[i], kKernels[i].name, kKernels[i].kind, kKernels[i].work))
      return false;
  double small = 0;
  if (!setRate(figures.bytes, "large", "nest", kLargeBytes) || !setRate(small, "small", "nest", kSmallBytes))
    return false;
  figures.cacheBytes = larger(figures.bytes, small);
  figures.halves = figures.product;
  return true;
}

/// Measures the rate of f16 products. If the device has no f16, the library's product runs on the CPU, and the figure
/// is unchanged.
void measureHalves(const char *folder, int device, GpuFigures &figures) {
  Library library;
  Times times;
  Reason ignored;
  if (!library.open(folder, kKernelLibraries[1], device, true, ignored) || !measureLeast(library, times, ignored))
    return;
  if (const double seconds = secondsOf(library, times, kKernels[0].name, kKernels[0].kind, ignored))
    figures.halves = kKernels[0].work / seconds * 1e-9;
}

bool measureMeeting(const char *folder, int device, GpuFigures &figures, Reason &reason) {
  static double seconds[kMostTimes];
  Library library;
  if (!library.open(folder, kKernelLibraries[2], device, false, reason) || !library.run(reason))
    return false;
  size_t count = 0;
  for (const double begin = now(); count == 0 || (count < kMostTimes && now() - begin < kSecondsOfLatency);) {
    const double before = now();
    if (!library.run(reason))
      return false;
    seconds[count++] = now() - before;
  }
  figures.meetingMicroseconds = larger(1.0, median(seconds, count) * 1e6 - figures.dispatchMicroseconds);
  return true;
}

/// Sets the device's properties. The runtime chose the device and returned its name.
bool describe(const char *folder, GpuFigures &figures, Reason &reason) {
  Library library;
  if (!library.open(folder, kKernelLibraries[2], -1, false, reason))
    return false;
  nacre_device_info info;
  for (uint32_t i = 0; nacre_device_describe(library.model, i, &info) == NACRE_OK; ++i)
    if (strcmp(figures.device, info.name) == 0) {
      figures.isUnified = info.unified;
      figures.isPlayed = info.is_cpu;
      return true;
    }
  return refuse(reason, "the device is not listed any more: ", figures.device);
}

} // namespace

bool measureGpu(const char *folder, int device, GpuFigures &figures, Progress progress, Reason &reason) {
  if (progress)
    progress("the GPU");
  if (!measureRates(folder, device, figures, reason) || !measureMeeting(folder, device, figures, reason) ||
      !describe(folder, figures, reason)) {
    figures.device[0] = 0;
    return false;
  }
  measureHalves(folder, device, figures);
  return true;
}

} // namespace nacre::measure
