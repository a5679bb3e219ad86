// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Fills the sections of text and small tables: file size, advice, fusion, about.
"use strict";

const Sections = (() => {
  const { state } = State;
  const { element, fill, byId } = Dom;

  /** A table that scrolls in narrow windows, by the keyboard, too. */
  const table = (headings, rows) => element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": headings.join(", ") }, element("table", {},
    element("thead", {}, element("tr", {}, headings.map((heading) => element("th", { scope: "col" }, heading)))),
    element("tbody", {}, rows.map((row) => element("tr", {}, row.map((cell) => element("td", { class: "wide" }, cell)))))));

  function bytes() {
    const { report } = state.data;
    const known = [
      ["Weights", report.weight_bytes, "tone0"], ["Kernel code", report.code_bytes, "tone1"], ["GPU code, packed", report.gpu_packed_bytes, "tone2"],
      ["Runtime tables", report.table_bytes, "tone3"], ["Runtime code", report.runtime_bytes, "tone5"],
    ];
    const rest = report.file_bytes - known.reduce((sum, row) => sum + row[1], 0);
    const rows = [...known, ["Kernel constants, symbols, relocations, page padding", rest, "tone4"]].filter((row) => row[1] > 0);
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
      ["A session also needs", `${Dom.bytes(report.arena_bytes)} for temporaries${report.state_bytes ? `, ${Dom.bytes(report.state_bytes)} of state` : ""}, besides inputs and outputs`],
      report.gpu_code_bytes > 0 ? ["GPU code, unpacked", Dom.bytes(report.gpu_code_bytes)] : undefined,
    ]);
    byId("bytes").hidden = !report.file_bytes;
    fill(byId("bytes-content"), bar, element("table", {}, element("tbody", {}, body, total)), memory);
  }

  function fused() {
    const { entry, data: { report } } = state;
    const many = entry.launches.filter((launch) => launch.node_list.length > 1).sort((a, b) => b.node_list.length - a.node_list.length || a.index - b.index);
    const split = [...entry.byNode].filter(([, launches]) => launches.length > 1).sort((a, b) => b[1].length - a[1].length);
    const own = entry.launches.filter((launch) => launch.node_list.length === 0);
    const row = (launch) => element("li", {}, element("button", { type: "button", click: () => State.choose(launch, "fused") }, `Launch ${launch.number}`), ` ${launch.kind}: ${launch.nodes}`);
    const list = (title, items, make) => (items.length ? element("details", {}, element("summary", {}, `${title} (${Dom.count(items.length)})`), lazy(items, make)) : undefined);
    fill(byId("fused-content"),
      element("p", {}, `${Dom.counted(entry.byNode.size, "node")} of the model ${entry.byNode.size === 1 ? "is" : "are"} in ${Dom.counted(entry.launches.length, "launch")}. The other nodes were folded into constants or need no work. All entries together have ${Dom.counted(report.kernels, "kernel")} from ${Dom.counted(report.operators, "operator")}.`),
      list("Launches with several nodes", many, row),
      list("Nodes with several launches", split, ([node, launches]) => element("li", {}, `${node}: `, Dom.launchButtons(launches, (launch) => State.choose(launch, "fused")))),
      list("Launches without a node: copies and layouts that the compiler added", own, row));
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
    const choose = (launch) => State.choose(launch, "advice");
    return reasons.size ? table(["Why", "Launches"], [...reasons].map(([reason, some]) => [reason, Dom.launchButtons(some, choose)])) : undefined;
  }

  function advice() {
    const { entry, entry: { launches }, data: { report } } = state;
    const all = AdviceOf.changes(entry, report);
    const choose = (launch) => State.choose(launch, "advice");
    const onCpu = byReason(launches, "fallback_reason"), onGpu = byReason(launches, "gpu_declined");
    const byCost = (some) => some.slice().sort((a, b) => b.cost - a.cost);
    byId("advice").hidden = !(all.length || onCpu || onGpu);
    fill(byId("advice-content"),
      all.length ? table(["Change", "May save", "Why and how", "Launches"], all.map((row) => [row.title, `up to ${Dom.percent(row.share)}`, Dom.prose(row.text), Dom.launchButtons(byCost(row.launches), choose, 4)])) : undefined,
      onCpu ? [element("h3", {}, "Without a kernel of their own"), element("p", {}, "No emitter accepts these launches, so they are plain loops, vectorized by LLVM."), onCpu] : undefined,
      onGpu ? [element("h3", {}, "Not on the GPU"), onGpu] : undefined);
  }

  function about() {
    const { report, entries } = state.data;
    const narrow = report.narrow_weights ?? [];
    const wide = report.fp32_products ?? [];
    const costs = report.trained_weights ?? [];
    const step = report.predicted_step_ms;
    const ports = state.entry.ports ?? [];
    const decibels = ({ predicted_snr_db: ratio }) => (ratio === undefined ? "" : `${ratio.toFixed(0)}\u00a0dB`);
    const hasNoise = ports.some((port) => port.predicted_snr_db !== undefined);
    fill(byId("about-content"),
      Dom.pairs([
        ["model", report.model], ["library", report.output], ["target", report.target], ["CPU", report.cpu || "the target's default"],
        ["device", report.device ?? "none"], ["assumed", report.assumed?.replace(/^assumed /, "")],
        ["values on the CPU", report.cpu_precision],
        ["GPU", report.launches.some((launch) => launch.engine !== "cpu") ? `values and weights as ${report.gpu_precision}` : "no launch"], ["stored weights", Data.storedAs(report)],
        ["entries", entries.map((entry) => entry.name).join(", ")],
        report.micro_batch ? ["examples per step", `${report.micro_batch}`] : undefined,
        step ? ["predicted time of a step", `forward ${Dom.milliseconds(step.forward)}, backward ${Dom.milliseconds(step.backward)}, update ${Dom.milliseconds(step.update)}`] : undefined,
        ["compile time", `${Dom.milliseconds(report.total_ms)}: ${Object.entries(report.phase_ms).sort((a, b) => b[1] - a[1]).filter(([, ms]) => ms >= 1).map(([phase, ms]) => `${phase} ${Dom.milliseconds(ms)}`).join(", ")}`],
      ]),
      ports.length ? [element("h3", {}, "Inputs, outputs and state of this entry"), table(["Name", "Role", "Shape", "Bytes", ...(hasNoise ? ["Predicted signal-to-noise ratio"] : [])],
        ports.map((port) => [port.name, port.role, Data.shapeText(port.shape), Dom.count(port.bytes), ...(hasNoise ? [decibels(port)] : [])]))] : undefined,
      wide.length ? [element("h3", {}, "Products that stay fp32"), table(["Nodes", "Why"], wide.map((row) => [row.nodes.join(", "), row.reason]))] : undefined,
      narrow.length ? [element("h3", {}, "Weights at half size"), table(["Nodes", "Saved bytes", "Largest relative error", "Relative error"], narrow.map((row) => [row.nodes, Dom.count(row.saved_bytes), row.largest_relative_error.toExponential(1), row.relative_error.toExponential(1)]))] : undefined,
      costs.length ? [element("h3", {}, "Predicted training cost of each weight"), table(["Weight", "Own ms", "Backward path, ms"], costs.map((row) => [row.weight, row.predicted_ms.toFixed(3), row.predicted_way_ms.toFixed(3)]))] : undefined,
      element("details", {}, element("summary", {}, "Licences of the code in this page"), element("pre", {}, byId("licences").textContent)));
  }

  function start() {
    State.listen((what) => {
      if (what !== "entry") return;
      bytes();
      fused();
      advice();
      about();
    });
  }

  return { start };
})();
