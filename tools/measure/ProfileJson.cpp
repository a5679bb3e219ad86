// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the profile for nacre-report as plain text, because the format has only a few keys.

#include "tools/measure/Profile.h"

namespace nacre::measure {
namespace {

/// Writes the comma before a member, and its name.
void putName(const Sink &sink, const char *name) { putFormat(sink, ", \"%s\": ", name); }

void putMember(const Sink &sink, const char *name, uint64_t value) {
  putName(sink, name);
  putFormat(sink, "%llu", static_cast<unsigned long long>(value));
}

void putMember(const Sink &sink, const char *name, const char *text) {
  putName(sink, name);
  putJsonText(sink, text);
}

void putLaunch(const Sink &sink, const LaunchProfile &launch) {
  const nacre_launch_time &time = launch.latest;
  putText(sink, "  {\"nodes\": ");
  putJsonText(sink, launch.info.name);
  putMember(sink, "kernel", launch.info.kernel);
  putMember(sink, "kind", launch.info.kind);
  putName(sink, "engine");
  putText(sink, "\"");
  putEngine(sink, time);
  putText(sink, "\"");
  putMember(sink, "least_ns", launch.samples.smallest());
  putMember(sink, "median_ns", launch.median);
  putMember(sink, "latest_ns", time.total);
  putMember(sink, "latest_cpu_ns", time.cpu_total);
  putMember(sink, "latest_gpu_ns", time.gpu_total);
  putMember(sink, "executions", time.executions);
  putText(sink, "}");
}

void putMachine(const Sink &sink, const MachinePeak &machine) {
  putText(sink, "{\"cpu\": ");
  putJsonText(sink, machine.cpu);
  putMember(sink, "cores", machine.cores);
  putMember(sink, "threads", machine.threads);
  putMember(sink, "vector_bits", machine.vectorBits);
  putMember(sink, "flops_per_second", uint64_t(machine.flopsPerSecond));
  putMember(sink, "bytes_per_second", uint64_t(machine.bytesPerSecond));
  putMember(sink, "cache_bytes", uint64_t(machine.cacheBytes));
  putMember(sink, "cache_bytes_per_second", uint64_t(machine.cacheBytesPerSecond));
  putMember(sink, "near_cache_bytes", uint64_t(machine.nearCacheBytes));
  putMember(sink, "near_cache_bytes_per_second", uint64_t(machine.nearCacheBytesPerSecond));
  putText(sink, "}");
}

} // namespace

void putProfile(const Sink &sink, const Profile &profile) {
  const Launches launches = profile.launches;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < launches.count; ++i)
    sum += launches.rows[i].samples.smallest();
  putText(sink, "{\"model\": ");
  putJsonText(sink, profile.model.name);
  putMember(sink, "compiler", profile.model.compiler);
  putMember(sink, "target", profile.model.target);
  if (profile.buildId[0])
    putMember(sink, "build_id", profile.buildId);
  putMember(sink, "entry", profile.entry.name);
  putMember(sink, "device", profile.device);
  putMember(sink, "threads", profile.threads);
  putMember(sink, "runs", profile.runs.count());
  putMember(sink, "least_run_ns", profile.runs.smallest());
  putMember(sink, "median_run_ns", profile.runs.quantile(0.5));
  putMember(sink, "launches_ns", sum);
  putName(sink, "machine");
  putMachine(sink, profile.machine);
  putText(sink, ", \"launches\": [\n");
  for (uint32_t i = 0; i < launches.count; ++i) {
    putLaunch(sink, launches.rows[i]);
    putText(sink, i + 1 < launches.count ? ",\n" : "\n");
  }
  putText(sink, "]}\n");
}

} // namespace nacre::measure
