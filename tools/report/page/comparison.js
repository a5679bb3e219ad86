// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Compares two reports: times of a run and figures, operators, advice.
// How:  1. Launches of both sides that share nodes are one row, because the two compilations may fuse differently.
//       2. Text and tables.
"use strict";

(() => {
  const { element, fill, byId } = Dom;
  const firstRows = 20;
  let sides;

  //===---- 1. Rows ----===//

  /** Groups of launches of both sides that share nodes, by union and find over the nodes. */
  function groupsOf(entries) {
    const parents = new Map();
    const rootOf = (key) => {
      let root = key;
      while (parents.get(root) !== root) root = parents.get(root);
      parents.set(key, root);
      return root;
    };
    const keysOf = (launch) => (launch.node_list.length ? launch.node_list : [` ${launch.kind}, added by the compiler`]);
    for (const entry of entries)
      for (const launch of entry.launches) {
        const keys = keysOf(launch);
        for (const key of keys) if (!parents.has(key)) parents.set(key, key);
        for (const key of keys) parents.set(rootOf(key), rootOf(keys[0]));
      }
    const groups = new Map();
    entries.forEach((entry, side) => {
      for (const launch of entry.launches) {
        const root = rootOf(keysOf(launch)[0]);
        const group = groups.get(root) ?? groups.set(root, { launches: [[], []] }).get(root);
        group.launches[side].push(launch);
      }
    });
    return [...groups.values()].map((group) => ({ ...group, costs: group.launches.map((launches) => (launches.length ? Data.sum(launches, "time") : 0)) }));
  }

  //===---- 2. Text ----===//

  const ratioText = (before, after) => (before === after ? "the same" : `${after < before ? "−" : "+"}${Dom.percent(Math.abs(after / before - 1))}`);
  const classOf = (before, after) => (after < before * 0.995 ? "better" : after > before * 1.005 ? "worse" : undefined);

  function verdict(entries) {
    const [before, after] = entries.map((entry) => entry.run);
    const kind = entries.map((entry) => (entry.profile ? "median run" : "predicted run"));
    if (!before || !after) return ["No times to compare.", "Pass a profile of each library (--profile twice), or --measure; or compile both with --device."];
    if (kind[0] !== kind[1]) return ["A measured and a predicted time cannot be compared.", "Pass a profile of each library (--profile twice), or --measure."];
    const change = after / before;
    const first = Math.abs(change - 1) < 0.01 ? `As fast as before: the ${kind[0]} takes ${Dom.time(after)}.`
      : `${change < 1 ? `Faster by ${Dom.percent(1 - change)}` : `Slower by ${Dom.percent(change - 1)}`}: the ${kind[0]} takes ${Dom.time(after)} instead of ${Dom.time(before)}.`;
    const groups = groupsOf(entries).sort((a, b) => Math.abs(b.costs[1] - b.costs[0]) - Math.abs(a.costs[1] - a.costs[0]));
    const most = groups[0];
    const launch = most && (most.launches[1][0] ?? most.launches[0][0]);
    const second = launch && most.costs[0] !== most.costs[1] ? `${launch.operators} (${launch.main?.name ?? launch.kernel}) changed most: ${Dom.time(most.costs[1])} instead of ${Dom.time(most.costs[0])}.` : "";
    return [first, second];
  }

  function figures(entries) {
    const reports = sides.map((side) => side.report);
    const numbers = (name, values, format) => [name, values, format, true];
    const texts = (name, values) => [name, values, (value) => value, false];
    const rows = [
      numbers("Median run", entries.map((entry) => entry.medianRun), Dom.time),
      numbers("Best run", entries.map((entry) => entry.bestRun), Dom.time),
      numbers("Predicted run", entries.map((entry) => entry.predicted_ms), Dom.time),
      texts("Limit", entries.map((entry) => entry.bound && `${entry.bound}, ${Dom.percent(entry.boundShare)} of the time`)),
      texts("Least possible time", entries.map((entry) => entry.peakShare && Dom.milliseconds(entry.peakShare * entry.run))),
      numbers("Launches", entries.map((entry) => entry.launches.length), Dom.count),
      numbers("Memory of a run", entries.map((entry) => entry.arena_bytes), Dom.bytes),
      numbers("Weights", reports.map((report) => report.weight_bytes), Dom.bytes),
      numbers("File", reports.map((report) => report.file_bytes), Dom.bytes),
      texts("Model", reports.map((report) => Data.nameOfModel(report).name)),
      texts("Target", reports.map((report) => report.target + (report.cpu ? ` (${report.cpu})` : ""))),
      texts("Device", reports.map((report) => report.device)),
      texts("Weights as", reports.map(Data.storedAs)),
      texts("CPU precision", reports.map((report) => report.cpu_precision)),
      texts("GPU precision", reports.map((report) => report.gpu_precision)),
      texts("Measured with", entries.map((entry) => entry.profile && `${Dom.counted(entry.profile.threads, "thread")}${entry.profile.machine?.cpu ? ` of ${entry.profile.machine.cpu}` : ""}`)),
    ].filter(([, values]) => values.some((value) => value !== undefined && value !== ""));
    const cell = (row, value) => element("td", { class: row[3] ? "number" : "wide" }, value === undefined ? "" : row[2](value));
    fill(byId("figures"),
      element("thead", {}, element("tr", {}, element("th", {}), reports.map((report, side) => element("th", { scope: "col" }, `${side ? "After" : "Before"}: ${report.file}`)), element("th", { scope: "col" }, "Difference"))),
      element("tbody", {}, rows.map((row) => {
        const [before, after] = row[1];
        const isKnown = before !== undefined && after !== undefined;
        const difference = !isKnown ? "" : row[3] ? (before ? ratioText(before, after) : "") : before === after ? "the same" : "different";
        return element("tr", {}, element("th", { scope: "row" }, row[0]), cell(row, before), cell(row, after), element("td", { class: isKnown && row[3] ? classOf(before, after) : undefined }, difference));
      })));
  }

  function differenceRow({ launches, costs }) {
    const [before, after] = costs;
    const sample = launches[1][0] ?? launches[0][0];
    const side = (which) => element("td", { class: "number" }, launches[which].length ? Dom.time(costs[which]) : "none", launches[which].length > 1 ? element("small", {}, Dom.counted(launches[which].length, "launch")) : undefined);
    return element("tr", {},
      element("td", { class: "wide" }, element("strong", {}, sample.operators), element("small", {}, sample.nodes || sample.kernel)),
      element("td", {}, sample.shapes, sample.window ? element("small", {}, sample.window) : undefined),
      side(0), side(1),
      element("td", { class: `number ${classOf(before, after) ?? ""}` }, `${after <= before ? "−" : "+"}${Dom.time(Math.abs(after - before))}`, before && after ? element("small", {}, ratioText(before, after)) : undefined));
  }

  function differences(entries) {
    const isTimed = entries.every((entry) => entry.run);
    byId("operators-part").hidden = !isTimed;
    if (!isTimed) return;
    const rows = groupsOf(entries).sort((a, b) => Math.abs(b.costs[1] - b.costs[0]) - Math.abs(a.costs[1] - a.costs[0]));
    byId("operators-text").textContent = "Launches of both libraries that compute the same nodes are in one row.";
    const body = element("tbody", {}, rows.slice(0, firstRows).map(differenceRow));
    fill(byId("differences"), element("thead", {}, element("tr", {}, ["Operator", "Shapes", "Before", "After", "Difference"].map((heading, at) => element("th", { scope: "col", class: at > 1 ? "number" : undefined }, heading)))), body);
    const rest = rows.slice(firstRows);
    const more = element("button", { type: "button", click: () => {
      body.append(...rest.map(differenceRow));
      fill(byId("more"));
    } }, `show ${Dom.count(rest.length)} more`);
    fill(byId("more"), rest.length ? more : undefined);
  }

  function advice(entries) {
    const lists = entries.map((entry, side) => AdviceOf.changes(entry, sides[side].report));
    const row = (change) => element("li", {}, element("strong", {}, change.title), element("span", { class: "gain" }, `up to ${Dom.percent(change.share)}`), element("p", {}, Dom.prose(change.text)));
    const without = (list, other) => list.filter((change) => !other.some((each) => each.kind === change.kind));
    const parts = [["Done", without(lists[0], lists[1])], ["New", without(lists[1], lists[0])], ["Still to do", lists[1].filter((change) => lists[0].some((each) => each.kind === change.kind))]].filter((part) => part[1].length);
    byId("advice-part").hidden = !parts.length;
    fill(byId("advice-content"), parts.map(([title, list]) => [element("h3", {}, title), element("ul", {}, list.map(row))]));
  }

  function show(name) {
    const entries = sides.map((side) => side.entries.find((entry) => entry.name === name));
    const [first, second] = verdict(entries);
    byId("verdict").textContent = first;
    byId("verdict-more").textContent = second;
    figures(entries);
    differences(entries);
    advice(entries);
  }

  function start() {
    sides = Data.read(byId("data").textContent).sides.map(Data.join);
    const models = sides.map(({ report }) => Data.nameOfModel(report).name);
    document.title = `${sides[0].report.file} and ${sides[1].report.file} — Nacre comparison`;
    byId("title").textContent = models[0] === models[1] ? models[0] : `${models[0]} and ${models[1]}`;
    byId("subtitle").textContent = `${sides[0].report.file} before, ${sides[1].report.file} after${models[0] === models[1] ? "" : ": two different models"}`;
    const common = sides[0].entries.map((entry) => entry.name).filter((name) => sides[1].entries.some((entry) => entry.name === name));
    fill(byId("entry"), common.map((name) => element("option", { value: name }, name)));
    byId("entry-choice").hidden = common.length < 2;
    byId("entry").addEventListener("change", (event) => show(event.target.value));
    if (common.length) show(common[0]);
    else byId("verdict").textContent = "The two libraries have no entry in common.";
    document.documentElement.dataset.ready = String(Math.round(performance.now()));
  }

  start();
})();
