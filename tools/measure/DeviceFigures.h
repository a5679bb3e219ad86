// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the figures of a device profile that are measured: what cores reach, and a GPU with the code of nacre-compile.
// Why:   peaks say little of a GPU, and nothing of what a submission costs with its driver.
// How:   models compiled for the machine (tools/tune/make_kernels.py), a launch for each form of work; the runtime in
//        them tells each launch's time by the GPU's own clock. So there is no compiler here, and no Vulkan: a phone
//        will do. nacre-try writes the figures there as text, which nacre-tune reads.

#ifndef NACRE_TOOLS_MEASURE_DEVICEFIGURES_H
#define NACRE_TOOLS_MEASURE_DEVICEFIGURES_H

#include "tools/measure/Peak.h"
#include "tools/measure/Sink.h"

namespace nacre::measure {

/// Cores that are as fast as one another.
struct Cluster {
  unsigned cpu = 0; ///< The fastest one.
  unsigned cores = 0;
  double gigahertz = 0, gigaflops = 0, byteGigaops = 0;
};

struct CpuFigures {
  static constexpr unsigned kMostClusters = 32;

  unsigned clusterCount = 0;
  Cluster clusters[kMostClusters]; ///< Fastest first.
  unsigned threads = 0;            ///< As many as big cores.
  uint64_t cacheBytes = 0;
  double bytes = 0;            ///< GB/s that all big cores read from memory,
  double coreBytes = 0;        ///< and the fastest one from memory
  double cacheBytesOfCore = 0; ///< and from the last cache.
};

/// Work in 1e9 per second: operations of products, bytes, else elements that loops read and write.
struct GpuFigures {
  char device[256] = "";  ///< Its name; empty if it was not measured.
  bool isUnified = false; ///< It shares memory with the CPU.
  bool isPlayed = false;  ///< By a CPU.
  double product = 0;
  double halves = 0; ///< Products of f16; those of f32 where it has none.
  double streamed = 0, depthwise = 0, pointwise = 0, row = 0, movement = 0;
  double bytes = 0, cacheBytes = 0;
  double dispatchMicroseconds = 0, meetingMicroseconds = 0;
};

struct DeviceFigures {
  CpuFigures cpu;
  GpuFigures gpu;
};

/// Why something was not measured.
struct Reason {
  char text[5000] = ""; // with a path
};

/// Is told what is measured next.
using Progress = void (*)(const char *part);

/// Measures the cores that this process may use. Returns false if the system does not list them, or
/// has no threads or no memory for it.
bool measureCpu(CpuFigures &figures, Progress progress);

/// The libraries by which a GPU is measured, in one folder.
constexpr const char *kKernelLibraries[] = {"libtune_rates.so", "libtune_halves.so", "libtune_latency.so"};

/// Measures device number `device` (counted from 0; -1: the best) with the libraries in `folder`. Returns false, and
/// the reason, if there is no GPU or no library.
bool measureGpu(const char *folder, int device, GpuFigures &figures, Progress progress, Reason &reason);

struct GpuField {
  const char *name;
  double GpuFigures::*value;
};

struct CpuField {
  const char *name;
  double CpuFigures::*value;
};

// The names that figures have in a text, one on a line, with its value.
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

/// Writes all figures; if the GPU was not measured, the reason instead of its figures.
void putFigures(const Sink &sink, const DeviceFigures &figures, const Reason &reason);

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_DEVICEFIGURES_H
