// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes plain text, because the format has only a few keys.

#include "tools/run/Trace.h"
#include "tools/measure/Profile.h"
#include "tools/run/session/Text.h"

#include <cstdio>

namespace nacre::run {
namespace {

std::string microseconds(uint64_t nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", nanoseconds * 1e-3);
  return text;
}

std::string nameEvent(const char *what, const std::string &name, int thread) {
  return "{\"ph\": \"M\", \"pid\": 0, \"tid\": " + std::to_string(thread) + ", \"name\": \"" + what +
         "\", \"args\": {\"name\": " + name + "}}";
}

std::string launchEvent(const TracedLaunch &launch) {
  const char *thread = launch.time.gpu_share ? "1" : "0";
  return std::string("{\"ph\": \"X\", \"pid\": 0, \"tid\": ") + thread +
         ", \"ts\": " + microseconds(launch.time.begin) + ", \"dur\": " + microseconds(launch.time.total) +
         ", \"name\": " + jsonText(launch.info.name) + ", \"cat\": " + jsonText(launch.info.kind) +
         ", \"args\": {\"kernel\": " + jsonText(launch.info.kernel) +
         ", \"engine\": " + jsonText(engineOf(launch.time)) +
         ", \"executions\": " + std::to_string(launch.time.executions) + "}}";
}

} // namespace

std::string engineOf(const nacre_launch_time &time) {
  std::string engine;
  measure::putEngine(sinkOf(engine), time);
  return engine;
}

std::string traceJson(std::string_view model, uint32_t threads, const std::vector<TracedLaunch> &launches) {
  const std::string others = threads > 1 ? ", with " + std::to_string(threads - 1) + " more in each launch" : "";
  std::string json = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";
  json += nameEvent("process_name", jsonText(model), 0) + ",\n";
  json += nameEvent("thread_name", jsonText("calling thread" + others), 0);
  for (const TracedLaunch &launch : launches)
    if (launch.time.gpu_share) {
      json += ",\n" + nameEvent("thread_name", jsonText("GPU"), 1);
      break;
    }
  for (const TracedLaunch &launch : launches)
    json += ",\n" + launchEvent(launch);
  return json + "\n]}\n";
}

} // namespace nacre::run
