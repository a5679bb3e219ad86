// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a line for each figure: its name, a space, and its value. The last line shows that the text is complete.

#include "tools/measure/DeviceFigures.h"

namespace nacre::measure {
namespace {

/// Writes a text on one line, because a loader's message may have several lines.
void putLine(const Sink &sink, const char *text) {
  for (; *text; ++text)
    sink.put(sink.user, *text == '\n' ? " " : text, 1);
  putText(sink, "\n");
}

} // namespace

void putFigures(const Sink &sink, const DeviceFigures &figures, const Reason &reason) {
  const CpuFigures &cpu = figures.cpu;
  const GpuFigures &gpu = figures.gpu;
  for (unsigned index = 0; index < cpu.clusterCount; ++index) {
    const Cluster &cluster = cpu.clusters[index];
    putFormat(sink, "cluster %u %u %.9g %.9g %.9g %.9g\n", cluster.cpu, cluster.cores, cluster.gigahertz,
              cluster.gigaflops, cluster.halfGigaflops, cluster.byteGigaops);
  }
  putFormat(sink, "cpu_threads %u\n", cpu.threads);
  putFormat(sink, "cpu_cache_size %llu\n", static_cast<unsigned long long>(cpu.cacheBytes));
  for (const CpuField &field : kCpuFields)
    putFormat(sink, "%s %.9g\n", field.name, cpu.*field.value);
  putText(sink, gpu.device[0] ? "gpu_device " : "gpu_reason ");
  putLine(sink, gpu.device[0] ? gpu.device : reason.text);
  if (gpu.device[0]) {
    putFormat(sink, "gpu_unified %d\n", int(gpu.isUnified));
    putFormat(sink, "gpu_emulated %d\n", int(gpu.isPlayed));
    for (const GpuField &field : kGpuFields)
      putFormat(sink, "%s %.9g\n", field.name, gpu.*field.value);
  }
  putText(sink, "end\n");
}

} // namespace nacre::measure
