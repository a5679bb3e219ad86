// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Prepares a report and its profiles for the page: entries, their launches with times and nodes, and edges from writers to readers.
// How:  1. Expand columns into rows. 2. Join nodes by name. 3. Join times by position. 4. Find edges by storages.
"use strict";

const Data = (() => {
  //===---- 1. Columns ----===//

  function unpack(value) {
    if (Array.isArray(value)) return value.map(unpack);
    if (value === null || typeof value !== "object") return value;
    if (!value.$keys) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unpack(inner)]));
    return value.$rows.map((row) => {
      const unpacked = {};
      value.$keys.forEach((key, at) => {
        if (row[at] !== null) unpacked[key] = unpack(row[at]);
      });
      return unpacked;
    });
  }

  //===---- 2. Nodes ----===//

  const parts = [" dX", " dW", " update", " again"];
  const emptyNode = { operator: "", inputs: [], weights: [], outputs: [] };

  /** A node of a launch: its row, or that of the node whose gradient or update it computes, and what is computed: " dX". */
  function nodeOf(nodes, name) {
    let base = name, part = "";
    while (!nodes.has(base)) {
      const end = parts.find((each) => base.endsWith(each));
      if (!end) return { name, part: "", ...emptyNode, isKnown: false };
      part = end + part;
      base = base.slice(0, -end.length);
    }
    return { ...nodes.get(base), name, part, isKnown: true };
  }

  const shapeText = (shape) => (shape.length ? shape.join("×") : "scalar");
  const windowText = (node) => (node.window?.length ? `${node.window.join("×")}${node.strides.some((stride) => stride !== 1) ? `, stride ${new Set(node.strides).size === 1 ? node.strides[0] : node.strides.join("×")}` : ""}${node.groups > 1 ? `, ${node.groups} groups` : ""}` : "");

  /** The node of a launch that has most of its work: a window or a matrix first, then whatever has weights. */
  function mainNode(nodes) {
    const weight = (node) => (node.window?.length ? 4 : 0) + (node.weights.some((shape) => shape.length > 1) ? 2 : 0) + (node.isKnown ? 1 : 0);
    return nodes.reduce((best, node) => (weight(node) > weight(best) ? node : best), nodes[0]);
  }

  const copyName = { permute: "Transpose", copy: "Copy" };

  /** What a launch computes, in the model's words: operators, shapes, window. */
  function describeNodes(row, known) {
    const nodes = row.node_list.map((name) => nodeOf(known, name));
    const main = mainNode(nodes);
    if (!main) return { modelNodes: nodes, main, operator: copyName[row.kind] ?? "Copy", operators: `${copyName[row.kind] ?? "Copy"} (added by the compiler)`, shapes: "", window: "" };
    const words = [main, ...nodes.filter((node) => node !== main)].map((node) => (node.isKnown ? node.operator + node.part : node.name));
    const isLayout = row.kind === "permute" && (main.window?.length || main.weights.length);
    if (isLayout) return { modelNodes: nodes, main, isLayout, operator: "Transpose", operators: `Transpose for ${words[0]}`, others: [], shapes: "", window: "" };
    const unique = [...new Set(words)];
    // The second input of a convolution that is trained is its filter.
    const from = (main.window?.length ? main.inputs.slice(0, 1) : main.inputs).map(shapeText), to = main.outputs.map(shapeText);
    return {
      modelNodes: nodes,
      main,
      operator: unique[0],
      operators: unique.slice(0, 4).join(" + ") + (unique.length > 4 ? " + …" : ""),
      others: unique.slice(1),
      shapes: from.length || to.length ? `${from.slice(0, 2).join(", ")}${from.length > 2 ? ", …" : ""} → ${to.slice(0, 1).join("")}` : "",
      window: windowText(main),
    };
  }

  //===---- 3. Launches ----===//

  const bytesOf = (launch) => launch.weight_bytes + launch.read_bytes + launch.written_bytes;

  /** A launch's nanoseconds; profiles of older versions have no median. */
  const timeOf = (measured) => measured.median_ns ?? measured.least_ns;

  function makeLaunch(row, index, measured, nodes) {
    const launch = {
      ...row,
      ...describeNodes(row, nodes),
      index,
      number: index + 1,
      nodes: row.node_list.join(", "),
      predicted: row.predicted_ms,
      measured: measured && timeOf(measured) / 1e6,
      measuredNs: measured && timeOf(measured),
      executions: measured && measured.executions,
      ranOn: measured && measured.engine,
      before: [],
      after: [],
      storagesOut: new Set(row.writes),
    };
    launch.iterations = launch.executions ?? launch.iterations;
    launch.work = launch.flops * launch.iterations;
    launch.bytes = bytesOf(launch);
    launch.intensity = launch.bytes ? launch.executed_flops / launch.bytes : 0;
    // Estimates serve for proportions; nothing shows them as times.
    launch.time = launch.measured ?? launch.predicted;
    launch.cost = launch.time ?? launch.estimated_ms;
    launch.flopRate = launch.time ? (launch.executed_flops * launch.iterations) / (launch.time / 1e3) : undefined;
    return launch;
  }

  //===---- 4. Edges ----===//

  /** Whoever wrote a storage, or a part of it, comes before all who read it later. */
  function connect(launches) {
    const edges = [];
    const writers = new Map();
    const writersOf = (key) => writers.get(key) ?? writers.set(key, []).get(key);
    for (const launch of launches) {
      const keys = [...launch.reads.map((storage) => "s" + storage), ...launch.port_reads.map((port) => "p" + port)];
      const from = new Set(keys.flatMap(writersOf));
      for (const other of from) {
        if (other === launch) continue;
        launch.before.push(other);
        other.after.push(launch);
        edges.push({ from: other, to: launch });
      }
      for (const storage of launch.writes) writersOf("s" + storage).push(launch);
      for (const port of launch.port_writes) writersOf("p" + port).push(launch);
    }
    return edges;
  }

  const sum = (rows, key) => rows.reduce((total, row) => total + (row[key] ?? 0), 0);

  function makeEntry(row, report, profile, nodes) {
    const rows = report.launches.map((launch, place) => ({ ...launch, place })).filter((launch) => launch.entry === row.name);
    const launches = rows.map((launch, index) => makeLaunch(launch, index, profile?.launches[index], nodes));
    const entry = { ...row, launches, profile, edges: connect(launches) };
    entry.measured = profile && sum(launches, "measuredNs") / 1e6;
    entry.medianRun = profile && (profile.median_run_ns ?? profile.least_run_ns) / 1e6;
    entry.bestRun = profile && profile.least_run_ns / 1e6;
    entry.predictedLaunches = row.predicted_ms === undefined ? undefined : sum(launches, "predicted");
    entry.run = entry.medianRun ?? row.predicted_ms;
    entry.cost = sum(launches, "cost");
    entry.isTrained = launches.some((launch) => launch.part === "backward");
    for (const launch of launches) launch.share = entry.cost ? launch.cost / entry.cost : 0;
    entry.byNode = new Map();
    for (const launch of launches)
      for (const node of launch.node_list) {
        const known = entry.byNode.get(node);
        if (known) known.push(launch);
        else entry.byNode.set(node, [launch]);
      }
    entry.launchOfStep = new Map(launches.map((launch) => [launch.step, launch]));
    return entry;
  }

  /** A report with its profiles: entries, each with the limits of its launches. */
  function join({ report, profiles }) {
    const nodes = new Map(report.nodes.map((node) => [node.name, node]));
    const entries = report.entries.map((row) => makeEntry(row, report, profiles.find((profile) => profile.entry === row.name), nodes));
    for (const entry of entries) {
      Bounds.find(entry, report);
      AdviceOf.prepare(entry, report);
    }
    return { report, entries };
  }

  const read = (text) => unpack(JSON.parse(text));

  /** Whether the median says more about other programs than about the model. */
  const varies = (entry) => entry.profile && entry.medianRun > 1.5 * entry.bestRun;

  //===---- 5. What was compiled ----===//

  /** What the weights are stored as, which is less than what was asked for if no layer gains by it. */
  function storedAs(report) {
    if (report.weight_type === "fp32") return "as in the model";
    const narrow = report.narrow_weights.length;
    return narrow ? `${Dom.counted(narrow, "weight")} as ${report.weight_type}` : `none as ${report.weight_type}: no layer waits for them`;
  }

  /** The name of the model and of the folder that it is in; a model may be a folder itself. */
  function nameOfModel({ model }) {
    const parts = model.split(/[\\/]/).filter(Boolean);
    return { name: parts.pop() ?? model, folder: parts.pop() };
  }

  return { read, join, sum, shapeText, windowText, varies, storedAs, nameOfModel };
})();
