// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Shows all launches as a table, sortable by any column, with the sums of the shown rows.
// How:  Rows are created on demand: thousands at once would take the browser longer than everything else.
"use strict";

const Table = (() => {
  const { state } = State;
  const { element, fill, byId } = Dom;
  const firstRows = 100;
  let sorting = { key: "number", falling: false }, rows = [], shown = firstRows, body;

  const number = (key, label, format, more = {}) => ({ key, label, format, isNumber: true, get: (launch) => launch[key], ...more });
  const text = (key, label, more = {}) => ({ key, label, format: (value) => value, get: (launch) => launch[key], ...more });

  /** Those that this entry has figures for. `sums`: the foot has the column's sum. */
  function columns() {
    const { entry } = state;
    const has = (key) => entry.launches.some((launch) => launch[key] !== undefined);
    return [
      number("number", "#", Dom.count),
      text("operators", "Operators"),
      text("nodes", "Nodes", { isWide: true }),
      text("shapes", "Shapes"),
      text("window", "Window"),
      text("engine", "Engine"),
      text("kind", "Kind"),
      has("part") && text("part", "Part"),
      entry.profile && number("measured", "Measured µs", Dom.microseconds, { sums: true, exact: (launch) => launch.measuredNs }),
      entry.predicted_ms !== undefined && number("predicted", "Predicted µs", Dom.microseconds, { sums: true }),
      entry.profile && entry.predicted_ms !== undefined && number("ratio", "Measured / predicted", (value) => value.toFixed(2), { get: (launch) => (launch.predicted ? launch.measured / launch.predicted : undefined) }),
      has("time") && number("share", "Share", Dom.percent, { get: (launch) => launch.share }),
      entry.launches.some((launch) => launch.iterations !== 1) && number("iterations", "Iterations", (value) => Dom.fixed(value, value % 1 ? 1 : 0)),
      number("work", "MFLOP", (value) => Dom.fixed(value / 1e6, 3), { sums: true }),
      has("flopRate") && number("flopRate", "GFLOP/s", (value) => Dom.fixed(value / 1e9, 2)),
      number("intensity", "FLOP/B", (value) => Dom.fixed(value, 2)),
      has("level") && text("level", "Limit"),
      has("peakShare") && number("peakShare", "Of its limit", Dom.percent),
      number("weight_bytes", "Weights B", Dom.count, { sums: true }),
      number("read_bytes", "Read B", Dom.count, { sums: true }),
      number("written_bytes", "Written B", Dom.count, { sums: true }),
      text("kernel", "Kernel"),
      text("remark", "Advice", { isWide: true, get: (launch) => launch.remark }),
    ].filter(Boolean);
  }

  function compare(column) {
    const sign = sorting.falling ? -1 : 1;
    return (a, b) => {
      const left = column.get(a), right = column.get(b);
      // Rows without a value come last in either order.
      if (left === undefined || right === undefined) return (left === undefined) - (right === undefined) || a.index - b.index;
      const order = column.isNumber ? left - right : left < right ? -1 : left > right ? 1 : 0;
      return sign * order || a.index - b.index;
    };
  }

  const shownAs = (column, launch) => {
    const value = column.get(launch);
    return value === undefined ? "" : column.format(value);
  };

  function makeRow(launch, all) {
    const cells = all.map((column) => {
      if (column.key === "number")
        return element("td", { class: "number" }, element("button", { type: "button", "aria-label": `Launch ${launch.number} in the graph`, click: () => State.choose(launch, "table") }, String(launch.number)));
      return element("td", { "data-ns": column.exact?.(launch), class: [column.isNumber && "number", column.isWide && "wide"].filter(Boolean).join(" ") || undefined }, shownAs(column, launch));
    });
    return element("tr", { "data-launch": launch.index, class: launch === state.launch ? "chosen" : undefined }, cells);
  }

  function head(all) {
    return element("thead", {}, element("tr", {}, all.map((column) => {
      const isSorted = column.key === sorting.key;
      const mark = isSorted ? (sorting.falling ? " ▼" : " ▲") : "";
      return element("th", { scope: "col", class: column.isNumber ? "number" : undefined, "aria-sort": isSorted ? (sorting.falling ? "descending" : "ascending") : "none" },
        element("button", { type: "button", "data-key": column.key, click: () => sortBy(column) }, column.label + mark));
    })));
  }

  function foot(all) {
    return element("tfoot", {}, element("tr", {}, all.map((column, at) => {
      if (at === 0) return element("td", {}, "Σ");
      if (column.key === "nodes") return element("td", {}, Dom.counted(rows.length, "launch"));
      if (!column.sums) return element("td", {});
      // Times are summed in whole nanoseconds, so that the sum equals the profile's.
      const total = column.key === "measured" ? Data.sum(rows, "measuredNs") / 1e6 : rows.reduce((sum, launch) => sum + (column.get(launch) ?? 0), 0);
      return element("td", { class: "number", "data-sum": column.key, "data-ns": column.exact && Data.sum(rows, "measuredNs") }, column.format(total));
    })));
  }

  function showMore() {
    const left = rows.length - Math.min(shown, rows.length);
    fill(byId("more"), left > 0 ? [`${Dom.count(left)} more: `, ...[400, left].filter((count, at, counts) => count <= left && counts.indexOf(count) === at).map((count) =>
      element("button", { type: "button", click: () => extend(shown + count) }, `show ${Dom.count(count)}`))].flatMap((part) => [part, " "]) : []);
  }

  function extend(to) {
    const all = columns();
    body.append(...rows.slice(shown, to).map((launch) => makeRow(launch, all)));
    shown = Math.min(to, rows.length);
    showMore();
  }

  function sortBy(column) {
    sorting = sorting.key === column.key ? { key: column.key, falling: !sorting.falling } : { key: column.key, falling: !!column.isNumber && column.key !== "number" };
    render();
    byId("table").querySelector(`button[data-key="${column.key}"]`).focus();
    byId("said").textContent = `Sorted by ${column.label}, ${sorting.falling ? "descending" : "ascending"}`;
  }

  function render() {
    const all = columns();
    const column = all.find((each) => each.key === sorting.key) ?? all[0];
    rows = state.entry.launches.filter(State.isShown).sort(compare(column));
    shown = Math.min(firstRows, rows.length);
    body = element("tbody", {}, rows.slice(0, shown).map((launch) => makeRow(launch, all)));
    fill(byId("table"), element("caption", { class: "unseen" }, "Launches"), head(all), body, foot(all));
    showMore();
  }

  function mark() {
    for (const row of body.querySelectorAll("tr.chosen")) row.classList.remove("chosen");
    if (state.launch) body.querySelector(`tr[data-launch="${state.launch.index}"]`)?.classList.add("chosen");
  }

  /** Brings a launch's row into view, with the keyboard in it. */
  function show(launch) {
    const place = rows.indexOf(launch);
    if (place < 0) return;
    if (place >= shown) extend(place + 1);
    const row = body.querySelector(`tr[data-launch="${launch.index}"]`);
    row.scrollIntoView({ block: "center" });
    row.querySelector("button").focus({ preventScroll: true });
  }

  /** What the times are, and what they leave out. */
  function describeTimes() {
    const { entry } = state;
    const sentences = [];
    if (entry.profile) {
      const { threads, runs, device } = entry.profile;
      sentences.push(`Measured times are medians of ${Dom.counted(runs, "run")} with ${Dom.counted(threads, "thread")}${device ? " and " + device : ""}. They add up to ${Dom.time(entry.measured)}; the median run took ${Dom.time(entry.medianRun)}.`);
    }
    if (entry.predicted_ms !== undefined) {
      const meetings = entry.predicted_meetings ? `, and ${Dom.counted(entry.predicted_meetings, "synchronization point")} and the engines' simultaneous work make the difference` : "";
      sentences.push(`Predicted for ${state.data.report.device}: a run takes ${Dom.time(entry.predicted_ms)}; the launches add up to ${Dom.time(entry.predictedLaunches)}${meetings}.`);
    }
    if (!sentences.length) sentences.push("Without a measurement and without a device (--device), shares are rough estimates.");
    fill(byId("times"), Dom.prose(sentences.join(" ")));
  }

  function start() {
    State.listen((what) => {
      if (what === "entry") {
        sorting = { key: "number", falling: false };
        describeTimes();
      }
      if (what === "entry" || what === "filter") render();
      if (what === "choice") mark();
    });
  }

  return { start, show };
})();
