// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps: 1. the rooflines; 2. cuts.

#include "compiler/place/CostModel.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>

namespace nacre::place {

using namespace codegen;

namespace {

//===----------------------------------------------------------------------===//
// 1. Rooflines
//===----------------------------------------------------------------------===//

/// Returns the seconds that reading takes: from a cache if the data may still be there, otherwise from memory.
double transferSeconds(const LaunchWork &work, double share, const Cache &cache, double cacheRate, double memoryRate) {
  const double tensors = work.tensors.of(share), weights = work.weights.of(share);
  const double room = cache.bytes / 2; // The other half holds the launch's other data.
  cacheRate = std::max(cacheRate, memoryRate);
  return tensors / (tensors <= room ? cacheRate : memoryRate) +
         weights / (work.rivals + tensors <= room ? cacheRate : memoryRate);
}

double cpuSeconds(const LaunchWork &work, const DeviceProfile &device, double share, unsigned threads) {
  const CpuProfile &cpu = device.cpu;
  const Efficiency efficiency = efficiencyOf(work.form);
  const double flops = (work.products.cpuFlops({cpu.integerRate(), cpu.halfRate()}) + work.flops) * share;
  const double arithmetic =
      flops / efficiency.cpuFlops + work.functions * share * kCpuFlopsPerFunction / kCpuFunctionEfficiency;
  const double memoryRate = std::min(cpu.bytesPerSecond, threads * cpu.coreBytesPerSecond);
  return std::max(arithmetic / cpu.flopsPerSecond(threads),
                  transferSeconds(work, share, cpu.cache, threads * cpu.cache.bytesPerSecond * efficiency.cpuBytes,
                                  memoryRate * efficiency.cpuBytes));
}

} // namespace

double cpuSeconds(const LaunchWork &work, const DeviceProfile &device, double share) {
  assert(share >= 0 && share <= 1 && "a share is of the cut axis");
  if (share == 0)
    return 0;
  const double alone = cpuSeconds(work, device, share, 1);
  const unsigned threads = unsigned(std::clamp<double>(alone / (kThreadNanoseconds * 1e-9), 1, device.cpu.threads));
  // The runtime uses no more threads than are useful, because fewer threads would be as fast.
  const double together = threads > 1 ? std::min(alone, cpuSeconds(work, device, share, threads)) : alone;
  return device.cpu.launchSeconds + together;
}

namespace {

/// Returns the elements per second that work of this form reads and writes. Products write their results at the rate of
/// pointwise work.
double accessRate(const GpuRates &rates, WorkForm form) {
  switch (form) {
  case WorkForm::Product:
  case WorkForm::Pointwise:
    return rates.pointwise;
  case WorkForm::Streamed:
    return rates.streamed;
  case WorkForm::Depthwise:
    return rates.depthwise;
  case WorkForm::Row:
    return rates.row;
  case WorkForm::Movement:
  case WorkForm::Scan: // Not measured.
    return rates.movement;
  }
  return rates.pointwise;
}

/// Returns the time by measured rates: the maximum of the transfers, and of all accesses plus the operations between
/// them.
double measuredSeconds(const LaunchWork &work, const GpuProfile &gpu, double peak, double share, double occupancy) {
  const double busy = std::min(1.0, occupancy);
  // The rate of rows includes exponentials, because it was measured with a softmax.
  const double functions = work.form == WorkForm::Row ? 0 : work.functions * kGpuFlopsPerFunction;
  const double flops =
      (work.form == WorkForm::Product ? (work.products.flops + work.flops) / kUsualProduct : 0) + functions;
  const double arithmetic =
      flops * share / (peak * busy) + work.accesses * share / (accessRate(*gpu.rates, work.form) * busy);
  const double transfer = std::min(1.0, occupancy * kBandwidthHeadStart);
  return std::max(arithmetic, transferSeconds(work, share, gpu.cache, gpu.cache.bytesPerSecond * transfer,
                                              gpu.bytesPerSecond * transfer));
}

} // namespace

double gpuSeconds(const LaunchWork &work, const DeviceProfile &device, GpuPrecision precision, double share) {
  assert(share >= 0 && share <= 1 && "a share is of the cut axis");
  if (share == 0)
    return 0;
  const GpuProfile &gpu = device.gpu;
  const Efficiency efficiency = efficiencyOf(work.form);
  // The precision applies only to products of floats. All other work is computed in f32 or in 32-bit integers.
  const bool half = precision == GpuPrecision::F16 && work.form == WorkForm::Product && !work.products.areOfIntegers;
  const double peak = half ? gpu.fp16FlopsPerSecond : gpu.fp32FlopsPerSecond;
  const double flops = (work.products.flops + work.flops + work.functions * kGpuFlopsPerFunction) * share;
  const double occupancy =
      std::max(work.points * share / efficiency.pointsPerInvocation / gpu.invocations, kLeastOccupancy);
  if (gpu.rates)
    return gpu.dispatchSeconds + measuredSeconds(work, gpu, peak, share, occupancy);
  const double arithmetic = peak * efficiency.gpuFlops * std::min(1.0, occupancy);
  const double transfer = efficiency.gpuBytes * std::min(1.0, occupancy * kBandwidthHeadStart);
  return gpu.dispatchSeconds +
         std::max(flops / arithmetic, transferSeconds(work, share, gpu.cache, gpu.cache.bytesPerSecond * transfer,
                                                      gpu.bytesPerSecond * transfer));
}

//===----------------------------------------------------------------------===//
// 2. Cuts
//===----------------------------------------------------------------------===//

/// Number of equal parts of a launch. The search tries cuts between them. With 8 parts, the result is within 4 % of the
/// best cut; with 4 parts, within 7 %.
constexpr int64_t kParts = 16;

CutSeconds cutSeconds(const LaunchWork &work, const DeviceProfile &device, GpuPrecision precision, double gpuShare) {
  CutSeconds seconds{cpuSeconds(work, device, 1 - gpuShare), gpuSeconds(work, device, precision, gpuShare)};
  if (gpuShare == 0 || gpuShare == 1 || !device.memory.shared)
    return seconds;
  // Both engines read weights from memory at the same time, so they share the bandwidth.
  const double memory = (work.weights.of(gpuShare) + work.weights.of(1 - gpuShare)) / device.memory.bytesPerSecond;
  return {std::max(seconds.cpu, memory), std::max(seconds.gpu, memory)};
}

int64_t balancedCut(const LaunchWork &work, const DeviceProfile &device, GpuPrecision precision, int64_t extent,
                    int64_t grain) {
  auto seconds = [&](int64_t steps) {
    const CutSeconds cut = cutSeconds(work, device, precision, double(steps * grain) / extent);
    return std::max(cut.cpu, cut.gpu + (steps ? device.gpu.meetingSeconds : 0));
  };
  // A larger share makes the CPU's time shorter and the GPU's longer, so bisection finds where they cross.
  int64_t low = 0, high = extent / grain;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    const CutSeconds cut = cutSeconds(work, device, precision, double(middle * grain) / extent);
    if (cut.cpu > cut.gpu + device.gpu.meetingSeconds)
      low = middle + 1;
    else
      high = middle;
  }
  const int64_t best = low > 0 && seconds(low - 1) <= seconds(low) ? low - 1 : low;
  return seconds(0) <= seconds(best) ? 0 : best * grain;
}

llvm::SmallVector<int64_t> promisingCuts(const LaunchWork &work, const DeviceProfile &device, GpuPrecision precision,
                                         int64_t extent, int64_t grain) {
  llvm::SmallVector<int64_t> cuts{0, extent, balancedCut(work, device, precision, extent, grain)};
  for (int64_t part = 1; part < kParts; ++part)
    cuts.push_back(extent * part / kParts / grain * grain);
  llvm::sort(cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

} // namespace nacre::place
