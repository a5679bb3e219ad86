// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Prepares the report and the profiles for the page: entries, their launches with times, and edges from writers to readers.
// How:  1. Expand columns into rows. 2. Join times by position. 3. Find edges by storages.
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

  //===---- 2. Launches ----===//

  const bytesOf = (launch) => launch.weight_bytes + launch.read_bytes + launch.written_bytes;

  /** A launch's nanoseconds; profiles of older versions have no median. */
  const timeOf = (measured) => measured.median_ns ?? measured.least_ns;

  function makeLaunch(row, index, measured) {
    const launch = {
      ...row,
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
    launch.turns = launch.executions ?? launch.turns;
    launch.work = launch.flops * launch.turns;
    launch.bytes = bytesOf(launch);
    launch.intensity = launch.bytes ? launch.flops / launch.bytes : 0;
    const time = launch.measured ?? launch.predicted;
    launch.time = time;
    launch.flopRate = time ? launch.work / (time / 1e3) : undefined;
    return launch;
  }

  //===---- 3. Edges ----===//

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

  function makeEntry(row, report, profile) {
    const rows = report.launches.filter((launch) => launch.entry === row.name);
    const launches = rows.map((launch, index) => makeLaunch(launch, index, profile?.launches[index]));
    const entry = { ...row, launches, profile, edges: connect(launches) };
    entry.measured = profile && sum(launches, "measuredNs") / 1e6;
    entry.predictedLaunches = row.predicted_ms === undefined ? undefined : sum(launches, "predicted");
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

  /** A share of the roof over a launch: what it reaches of the most that its engines could at its intensity. */
  function roofShare(launch, roofs) {
    if (!roofs || !launch.flopRate || !launch.intensity) return undefined;
    const { cpu, gpu } = roofs;
    // For a cut, both engines compute at the same time and share the memory.
    const both = { flops_per_second: cpu.flops_per_second + gpu.flops_per_second, bytes_per_second: Math.max(cpu.bytes_per_second, gpu.bytes_per_second) };
    const roof = { cpu, gpu, cut: both }[launch.engine];
    return launch.flopRate / Math.min(roof.flops_per_second, launch.intensity * roof.bytes_per_second);
  }

  function read(text) {
    const { report, profiles } = unpack(JSON.parse(text));
    const entries = report.entries.map((row) => makeEntry(row, report, profiles.find((profile) => profile.entry === row.name)));
    for (const entry of entries)
      for (const launch of entry.launches) launch.roofShare = roofShare(launch, report.roofs);
    return { report, entries };
  }

  return { read, sum };
})();
