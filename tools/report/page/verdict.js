// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Fills the first screen: what limits the model, how fast it is, the best changes, and the most expensive operators.
"use strict";

const Verdict = (() => {
  const { state } = State;
  const { element, fill, byId } = Dom;
  const shownChanges = 3, shownOperators = 5;

  const nouns = { memory: "memory", cache: "the cache", arithmetic: "arithmetic" };

  /** Why runs take longer than their operators, whose times are medians of their own. */
  const interruptions = (entry) => (entry.measured < 0.8 * entry.medianRun ? `: a run takes ${Dom.milliseconds(entry.medianRun)}, but the times of its operators add up to only ${Dom.milliseconds(entry.measured)}, of which their shares are parts` : "");

  /** What the limits do not explain. */
  function remark(entry) {
    const { machine } = entry;
    const raised = machine.isRaised ? " Some operators are faster than the peaks that nacre-run measured, because other programs ran then or a cache is unknown; their rates are taken as the peaks." : "";
    const varying = Data.varies(entry) ? ` Runs differ much${interruptions(entry)}. Measure again while nothing else runs.` : "";
    const integers = machine.hasFasterIntegers ? " The peak is the rate of the fastest operator: integers are faster than the floats that nacre-run measures." : "";
    const unit = entry.launches.some(Bounds.isInteger) ? " FLOP counts operations on integers, too." : "";
    if (raised || varying) return integers + unit + raised + varying;
    return integers + unit + (entry.peakShare < 0.25 ? " Both limits are far: functions such as exp, small tensors and waits take most of the time." : "");
  }

  const peaks = (roof) => `${Dom.rate(roof.flops, "FLOP/s")} and ${Dom.rate(roof.bytes, "B/s")} from memory`;

  /** Why the compiler alone came to another verdict. */
  function difference({ machine, otherVerdict }) {
    if (!otherVerdict) return "";
    const other = otherVerdict.machine;
    return ` Without the measurement, the verdict is ${otherVerdict.bound}-bound: the compiler ${other.kind === "predicted" ? "predicted for" : "assumed one core of"} ${other.name}, with ${peaks(other.cpuRoof)}. The measured machine has ${peaks(machine.cpuRoof)}.`;
  }

  /** The verdict in a sentence, and one about how near the limit is. */
  function sentences(entry) {
    const { machine, bound, level } = entry;
    if (!bound) return ["The limits of this model are unknown.", !entry.launches.length ? "The entry computes nothing." : machine ? "There are no peaks of the GPU: compile with --device." : "The profile has no peaks of its machine: measure again with this version of nacre-run."];
    const how = machine.kind === "measured" ? "" : machine.kind === "predicted" ? `, as predicted for ${machine.name}` : ", as estimated";
    const first = `${bound === "memory" ? "Memory-bound" : "Compute-bound"}: operators that ${bound === "memory" ? `wait for ${nouns[level]}` : "are limited by arithmetic"} take ${Dom.percent(entry.boundShare)} of the time${how}.`;
    if (!entry.run) return [first, `Nothing was measured: the estimate assumes one core of ${machine.name}, with ${peaks(machine.cpuRoof)}. Measure on this machine with \`nacre-report report.json --measure\`, or on another one with \`nacre-run --profile=profile.json\`.`];
    const roof = machine.cpuRoof;
    const reached = bound === "memory" ? entry.byteRate : entry.flopRate, most = bound === "memory" ? (level === "cache" ? roof.cache : roof.bytes) : roof.flops;
    const whose = machine.kind === "measured" ? `${Dom.counted(machine.threads, "thread")} of this ${machine.name === "the measured machine" ? "machine" : machine.name}` : machine.name;
    const unit = bound === "memory" ? "B/s" : "FLOP/s";
    return [first, `It reaches ${Dom.rate(reached, unit)} of the ${Dom.rate(most, unit)} that ${whose} can ${bound === "memory" ? `read from ${nouns[level]}` : "compute"}.${remark(entry)}${difference(entry)}`];
  }

  function throughput(entry) {
    // The first axis is a batch if the outputs have it, too.
    const input = entry.ports.find((port) => port.role === "input");
    const batch = input?.shape.length > 1 && entry.ports.every((port) => port.role !== "output" || port.shape[0] === input.shape[0]) ? input.shape[0] : 1;
    const runs = 1e3 / entry.run;
    const text = (value) => (value >= 100 ? Dom.count(value) : value.toPrecision(3));
    return batch > 1 ? [`${text(runs * batch)}/s`, `inputs, ${batch} in a run`] : [`${text(runs)}/s`, "runs"];
  }

  function figures() {
    const { entry, data: { report } } = state;
    const predicted = entry.predicted_ms !== undefined && ["Predicted run", Dom.milliseconds(entry.predicted_ms), report.device];
    const rows = [
      entry.profile && ["Median run", Dom.milliseconds(entry.medianRun), `of ${Dom.counted(entry.profile.runs, "run")}`],
      entry.profile && ["Best run", Dom.milliseconds(entry.bestRun), ""],
      predicted,
      entry.run && ["Throughput", ...throughput(entry)],
      entry.peakShare !== undefined && ["Least possible time", Dom.milliseconds(entry.peakShare * entry.run), `${Dom.percent(entry.peakShare)} of a run`],
      !entry.run && ["Work", Dom.rate(Data.sum(entry.launches, "work"), "FLOP"), ""],
      ["Weights", Dom.bytes(report.weight_bytes), Data.storedAs(report)],
      ["Memory of a run", Dom.bytes(entry.arena_bytes), "for temporaries"],
      report.file_bytes > 0 && ["File", Dom.bytes(report.file_bytes), ""],
    ];
    fill(byId("figures"), rows.filter(Boolean).map(([name, value, more]) => element("div", {}, element("dt", {}, name), element("dd", {}, value, more ? element("small", {}, more) : undefined))));
  }

  const upTo = (share) => `up to ${Dom.percent(share)}`;

  function changes() {
    const { entry, data: { report } } = state;
    const all = AdviceOf.changes(entry, report).slice(0, shownChanges);
    fill(byId("changes"), all.map((change) => element("li", { "data-kind": change.kind },
      element("strong", {}, change.title), element("span", { class: "gain" }, upTo(change.share)),
      element("p", {}, Dom.prose(change.text)),
      change.launches.length && !change.isGeneral ? element("p", { class: "where" }, Dom.launchButtons(change.launches.slice().sort((a, b) => b.cost - a.cost), (launch) => State.choose(launch, "verdict"), 2)) : undefined)));
    byId("changes-part").hidden = !all.length;
    byId("retraining").textContent = AdviceOf.retraining;
  }

  const nodeText = (launch) => (launch.main ? launch.main.name + (launch.node_list.length > 1 ? ` and ${launch.node_list.length - 1} more` : "") : launch.kernel);

  function operatorRow(launch, advice) {
    const { entry } = state;
    const cell = (label, content, name = "") => element("td", { "data-label": label, class: name || undefined }, content);
    return element("tr", {},
      cell("Operator", [element("button", { type: "button", click: () => State.choose(launch, "verdict") }, launch.operators), element("small", { title: launch.nodes }, nodeText(launch))], "operator"),
      cell("Shapes", [Dom.shapes(launch.shapes), launch.window ? element("small", {}, launch.window) : undefined]),
      cell("Kernel", [element("span", { class: "word" }, launch.kind), element("small", {}, launch.kernel)]),
      launch.time === undefined ? cell("Share", Dom.percent(launch.share), "number") : cell("Time", [Dom.time(launch.time), element("small", {}, Dom.percent(launch.share))], "number"),
      cell(entry.run ? "Of its limit" : "Limit", launch.peakShare === undefined ? launch.level ?? "" : [Dom.percent(launch.peakShare), element("small", {}, launch.level)], "number"),
      cell("Advice", Dom.prose(advice), "wide"));
  }

  /** Advice for each launch; what was said of a launch above is not repeated. */
  function adviceOf(launches) {
    const { entry, data: { report } } = state;
    const said = new Map();
    return launches.map((launch) => {
      const text = AdviceOf.ofLaunch(launch, entry, report);
      if (said.has(text)) return `As for ${said.get(text)}.`;
      said.set(text, AdviceOf.nameOf(launch));
      return text;
    });
  }

  function operators() {
    const { entry } = state;
    const sorted = entry.launches.slice().sort((a, b) => b.cost - a.cost || a.index - b.index);
    const top = sorted.slice(0, shownOperators).filter((launch, place) => !place || !AdviceOf.isNegligible(launch, entry)), advice = adviceOf(top);
    const headings = ["Operator", "Shapes", "Kernel", entry.run ? "Time" : "Share", entry.run ? "Of its limit" : "Limit", "Advice"];
    fill(byId("operators"), element("thead", {}, element("tr", {}, headings.map((heading) => element("th", { scope: "col", class: ["Time", "Share", "Of its limit", "Limit"].includes(heading) ? "number" : undefined }, heading)))),
      element("tbody", {}, top.map((launch, place) => operatorRow(launch, advice[place]))));
    byId("operators-title").textContent = top.length === 1 ? (sorted.length === 1 ? "The operator" : "The most expensive operator") : `The ${top.length} most expensive operators`;
    byId("operators-part").hidden = !top.length;
  }

  function start() {
    State.listen((what) => {
      if (what !== "entry") return;
      const [first, second] = sentences(state.entry);
      // "Memory-bound:" is in the colour of the limit.
      const end = first.indexOf(":") + 1;
      fill(byId("verdict"), element("span", {}, first.slice(0, end)), first.slice(end));
      fill(byId("verdict-more"), Dom.prose(second));
      byId("verdict").dataset.bound = state.entry.bound ?? "";
      figures();
      changes();
      operators();
    });
  }

  return { start };
})();
