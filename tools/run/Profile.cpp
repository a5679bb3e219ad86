// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tools/measure writes the table and the JSON. The trace shows the latest run.

#include "tools/run/Profile.h"
#include "tools/measure/Profile.h"
#include "tools/run/Benchmark.h"
#include "tools/run/Trace.h"
#include "tools/run/session/Answers.h"
#include "tools/run/session/Text.h"

#include <cstdio>

namespace nacre::run {
namespace {

using LaunchProfiles = std::vector<measure::LaunchProfile>;

Outcome readTimes(ModelSession &session, LaunchProfiles &launches) {
  for (uint32_t i = 0; i < launches.size(); ++i) {
    if (Outcome failure = session.launchTime(i, launches[i].latest))
      return failure;
    launches[i].samples.add(launches[i].latest.total);
  }
  return std::nullopt;
}

measure::Launches rowsOf(LaunchProfiles &launches) { return {launches.data(), uint32_t(launches.size())}; }

Outcome writeProfile(ModelSession &session, const std::string &path, const std::string &buildId,
                     LaunchProfiles &launches, measure::Samples &runs) {
  nacre_session_info engines;
  if (Outcome failure = session.describe(engines))
    return failure;
  std::string json;
  putProfile(sinkOf(json), {session.info, session.entryInfo, buildId.c_str(), engines.device, session.memory.threads,
                            runs, measure::measurePeak(session.memory.threads), rowsOf(launches)});
  return writeJson(path, json);
}

Outcome writeTrace(const ModelSession &session, const std::string &path, const LaunchProfiles &launches) {
  std::vector<TracedLaunch> traced;
  for (const measure::LaunchProfile &launch : launches)
    traced.push_back({launch.info, launch.latest});
  return writeJson(path, traceJson(session.info.name, session.memory.threads, traced));
}

} // namespace

Outcome printEngines(ModelSession &session) {
  nacre_session_info engines;
  if (Outcome failure = session.describe(engines))
    return failure;
  std::string text;
  measure::putEngines(sinkOf(text), engines);
  std::fputs(text.c_str(), stdout);
  return std::nullopt;
}

Outcome profile(ModelSession &session, const Options &options, const std::string &buildId) {
  LaunchProfiles launches(session.entryInfo.launch_count);
  for (uint32_t i = 0; i < launches.size(); ++i)
    if (nacre_launch_describe(session.model, session.entry, i, &launches[i].info) != NACRE_OK)
      return Failure{ExitCode::Refused, "launch " + std::to_string(i) + " has no description"};
  const measure::Eviction evict(options.evictMebibytes);
  if (!evict.isReady())
    return Failure{ExitCode::OutOfMemory, "there is no memory for --evict"};
  measure::Samples times;
  auto read = [&](uint64_t nanoseconds) {
    times.add(nanoseconds);
    return readTimes(session, launches);
  };
  if (Outcome failure = repeatRuns([&session] { return session.run(); }, effortOf(options), evict, read))
    return failure;
  for (measure::LaunchProfile &launch : launches)
    launch.median = launch.samples.quantile(0.5);
  if (options.profile) {
    std::string table;
    putTable(sinkOf(table), rowsOf(launches));
    std::fputs(table.c_str(), stdout);
    if (Outcome failure = printEngines(session))
      return failure;
  }
  if (!options.profileFile.empty())
    if (Outcome failure = writeProfile(session, options.profileFile, buildId, launches, times))
      return failure;
  return options.traceFile.empty() ? std::nullopt : writeTrace(session, options.traceFile, launches);
}

} // namespace nacre::run
