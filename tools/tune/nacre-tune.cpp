// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  nacre-tune: measures this machine's cores and GPU and writes a device profile for nacre-compile --device.
// Why:   see tools/measure/Peak.h.
// How:   1. the command line, 2. cores, grouped into clusters by what they reach, 3. the GPU, 4. the profile: a base's,
//        with what is measured replaced.

#include "dialects/OutputFile.h"
#include "tools/NearestName.h"
#include "tools/OutOfMemory.h"
#include "tools/ResponseFile.h"
#include "tools/StandardStreams.h"
#include "tools/measure/Peak.h"
#include "tools/tune/GpuFigures.h"
#include "tools/tune/Splice.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>
#include <unistd.h>

using namespace nacre::measure;
using namespace nacre::tune;

namespace {

constexpr const char *kHelp =
    R"(OVERVIEW: Measures this machine's cores and GPU and writes a device profile
for nacre-compile.

USAGE: nacre-tune --base=<profile.json> [options]

OPTIONS:

Profile:

  --base=<file>         Profile of a similar device; it supplies all figures
                        that are not measured
  -o <file>             Profile to write (default: the standard output)

GPUs:

  --gpu=<auto|no|N>     auto: any GPU; no: none; N: device N of nacre-run
                        --list-devices, from 0 (default: auto)
  --kernels=<folder>    Folder of the GPU kernels compiled for this machine
                        (default: ../lib/nacre/tune next to the program)

General:

  --help                Print this text
  --version             Print the version

EXAMPLES
  nacre-tune --base=/usr/share/nacre/devices/snapdragon-778g.json -o mine.json
      measure for a few seconds; run nothing else meanwhile
  nacre-compile model.onnx --place=auto --device=mine.json
      place a model with this profile

EXIT STATUS
  0  the profile is written
  2  the command line is wrong, a file cannot be read or written, or the
     requested GPU cannot be measured
  4  memory ran out
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
  CpuList big;
};

Cores measureCores() {
  Cores cores;
  const CpuList allowed = allowedCores();
  for (unsigned index = 0; index < allowed.count; ++index)
    cores.speeds.push_back(measureCore(allowed.cpus[index]));
  std::stable_sort(cores.speeds.begin(), cores.speeds.end(),
                   [](const CoreSpeed &a, const CoreSpeed &b) { return a.gigaflops > b.gigaflops; });
  for (const CoreSpeed &speed : cores.speeds)
    if (speed.gigaflops > kBig * cores.speeds.front().gigaflops)
      cores.big.add(speed.cpu);
  return cores;
}

std::string describeCpu(const Cores &cores) {
  constexpr size_t kMemoryBytes = size_t(128) << 20, kUnknownCacheBytes = size_t(1) << 20;
  const size_t cache = lastCacheBytes() ? lastCacheBytes() : kUnknownCacheBytes;
  // A quarter of the cache of all: what one core may keep for itself.
  CpuList fastest;
  fastest.add(cores.big.cpus[0]);
  const double fromCache = measureReading(fastest, cache / 4);
  const double fromMemory = measureReading(fastest, std::max(kMemoryBytes, 4 * cache));
  const double together = measureReading(cores.big, std::max(kMemoryBytes, 4 * cache) / cores.big.count);
  std::ostringstream json;
  json.precision(4);
  json << "{\n    \"clusters\": [\n";
  for (size_t first = 0, end; first < cores.speeds.size(); first = end) {
    const CoreSpeed &speed = cores.speeds[first];
    for (end = first; end < cores.speeds.size() && cores.speeds[end].gigaflops > kAlike * speed.gigaflops;)
      ++end;
    json << "      {\"core\": \"cpu" << speed.cpu << "\", \"cores\": " << end - first
         << ", \"clock_ghz\": " << speed.gigahertz
         << ", \"fp32_flops_per_cycle\": " << speed.gigaflops / speed.gigahertz
         << ", \"int8_ops_per_cycle\": " << speed.byteGigaops / speed.gigahertz << "}"
         << (end < cores.speeds.size() ? ",\n" : "\n");
  }
  json << "    ],\n    \"threads\": " << cores.big.count << ",\n    \"bandwidth_gbps\": " << together
       << ",\n    \"core_bandwidth_gbps\": " << fromMemory << ",\n    \"cache_kib\": " << cache / 1024
       << ",\n    \"core_cache_bandwidth_gbps\": " << fromCache
       << ",\n    \"launch_us\": 4,\n    \"source\": \"Measured by nacre-tune, except launch_us, an estimate.\"\n  }";
  return json.str();
}

std::string defaultKernels() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  const std::string program(path, length > 0 ? size_t(length) : 0);
  return program.substr(0, program.find_last_of('/') + 1) + "../lib/nacre/tune";
}

std::string number(double value) {
  std::ostringstream text;
  text.precision(4);
  text << value;
  return text.str();
}

