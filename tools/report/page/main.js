// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Reads the data, starts the views and wires the controls: entry, measure, filters, and the address, which stores the
//       selected entry and launch.
"use strict";

(() => {
  const { state } = State;
  const { element, fill, byId } = Dom;
  const engines = { cpu: "CPU", gpu: "GPU", cut: "split between both" };

  function showChoices() {
    const { entry } = state;
    fill(byId("measure"), State.measures(entry).map(([key, label]) => element("option", { value: key }, label)));
    byId("measure").value = state.measure;
    const there = Object.keys(engines).filter((engine) => entry.launches.some((launch) => launch.engine === engine));
    const box = (key, label, checked) => element("label", {}, element("input", { type: "checkbox", "data-filter": key, checked: checked || undefined, change: (event) => State.setHidden(key, key === "taken" ? event.target.checked : !event.target.checked) }), " " + label);
    byId("filters").hidden = there.length < 2 && !entry.launches.some((launch) => launch.remark);
    state.hidden.clear();
    fill(byId("filters"), element("legend", {}, "Show"), there.length > 1 ? there.map((engine) => box(engine, engines[engine], true)) : undefined,
      entry.launches.some((launch) => launch.remark) ? box("taken", "only those with advice", false) : undefined);
    const swatch = (engine) => {
      const made = element("span", { class: "swatch" });
      made.style.background = `var(--${engine})`;
      return made;
    };
    fill(byId("legend"), there.map((engine) => element("li", {}, swatch(engine), engines[engine])),
      element("li", {}, `taller and darker: more ${State.measures(entry).find((row) => row[0] === state.measure)[1]}`),
      entry.launches.some((launch) => launch.fallback) ? element("li", {}, "red border and !: no kernel of its own") : undefined);
  }

  /** `#entry=train&launch=12`, so that a place on the page can be told to others. */
  function readAddress() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const entry = state.data.entries.find((each) => each.name === wanted.get("entry")) ?? state.data.entries[0];
    State.showEntry(entry);
    byId("entry").value = entry.name;
    const launch = entry.launches[Number(wanted.get("launch")) - 1];
    if (launch) State.choose(launch, "address");
  }

  function writeAddress() {
    const place = new URLSearchParams({ entry: state.entry.name, ...(state.launch && state.chosenFrom !== "default" && { launch: state.launch.number }) });
    history.replaceState(null, "", "#" + place);
  }

  function start() {
    state.data = Data.join(Data.read(byId("data").textContent));
    const { report, entries } = state.data;
    const { name, folder } = Data.nameOfModel(report);
    document.title = `${name}${folder ? ` in ${folder}` : ""} — Nacre report`;
    byId("title").textContent = name;
    const { profile, machine } = entries[0];
    byId("subtitle").textContent = [folder && `in ${folder}`, `compiled for ${report.target}${report.cpu ? ` (${report.cpu})` : ""}`,
      profile && `measured on ${machine?.kind === "measured" ? machine.name : profile.device || "another machine"}, ${Dom.counted(profile.threads, "thread")}`,
      report.device && `predicted for ${report.device}`].filter(Boolean).join(" · ");
    fill(byId("entry"), entries.map((entry) => element("option", { value: entry.name }, entry.name)));
    byId("entry-choice").hidden = entries.length < 2;
    byId("entry").addEventListener("change", (event) => State.showEntry(entries.find((entry) => entry.name === event.target.value)));
    byId("measure").addEventListener("change", (event) => State.setMeasure(event.target.value));

    Canvas.readColours();
    for (const query of ["(prefers-color-scheme: dark)"])
      matchMedia(query).addEventListener("change", () => {
        Canvas.readColours();
        State.tell("theme");
      });
    for (const view of [Verdict, Graph, Details, Table, Arena, Roofline, Sections]) view.start();
    State.listen((what) => {
      if (what === "entry" || what === "measure") showChoices();
      if (what === "entry") for (const link of document.querySelectorAll("nav a")) link.hidden = byId(link.hash.slice(1)).hidden;
    });
    readAddress();
    State.listen((what) => {
      if (what === "entry" || what === "choice") writeAddress();
    });
    document.documentElement.dataset.ready = String(Math.round(performance.now()));
  }

  start();
})();
