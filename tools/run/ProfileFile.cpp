// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see ProfileFile.h.
// Why:   see there.
// How:   text, because the format is a handful of keys.

#include "tools/run/ProfileFile.h"
#include "tools/run/Trace.h"
#include "tools/run/session/Text.h"

namespace nacre::run {
namespace {

std::string launchRow(const LaunchProfile &launch) {
  const nacre_launch_time &time = launch.latest;
  return "{" + member("nodes", jsonText(launch.info.name)) + ", " + member("kernel", jsonText(launch.info.kernel)) +
         ", " + member("kind", jsonText(launch.info.kind)) + ", " + member("engine", jsonText(engineOf(time))) + ", " +
         member("least_ns", launch.samples.smallest()) + ", " + member("median_ns", launch.median) + ", " +
         member("latest_ns", time.total) + ", " + member("latest_cpu_ns", time.cpu_total) + ", " +
         member("latest_gpu_ns", time.gpu_total) + ", " + member("executions", time.executions) + "}";
}

std::string machineRow(const tune::MachinePeak &machine) {
  return "{" + member("cpu", jsonText(machine.cpu.c_str())) + ", " + member("cores", machine.cores) + ", " +
         member("threads", machine.threads) + ", " + member("vector_bits", machine.vectorBits) + ", " +
         member("flops_per_second", uint64_t(machine.flopsPerSecond)) + ", " +
         member("bytes_per_second", uint64_t(machine.bytesPerSecond)) + ", " +
         member("cache_bytes", uint64_t(machine.cacheBytes)) + ", " +
         member("cache_bytes_per_second", uint64_t(machine.cacheBytesPerSecond)) + ", " +
         member("near_cache_bytes", uint64_t(machine.nearCacheBytes)) + ", " +
         member("near_cache_bytes_per_second", uint64_t(machine.nearCacheBytesPerSecond)) + "}";
}

} // namespace

std::string profileJson(const ModelSession &session, const std::string &buildId, const char *device,
                        const RunsProfile &runs, const tune::MachinePeak &machine,
                        const std::vector<LaunchProfile> &launches) {
  uint64_t sum = 0;
  for (const LaunchProfile &launch : launches)
    sum += launch.samples.smallest();
  std::string json = "{" + member("model", jsonText(session.info.name)) + ", " +
                     member("compiler", jsonText(session.info.compiler)) + ", " +
                     member("target", jsonText(session.info.target)) + ", " +
                     (buildId.empty() ? "" : member("build_id", jsonText(buildId.c_str())) + ", ") +
                     member("entry", jsonText(session.entryInfo.name)) + ", " + member("device", jsonText(device)) +
                     ", " + member("threads", session.memory.threads) + ", " + member("runs", runs.runs) + ", " +
                     member("least_run_ns", runs.least) + ", " + member("median_run_ns", runs.median) + ", " +
                     member("launches_ns", sum) + ", " + member("machine", machineRow(machine)) + ", \"launches\": [\n";
  for (size_t number = 0; number < launches.size(); ++number)
    json += "  " + launchRow(launches[number]) + (number + 1 < launches.size() ? ",\n" : "\n");
  return json + "]}\n";
}

} // namespace nacre::run