/// The base's groups of the GPU, with what was measured.
std::optional<std::string> describeGpu(const std::string &profile, const GpuFigures &figures) {
  std::optional<std::string_view> group = findMember(profile, "gpu");
  std::optional<std::string> gpu = group ? std::optional<std::string>(*group) : std::nullopt;
  auto set = [&](const char *name, const std::string &value) { gpu = gpu ? setMember(*gpu, name, value) : gpu; };
  set("fp32_gflops", number(figures.product));
  set("fp16_gflops", number(figures.halves));
  set("bandwidth_gbps", number(figures.bytes));
  set("cache_bandwidth_gbps", number(figures.cacheBytes));
  // A CPU is as fast with few invocations; what a GPU needs is not measured.
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

/// Whether the base says of its memory what the device does; copies between two memories are not measured.
bool sharesMemoryAs(const std::string &profile, const GpuFigures &figures) {
  const std::optional<std::string_view> memory = findMember(profile, "memory");
  const std::optional<std::string_view> shared = memory ? findMember(*memory, "shared") : std::nullopt;
  return shared && (*shared == "true") == figures.isUnified;
}

/// Puts the GPU's figures into `profile`; the message of what prevents it, if that device was asked for. Where any
/// would do (-1), it may be missing.
std::string measureGpuInto(std::string &profile, std::optional<int> device, const std::string &kernels) {
  if (!device)
    return "";
  GpuFigures figures;
  std::string reason;
  if (!measureGpu(kernels, *device, figures, reason)) {
    if (*device >= 0)
      return "the GPU cannot be measured: " + reason;
    std::fprintf(stderr, "nacre-tune: note: the GPU is not measured, and its figures are the base's: %s\n",
                 reason.c_str());
    return "";
  }
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

} // namespace

/// Adds the folder and the libraries with the kernels.
void addKernels(nacre::NamedFiles &files, const std::string &folder) {
  files.addInput("--kernels", folder);
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".so")
      files.addInput("--kernels", entry.path().string());
}

int main(int argc, char **argv) {
  static nacre::tools::OutputCheck outputCheck{2, nacre::tools::flushStandardOutput};
  nacre::tools::watchStandardStreams(outputCheck);
  std::set_new_handler(nacre::tools::exitOutOfMemory);
  std::string basePath, outputPath = "-", gpu = "auto", kernels = defaultKernels();
  std::string problem;
  nacre::tools::Arguments words(argc, argv, problem);
  if (!problem.empty())
    return fail(problem);
  argc = words.count();
  argv = words.values();
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--help") {
      std::fputs(kHelp, stdout);
      std::fputs(nacre::tools::kResponseFileHelp, stdout);
      return 0;
    }
    if (argument == "--version") {
      std::puts("nacre-tune " NACRE_VERSION);
      return 0;
    }
    if (argument.rfind("--base=", 0) == 0)
      basePath = argument.substr(std::strlen("--base="));
    else if (argument.rfind("--gpu=", 0) == 0)
      gpu = argument.substr(std::strlen("--gpu="));
    else if (argument.rfind("--kernels=", 0) == 0)
      kernels = argument.substr(std::strlen("--kernels="));
    else if (argument == "-o" && i + 1 < argc)
      outputPath = argv[++i];
    else
      return fail(argument.rfind("--", 0) == 0
                      ? nacre::tools::unknownOption(argument.substr(2, argument.find('=') - 2),
                                                    {"base", "gpu", "kernels", "help", "version"})
                      : "unexpected argument '" + argument + "'; see --help");
  }
  if (basePath.empty())
    return fail("--base=<profile.json> is required: it supplies the figures that are not measured; see --help");
  if (kernels.empty() || outputPath.empty())
    return fail(std::string(kernels.empty() ? "--kernels must be a folder" : "-o must be a file") + ", but is ''");
  nacre::NamedFiles files;
  words.addFilesTo(files);
  files.addInput("--base", basePath);
  addKernels(files, kernels);
  if (outputPath != "-")
    files.addOutput("-o", outputPath);
  if (const std::string same = files.findProblem(); !same.empty())
    return fail(same);
  char *end = nullptr;
  const int device = gpu == "auto" ? -1 : int(std::strtol(gpu.c_str(), &end, 10));
  if (gpu != "auto" && gpu != "no" && (end == gpu.c_str() || *end || device < 0))
    return fail("--gpu must be auto, no or the number of a device, but is '" + gpu + "'");
  std::ifstream file(basePath);
  std::stringstream base;
  if (!(base << file.rdbuf()))
    return fail("cannot read '" + basePath + "'");
  if (!replaceMember(base.str(), "cpu", "{}"))
    return fail(basePath + ": must be a profile, an object with a member \"cpu\"");

  std::string profile = base.str();
  if (const std::string error =
          measureGpuInto(profile, gpu == "no" ? std::nullopt : std::optional<int>(device), kernels);
      !error.empty())
    return fail(error);
  const Cores cores = measureCores();
  if (cores.speeds.empty())
    return fail("the system does not list its cores");
  profile = *replaceMember(profile, "cpu", describeCpu(cores));
  if (outputPath == "-") {
    std::fputs(profile.c_str(), stdout);
    return 0;
  }
  if (const std::string problem = nacre::writeFile(outputPath, profile); !problem.empty())
    return fail("cannot write '" + outputPath + "': " + problem);
  return 0;
}
