// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Finds what limits each launch and a run: arithmetic or memory, and how near they are to the machine's peak.
// How:  The roofline model. A launch takes at least its operations over the peak of arithmetic, and at least its bytes over a bandwidth.
//       A measured launch that is faster than its limit shows that a peak is higher than measured.
//       Weights come from the cache if all data of a run fit in it, other data if those of the launch do.
"use strict";

const Bounds = (() => {
  /** Peaks: of arithmetic, memory, the last cache, and the cores' own caches, of which device profiles have none. */
  const roofOf = (roof) => ({ flops: roof.flops_per_second, bytes: roof.bytes_per_second, cacheBytes: roof.cache_bytes, cache: roof.cache_bytes_per_second,
    nearBytes: roof.near_cache_bytes ?? 0, near: roof.near_cache_bytes_per_second ?? roof.cache_bytes_per_second });

  /** The peaks that the compiler has assumed: of a device, or of one core of a class of CPUs. */
  function assumedMachine(report) {
    if (report.roofs)
      return { kind: "predicted", name: report.device || report.roofs.description, threads: report.roofs.cpu_threads, cpuRoof: roofOf(report.roofs.cpu), gpuRoof: roofOf(report.roofs.gpu) };
    return report.estimate && { kind: "estimated", name: report.estimate.description, threads: 1, cpuRoof: roofOf(report.estimate) };
  }

  /** The peaks to compare with: of the machine that was measured, else those that were assumed. */
  function machineOf(entry, report) {
    const measured = entry.profile?.machine;
    if (measured)
      return { kind: "measured", name: measured.cpu || "the measured machine", ...measured, cpuRoof: roofOf(measured), gpuRoof: report.roofs && roofOf(report.roofs.gpu) };
    return report.roofs || !entry.profile ? assumedMachine(report) : undefined;
  }

  /** For a cut, both engines compute at the same time and share the memory. */
  function roofFor(launch, { cpuRoof, gpuRoof }) {
    if (launch.engine === "cpu") return cpuRoof;
    if (!gpuRoof || launch.engine === "gpu") return gpuRoof;
    return { flops: cpuRoof.flops + gpuRoof.flops, bytes: Math.max(cpuRoof.bytes, gpuRoof.bytes), cacheBytes: cpuRoof.cacheBytes, cache: Math.max(cpuRoof.cache, gpuRoof.cache), nearBytes: 0, near: 0 };
  }

  const bandwidth = (size, roof) => (size <= roof.nearBytes ? roof.near : size <= roof.cacheBytes ? roof.cache : roof.bytes);

  /** What limits a launch on such a machine, and the seconds that it takes at least. */
  function limitOf(launch, roof, runBytes) {
    const moved = launch.read_bytes + launch.written_bytes;
    const hasWeightsInCache = runBytes <= roof.cacheBytes, hasDataInCache = moved <= roof.cacheBytes;
    const compute = (launch.executed_flops * launch.iterations) / roof.flops;
    const weights = (launch.weight_bytes * launch.iterations) / bandwidth(runBytes, roof);
    const data = (moved * launch.iterations) / bandwidth(moved, roof);
    const bound = compute >= weights + data ? "compute" : "memory";
    const level = bound === "compute" ? "arithmetic" : (weights >= data ? hasWeightsInCache : hasDataInCache) ? "cache" : "memory";
    return { bound, level, isLimitedByWeights: bound === "memory" && weights > data, leastMs: Math.max(compute, weights + data) * 1e3 };
  }

  const boundOf = (memory, compute) => (memory + compute > 0 ? (memory > compute ? "memory" : "compute") : undefined);

  /** The verdict without the measurement, if it was another, and the machine that was assumed for it. */
  function otherVerdict(entry, report, runBytes) {
    const machine = assumedMachine(report);
    if (entry.machine.kind !== "measured" || !machine) return undefined;
    const times = { memory: 0, compute: 0 };
    for (const launch of entry.launches) {
      const roof = roofFor(launch, machine);
      if (roof) times[limitOf(launch, roof, runBytes).bound] += launch.predicted ?? launch.estimated_ms ?? 0;
    }
    const bound = boundOf(times.memory, times.compute);
    return bound && bound !== entry.bound ? { bound, machine } : undefined;
  }

  const isInteger = (launch) => /^u?int/.test(launch.contraction_type ?? "");

  /** Raises peaks that launches have exceeded. Other programs ran while the peaks were measured, or a cache was not found; or the
      launch computes in integers, whose peak is not measured. Says which of both. */
  function raisePeaks(launches, roof, runBytes) {
    const raised = { isRaised: false, hasFasterIntegers: false };
    for (let round = 0; round < 8; ++round) {
      const factors = { arithmetic: 1, memory: 1, cache: 1 };
      for (const launch of launches) {
        const { level, leastMs } = limitOf(launch, roof, runBytes);
        const factor = leastMs / launch.time;
        if (factor > 1.001) raised[level === "arithmetic" && isInteger(launch) ? "hasFasterIntegers" : "isRaised"] = true;
        factors[level] = Math.max(factors[level], factor);
      }
      if (Math.max(...Object.values(factors)) <= 1.001) break;
      roof.flops *= factors.arithmetic;
      roof.bytes *= factors.memory;
      roof.cache = Math.max(roof.cache * factors.cache, roof.bytes);
      roof.near = Math.max(roof.near * factors.cache, roof.cache);
    }
    return raised;
  }

  /** Adds limits to the launches, and the verdict on a run to the entry. */
  function judge(entry, runBytes) {
    for (const launch of entry.launches) {
      const roof = roofFor(launch, entry.machine);
      if (!roof) continue;
      Object.assign(launch, limitOf(launch, roof, runBytes));
      if (launch.time && launch.leastMs) launch.peakShare = launch.leastMs / launch.time;
    }
    const timeOf = (bound) => entry.launches.reduce((sum, launch) => sum + (launch.bound === bound ? launch.cost : 0), 0);
    const memory = timeOf("memory"), compute = timeOf("compute");
    entry.bound = boundOf(memory, compute);
    if (!entry.bound) return;
    entry.boundShare = Math.max(memory, compute) / entry.cost;
    const chosen = entry.launches.filter((launch) => launch.bound === entry.bound);
    entry.level = chosen.reduce((sum, launch) => sum + (launch.level === "cache" ? launch.cost : -launch.cost), 0) > 0 ? "cache" : entry.bound === "memory" ? "memory" : "arithmetic";
    if (!entry.run) return;
    entry.peakShare = Data.sum(entry.launches, "leastMs") / entry.run;
    entry.flopRate = Data.sum(entry.launches.map((launch) => ({ flops: launch.executed_flops * launch.iterations })), "flops") / (entry.run / 1e3);
    entry.byteRate = Data.sum(entry.launches.map((launch) => ({ bytes: launch.bytes * launch.iterations })), "bytes") / (entry.run / 1e3);
  }

  /** Raises the peak that the best run on the CPU has exceeded; returns whether it has. The last round raises all peaks. */
  function raisePeakOfRun(entry, isLast) {
    const roof = entry.machine.cpuRoof;
    if (!entry.run || !entry.bound || entry.launches.some((launch) => launch.engine !== "cpu")) return false;
    const [key, rate] = entry.bound === "compute" ? ["flops", entry.flopRate] : [entry.level === "cache" ? "cache" : "bytes", entry.byteRate];
    const factor = Math.max(rate / roof[key], entry.peakShare) * (entry.run / entry.bestRun);
    if (factor <= 1.001) return false;
    for (const each of isLast ? ["flops", "bytes", "cache", "near"] : [key]) roof[each] *= factor;
    roof.cache = Math.max(roof.cache, roof.bytes);
    roof.near = Math.max(roof.near, roof.cache);
    return true;
  }

  /** Adds limits to the launches, and `bound`, `boundShare`, `peakShare` and `machine` to the entry. */
  function find(entry, report) {
    const machine = machineOf(entry, report);
    entry.machine = machine;
    if (!machine || !entry.launches.length) return;
    const runBytes = entry.launches.reduce((sum, launch) => sum + launch.weight_bytes, 0) + entry.arena_bytes;
    const isMeasured = machine.kind === "measured";
    if (isMeasured) Object.assign(machine, raisePeaks(entry.launches.filter((launch) => launch.engine === "cpu" && launch.time), machine.cpuRoof, runBytes));
    judge(entry, runBytes);
    const rounds = 5;
    for (let round = 0; isMeasured && round < rounds && raisePeakOfRun(entry, round + 1 === rounds); ++round) {
      machine.isRaised = true;
      judge(entry, runBytes);
    }
    entry.otherVerdict = entry.bound && otherVerdict(entry, report, runBytes);
  }

  return { find, roofFor, isInteger };
})();
