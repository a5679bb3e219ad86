// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/report/CompileReport.h"

#include "compiler/report/Advice.h"
#include "compiler/report/ArenaChart.h"
#include "compiler/report/DescribeNodes.h"
#include "dialects/Count.h"
#include "dialects/NumberText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>

using namespace llvm;

namespace nacre {

StringRef LaunchReport::engine() const { return gpuShare == 0 ? "cpu" : gpuShare == 1 ? "gpu" : "cut"; }

std::vector<int64_t> EntryReport::bytesInUse() const {
  std::vector<int64_t> changes(steps.size() + 1);
  for (const ArenaStorage &storage : storages) {
    changes[storage.firstStep] += storage.bytes;
    changes[storage.lastStep + 1] -= storage.bytes;
  }
  std::partial_sum(changes.begin(), changes.end(), changes.begin());
  changes.pop_back();
  return changes;
}

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

static json::Array numbers(ArrayRef<unsigned> values) {
  return json::Array(map_range(values, [](unsigned value) { return int64_t(value); }));
}

json::Array CompileReport::launchRows() const {
  json::Array rows;
  for (const LaunchReport &launch : launches) {
    json::Object row{{"entry", launch.entry},
                     {"step", int64_t(launch.step)},
                     {"nodes", launch.nodes},
                     {"node_list", json::Array(launch.nodeList)},
                     {"kernel", launch.kernel},
                     {"kind", launch.kind},
                     {"contraction_type", launch.contractionType},
                     {"in_floats_because", launch.inFloatsBecause},
                     {"half_sums", launch.halfSums},
                     {"flops", launch.flops},
                     {"executed_flops", launch.executedFlops},
                     {"weight_bytes", int64_t(launch.weightBytes)},
                     {"read_bytes", int64_t(launch.readBytes)},
                     {"written_bytes", int64_t(launch.writtenBytes)},
                     {"iterations", launch.iterations},
                     {"fallback", launch.fallback},
                     {"fallback_reason", launch.fallbackReason},
                     {"engine", launch.engine()},
                     {"gpu_share", launch.gpuShare},
                     {"gpu_declined", launch.gpuDeclined},
                     {"reads", numbers(launch.reads)},
                     {"writes", numbers(launch.writes)},
                     {"port_reads", numbers(launch.portReads)},
                     {"port_writes", numbers(launch.portWrites)}};
    if (launch.predictedMilliseconds) {
      row["predicted_ms"] = launch.placedMilliseconds;
      row["predicted_cpu_ms"] = launch.predictedMilliseconds->cpu;
      if (launch.predictedMilliseconds->gpu)
        row["predicted_gpu_ms"] = *launch.predictedMilliseconds->gpu;
    } else {
      row["estimated_ms"] = launch.estimatedMilliseconds;
    }
    if (launch.entry == train::trainEntry)
      row["part"] = partWord(partOf(launch.nodes));
    rows.push_back(std::move(row));
  }
  return rows;
}

json::Array CompileReport::entryRows() const {
  json::Array rows;
  for (const EntryReport &entry : entries) {
    json::Array steps, storages, ports;
    for (auto [nodes, bytes] : zip_equal(entry.steps, entry.bytesInUse()))
      steps.push_back(json::Object{{"nodes", nodes}, {"arena_bytes_in_use", bytes}});
    for (const ArenaStorage &storage : entry.storages)
      storages.push_back(json::Object{{"nodes", storage.nodes},
                                      {"offset", storage.offset},
                                      {"bytes", storage.bytes},
                                      {"first_step", int64_t(storage.firstStep)},
                                      {"last_step", int64_t(storage.lastStep)}});
    for (const PortReport &port : entry.ports) {
      json::Object row{
          {"name", port.name}, {"role", port.role}, {"bytes", int64_t(port.bytes)}, {"shape", json::Array(port.shape)}};
      if (port.predictedSnr)
        row["predicted_snr_db"] = *port.predictedSnr;
      ports.push_back(std::move(row));
    }
    json::Object row{{"name", entry.name},
                     {"arena_bytes", int64_t(entry.arenaBytes)},
                     {"steps", std::move(steps)},
                     {"storages", std::move(storages)},
                     {"ports", std::move(ports)}};
    if (entry.predicted) {
      row["predicted_ms"] = entry.predicted->placed;
      row["predicted_cpu_only_ms"] = entry.predicted->cpu;
      row["predicted_meetings"] = int64_t(entry.predicted->meetings);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

static json::Object describe(const Roof &roof) {
  return json::Object{{"flops_per_second", roof.flopsPerSecond},
                      {"bytes_per_second", roof.bytesPerSecond},
                      {"cache_bytes", roof.cacheBytes},
                      {"cache_bytes_per_second", roof.cacheBytesPerSecond}};
}

/// Describes the device that the preset assumed, and the GPU's launches. Returns an empty text if the user has named
/// the device.
static std::string describeAssumption(const CompileReport &report) {
  const bool isAssumed =
      any_of(report.preset.options, [](StringRef option) { return option.starts_with("--device="); });
  if (!isAssumed || !report.roofs)
    return "";
  const unsigned onGpu = count_if(report.launches, [](const LaunchReport &launch) { return launch.gpuShare > 0; });
  const std::string launches = describeCount(report.launches.size(), "launch");
  std::string text = "assumed a phone like this one: " + report.roofs->description + "; ";
  if (onGpu)
    return text + formatv("its GPU gets {0} of {1}", onGpu, launches).str();
  const bool isChosen = is_contained(report.preset.options, "--place=auto");
  return text + formatv("its GPU gets none of {0}{1}", launches,
                        isChosen ? ", because its CPU is predicted to be as fast" : "")
                    .str();
}

json::Value CompileReport::toJson() const {
  json::Array narrowRows;
  for (const NarrowWeight &weight : narrowWeights)
    narrowRows.push_back(json::Object{{"nodes", weight.nodes},
                                      {"weight", weight.name},
                                      {"saved_bytes", weight.savedBytes},
                                      {"largest_relative_error", weight.largestRelativeError},
                                      {"relative_error", weight.relativeError}});
  json::Array wideRows;
  for (const FloatContraction &product : wideProducts)
    wideRows.push_back(json::Object{{"nodes", json::Array(product.nodes)}, {"reason", product.reason}});
  json::Array advices;
  for (const Advice &each : advice)
    advices.push_back(json::Object{{"kind", each.kind},
                                   {"nodes", json::Array(each.nodes)},
                                   {"launches", numbers(each.launches)},
                                   {"share", each.share},
                                   {"problem", each.problem},
                                   {"remedy", each.remedy},
                                   {"text", each.text}});
  json::Object phases;
  for (auto [phase, milliseconds] : phaseMilliseconds)
    phases[phaseWord(phase)] = milliseconds;
  json::Object report{{"model", model},
                      {"output", output},
                      {"target", target},
                      {"cpu", cpu},
                      {"gpu_precision", gpuPrecisionWord(gpuPrecision)},
                      {"cpu_precision", floatStorageWord(cpuPrecision)},
                      {"fp32_products", std::move(wideRows)},
                      {"weight_type", floatStorageWord(weightType)},
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
                      {"table_bytes", int64_t(tableBytes)},
                      {"runtime_bytes", int64_t(runtimeBytes)},
                      {"file_bytes", int64_t(fileBytes)},
                      {"phase_ms", std::move(phases)},
                      {"total_ms", totalMilliseconds()},
                      {"advice", std::move(advices)},
                      {"vector_bits", int64_t(8 * vectorBytes)},
                      {"nodes", nodeRows(*this)},
                      {"entries", entryRows()},
                      {"launches", launchRows()}};
  if (!buildId.empty())
    report["build_id"] = buildId;
  if (!weightsFile.empty())
    report["weights_file"] = weightsFile;
  if (!preset.word.empty())
    report["preset"] = json::Object{{"for", preset.word}, {"options", json::Array(preset.options)}};
  if (const std::string assumed = describeAssumption(*this); !assumed.empty())
    report["assumed"] = assumed;
  if (stepTimes)
    report["predicted_step_ms"] =
        json::Object{{"forward", stepTimes->forward}, {"backward", stepTimes->backward}, {"update", stepTimes->update}};
  if (!weightCosts.empty()) {
    json::Array rows;
    for (const WeightCost &cost : weightCosts)
      rows.push_back(json::Object{
          {"weight", cost.name}, {"predicted_ms", cost.milliseconds}, {"predicted_way_ms", cost.wayMilliseconds}});
    report["trained_weights"] = std::move(rows);
  }
  if (roofs)
    report["roofs"] = json::Object{{"description", roofs->description},
                                   {"cpu_threads", int64_t(roofs->threads)},
                                   {"cpu", describe(roofs->cpu)},
                                   {"gpu", describe(roofs->gpu)}};
  if (!predicted)
    report["estimate"] = json::Object{{"description", machine.name},
                                      {"flops_per_second", 1e9 * machine.flopsPerNanosecond()},
                                      {"bytes_per_second", 1e9 * machine.memoryBytesPerNanosecond()},
                                      {"cache_bytes", int64_t(machine.lastBytes)},
                                      {"cache_bytes_per_second", 1e9 * machine.farBytesPerCycle * machine.gigahertz}};
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
  const StringRef word = floatStorageWord(weightType);
  if (narrowWeights.empty())
    return formatv("{0}: no layer is limited by reading its weights, so all keep their type", word);
  uint64_t saved = 0;
  double largest = 0;
  for (const NarrowWeight &weight : narrowWeights) {
    saved += weight.savedBytes;
    largest = std::max(largest, weight.largestRelativeError);
  }
  return formatv("{0}: {1} weights are {2} smaller; the largest relative rounding error is {3}", word,
                 narrowWeights.size(), size(saved), describeNumber(largest, 2));
}

std::string CompileReport::describeStep() const {
  auto entry = find_if(entries, [](const EntryReport &each) { return each.name == train::trainEntry; });
  if (entry == entries.end())
    return "";
  std::string text;
  raw_string_ostream os(text);
  if (stepTimes)
    os << formatv("  predicted time of a step on {0}: forward {1:F2} ms, backward {2:F2} ms, update {3:F2} ms\n",
                  device, stepTimes->forward, stepTimes->backward, stepTimes->update);
  SmallVector<ChartStep> steps;
  for (auto [nodes, bytes] : zip_equal(entry->steps, entry->bytesInUse()))
    steps.push_back({bytes, partWord(partOf(nodes)).front()});
  auto most = std::max_element(steps.begin(), steps.end(),
                               [](const ChartStep &a, const ChartStep &b) { return a.bytes < b.bytes; });
  if (most == steps.end() || most->bytes == 0)
    return text;
  const size_t at = most - steps.begin();
  constexpr unsigned width = 64, height = 6;
  os << formatv("  arena over the {0} steps of train (forward, backward, update), peak at step {1}", steps.size(),
                at + 1);
  if (!entry->steps[at].empty())
    os << " (" << StringRef(entry->steps[at]).split(", ").first << ")";
  os << "\n" << drawArena(steps, width, height, "    ");
  return text;
}

std::string CompileReport::describeHalves() const {
  auto isProduct = [](const LaunchReport &launch) {
    return StringRef(launch.contractionType).starts_with("fp") || StringRef(launch.contractionType).starts_with("bf");
  };
  auto isOnCpu = [](const LaunchReport &launch) { return launch.gpuShare < 1; };
  const unsigned products =
      count_if(launches, [&](const LaunchReport &launch) { return isProduct(launch) && isOnCpu(launch); });
  const unsigned halves = count_if(launches, [&](const LaunchReport &launch) {
    return (launch.halfSums > 0 || launch.multipliesBfloats) && isOnCpu(launch);
  });
  const bool isBfloat = cpuPrecision == FloatStorage::BF16;
  const StringRef word = floatStorageWord(cpuPrecision);
  if (products == 0)
    return formatv("{0} on the CPU: {1}", word,
                   any_of(launches, isProduct) ? "the GPU computes all products" : "values are stored as " + word);
  if (!cpuMultiplies)
    return formatv("{0} on the CPU: values are stored as {0}, but no CPU of the library {1}", word,
                   isBfloat ? "multiplies bf16 faster than fp32" : "adds up in fp16");
  return formatv("{0} on the CPU: {1} of {2} {3} {0}", word, halves, describeCount(products, "product"),
                 isBfloat ? "may be multiplied in" : "may be added up in");
}

std::string CompileReport::describeNoise() const {
  const PortReport *noisiest = nullptr;
  unsigned outputs = 0;
  for (const EntryReport &entry : entries)
    for (const PortReport &port : entry.ports) {
      if (!port.predictedSnr)
        continue;
      ++outputs;
      if (!noisiest || *port.predictedSnr < *noisiest->predictedSnr)
        noisiest = &port;
    }
  if (!noisiest)
    return "";
  return formatv("predicted signal-to-noise ratio of {0} in fp16: {1}{2:F0} dB", describeCount(outputs, "output"),
                 outputs > 1 ? "at least " : "", *noisiest->predictedSnr);
}

std::string CompileReport::summary() const {
  std::string text;
  raw_string_ostream os(text);
  unsigned fallbacks = count_if(launches, [](const LaunchReport &launch) { return launch.fallback; });
  os << output << " for " << target << (cpu.empty() ? "" : " (" + cpu + ")") << "\n";
  if (!preset.word.empty())
    os << "  --for=" << preset.word << " sets " << join(preset.options, " ") << "\n";
  os << formatv("  {0}, {1} of {2}", describeCount(operators, "operator"), describeCount(launches.size(), "launch"),
                describeCount(kernels, "kernel"));
  if (fallbacks)
    os << formatv(" ({0} {1} back to plain loops)", describeCount(fallbacks, "launch"),
                  fallbacks == 1 ? "falls" : "fall");
  os << formatv("\n  weights {0}, arena {1}, code {2}, file {3}\n", size(weightBytes), size(arenaBytes),
                size(codeBytes), size(fileBytes));
  if (contractions.total > 0)
    os << formatv("  {0} of the {1} convolutions and products computed in integers\n",
                  contractions.total - contractions.inFloats.size(), contractions.total);
  if (!weightsFile.empty())
    os << "  weights in " << weightsFile << "\n";
  if (stateBytes > 0)
    os << "  state " << size(stateBytes)
       << (microBatch ? formatv(", batches split into parts of {0}", microBatch).str() : std::string()) << "\n";
  os << describeStep();
  if (weightType != FloatStorage::F32)
    os << "  " << narrowing() << "\n";
  if (unsigned onGpu = count_if(launches, [](const LaunchReport &launch) { return launch.gpuShare > 0; }))
    os << formatv("  GPU: {0}, {1} of SPIR-V, packed to {2}\n", describeCount(onGpu, "launch"), size(gpuCodeBytes),
                  size(gpuPackedBytes));
  if (cpuPrecision != FloatStorage::F32)
    os << "  " << describeHalves() << "\n";
  if (const std::string noise = describeNoise(); !noise.empty())
    os << "  " << noise << "\n";
  if (takenBackOnCpu != FloatStorage::F32)
    os << formatv("  {0} on the CPU: the GPU has a part of every entry, so values are {1}, as --gpu-precision says\n",
                  floatStorageWord(takenBackOnCpu), gpuPrecisionWord(gpuPrecision));
  if (precisionTakenBack)
    os << "  fp16: no launch on the GPU, so values are stored as fp32\n";
  if (predicted)
    os << formatv("  predicted for {0}: {1:F2} ms with {2}, CPU only {3:F2} ms\n", device, predicted->placed,
                  describeCount(predicted->meetings, "synchronization point"), predicted->cpu);
  if (const std::string assumed = describeAssumption(*this); !assumed.empty())
    os << "  " << assumed << "\n";
  unsigned declined = count_if(
      launches, [](const LaunchReport &launch) { return launch.gpuShare == 0 && !launch.gpuDeclined.empty(); });
  if (declined)
    os << formatv("  {0} {1} no GPU code; --report says why\n", describeCount(declined, "launch"),
                  declined == 1 ? "has" : "have");
  os << formatv("  {0:F0} ms:", totalMilliseconds());
  for (auto [phase, milliseconds] : phaseMilliseconds)
    os << formatv(" {0} {1:F0}", phaseWord(phase), milliseconds);
  os << "\n";
  return text;
}

} // namespace nacre
