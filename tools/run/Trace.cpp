// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see Trace.h.
// Why:   see there.
// How:   text, because the format is a handful of keys.

#include "tools/run/Trace.h"

#include <cstdio>

namespace nacre::run {
namespace {

/// Bytes of the UTF-8 character that `text` begins with; 0 where it begins with none.
size_t characterBytes(std::string_view text) {
  const auto byte = [text](size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned lead = byte(0);
  const size_t bytes = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (bytes > text.size())
    return 0;
  for (size_t at = 1; at < bytes; ++at)
    if ((byte(at) & 0xc0) != 0x80)
      return 0;
  // A shorter way to write the same, half of a UTF-16 pair, or more than Unicode has.
  const bool bad = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) >= 0xa0) ||
                   (lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) >= 0x90);
  return bad ? 0 : bytes;
}

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
  if (time.gpu_share == 0 || time.cpu_share == 0)
    return time.gpu_share ? "gpu" : "cpu";
  return "gpu " + std::to_string(time.gpu_share) + "/" + std::to_string(time.cut_extent);
}

std::string jsonText(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const unsigned char c = text[0];
    const size_t bytes = characterBytes(text);
    if (bytes == 0) {
      quoted += "\\ufffd";
    } else if (c < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      quoted += escape;
    } else {
      if (c == '"' || c == '\\')
        quoted += '\\';
      quoted += text.substr(0, bytes);
    }
    text.remove_prefix(bytes ? bytes : 1);
  }
  return quoted + '"';
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
