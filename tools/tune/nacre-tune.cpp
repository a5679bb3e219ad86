// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  nacre-tune: measures this machine's cores and writes a device profile for nacre-compile --device.
// Why:   see Measure.h.
// How:   1. the command line, 2. cores, grouped into clusters by what they reach, 3. the profile: a base's, with the
//        CPU's figures replaced.

#include "tools/tune/Measure.h"
#include "tools/tune/Splice.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace nacre::tune;

namespace {

constexpr const char *kHelp = R"(OVERVIEW: Measures this machine's cores and writes a device profile for nacre-compile.

USAGE: nacre-tune --base=<profile.json> [options]

OPTIONS:

  --base=<file>  - The profile whose figures stay where nothing is measured: the GPU's, and what a launch costs. Choose one of a device like this one
  -o <file>      - Where to write the profile (default: the standard output)
  --help         - Print this
  --version      - Print the version of this program

EXAMPLES
  nacre-tune --base=snapdragon-778g.json -o mine.json
      takes some seconds, in which nothing else should run
  nacre-compile model.onnx --place=auto --device=mine.json
      place a model by it

EXIT STATUS
  0  the profile is written
  2  the command line is wrong, or a file cannot be read or written
)";

int fail(const std::string &message) {
  std::fprintf(stderr, "nacre-tune: %s\n", message.c_str());
  return 2;
}

/// Cores of which each reaches at least this share of the first belong together.
constexpr double kAlike = 0.85;
/// The runtime's rule for big cores, by default.
constexpr double kBig = 1.0 / 3;

struct Cores {
  std::vector<CoreSpeed> speeds; // fastest first
  std::vector<unsigned> big;
};

Cores measureCores() {
  Cores cores;
  for (unsigned cpu : allowedCores())
    cores.speeds.push_back(measureCore(cpu));
  std::stable_sort(cores.speeds.begin(), cores.speeds.end(),
                   [](const CoreSpeed &a, const CoreSpeed &b) { return a.gigaflops > b.gigaflops; });
  for (const CoreSpeed &speed : cores.speeds)
    if (speed.gigaflops > kBig * cores.speeds.front().gigaflops)
      cores.big.push_back(speed.cpu);
  return cores;
}

std::string describeCpu(const Cores &cores) {
  constexpr size_t kMemoryBytes = size_t(128) << 20, kUnknownCacheBytes = size_t(1) << 20;
  const size_t cache = lastCacheBytes() ? lastCacheBytes() : kUnknownCacheBytes;
  // A quarter of the cache of all: what one core may keep for itself.
  const double fromCache = measureReading({cores.big.front()}, cache / 4);
  const double fromMemory = measureReading({cores.big.front()}, std::max(kMemoryBytes, 4 * cache));
  const double together = measureReading(cores.big, std::max(kMemoryBytes, 4 * cache) / cores.big.size());
  std::ostringstream json;
  json.precision(4);
  json << "{\n    \"clusters\": [\n";
  for (size_t first = 0, end; first < cores.speeds.size(); first = end) {
    const CoreSpeed &speed = cores.speeds[first];
    for (end = first; end < cores.speeds.size() && cores.speeds[end].gigaflops > kAlike * speed.gigaflops;)
      ++end;
    json << "      {\"core\": \"cpu" << speed.cpu << "\", \"cores\": " << end - first
         << ", \"clock_ghz\": " << speed.gigahertz
         << ", \"fp32_flops_per_cycle\": " << speed.gigaflops / speed.gigahertz << "}"
         << (end < cores.speeds.size() ? ",\n" : "\n");
  }
  json << "    ],\n    \"threads\": " << cores.big.size() << ",\n    \"bandwidth_gbps\": " << together
       << ",\n    \"core_bandwidth_gbps\": " << fromMemory << ",\n    \"cache_kib\": " << cache / 1024
       << ",\n    \"core_cache_bandwidth_gbps\": " << fromCache
       << ",\n    \"launch_us\": 4,\n    \"source\": \"Measured by nacre-tune, but for launch_us, an estimate.\"\n  }";
  return json.str();
}

} // namespace

int main(int argc, char **argv) {
  std::string basePath, outputPath = "-";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--help")
      return std::fputs(kHelp, stdout) < 0;
    if (argument == "--version")
      return std::puts("nacre-tune " NACRE_VERSION) < 0;
    if (argument.rfind("--base=", 0) == 0)
      basePath = argument.substr(std::strlen("--base="));
    else if (argument == "-o" && i + 1 < argc)
      outputPath = argv[++i];
    else
      return fail("unknown option " + argument + "; see --help");
  }
  if (basePath.empty())
    return fail("a base must be given for what is not measured: --base=profile.json; see --help");
  std::ifstream file(basePath);
  std::stringstream base;
  if (!(base << file.rdbuf()))
    return fail("cannot read '" + basePath + "'");
  if (!replaceMember(base.str(), "cpu", "{}"))
    return fail(basePath + ": must be a profile, an object with a member \"cpu\"");

  const Cores cores = measureCores();
  if (cores.speeds.empty())
    return fail("the system does not say which cores there are");
  const std::string profile = *replaceMember(base.str(), "cpu", describeCpu(cores));
  if (outputPath == "-")
    return std::fputs(profile.c_str(), stdout) < 0;
  std::ofstream output(outputPath);
  if (!(output << profile).flush())
    return fail("cannot write '" + outputPath + "'");
  return 0;
}
