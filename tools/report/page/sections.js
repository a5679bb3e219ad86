// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: the parts of the page that are words and small tables: figures, bytes, what was fused, what fell back, about.
"use strict";

const Sections = (() => {
  const { state } = State;
  const { element, fill, byId } = Dom;

  const table = (headings, rows) => element("div", { class: "scroll" }, element("table", {},
    element("thead", {}, element("tr", {}, headings.map((heading) => element("th", { scope: "col" }, heading)))),
    element("tbody", {}, rows.map((row) => element("tr", {}, row.map((cell) => element("td", { class: "wide" }, cell)))))));

  function figures() {
    const { entry, data: { report } } = state;
    const rows = [
      ["Launches", Dom.count(entry.launches.length)],
      entry.profile && ["Measured, launches", Dom.milliseconds(entry.measured)],
      entry.predicted_ms !== undefined && ["Predicted run", Dom.milliseconds(entry.predicted_ms)],
      ["Work", Dom.rate(Data.sum(entry.launches, "work"), "FLOP")],
      ["Arena", Dom.bytes(entry.arena_bytes)],
      report.state_bytes > 0 && ["State", Dom.bytes(report.state_bytes)],
      ["Weights", Dom.bytes(report.weight_bytes)],
      ["File", Dom.bytes(report.file_bytes)],
    ];
    fill(byId("figures"), rows.filter(Boolean).map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
  }

  function bytes() {
    const { report } = state.data;
    const known = [
      ["Weights", report.weight_bytes, "tone0"], ["Code of kernels", report.code_bytes, "tone1"], ["GPU code, packed", report.gpu_packed_bytes, "tone2"],
      ["Tables that the runtime walks", report.table_bytes, "tone3"], ["Code of the runtime", report.runtime_bytes, "tone5"],
    ];
    const rest = report.file_bytes - known.reduce((sum, row) => sum + row[1], 0);
    const rows = [...known, ["Constants of kernels, symbols, relocations, padding of pages", rest, "tone4"]].filter((row) => row[1] > 0);
    const share = (value) => Dom.percent(value / report.file_bytes);
    const bar = element("div", { class: "bar", "aria-hidden": "true" });
    for (const [name, value, tone] of rows) {
      const part = element("span", { title: `${name}: ${Dom.bytes(value)}` });
      part.style.flex = `${value} 0 0`;
      part.style.background = `var(--${tone})`;
      bar.append(part);
    }
    const body = rows.map(([name, value, tone]) => {
      const swatch = element("span", { class: "swatch" });
      swatch.style.background = `var(--${tone})`;
      return element("tr", {}, element("th", { scope: "row" }, swatch, name), element("td", { class: "number" }, Dom.count(value)), element("td", { class: "number" }, share(value)));
    });
    const total = element("tr", {}, element("th", { scope: "row" }, "File"), element("td", { class: "number", id: "file-bytes" }, Dom.count(report.file_bytes)), element("td", { class: "number" }, share(report.file_bytes)));
    const memory = Dom.pairs([
      ["A session takes beside", `${Dom.bytes(report.arena_bytes)} for temporaries${report.state_bytes ? `, ${Dom.bytes(report.state_bytes)} of state` : ""}, inputs and outputs`],
      report.gpu_code_bytes > 0 ? ["GPU code, unpacked", Dom.bytes(report.gpu_code_bytes)] : undefined,
    ]);
    fill(byId("bytes-content"), report.file_bytes ? [bar, element("table", {}, element("tbody", {}, body, total)), memory] : element("p", {}, "No library was written, so it has no bytes."));
  }

  function fused() {
    const { entry, data: { report } } = state;
    const many = entry.launches.filter((launch) => launch.node_list.length > 1).sort((a, b) => b.node_list.length - a.node_list.length || a.index - b.index);
    const split = [...entry.byNode].filter(([, launches]) => launches.length > 1).sort((a, b) => b[1].length - a[1].length);
    const own = entry.launches.filter((launch) => launch.node_list.length === 0);
    const row = (launch) => element("li", {}, element("button", { type: "button", click: () => State.choose(launch, "fused") }, `Launch ${launch.number}`), ` ${launch.kind}: ${launch.nodes}`);
    const list = (title, items, make) => (items.length ? element("details", {}, element("summary", {}, `${title} (${Dom.count(items.length)})`), lazy(items, make)) : undefined);
    fill(byId("fused-content"),
      element("p", {}, `${Dom.count(entry.byNode.size)} nodes of the model are in ${Dom.count(entry.launches.length)} launches. What is in none was folded into constants or needs no work. All entries have ${Dom.count(report.kernels)} kernels of ${Dom.count(report.operators)} operators.`),
      list("Launches of several nodes", many, row),
      list("Nodes that take several launches", split, ([node, launches]) => element("li", {}, `${node}: `, Dom.launchButtons(launches, (launch) => State.choose(launch, "fused")))),
      list("Launches of no node: copies and layouts that the compiler added", own, row));
  }

  /** A list whose items are made once it is opened, the first hundred, and then the rest. */
  function lazy(items, make, first = 100) {
    const list = element("ul", {});
    queueMicrotask(() => list.parentElement.addEventListener("toggle", () => {
      if (list.childElementCount) return;
      list.append(...items.slice(0, first).map(make));
      if (items.length > first) {
        const more = element("li", {}, element("button", { type: "button", click: () => more.replaceWith(...items.slice(first).map(make)) }, `${Dom.count(items.length - first)} more`));
        list.append(more);
      }
    }));
    return list;
  }

  /** Launches by why they are not computed as they could be. */
  function byReason(launches, key) {
    const reasons = new Map();
    for (const launch of launches)
      if (launch[key]) reasons.set(launch[key], [...(reasons.get(launch[key]) ?? []), launch]);
    const choose = (launch) => State.choose(launch, "declined");
    return reasons.size ? table(["Why", "Launches"], [...reasons].map(([reason, some]) => [reason, Dom.launchButtons(some, choose)])) : undefined;
  }

  function declined() {
    const { entry: { launches }, data: { report } } = state;
    const ofCpu = byReason(launches, "fallback_reason");
    const advice = report.advice ?? [];
    fill(byId("declined-content"),
      advice.length ? [element("h3", {}, "What would make it faster"), table(["Nodes", "Why, and what to do"], advice.map((row) => [row.nodes.join(", "), row.text]))] : undefined,
      element("h3", {}, "On the CPU"),
      ofCpu ? [element("p", {}, "These are compiled as plain loops, with which LLVM's vectorizers do what they can:"), ofCpu] : element("p", {}, "Nothing: each launch has code of an emitter for its kind."),
      element("h3", {}, "On the GPU"),
      byReason(launches, "gpu_declined") ?? element("p", {}, launches.some((launch) => launch.gpu_share > 0) ? "Nothing." : "Nothing was asked of a GPU (--place)."));
  }

  function about() {
    const { report, entries } = state.data;
    const narrow = report.narrow_weights ?? [];
    const costs = report.trained_weights ?? [];
    const step = report.predicted_step_ms;
    const ports = state.entry.ports ?? [];
    fill(byId("about-content"),
      Dom.pairs([
        ["model", report.model], ["library", report.output], ["target", report.target], ["CPU", report.cpu || "the target's own"],
        ["device", report.device ?? "none was named"], ["GPU precision", report.gpu_precision], ["stored weights", report.weight_type],
        ["entries", entries.map((entry) => entry.name).join(", ")],
        report.micro_batch ? ["a step takes", `${report.micro_batch} examples at once`] : undefined,
        step ? ["a step, predicted", `forward ${Dom.milliseconds(step.forward)}, backward ${Dom.milliseconds(step.backward)}, update ${Dom.milliseconds(step.update)}`] : undefined,
        ["compiled in", `${Dom.milliseconds(report.total_ms)}: ${Object.entries(report.phase_ms).map(([phase, ms]) => `${phase} ${ms.toFixed(0)}`).join(", ")}`],
      ]),
      ports.length ? [element("h3", {}, "Inputs, outputs and state of this entry"), table(["Name", "Role", "Bytes"], ports.map((port) => [port.name, port.role, Dom.count(port.bytes)]))] : undefined,
      narrow.length ? [element("h3", {}, "Weights at half the bytes"), table(["Nodes", "Saved bytes", "Largest relative error", "Relative error"], narrow.map((row) => [row.nodes, Dom.count(row.saved_bytes), row.largest_relative_error.toExponential(1), row.relative_error.toExponential(1)]))] : undefined,
      costs.length ? [element("h3", {}, "What it costs to train each weight, predicted"), table(["Weight", "Own ms", "Way back, ms"], costs.map((row) => [row.weight, row.predicted_ms.toFixed(3), row.predicted_way_ms.toFixed(3)]))] : undefined,
      element("details", {}, element("summary", {}, "Licences of what this page holds"), element("pre", {}, byId("licences").textContent)));
  }

  function start() {
    State.listen((what) => {
      if (what !== "entry") return;
      figures();
      bytes();
      fused();
      declined();
      about();
    });
  }

  return { start };
})();
