// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/tune/FigureReader.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <sstream>

namespace nacre::tune {
namespace {

using measure::Cluster;
using measure::CpuFigures;
using measure::DeviceFigures;

/// The lines of the text, by their first words. Lines of clusters are parsed immediately instead.
struct Lines {
  std::map<std::string, std::string, std::less<>> values;
  bool isComplete = false, isGood = true;

  /// Returns a positive figure. Records an error if it is missing or wrong.
  double number(const char *name) {
    const auto found = values.find(name);
    char *end = nullptr;
    const double value = found == values.end() ? 0 : std::strtod(found->second.c_str(), &end);
    isGood &= end && *end == 0 && std::isfinite(value) && value > 0;
    return value;
  }

  /// Returns a positive whole figure that `Whole` holds. Records an error if it is missing or wrong.
  template <typename Whole> Whole whole(const char *name) {
    const double value = number(name);
    const bool fits =
        value > 0 && value == std::floor(value) && value < std::ldexp(1.0, std::numeric_limits<Whole>::digits);
    isGood &= fits;
    return fits ? Whole(value) : 0;
  }

  bool flag(const char *name) {
    const auto found = values.find(name);
    isGood &= found != values.end() && (found->second == "0" || found->second == "1");
    return found != values.end() && found->second == "1";
  }
};

bool readCluster(const std::string &text, CpuFigures &cpu) {
  if (cpu.clusterCount == CpuFigures::kMostClusters)
    return false;
  Cluster &cluster = cpu.clusters[cpu.clusterCount++];
  std::istringstream words(text);
  words >> cluster.cpu >> cluster.cores >> cluster.gigahertz >> cluster.gigaflops >> cluster.halfGigaflops >>
      cluster.byteGigaops;
  return words && words.eof() && cluster.cores > 0 && cluster.cores <= measure::CpuList::kMost &&
         cluster.gigahertz > 0 && cluster.gigaflops > 0 && cluster.halfGigaflops > 0 && cluster.byteGigaops > 0;
}

Lines readLines(std::string_view text, CpuFigures &cpu) {
  Lines lines;
  for (size_t begin = 0; begin < text.size() && !lines.isComplete;) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const size_t space = std::min(line.find(' '), line.size());
    const std::string name(line.substr(0, space)), value(line.substr(std::min(space + 1, line.size())));
    lines.isComplete = name == "end";
    if (name == "cluster")
      lines.isGood &= readCluster(value, cpu);
    else
      lines.values[name] = value;
    begin = end + 1;
  }
  return lines;
}

} // namespace

bool readFigures(std::string_view text, DeviceFigures &figures, std::string &reasonOfGpu) {
  figures = DeviceFigures();
  Lines lines = readLines(text, figures.cpu);
  figures.cpu.threads = lines.whole<unsigned>("cpu_threads");
  figures.cpu.cacheBytes = lines.whole<uint64_t>("cpu_cache_size");
  for (const measure::CpuField &field : measure::kCpuFields)
    figures.cpu.*field.value = lines.number(field.name);
  reasonOfGpu = lines.values["gpu_reason"];
  const std::string &device = lines.values["gpu_device"];
  if (!device.empty()) {
    std::snprintf(figures.gpu.device, sizeof figures.gpu.device, "%s", device.c_str());
    figures.gpu.isUnified = lines.flag("gpu_unified");
    figures.gpu.isPlayed = lines.flag("gpu_emulated");
    for (const measure::GpuField &field : measure::kGpuFields)
      figures.gpu.*field.value = lines.number(field.name);
  }
  return lines.isComplete && lines.isGood && figures.cpu.clusterCount > 0;
}

} // namespace nacre::tune
