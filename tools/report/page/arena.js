// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Draws the arena as a map: steps from left to right, bytes upwards, a rectangle per storage, and a line for the bytes in use.
"use strict";

const Arena = (() => {
  const { state } = State;
  const tones = 6, left = 70, bottom = 26, right = 10, top = 8;
  let view, step = -1, storage = -1;

  function scales() {
    const entry = state.entry;
    const { k, x, y } = view.transform;
    return { x: Axes.linear([0, Math.max(entry.steps.length, 1)], [left, view.width - right], k, x), y: Axes.linear([0, Math.max(entry.arena_bytes, 1)], [view.height - bottom, top], k, y) };
  }

  /** Steps of bytes that are read well: powers of two. */
  function byteTicks(y) {
    const [low, high] = y.domain();
    const unit = 2 ** Math.max(0, Math.ceil(Math.log2((high - low) / 7)));
    return Array.from({ length: Math.floor(high / unit) - Math.ceil(Math.max(low, 0) / unit) + 1 }, (_, at) => (Math.ceil(Math.max(low, 0) / unit) + at) * unit);
  }

  function drawAxes(context, { x, y }) {
    const colours = Canvas.colours;
    context.fillStyle = colours.faint;
    context.strokeStyle = colours.line;
    context.lineWidth = 1;
    context.textAlign = "right";
    for (const bytes of byteTicks(y)) {
      context.fillText(Dom.bytes(bytes), left - 6, y(bytes) + 4);
      context.strokeRect(left, y(bytes), view.width - left - right, 0);
    }
    context.textAlign = "center";
    for (const at of x.ticks(Math.max(2, view.width / 90)))
      if (Number.isInteger(at) && x(at) >= left && at < state.entry.steps.length) context.fillText(String(at + 1), x(at + 0.5), view.height - 8);
    context.textAlign = "left";
  }

  function isOfChoice(index) {
    const launch = state.launch;
    return launch && (launch.writes.includes(index) || launch.reads.includes(index));
  }

  function draw(context) {
    const entry = state.entry;
    if (!entry) return;
    const colours = Canvas.colours, scale = scales(), { x, y } = scale;
    context.font = "12px system-ui, sans-serif";
    drawAxes(context, scale);
    context.save();
    context.beginPath();
    context.rect(left, top, view.width - left - right, view.height - top - bottom);
    context.clip();
    entry.storages.forEach((row, index) => {
      const x0 = x(row.first_step), x1 = x(row.last_step + 1), y0 = y(row.offset + row.bytes), y1 = y(row.offset);
      if (x1 < left || x0 > view.width || y1 < 0 || y0 > view.height) return;
      context.fillStyle = isOfChoice(index) ? colours.accent : colours["tone" + (index % tones)];
      context.fillRect(x0, y0, Math.max(x1 - x0 - (x1 - x0 > 3 ? 1 : 0), 0.5), Math.max(y1 - y0 - (y1 - y0 > 3 ? 1 : 0), 0.5));
      if (index === storage) {
        context.strokeStyle = colours.accent;
        context.lineWidth = 2;
        context.strokeRect(x0, y0, x1 - x0, y1 - y0);
      }
      if (x1 - x0 > 60 && y1 - y0 > 16) {
        context.fillStyle = isOfChoice(index) ? colours.back : colours.text;
        context.fillText(Canvas.cutText(context, Dom.bytes(row.bytes) + " " + row.nodes, x1 - x0 - 8), Math.max(x0, left) + 4, y0 + 13);
      }
    });
    context.strokeStyle = colours.text;
    context.lineWidth = 1.2;
    context.beginPath();
    entry.steps.forEach((row, at) => {
      context.lineTo(x(at), y(row.arena_bytes_in_use));
      context.lineTo(x(at + 1), y(row.arena_bytes_in_use));
    });
    context.stroke();
    if (step >= 0) {
      context.globalAlpha = 0.25;
      context.fillStyle = colours.link;
      context.fillRect(x(step), top, Math.max(x(step + 1) - x(step), 1), view.height - top - bottom);
      context.globalAlpha = 1;
    }
    context.restore();
  }

  const aliveAt = (at) => state.entry.storages.map((row, index) => ({ row, index })).filter(({ row }) => row.first_step <= at && at <= row.last_step);

  function say() {
    const entry = state.entry, out = Dom.byId("arena-said");
    if (step < 0) return void (out.textContent = "");
    const row = entry.steps[step], alive = aliveAt(step);
    const launch = entry.launchOfStep.get(step);
    let words = `Step ${step + 1}${launch ? `, launch ${launch.number}` : ""}, ${launch?.nodes || row.nodes || "no node"}: ${Dom.counted(alive.length, "storage")}, ${Dom.counted(row.arena_bytes_in_use, "byte")} in use.`;
    if (storage >= 0) {
      const of = entry.storages[storage];
      words += ` Storage of ${of.nodes || "no node"}: ${Dom.counted(of.bytes, "byte")} at ${Dom.count(of.offset)}, steps ${of.first_step + 1} to ${of.last_step + 1}.`;
    }
    out.textContent = words;
  }

  function point(at) {
    step = storage = -1;
    if (at) {
      const { x, y } = scales();
      const found = Math.floor(x.invert(at[0])), bytes = y.invert(at[1]);
      if (found >= 0 && found < state.entry.steps.length && at[0] >= left) {
        step = found;
        storage = aliveAt(step).find(({ row }) => row.offset <= bytes && bytes < row.offset + row.bytes)?.index ?? -1;
      }
    }
    say();
    view.redraw();
  }

  function chooseStep() {
    const writer = storage >= 0 && state.entry.launches.find((launch) => launch.writes.includes(storage));
    const launch = writer || state.entry.launchOfStep.get(step);
    if (launch) State.choose(launch, "arena");
  }

  function keys({ key }) {
    const moved = Canvas.moved(key, step, state.entry.steps.length);
    if (moved !== undefined) {
      step = moved;
      storage = -1;
    } else if ((key === "ArrowUp" || key === "ArrowDown") && step >= 0) {
      const alive = aliveAt(step).sort((a, b) => a.row.offset - b.row.offset).map(({ index }) => index);
      storage = alive[(alive.indexOf(storage) + (key === "ArrowUp" ? 1 : -1) + alive.length) % alive.length] ?? -1;
    } else if (key === "Enter") chooseStep();
    else if (key === "0") view.setTransform(d3.zoomIdentity);
    else return false;
    say();
    view.redraw();
    return true;
  }

  function describe() {
    const entry = state.entry;
    const most = entry.steps.reduce((best, row, at) => (row.arena_bytes_in_use > entry.steps[best].arena_bytes_in_use ? at : best), 0);
    const inUse = entry.steps[most]?.arena_bytes_in_use ?? 0;
    const held = entry.storages.reduce((sum, row) => sum + row.bytes, 0);
    Dom.byId("arena").hidden = entry.storages.length === 0;
    Dom.byId("arena-text").textContent =
      `${Dom.bytes(entry.arena_bytes)} for ${Dom.counted(entry.storages.length, "storage")}; without sharing they would take ${Dom.bytes(held)}. ` +
      `The peak is at step ${most + 1}: ${Dom.bytes(inUse)} in use, ${Dom.percent(inUse / Math.max(entry.arena_bytes, 1))} of the arena. The line shows the bytes in use; ` +
      "red marks the storages that the selected launch reads and writes. The arrow keys move through steps and storages; Enter selects the launch that wrote a storage.";
  }

  function start() {
    view = Canvas.create("arena-canvas", { draw, keys, hover: point, click: chooseStep, scales: [1, 2000] });
    State.listen((what) => {
      if (what === "entry") {
        step = storage = -1;
        describe();
        say();
        view.setTransform(d3.zoomIdentity);
      }
      view.redraw();
    });
  }

  return { start };
})();
