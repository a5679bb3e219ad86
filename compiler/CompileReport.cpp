// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CompileReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nacre {

StringRef LaunchReport::engine() const { return gpuShare == 0 ? "cpu" : gpuShare == 1 ? "gpu" : "cut"; }

void CompileReport::addTime(Phase phase, double milliseconds) {
  auto known = find_if(phaseMilliseconds, [&](const auto &other) { return other.first == phase; });
  if (known == phaseMilliseconds.end())
    phaseMilliseconds.emplace_back(phase, milliseconds);
  else
    known->second += milliseconds;
}

double CompileReport::totalMilliseconds() const {
  double total = 0;
  for (auto [phase, milliseconds] : phaseMilliseconds)
    total += milliseconds;
  return total;
}

json::Value CompileReport::toJson() const {
  json::Array launchRows;
  for (const LaunchReport &launch : launches) {
    json::Object row{{"nodes", launch.nodes},
                     {"kernel", launch.kernel},
                     {"kind", launch.kind},
                     {"flops", launch.flops},
                     {"executed_flops", launch.executedFlops},
                     {"weight_bytes", int64_t(launch.weightBytes)},
                     {"read_bytes", int64_t(launch.readBytes)},
                     {"written_bytes", int64_t(launch.writtenBytes)},
                     {"turns", launch.turns},
                     {"fallback", launch.fallback},
                     {"engine", launch.engine()},
                     {"gpu_share", launch.gpuShare},
                     {"gpu_declined", launch.gpuDeclined}};
    if (launch.predictedMilliseconds) {
      row["predicted_cpu_ms"] = launch.predictedMilliseconds->cpu;
      if (launch.predictedMilliseconds->gpu)
        row["predicted_gpu_ms"] = *launch.predictedMilliseconds->gpu;
    }
    launchRows.push_back(std::move(row));
  }
  json::Array narrowRows;
  for (const NarrowWeight &weight : narrowWeights)
    narrowRows.push_back(json::Object{{"nodes", weight.nodes},
                                      {"weight", weight.name},
                                      {"saved_bytes", weight.savedBytes},
                                      {"largest_relative_error", weight.largestRelativeError},
                                      {"relative_error", weight.relativeError}});
  json::Object phases;
  for (auto [phase, milliseconds] : phaseMilliseconds)
    phases[phaseWord(phase)] = milliseconds;
  json::Object report{{"model", model},
                      {"output", output},
                      {"target", target},
                      {"cpu", cpu},
                      {"gpu_precision", gpuPrecisionWord(gpuPrecision)},
                      {"weight_type", weightTypeWord(weightType)},
                      {"narrow_weights", std::move(narrowRows)},
                      {"operators", int64_t(operators)},
                      {"kernels", int64_t(kernels)},
                      {"weight_bytes", int64_t(weightBytes)},
                      {"arena_bytes", int64_t(arenaBytes)},
                      {"state_bytes", int64_t(stateBytes)},
                      {"micro_batch", microBatch},
                      {"code_bytes", int64_t(codeBytes)},
                      {"gpu_code_bytes", int64_t(gpuCodeBytes)},
                      {"gpu_packed_bytes", int64_t(gpuPackedBytes)},
                      {"file_bytes", int64_t(fileBytes)},
                      {"phase_ms", std::move(phases)},
                      {"total_ms", totalMilliseconds()},
                      {"launches", std::move(launchRows)}};
  if (predicted) {
    report["device"] = device;
    report["predicted_ms"] = predicted->placed;
    report["predicted_cpu_only_ms"] = predicted->cpu;
    report["predicted_meetings"] = int64_t(predicted->meetings);
  }
  return report;
}

static std::string size(uint64_t bytes) {
  if (bytes >= 10u << 20)
    return formatv("{0:F1} MiB", double(bytes) / (1 << 20));
  return formatv("{0:F1} KiB", double(bytes) / 1024);
}

std::string CompileReport::narrowing() const {
  const StringRef word = weightTypeWord(weightType);
  if (narrowWeights.empty())
    return formatv("{0}: no launch waits for its weights, so that all stay as they are", word);
  uint64_t saved = 0;
  double largest = 0;
  for (const NarrowWeight &weight : narrowWeights) {
    saved += weight.savedBytes;
    largest = std::max(largest, weight.largestRelativeError);
  }
  return formatv("{0}: {1} weights are {2} smaller, each number rounded by at most {3:e1} of itself", word,
                 narrowWeights.size(), size(saved), largest);
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
  if (stateBytes > 0)
    os << "  state " << size(stateBytes)
       << (microBatch ? formatv(", batches in parts of {0}", microBatch).str() : std::string()) << "\n";
  if (weightType != WeightType::F32)
    os << "  " << narrowing() << "\n";
  if (unsigned onGpu = count_if(launches, [](const LaunchReport &launch) { return launch.gpuShare > 0; }))
    os << formatv("  GPU: {0} launches, {1} of SPIR-V, packed to {2}\n", onGpu, size(gpuCodeBytes),
                  size(gpuPackedBytes));
  if (precisionTakenBack)
    os << "  fp16: nothing for the GPU, so that values are stored as fp32\n";
  if (predicted)
    os << formatv("  predicted for {0}: {1:F2} ms with {2} meetings, CPU only {3:F2} ms\n", device, predicted->placed,
                  predicted->meetings, predicted->cpu);
  unsigned declined = count_if(
      launches, [](const LaunchReport &launch) { return launch.gpuShare == 0 && !launch.gpuDeclined.empty(); });
  if (declined)
    os << formatv("  {0} launches have no GPU code; --report says why\n", declined);
  os << formatv("  {0:F0} ms:", totalMilliseconds());
  for (auto [phase, milliseconds] : phaseMilliseconds)
    os << formatv(" {0} {1:F0}", phaseWord(phase), milliseconds);
  os << "\n";
  return text;
}

} // namespace nacre
