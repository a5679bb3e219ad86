// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Says what would make an entry faster: the compiler's advice, weighed by the times at hand, and what limits and machine suggest.
// How:  1. Changes to the whole model or to options, each with the share of a run that it may save. Options come first, because the network
//          computes the same. Then come other operators with nearly the same result, then another network. What costs the most, a smaller
//          network, is only said if nothing else is known.
//       2. Advice for one launch.
"use strict";

const AdviceOf = (() => {
  const titles = {
    padding: "Choose channel counts that fill vectors", transpose: "Remove transposes inside the model", weights: "Store weights as fp16",
    fallback: "Replace operators that have no kernel of their own", gpu: "Replace operators that the GPU cannot compute",
    serial: "Shorten sequential operators", double: "Compute in fp32 instead of fp64", scale: "Move normalizations behind convolutions",
  };
  const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);
  const nameOf = (launch) => launch.main?.name ?? launch.kernel;
  const shareOf = (launches, entry) => (entry.cost ? Data.sum(launches, "cost") / entry.cost : 0);
  const largest = (launches) => launches.reduce((best, launch) => (!best || launch.cost > best.cost ? launch : best), undefined);

  /** A dense convolution with a window, in whose place a depthwise and a 1×1 convolution may do. */
  const isReplaceable = (launch) => launch.main?.window?.some((size) => size > 1) && launch.main.groups === 1 && launch.operator === "Conv" && timesLess(launch) > 2;
  const timesLess = ({ main }) => {
    const taps = main.window.reduce((product, size) => product * size, 1), channels = outputChannels(main);
    return (taps * channels) / (taps + channels);
  };
  /** The axes of weights are in the model's layout: those that are not the window's are channels, of the input and of the output. */
  const outputChannels = ({ weights, window, outputs }) => {
    const channels = [...(weights[0] ?? [1])];
    for (const size of window) if (channels.includes(size) && channels.length > 1) channels.splice(channels.indexOf(size), 1);
    const written = channels.filter((count) => outputs[0].includes(count));
    return Math.min(...(written.length ? written : channels));
  };

  //===---- 1. Changes ----===//

  /** What a change asks of the developer; the order of changes. */
  const Effort = { option: 0, operators: 1, network: 2, smaller: 3 };
  /** Advice of the compiler that an option follows; the other kinds are about the model's operators. */
  const byOption = new Set(["weights"]);
  /** What holds for each change of the network. The page says it once. */
  const retraining = "A smaller or divided operator, or a smaller input, makes another network: train it again, and check how accurate it is.";

  /** The compiler's advice on this entry. Its share is of predicted times; measured times of the same launches correct it. */
  function compilersAdvice(entry, report) {
    if (entry.name !== report.entries[0].name) return [];
    const guess = (launch) => launch.predicted ?? launch.estimated_ms ?? 0;
    const total = entry.launches.reduce((sum, launch) => sum + guess(launch), 0);
    const byPlace = new Map(entry.launches.map((launch) => [launch.place, launch]));
    return report.advice.flatMap((row) => {
      const launches = row.launches.map((place) => byPlace.get(place));
      const guessed = total ? launches.reduce((sum, launch) => sum + guess(launch), 0) / total : 0;
      const share = Math.min(guessed ? (row.share / guessed) * shareOf(launches, entry) : row.share, 1);
      return [{ kind: row.kind, effort: byOption.has(row.kind) ? Effort.option : Effort.operators, title: titles[row.kind] ?? upper(row.kind), text: `${upper(row.problem)}. ${upper(row.remedy)}.`, launches, share }];
    });
  }

  function threads(entry) {
    const machine = entry.machine;
    if (machine?.kind !== "measured" || machine.threads >= machine.cores) return [];
    // Shorter launches are not divided.
    const launches = entry.launches.filter((launch) => launch.engine !== "gpu" && launch.cost > 0.02);
    const share = shareOf(launches, entry) * (1 - machine.threads / machine.cores);
    return share > 0.05 ? [{ kind: "threads", isGeneral: true, effort: Effort.option, title: `Use ${machine.cores} threads`, text: `The run used ${Dom.counted(machine.threads, "thread")} of ${Dom.counted(machine.cores, "core")}: nacre-run --threads=${machine.cores}, or nacre_session_options.threads.`, launches, share }] : [];
  }

  function vectors(entry, report) {
    const has = entry.machine?.vector_bits, used = report.vector_bits;
    if (!has || !used || used >= has) return [];
    const launches = entry.launches.filter((launch) => launch.bound === "compute" && launch.engine !== "gpu");
    const share = shareOf(launches, entry) * (1 - used / has);
    return share > 0.05 ? [{ kind: "vectors", isGeneral: true, effort: Effort.option, title: "Compile for this CPU", text: `The library uses vectors of ${used} bits, but the machine has ${has}: add a CPU like it to --cpu, or compile on it with --cpu=native.`, launches, share }] : [];
  }

  /** Weights that are read for one input can be read for several. */
  function batch(entry) {
    const launches = entry.launches.filter((launch) => launch.isLimitedByWeights && !launch.part);
    const of = 8;
    const part = launches.reduce((sum, launch) => sum + launch.cost * (launch.weight_bytes / launch.bytes), 0) / (entry.cost || 1);
    const share = part * (1 - 1 / of);
    return share > 0.05 ? [{ kind: "batch", isGeneral: true, effort: Effort.option, title: "Compute several inputs in one run", text: `${upper(Dom.counted(launches.length, "operator"))} ${launches.length === 1 ? "waits" : "wait"} for weights, which a batch reads once. With ${of} inputs in a run, an input takes less time; a single run takes longer.`, launches, share }] : [];
  }

  /** Arithmetic and data of windows grow with the image. */
  function resolution(entry) {
    const launches = entry.launches.filter((launch) => launch.main?.window?.length === 2 && !launch.isLayout && !launch.isLimitedByWeights);
    const share = shareOf(launches, entry) * 0.5;
    const input = entry.ports.find((port) => port.role === "input" && port.shape.length === 4);
    return share > 0.05 && input ? [{ kind: "resolution", isGeneral: true, effort: Effort.smaller, title: "Use a smaller input", text: `The work of ${Dom.counted(launches.length, "operator")} with windows grows with the area of the input ${Data.shapeText(input.shape)}. Half of the area halves it.`, launches, share }] : [];
  }

  function shrink(entry) {
    const top = largest(entry.launches.filter((launch) => launch.bound === "compute" && launch.main && !launch.isLayout));
    if (!top || top.share < 0.08) return [];
    const limit = `${top.operator} ${top.shapes} takes ${Dom.percent(top.share)} of the time and is limited by arithmetic.`;
    if (!isReplaceable(top))
      return [{ kind: "shrink", effort: Effort.smaller, title: `Shrink ${nameOf(top)}`, launches: [top], share: top.share / 2, text: `${limit} Half of its output channels take half of its time.` }];
    return [{ kind: "shrink", effort: Effort.network, title: `Split ${nameOf(top)} into a depthwise and a 1×1 convolution`, launches: [top], share: top.share * (1 - 1 / timesLess(top)),
      text: `${limit} The two need ${Dom.fixed(timesLess(top), 1)} times less arithmetic.` }];
  }

  /** Operators that mostly move data: every one is a pass over memory. */
  function passes(entry) {
    const taken = new Set(["contraction", "attention", "separable"]);
    const launches = entry.launches.filter((launch) => launch.bound === "memory" && !launch.isLimitedByWeights && !taken.has(launch.kind));
    const share = shareOf(launches, entry);
    const top = largest(launches);
    return share > 0.1 ? [{ kind: "passes", effort: Effort.operators, title: "Remove passes over memory", launches, share: share / 2,
      text: `${Dom.counted(launches.length, "operator")} ${launches.length === 1 ? "reads and writes" : "read and write"} data with little arithmetic, most of all ${nameOf(top)} (${top.operators}). Leave out, merge or move those that the model does not need.` }] : [];
  }

  /** Only weights in fp32 become smaller: products of integers have weights of a byte. */
  const canHalve = (launch, report) => report.weight_type === "fp32" && /^(fp32)?$/.test(launch.contraction_type);

  function halves(entry, report) {
    if (entry.isTrained) return [];
    const launches = entry.launches.filter((launch) => launch.isLimitedByWeights && canHalve(launch, report));
    const share = (launches.reduce((sum, launch) => sum + launch.cost * (launch.weight_bytes / launch.bytes), 0) / (entry.cost || 1)) / 2;
    return share > 0.05 ? [{ kind: "weights", effort: Effort.option, title: titles.weights, text: `${upper(Dom.counted(launches.length, "operator"))} ${launches.length === 1 ? "waits" : "wait"} for ${Dom.bytes(Data.sum(launches, "weight_bytes"))} of weights. --weight-type=fp16 halves them.`, launches, share }] : [];
  }

  function overhead(entry) {
    if (entry.medianRun === undefined || Data.varies(entry)) return [];
    // By best times and by medians: other programs prolong some runs, and the best times of launches need not be of one run.
    const share = Math.min(1 - entry.profile.launches_ns / entry.profile.least_run_ns, 1 - entry.cost / entry.medianRun);
    return share > 0.1 ? [{ kind: "overhead", isGeneral: true, effort: Effort.option, title: "Spend less time between operators", launches: [], share,
      text: `${Dom.percent(share)} of a run passes between operators, most of it to start and to wait for threads. Compute a larger batch, or use one thread for a model as small as this.` }] : [];
  }

  /** For models of which nothing else is known: the most expensive operator. */
  function smaller(entry) {
    const top = largest(entry.launches.filter((launch) => launch.main && !launch.isLayout));
    return top ? [{ kind: "smaller", effort: Effort.smaller, title: `Shrink ${nameOf(top)}`, launches: [top], share: top.share / 2,
      text: `${top.operator} ${top.shapes} takes ${Dom.percent(top.share)} of the time. Half of its size takes about half of its time.` }] : [];
  }

  /** All changes, best first. A kind occurs once, said by whoever knows it best. */
  function changes(entry, report) {
    const all = [entry.advice, halves(entry, report), threads(entry), vectors(entry, report), batch(entry), resolution(entry), shrink(entry), passes(entry), overhead(entry)].flat();
    const kinds = new Set();
    const unique = all.filter((change) => !kinds.has(change.kind) && kinds.add(change.kind));
    // Transposes are passes, too.
    const rest = kinds.has("transpose") ? unique.filter((change) => change.kind !== "passes") : unique;
    const sorted = rest.filter((change) => change.share >= 0.01).sort((a, b) => a.effort - b.effort || b.share - a.share);
    if (!sorted.length) return smaller(entry);
    const others = sorted.filter((change) => change.effort < Effort.smaller);
    return others.length ? others : sorted;
  }

  //===---- 2. One launch ----===//

  const nearLimit = 0.6;
  const isNegligible = (launch, entry) => entry.cost > 0 && launch.share < 0.01;

  /** Why a launch stays below its limit. */
  function gap(launch) {
    if (launch.time < 0.02) return "it is so short that the start of its loops and threads takes a part of its time";
    if (launch.bound === "memory") return "its arithmetic and the start of its loops take time, too, which the limit does not count";
    const padding = launch.flops ? launch.executed_flops / launch.flops - 1 : 0;
    return `${padding > 0.1 ? `${Dom.percent(padding)} more arithmetic fills its vectors, and ` : ""}loads, stores and the edges of tiles take time, which the limit does not count`;
  }

  const optionOf = (launch, entry, report) => [threads(entry), vectors(entry, report)].flat().find((change) => change.launches.includes(launch));

  /** The first option that makes this launch faster, or why only a smaller operator is. */
  function optionFor(launch, entry, report) {
    const option = optionOf(launch, entry, report);
    if (option) return `${option.title}.`;
    if (launch.peakShare === undefined) return "A smaller operator would be faster.";
    if (launch.peakShare >= nearLimit) return "It is near its limit, so only a smaller operator would be faster.";
    return `It stays below its limit because ${gap(launch)}. No option changes this; a smaller operator would be faster.`;
  }

  /** What to do about a launch, in a sentence or two. */
  function ofLaunch(launch, entry, report) {
    // The text is about the first launch; its figures are not those of the others.
    const [said] = launch.advice;
    if (said) return said.launches[0] === launch ? said.text : `${said.title}, as for ${nameOf(said.launches[0])}.`;
    if (isNegligible(launch, entry)) return "It takes less than 1 % of the time, so a change here makes no difference.";
    if (launch.fallback) return `No kernel of our own computes this (${launch.fallback_reason}), so it is plain loops. Try other operators with the same result.`;
    if (!launch.bound) return launch.gpu_declined ? `Not on the GPU: ${launch.gpu_declined}.` : "";
    if (launch.isLimitedByWeights) return canHalve(launch, report) ? "It waits for its weights: store them as fp16 (--weight-type=fp16), or compute several inputs in a run." : "It waits for its weights: compute several inputs in a run.";
    if (launch.main?.groups > 1 && !launch.isLayout && !(launch.peakShare >= nearLimit)) return `Its ${launch.main.groups} groups have little arithmetic for each value that is loaded, so it ${launch.bound === "memory" ? `waits for ${launch.level === "cache" ? "the cache" : "memory"}` : "cannot reach the limit"}. ${optionOf(launch, entry, report) ? optionFor(launch, entry, report) : "Fewer channels would be faster."}`;
    const isProduct = ["contraction", "attention", "separable"].includes(launch.kind);
    if (!launch.main || launch.isLayout) return "The compiler added this copy to change the layout of data. A model whose channels are last needs fewer.";
    if (launch.peakShare < 0.15 && !isProduct) return "It is far from the machine's limits: functions such as exp and steps that wait for each other take its time. Leave it out if the app can do without its result.";
    if (launch.peakShare < 0.15) return "It is far from the machine's limits: its tensors are too small to fill vectors and threads. A larger batch or fewer, larger operators help.";
    if (launch.bound === "memory") return `It waits for data that other operators wrote. ${isProduct ? optionFor(launch, entry, report) : "Leave it out, or merge it with another operator, if the result stays the same."}`;
    return `It is limited by arithmetic. ${isReplaceable(launch) ? `A depthwise and a 1×1 convolution in its place need ${Dom.fixed(timesLess(launch), 1)} times less arithmetic.` : optionFor(launch, entry, report)}`;
  }

  /** Adds the compiler's advice to an entry and its launches. */
  function prepare(entry, report) {
    entry.advice = compilersAdvice(entry, report);
    for (const launch of entry.launches) launch.advice = [];
    for (const change of entry.advice)
      for (const launch of change.launches) launch.advice.push(change);
    for (const launch of entry.launches) {
      const words = [...launch.advice.map((change) => (change.launches[0] === launch ? change.text : change.title + ".")), launch.fallback_reason, launch.gpu_declined].filter(Boolean);
      launch.remark = words.join(" ");
    }
  }

  return { prepare, changes, ofLaunch, nameOf, isNegligible, retraining };
})();
