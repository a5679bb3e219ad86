// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/tune/Profile.h"
#include "tools/tune/Splice.h"

#include <optional>
#include <sstream>

namespace nacre::tune {
namespace {

using measure::Cluster;
using measure::CpuFigures;
using measure::GpuFigures;

std::string describeCpu(const CpuFigures &figures) {
  std::ostringstream json;
  json.precision(4);
  json << "{\n    \"clusters\": [\n";
  for (unsigned index = 0; index < figures.clusterCount; ++index) {
    const Cluster &cluster = figures.clusters[index];
    json << "      {\"core\": \"cpu" << cluster.cpu << "\", \"cores\": " << cluster.cores
         << ", \"clock_ghz\": " << cluster.gigahertz
         << ", \"fp32_flops_per_cycle\": " << cluster.gigaflops / cluster.gigahertz
         << ", \"fp16_flops_per_cycle\": " << cluster.halfGigaflops / cluster.gigahertz
         << ", \"int8_ops_per_cycle\": " << cluster.byteGigaops / cluster.gigahertz << "}"
         << (index + 1 < figures.clusterCount ? ",\n" : "\n");
  }
  json << "    ],\n    \"threads\": " << figures.threads << ",\n    \"bandwidth_gbps\": " << figures.bytes
       << ",\n    \"core_bandwidth_gbps\": " << figures.coreBytes
       << ",\n    \"cache_kib\": " << figures.cacheBytes / 1024
       << ",\n    \"core_cache_bandwidth_gbps\": " << figures.cacheBytesOfCore
       << ",\n    \"launch_us\": 4,\n    \"source\": \"Measured by nacre-tune, except launch_us, an estimate.\"\n  }";
  return json.str();
}

std::string number(double value) {
  std::ostringstream text;
  text.precision(4);
  text << value;
  return text.str();
}

/// Returns the GPU's members of the base profile, with the measured figures.
std::optional<std::string> describeGpu(const std::string &profile, const GpuFigures &figures) {
  std::optional<std::string_view> group = findMember(profile, "gpu");
  std::optional<std::string> gpu = group ? std::optional<std::string>(*group) : std::nullopt;
  auto set = [&](const char *name, const std::string &value) { gpu = gpu ? setMember(*gpu, name, value) : gpu; };
  set("fp32_gflops", number(figures.product));
  set("fp16_gflops", number(figures.halves));
  set("bandwidth_gbps", number(figures.bytes));
  set("cache_bandwidth_gbps", number(figures.cacheBytes));
  // A CPU that emulates a GPU needs only one invocation. For a real GPU, this number is not measured.
  if (figures.isPlayed)
    set("invocations", "1");
  set("rates", "{\"streamed_gps\": " + number(figures.streamed) + ", \"depthwise_gps\": " + number(figures.depthwise) +
                   ", \"pointwise_gps\": " + number(figures.pointwise) + ", \"row_gps\": " + number(figures.row) +
                   ", \"movement_gps\": " + number(figures.movement) + "}");
  set("source", std::string("\"Measured by nacre-tune, except the size of the cache") +
                    (figures.isPlayed ? "" : " and the number of invocations") + ", which stay the base's.\"");
  if (!gpu)
    return std::nullopt;
  std::optional<std::string> whole = replaceMember(profile, "gpu", *gpu);
  return whole ? replaceMember(*whole, "latency",
                               "{\n    \"dispatch_us\": " + number(figures.dispatchMicroseconds) +
                                   ",\n    \"meeting_us\": " + number(figures.meetingMicroseconds) +
                                   ",\n    \"source\": \"Measured by nacre-tune.\"\n  }")
               : whole;
}

/// True if the base profile and the device both have shared memory, or both have not. Copies between two memories are
/// not measured.
bool sharesMemoryAs(const std::string &profile, const GpuFigures &figures) {
  const std::optional<std::string_view> memory = findMember(profile, "memory");
  const std::optional<std::string_view> shared = memory ? findMember(*memory, "shared") : std::nullopt;
  return shared && (*shared == "true") == figures.isUnified;
}

} // namespace

bool setCpu(std::string &profile, const CpuFigures &figures) {
  const std::optional<std::string> whole = replaceMember(profile, "cpu", describeCpu(figures));
  if (whole)
    profile = *whole;
  return whole.has_value();
}

std::string setGpu(std::string &profile, const GpuFigures &figures) {
  const std::optional<std::string> measured = describeGpu(profile, figures);
  if (!measured)
    return "the base must be a profile, an object with members \"gpu\" and \"latency\"";
  if (!sharesMemoryAs(profile, figures))
    return "the base must be of a device whose GPU " +
           std::string(figures.isUnified ? "shares memory with the CPU" : "has a memory of its own") + ", as " +
           figures.device + " does";
  profile = *measured;
  return "";
}

} // namespace nacre::tune
