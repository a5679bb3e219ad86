// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Shows training logs: whether the model learns, curves of loss, metrics, step time and memory, and a table of epochs.
// How:  1. Lines of a log become epochs; a test before the first epoch has only its own values. 2. Curves and text.
"use strict";

(() => {
  const { element, fill, byId } = Dom;
  const tones = ["--cpu", "--gpu", "--cut", "--good", "--accent", "--faint"];

  //===---- 1. Epochs ----===//

  function readLog({ file, lines }) {
    let lastStep = 0;
    const epochs = lines.map((line) => {
      const steps = line.step === undefined ? undefined : line.step - lastStep;
      lastStep = line.step ?? lastStep;
      return { ...line, steps, step_ms: steps > 0 ? (1e3 * line.seconds) / steps : undefined };
    });
    return { file, epochs, trained: epochs.filter((epoch) => epoch.step !== undefined) };
  }

  /** Points of a member; null where it was infinite or no number. */
  const pointsOf = (log, key) => log.epochs.filter((epoch) => epoch[key] !== undefined).map((epoch) => [epoch.epoch, epoch[key]]);

  //===---- 2. Text and curves ----===//

  const number = (value) => (value === null ? "not finite" : Math.abs(value) >= 1e4 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(2) : String(Number(value.toPrecision(4))));

  const charts = [
    { title: "Loss", series: [["loss", "training"], ["test_loss", "test", true]], unit: { format: number } },
    { title: "Accuracy", series: [["accuracy", "training"], ["test_accuracy", "test", true]], unit: { format: (value) => `${number(100 * value)}\u00a0%`, scale: 0.01 } },
    { title: "Norm of the gradients", series: [["gradient_norm", "mean"], ["largest_gradient_norm", "largest", true]], unit: { format: number } },
    { title: "Time of a step", series: [["step_ms", "mean"]], unit: { format: Dom.time, isFromZero: true } },
    { title: "Peak memory", series: [["peak_memory_bytes", "so far"]], unit: { format: Dom.bytes, isFromZero: true, scale: 1 << 20 } },
    { title: "Learning rate", series: [["learning_rate", "last step"]], unit: { format: number, isFromZero: true } },
  ];

  function chart(logs, { title, series, unit }) {
    const all = logs.flatMap((log, place) => series.map(([key, name, isDashed], at) => ({
      name: logs.length > 1 ? `${log.file}, ${name}` : name, colour: `var(${tones[(logs.length > 1 ? place : at) % tones.length]})`, isDashed, points: pointsOf(log, key) })))
      .filter((each) => each.points.some(([, value]) => value !== null));
    // A learning rate that never changes needs no curve.
    const isFlat = title === "Learning rate" && new Set(all.flatMap((each) => each.points.map(([, value]) => value))).size < 2;
    if (!all.length || isFlat) return undefined;
    const swatch = (each) => {
      const made = element("span", { class: each.isDashed ? "swatch dashed" : "swatch" });
      made.style.setProperty("--tone", each.colour);
      return element("li", {}, made, each.name);
    };
    return element("section", {}, element("h2", {}, title), Curves.figure(title, all, unit), all.length > 1 ? element("ul", { class: "legend" }, all.map(swatch)) : undefined);
  }

  const best = (epochs, key, isBetter) => epochs.filter((epoch) => epoch[key] !== undefined && epoch[key] !== null).reduce((found, epoch) => (!found || isBetter(epoch[key], found[key]) ? epoch : found), undefined);
  const isLess = (a, b) => a < b, isMore = (a, b) => a > b;

  /** Whether it goes well, and what to do if not. */
  function verdict({ trained, epochs }) {
    if (!trained.length) return ["The log has no epoch of training.", "It has only tests: train with nacre-run --train --epochs=N --log=log.jsonl."];
    const first = trained[0], last = trained.at(-1);
    if (last.loss === null) return ["The loss is not finite.", "Use a smaller learning rate, or compile with --clip=norm:1."];
    if (trained.length > 1 && last.loss >= first.loss) return [`The model does not learn: the loss went from ${number(first.loss)} to ${number(last.loss)}.`, "Try a smaller or a larger learning rate, and check the labels."];
    const tested = best(epochs, "test_loss", isLess), lastTest = epochs.filter((epoch) => epoch.test_loss !== undefined).at(-1);
    const learns = trained.length > 1 ? `The model learns: the loss fell from ${number(first.loss)} to ${number(last.loss)}` : `The loss of the only epoch is ${number(last.loss)}`;
    if (tested && lastTest && lastTest.test_loss !== null && tested !== lastTest && lastTest.test_loss > 1.05 * tested.test_loss)
      return [`The model overfits since epoch ${tested.epoch}: its test loss rose from ${number(tested.test_loss)} to ${number(lastTest.test_loss)}.`, `Keep the weights of epoch ${tested.epoch}, or train with more data, dropout or weight decay.`];
    return [`${learns}.`, tested ? `The test loss was best in epoch ${tested.epoch}: ${number(tested.test_loss)}.` : "There are no test data, so overfitting would not show: pass --test-input."];
  }

  function figures({ trained, epochs }) {
    const last = trained.at(-1);
    if (!last) return;
    const total = Data.sum(trained, "seconds"), steps = Data.sum(trained, "steps");
    const accurate = best(epochs, "test_accuracy", isMore) ?? best(epochs, "accuracy", isMore);
    const memory = Math.max(...trained.map((epoch) => epoch.peak_memory_bytes ?? 0));
    const rows = [
      ["Loss", number(last.loss), `after epoch ${last.epoch}`],
      accurate && ["Best accuracy", `${number(100 * (accurate.test_accuracy ?? accurate.accuracy))}\u00a0%`, `${accurate.test_accuracy !== undefined ? "test" : "training"}, epoch ${accurate.epoch}`],
      ["Epochs", Dom.count(trained.length), Dom.counted(steps, "step")],
      ["Time", Dom.time(1e3 * total), "without tests"],
      steps > 0 && ["A step", Dom.time((1e3 * total) / steps), "mean"],
      memory > 0 && ["Peak memory", Dom.bytes(memory), "of the process"],
      ["Learning rate", number(last.learning_rate), "last step"],
    ];
    fill(byId("figures"), rows.filter(Boolean).map(([name, value, more]) => element("div", {}, element("dt", {}, name), element("dd", {}, value, element("small", {}, more)))));
  }

  const columns = [["epoch", "Epoch", Dom.count], ["step", "Steps so far", Dom.count], ["loss", "Loss", number], ["accuracy", "Accuracy", number], ["test_loss", "Test loss", number], ["test_accuracy", "Test accuracy", number],
    ["gradient_norm", "Gradient norm", number], ["learning_rate", "Learning rate", number], ["seconds", "Seconds", (value) => value.toFixed(1)], ["step_ms", "Time of a step", Dom.time], ["peak_memory_bytes", "Peak memory", Dom.bytes]];

  function table(logs) {
    const shown = columns.filter(([key]) => logs.some((log) => log.epochs.some((epoch) => epoch[key] !== undefined)));
    const rows = logs.flatMap((log) => log.epochs.map((epoch) => element("tr", {}, logs.length > 1 ? element("td", {}, log.file) : undefined,
      shown.map(([key, , format]) => element("td", { class: "number" }, epoch[key] === undefined ? "" : format(epoch[key]))))));
    fill(byId("epochs"), element("thead", {}, element("tr", {}, logs.length > 1 ? element("th", { scope: "col" }, "Log") : undefined, shown.map(([, heading]) => element("th", { scope: "col", class: "number" }, heading)))), element("tbody", {}, rows));
  }

  function start() {
    const logs = Data.read(byId("data").textContent).logs.map(readLog);
    const names = logs.map((log) => log.file).join(", ");
    document.title = `${names} — Nacre training`;
    byId("title").textContent = names;
    const main = logs.at(-1);
    byId("subtitle").textContent = logs.length > 1 ? `the text is about ${main.file}` : "";
    const [first, second] = verdict(main);
    byId("verdict").textContent = first;
    fill(byId("verdict-more"), Dom.prose(second));
    figures(main);
    fill(byId("curves"), charts.map((each) => chart(logs, each)));
    table(logs);
    document.documentElement.dataset.ready = String(Math.round(performance.now()));
  }

  start();
})();
