// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The measured figures of a device profile: rates of cores, and of a GPU that runs nacre-compile's code. Published
// peaks say little about a GPU, and nothing about the cost of a submission. Models that are compiled for the machine
// (tools/tune/make_kernels.py) have a launch for each kind of work. The runtime measures them with the GPU's clock. So
// measuring needs neither a compiler nor Vulkan headers, and also works on phones. There, nacre-try writes the figures
// as text, which nacre-tune reads.

#ifndef NACRE_TOOLS_MEASURE_DEVICEFIGURES_H
#define NACRE_TOOLS_MEASURE_DEVICEFIGURES_H

#include "tools/measure/Peak.h"
#include "tools/measure/Sink.h"

namespace nacre::measure {

/// Cores of similar speed.
struct Cluster {
  unsigned cpu = 0; ///< Index of the fastest core, as the system numbers cores.
  unsigned cores = 0;
  double gigahertz = 0, gigaflops = 0, halfGigaflops = 0, byteGigaops = 0;
};

struct CpuFigures {
  static constexpr unsigned kMostClusters = 32;

  unsigned clusterCount = 0;
  Cluster clusters[kMostClusters]; ///< Clusters, the fastest first.
  unsigned threads = 0;            ///< Number of big cores.
  uint64_t cacheBytes = 0;
  double bytes = 0;            ///< GB/s that all big cores together read from memory.
  double coreBytes = 0;        ///< GB/s that the fastest core reads from memory.
  double cacheBytesOfCore = 0; ///< GB/s that the fastest core reads from the last-level cache.
};

/// Rates in 1e9 per second. Products count operations, streaming counts bytes, and loops count the elements that they
/// read and write.
struct GpuFigures {
  char device[256] = "";  ///< Name of the device; empty if it was not measured.
  bool isUnified = false; ///< True if the device shares memory with the CPU.
  bool isPlayed = false;  ///< True if a CPU emulates the device.
  double product = 0;
  double halves = 0; ///< Operations of f16 products; of f32 products if the device has no f16.
  double streamed = 0, depthwise = 0, pointwise = 0, row = 0, movement = 0;
  double bytes = 0, cacheBytes = 0;
  double dispatchMicroseconds = 0, meetingMicroseconds = 0;
};

struct DeviceFigures {
  CpuFigures cpu;
  GpuFigures gpu;
};

/// Reason why something was not measured.
struct Reason {
  char text[5000] = ""; // may contain a path
};

/// Function that is called with the name of the next measurement.
using Progress = void (*)(const char *part);

/// Measures the cores that this process may use. Returns false if the system does not list them, or if threads or
/// memory are not available.
bool measureCpu(CpuFigures &figures, Progress progress);

/// Libraries that measure a GPU, all in one folder.
constexpr const char *kKernelLibraries[] = {"libtune_rates.so", "libtune_halves.so", "libtune_latency.so"};

/// Measures the GPU with index `device` (-1: the best GPU) with the libraries in `folder`. If there is no GPU or no
/// library, returns false and sets the reason.
bool measureGpu(const char *folder, int device, GpuFigures &figures, Progress progress, Reason &reason);

struct GpuField {
  const char *name;
  double GpuFigures::*value;
};

struct CpuField {
  const char *name;
  double CpuFigures::*value;
};

// Names of figures in the text. Each line of the text has one figure and its value.
constexpr CpuField kCpuFields[] = {{"cpu_bytes", &CpuFigures::bytes},
                                   {"cpu_core_bytes", &CpuFigures::coreBytes},
                                   {"cpu_core_cache_bytes", &CpuFigures::cacheBytesOfCore}};
constexpr GpuField kGpuFields[] = {{"gpu_product", &GpuFigures::product},
                                   {"gpu_halves", &GpuFigures::halves},
                                   {"gpu_streamed", &GpuFigures::streamed},
                                   {"gpu_depthwise", &GpuFigures::depthwise},
                                   {"gpu_pointwise", &GpuFigures::pointwise},
                                   {"gpu_row", &GpuFigures::row},
                                   {"gpu_movement", &GpuFigures::movement},
                                   {"gpu_bytes", &GpuFigures::bytes},
                                   {"gpu_cache_bytes", &GpuFigures::cacheBytes},
                                   {"gpu_dispatch_us", &GpuFigures::dispatchMicroseconds},
                                   {"gpu_meeting_us", &GpuFigures::meetingMicroseconds}};

/// Writes all figures. If the GPU was not measured, writes the reason instead of its figures.
void putFigures(const Sink &sink, const DeviceFigures &figures, const Reason &reason);

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_DEVICEFIGURES_H
