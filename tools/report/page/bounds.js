// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Finds what limits each launch and a run: arithmetic or memory, and how near they are to the machine's peak.
// How:  The roofline model. A launch takes at least its operations over the peak of arithmetic, and at least its bytes over a bandwidth.
//       Weights come from the cache if all data of a run fit in it, other data if those of the launch do.
"use strict";

const Bounds = (() => {
  /** Peaks: of arithmetic, memory, the last cache, and the cores' own caches, of which device profiles have none. */
  const roofOf = (roof) => ({ flops: roof.flops_per_second, bytes: roof.bytes_per_second, cacheBytes: roof.cache_bytes, cache: roof.cache_bytes_per_second,
    nearBytes: roof.near_cache_bytes ?? 0, near: roof.near_cache_bytes_per_second ?? roof.cache_bytes_per_second });

  /** The peaks to compare with: of the machine that was measured, else of the device or the class of CPUs that was predicted for. */
  function machineOf(entry, report) {
    const measured = entry.profile?.machine;
    const gpu = report.roofs && { ...roofOf(report.roofs.gpu) };
    if (measured)
      return { kind: "measured", name: measured.cpu || "the measured machine", ...measured, cpuRoof: roofOf(measured), gpuRoof: gpu };
    if (report.roofs)
      return { kind: "predicted", name: report.device || report.roofs.description, threads: report.roofs.cpu_threads, cpuRoof: roofOf(report.roofs.cpu), gpuRoof: gpu };
    return report.estimate && !entry.profile ? { kind: "estimated", name: report.estimate.description, threads: 1, cpuRoof: roofOf(report.estimate) } : undefined;
  }

  /** For a cut, both engines compute at the same time and share the memory. */
  function roofFor(launch, { cpuRoof, gpuRoof }) {
    if (launch.engine === "cpu") return cpuRoof;
    if (!gpuRoof || launch.engine === "gpu") return gpuRoof;
    return { flops: cpuRoof.flops + gpuRoof.flops, bytes: Math.max(cpuRoof.bytes, gpuRoof.bytes), cacheBytes: cpuRoof.cacheBytes, cache: Math.max(cpuRoof.cache, gpuRoof.cache), nearBytes: 0, near: 0 };
  }

  const bandwidth = (size, roof) => (size <= roof.nearBytes ? roof.near : size <= roof.cacheBytes ? roof.cache : roof.bytes);

  function limit(launch, roof, runBytes) {
    const moved = launch.read_bytes + launch.written_bytes;
    const hasWeightsInCache = runBytes <= roof.cacheBytes, hasDataInCache = moved <= roof.cacheBytes;
    const compute = (launch.executed_flops * launch.iterations) / roof.flops;
    const weights = (launch.weight_bytes * launch.iterations) / bandwidth(runBytes, roof);
    const data = (moved * launch.iterations) / bandwidth(moved, roof);
    const least = Math.max(compute, weights + data);
    launch.bound = compute >= weights + data ? "compute" : "memory";
    launch.level = launch.bound === "compute" ? "arithmetic" : (weights >= data ? hasWeightsInCache : hasDataInCache) ? "cache" : "memory";
    launch.isLimitedByWeights = launch.bound === "memory" && weights > data;
    launch.leastMs = least * 1e3;
    if (launch.time && least) launch.peakShare = launch.leastMs / launch.time;
  }

  /** Adds limits to the launches, and `bound`, `boundShare`, `peakShare` and `machine` to the entry. */
  function find(entry, report) {
    const machine = machineOf(entry, report);
    entry.machine = machine;
    if (!machine || !entry.launches.length) return;
    const runBytes = entry.launches.reduce((sum, launch) => sum + launch.weight_bytes, 0) + entry.arena_bytes;
    for (const launch of entry.launches) {
      const roof = roofFor(launch, machine);
      if (roof) limit(launch, roof, runBytes);
    }
    const timeOf = (bound) => entry.launches.reduce((sum, launch) => sum + (launch.bound === bound ? launch.cost : 0), 0);
    const memory = timeOf("memory"), compute = timeOf("compute");
    if (!(memory + compute > 0)) return;
    entry.bound = memory > compute ? "memory" : "compute";
    entry.boundShare = Math.max(memory, compute) / entry.cost;
    const chosen = entry.launches.filter((launch) => launch.bound === entry.bound);
    entry.level = chosen.reduce((sum, launch) => sum + (launch.level === "cache" ? launch.cost : -launch.cost), 0) > 0 ? "cache" : entry.bound === "memory" ? "memory" : "arithmetic";
    if (!entry.run) return;
    entry.peakShare = Data.sum(entry.launches, "leastMs") / entry.run;
    entry.flopRate = Data.sum(entry.launches.map((launch) => ({ flops: launch.executed_flops * launch.iterations })), "flops") / (entry.run / 1e3);
    entry.byteRate = Data.sum(entry.launches.map((launch) => ({ bytes: launch.bytes * launch.iterations })), "bytes") / (entry.run / 1e3);
  }

  return { find, roofFor };
})();
