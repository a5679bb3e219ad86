// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Holds the state that views share: the entry, the selected launch, the filters, and the measure of size.
// How:  Each change notifies all views with its kind: "entry", "choice", "filter", "measure" or "theme".
"use strict";

const State = (() => {
  const listeners = [];
  const state = { data: null, entry: null, launch: null, measure: "work", hidden: new Set() };

  const tell = (what) => listeners.forEach((listener) => listener(what));
  const listen = (listener) => listeners.push(listener);

  /** What a launch can be sized by, best first. */
  function measures(entry) {
    return [["measured", "measured time", entry.profile], ["predicted", "predicted time", entry.predicted_ms !== undefined],
      ["work", "floating-point work", true], ["bytes", "bytes read and written", true]].filter((row) => row[2]);
  }

  function showEntry(entry) {
    state.entry = entry;
    // The details begin with the most expensive launch.
    state.launch = entry.launches.reduce((best, launch) => (!best || launch.cost > best.cost ? launch : best), null);
    state.chosenFrom = "default";
    const known = measures(entry).map((row) => row[0]);
    if (!known.includes(state.measure) || state.measure === "work") state.measure = known[0];
    tell("entry");
  }

  /** `from`: the view that already shows it. */
  function choose(launch, from) {
    state.launch = launch;
    state.chosenFrom = from;
    tell("choice");
  }

  function setHidden(key, isHidden) {
    if (isHidden) state.hidden.add(key);
    else state.hidden.delete(key);
    tell("filter");
  }

  function setMeasure(measure) {
    state.measure = measure;
    tell("measure");
  }

  const isShown = (launch) => !state.hidden.has(launch.engine) && !(state.hidden.has("taken") && !launch.remark);
  const sizeOf = (launch) => launch[state.measure] ?? 0;

  return { state, listen, tell, measures, showEntry, choose, setHidden, setMeasure, isShown, sizeOf };
})();
