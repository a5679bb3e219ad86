// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CompileReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nacre {

double CompileReport::totalMilliseconds() const {
  double total = 0;
  for (auto [phase, milliseconds] : phaseMilliseconds)
    total += milliseconds;
  return total;
}

json::Value CompileReport::toJson() const {
  json::Array launchRows;
  for (const LaunchReport &launch : launches)
    launchRows.push_back(json::Object{{"nodes", launch.nodes},
                                      {"kernel", launch.kernel},
                                      {"kind", launch.kind},
                                      {"flops", launch.flops},
                                      {"turns", launch.turns},
                                      {"fallback", launch.fallback},
                                      {"gpu_share", launch.gpuShare},
                                      {"gpu_declined", launch.gpuDeclined}});
  json::Object phases;
  for (auto [phase, milliseconds] : phaseMilliseconds)
    phases[phaseWord(phase)] = milliseconds;
  return json::Object{{"model", model},
                      {"output", output},
                      {"target", target},
                      {"cpu", cpu},
                      {"operators", int64_t(operators)},
                      {"kernels", int64_t(kernels)},
                      {"weight_bytes", int64_t(weightBytes)},
                      {"arena_bytes", int64_t(arenaBytes)},
                      {"code_bytes", int64_t(codeBytes)},
                      {"gpu_code_bytes", int64_t(gpuCodeBytes)},
                      {"file_bytes", int64_t(fileBytes)},
                      {"phase_ms", std::move(phases)},
                      {"total_ms", totalMilliseconds()},
                      {"launches", std::move(launchRows)}};
}

static std::string size(uint64_t bytes) {
  if (bytes >= 10u << 20)
    return formatv("{0:F1} MiB", double(bytes) / (1 << 20));
  return formatv("{0:F1} KiB", double(bytes) / 1024);
}

std::string CompileReport::summary() const {
  std::string text;
  raw_string_ostream os(text);
  unsigned fallbacks = count_if(launches, [](const LaunchReport &launch) { return launch.fallback; });
  os << output << " for " << target << (cpu.empty() ? "" : " (" + cpu + ")") << "\n";
  os << formatv("  {0} operators, {1} launches of {2} kernels", operators, launches.size(), kernels);
  if (fallbacks)
    os << formatv(" ({0} launches without an emitter of their own)", fallbacks);
  os << formatv("\n  weights {0}, arena {1}, code {2}, file {3}\n", size(weightBytes), size(arenaBytes),
                size(codeBytes), size(fileBytes));
  if (unsigned onGpu = count_if(launches, [](const LaunchReport &launch) { return launch.gpuShare > 0; }))
    os << formatv("  GPU: {0} launches, {1} of SPIR-V\n", onGpu, size(gpuCodeBytes));
  unsigned declined = count_if(launches, [](const LaunchReport &launch) { return !launch.gpuDeclined.empty(); });
  if (declined)
    os << formatv("  {0} launches have no GPU code; --report says why\n", declined);
  os << formatv("  {0:F0} ms:", totalMilliseconds());
  for (auto [phase, milliseconds] : phaseMilliseconds)
    os << formatv(" {0} {1:F0}", phaseWord(phase), milliseconds);
  os << "\n";
  return text;
}

} // namespace nacre
