// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Describes the selected launch, and finds launches by the model's nodes.
"use strict";

const Details = (() => {
  const { state } = State;
  const { element, fill, byId } = Dom;

  //===---- Details ----===//

  function timeRows(launch) {
    const entry = state.entry;
    const share = (time, total) => (total ? ` (${Dom.percent(time / total)})` : "");
    return [
      ["measured", launch.measured !== undefined && Dom.time(launch.measured) + share(launch.measured, entry.measured)],
      ["predicted", launch.predicted !== undefined && Dom.time(launch.predicted) + share(launch.predicted, entry.predictedLaunches)],
      ["iterations per run", launch.iterations !== 1 && Dom.count(launch.iterations)],
      ["limit", launch.level && (launch.peakShare === undefined ? launch.level : `${launch.level}; it reaches ${Dom.percent(launch.peakShare)} of what that allows`)],
      ["achieved", launch.flopRate > 0 && `${Dom.rate(launch.flopRate, "FLOP/s")}, ${Dom.rate((launch.bytes * launch.iterations) / (launch.time / 1e3), "B/s")}`],
    ].filter((row) => row[1]);
  }

  /** Figures of one iteration of a loop; those of a run are in the table. */
  const iterated = (launch, name) => name + (launch.iterations === 1 ? "" : " per iteration");

  const shapesOf = (shapes) => shapes.map(Data.shapeText).join(", ");

  /** What a viewer of models shows of a node. */
  const describeNode = (node) => element("li", {},
    element("button", { type: "button", click: () => search(node.name) }, node.name),
    Dom.pairs([
      ["operator", node.operator && node.operator + node.part],
      ["inputs", shapesOf(node.inputs)],
      ["weights", shapesOf(node.weights.filter((shape) => shape.length))],
      ["outputs", shapesOf(node.outputs)],
      ["kernel", node.window?.length ? node.window.join("×") : ""],
      ["stride", node.window?.length ? node.strides.join("×") : ""],
      ["groups", node.groups > 1 ? String(node.groups) : ""],
    ]));

  function describe(launch) {
    const choose = (other) => State.choose(other, "details");
    const storages = launch.writes.map((index) => state.entry.storages[index]);
    return [
      element("h3", {}, `Launch ${launch.number}: ${launch.operators}`),
      element("p", { id: "details-advice" }, Dom.prose(AdviceOf.ofLaunch(launch, state.entry, state.data.report))),
      Dom.pairs([
        ["engine", launch.engine === "cut" ? `cut: ${Dom.percent(launch.gpu_share)} GPU, the rest on the CPU` : launch.engine.toUpperCase()],
        ["ran on", launch.ranOn && launch.ranOn !== launch.engine ? launch.ranOn : undefined],
        ...timeRows(launch),
        [iterated(launch, "work"), Dom.rate(launch.flops, "FLOP") + (launch.executed_flops !== launch.flops ? `, ${Dom.rate(launch.executed_flops, "FLOP")} executed` : "")],
        [iterated(launch, "reads"), `${Dom.bytes(launch.weight_bytes)} of weights, ${Dom.bytes(launch.read_bytes)} of other data`],
        [iterated(launch, "writes"), Dom.bytes(launch.written_bytes)],
        ["arena", storages.map((storage) => `${Dom.bytes(storage.bytes)} at ${Dom.count(storage.offset)}`).join(", ")],
        ["part of the step", launch.part],
        ["kernel", `${launch.kind}, ${launch.kernel}`],
        ["no own kernel", launch.fallback && `${launch.fallback_reason}; compiled as plain loops, vectorized by LLVM`],
        ["not on the GPU", launch.gpu_declined],
      ].filter((row) => row[1])),
      launch.modelNodes.length ? [element("h3", {}, "Nodes of the model"), element("ul", { class: "nodes" }, launch.modelNodes.map(describeNode))] : undefined,
      element("h3", {}, "Reads from"),
      launch.before.length ? Dom.launchButtons(launch.before, choose) : element("p", {}, "only inputs, state or weights"),
      element("h3", {}, "Read by"),
      launch.after.length ? Dom.launchButtons(launch.after, choose) : element("p", {}, "only outputs or state"),
      element("p", {}, element("button", { type: "button", id: "to-table", click: () => Table.show(launch) }, "Show in the table")),
    ];
  }

  function showDetails() {
    const launch = state.launch;
    if (!launch) {
      fill(byId("details"), element("p", {}, "This entry has no launches."));
      return;
    }
    fill(byId("details"), describe(launch));
    const time = launch.time === undefined ? "" : `, ${Dom.time(launch.time)}`;
    byId("said").textContent = `Launch ${launch.number} of ${state.entry.launches.length}: ${launch.operators}, ${launch.nodes || launch.kernel}, ${launch.engine}${time}`;
  }

  //===---- Search ----===//

  const mostMatches = 30;
  let matches = [], active = -1;

  function findMatches(text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return [];
    const found = [];
    for (const [node, launches] of state.entry.byNode) {
      const at = node.toLowerCase().indexOf(wanted);
      if (at >= 0) for (const launch of launches) found.push({ launch, text: node, rank: node.length === wanted.length ? 0 : at === 0 ? 1 : 2 });
    }
    for (const launch of state.entry.launches)
      if (String(launch.number) === wanted || launch.kernel.toLowerCase().includes(wanted)) found.push({ launch, text: launch.kernel, rank: 3 });
    return found.sort((a, b) => a.rank - b.rank || a.launch.index - b.launch.index).slice(0, mostMatches);
  }

  function showMatches() {
    const box = byId("search"), list = byId("matches");
    fill(list, matches.map((match, index) => element("li", {
      id: "match-" + index, role: "option", "aria-selected": String(index === active),
      // This runs before the box loses the focus, which closes the list.
      pointerdown: (event) => { event.preventDefault(); take(index); },
    }, `${match.text} → launch ${match.launch.number} (${match.launch.kind}, ${match.launch.engine})`)));
    list.hidden = matches.length === 0;
    box.setAttribute("aria-expanded", String(!list.hidden));
    if (active >= 0) {
      box.setAttribute("aria-activedescendant", "match-" + active);
      byId("match-" + active).scrollIntoView({ block: "nearest" });
    } else box.removeAttribute("aria-activedescendant");
  }

  function close() {
    matches = [];
    active = -1;
    showMatches();
  }

  function take(index) {
    const match = matches[index];
    close();
    if (match) State.choose(match.launch, "search");
  }

  function update() {
    matches = findMatches(byId("search").value);
    active = matches.length ? 0 : -1;
    showMatches();
    if (byId("search").value.trim() && !matches.length) byId("said").textContent = "No match";
  }

  /** As if it were typed. */
  function search(text) {
    const box = byId("search");
    box.value = text;
    box.focus();
    update();
  }

  function start() {
    const box = byId("search");
    box.addEventListener("input", update);
    box.addEventListener("blur", close);
    box.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && matches.length) {
        active = (active + step + matches.length) % matches.length;
        showMatches();
      } else if (event.key === "Enter") take(active);
      else if (event.key === "Escape" && matches.length) close();
      else return;
      event.preventDefault();
    });
    State.listen((what) => {
      if (what === "entry") {
        box.value = "";
        close();
      }
      if (what === "entry" || what === "choice") showDetails();
    });
  }

  return { start };
})();
