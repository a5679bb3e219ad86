// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see Profile.h.
// Why:   see there.
// How:   the median time of each launch over all runs, as Python's profile has it: what a run usually takes. The trace is of the latest
//        run.

#include "tools/run/Profile.h"
#include "dialects/Count.h"
#include "tools/run/Benchmark.h"
#include "tools/run/ProfileFile.h"
#include "tools/run/Trace.h"
#include "tools/run/session/Answers.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace nacre::run {
namespace {

Outcome readTimes(ModelSession &session, std::vector<LaunchProfile> &launches) {
  for (uint32_t i = 0; i < launches.size(); ++i) {
    if (Outcome failure = session.launchTime(i, launches[i].latest))
      return failure;
    launches[i].samples.add(launches[i].latest.total);
  }
  return std::nullopt;
}

void printTable(const std::vector<LaunchProfile> &launches) {
  uint64_t sum = 0;
  for (const LaunchProfile &launch : launches)
    sum += launch.median;
  std::vector<const LaunchProfile *> order;
  for (const LaunchProfile &launch : launches)
    order.push_back(&launch);
  std::sort(order.begin(), order.end(),
            [](auto *a, auto *b) { return a->median != b->median ? a->median > b->median : a < b; });
  std::printf("%12s %7s %7s  %-12s %-12s %-24s %s\n", "us", "share", "times", "engine", "kind", "kernel", "nodes");
  for (const LaunchProfile *launch : order)
    std::printf("%12.3f %6.2f%% %7llu  %-12s %-12s %-24s %s\n", launch->median * 1e-3,
                sum ? 100.0 * launch->median / sum : 0, static_cast<unsigned long long>(launch->latest.executions),
                engineOf(launch->latest).c_str(), launch->info.kind, launch->info.kernel, launch->info.name);
  std::printf("%12.3f %6.2f%%\n", sum * 1e-3, 100.0);
}

bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// Of a step of training, the time of the three parts. nacre-compile names what it makes after the node that it is for: `conv1 dX`,
/// `conv1 dW`, `conv1 update`. What is of no node is a copy into a state.
void printParts(const std::vector<LaunchProfile> &launches) {
  uint64_t forward = 0, backward = 0, update = 0;
  for (const LaunchProfile &launch : launches) {
    bool isBackward = false, isUpdate = true;
    for (std::string_view names = launch.info.name; !names.empty();) {
      const size_t comma = std::min(names.find(", "), names.size());
      const std::string_view name = names.substr(0, comma);
      isBackward |= endsWith(name, " dX") || endsWith(name, " dW");
      isUpdate &= endsWith(name, " update");
      names.remove_prefix(std::min(comma + 2, names.size()));
    }
    (isBackward ? backward : isUpdate ? update : forward) += launch.median;
  }
  const double percent = 100.0 / static_cast<double>(std::max<uint64_t>(forward + backward + update, 1));
  if (backward)
    std::printf(
        "forward %.3f ms (%.1f %%), backward with updates in the same launches %.3f ms (%.1f %%), update %.3f ms "
        "(%.1f %%)\n",
        forward * 1e-6, forward * percent, backward * 1e-6, backward * percent, update * 1e-6, update * percent);
}

} // namespace

Outcome printEngines(ModelSession &session) {
  nacre_session_info engines;
  if (Outcome failure = session.describe(engines))
    return failure;
  if (engines.device[0]) {
    std::printf("%s: %s, %u on the CPU, %s, %s, %s, %s\n", engines.device,
                describeCount(engines.gpu_launches, "launch").c_str(), engines.cpu_launches,
                describeCount(engines.submissions, "submission").c_str(),
                describeCount(engines.barriers, "barrier").c_str(),
                describeCount(engines.pipelines, "pipeline").c_str(), describeCount(engines.gpu_bytes, "byte").c_str());
    std::printf(
        "created in %.1f ms: device %.1f, pipelines %.1f, weights %.1f, recording %.1f, tests and tuning %.1f\n",
        (engines.gpu_open_time + engines.gpu_pipelines_time + engines.gpu_weights_time + engines.gpu_recording_time +
         engines.gpu_measuring_time) *
            1e-6,
        engines.gpu_open_time * 1e-6, engines.gpu_pipelines_time * 1e-6, engines.gpu_weights_time * 1e-6,
        engines.gpu_recording_time * 1e-6, engines.gpu_measuring_time * 1e-6);
  }
  return std::nullopt;
}

Outcome profile(ModelSession &session, const Options &options, const std::string &buildId) {
  std::vector<LaunchProfile> launches(session.entryInfo.launch_count);
  for (uint32_t i = 0; i < launches.size(); ++i)
    if (nacre_launch_describe(session.model, session.entry, i, &launches[i].info) != NACRE_OK)
      return Failure{ExitCode::Refused, "launch " + std::to_string(i) + " has no description"};
  Samples times;
  auto read = [&](uint64_t nanoseconds) {
    times.add(nanoseconds);
    return readTimes(session, launches);
  };
  Eviction evict(options.evictMebibytes);
  if (Outcome failure = repeatRuns(session, std::max<uint64_t>(options.runs, 1), options.minSeconds, evict, read))
    return failure;
  const RunsProfile runs{times.count(), times.smallest(), times.quantile(0.5)};
  for (LaunchProfile &launch : launches)
    launch.median = launch.samples.quantile(0.5);
  if (options.profile) {
    printTable(launches);
    printParts(launches);
    if (Outcome failure = printEngines(session))
      return failure;
  }
  if (!options.profileFile.empty()) {
    nacre_session_info engines;
    Outcome failure = session.describe(engines);
    if (!failure)
      failure = writeJson(options.profileFile, profileJson(session, buildId, engines.device, runs,
                                                           tune::measurePeak(session.memory.threads), launches));
    if (failure)
      return failure;
  }
  if (options.traceFile.empty())
    return std::nullopt;
  std::vector<TracedLaunch> traced;
  for (const LaunchProfile &launch : launches)
    traced.push_back({launch.info, launch.latest});
  return writeJson(options.traceFile, traceJson(session.info.name, session.memory.threads, traced));
}

} // namespace nacre::run
