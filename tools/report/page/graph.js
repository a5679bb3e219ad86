// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Draws the graph of launches: the colour shows the engine; height and shade show the size.
"use strict";

const Graph = (() => {
  const { state } = State;
  const readable = 0.85, leastText = 0.4, margin = 16;
  let view, layout, aspectOfLayout = 0, most = 1, hovered = -1;

  function arrange() {
    if (!view.width) return; // the layout needs a size
    const launches = state.entry.launches;
    const sizes = launches.map(State.sizeOf);
    most = sizes.reduce((least, size) => Math.max(least, size), 0) || 1;
    aspectOfLayout = view.width / Math.max(view.height, 1) || 1.6;
    layout = Layout.layOut(state.entry, sizes, aspectOfLayout, view.height / readable - 2 * margin);
    hovered = -1;
    begin();
  }

  /** Shows the first launches at a size that can be read; a graph that is too large for that as a whole. */
  function begin() {
    const scale = scaleOfAll();
    if (!layout.isReadable || scale >= readable) return fit();
    const across = Math.min(1, Math.max(readable, (view.height - 2 * margin) / layout.height));
    view.setTransform(d3.zoomIdentity.translate(margin, margin).scale(across));
  }

  const scaleOfAll = () => Math.min((view.width - 2 * margin) / Math.max(layout.width, 1), (view.height - 2 * margin) / Math.max(layout.height, 1), 1.2);

  function fit() {
    const scale = scaleOfAll();
    view.setTransform(d3.zoomIdentity.translate((view.width - scale * layout.width) / 2, Math.max(margin, (view.height - scale * layout.height) / 2)).scale(Math.max(scale, 0.005)));
  }

  //===---- Drawing ----===//

  function path(context, from, to) {
    const middle = from.x + from.width / 2, bottom = from.y + from.height;
    if (to.x + to.width <= from.x) {
      const side = from.y + from.height / 2, end = to.y + to.height / 2, bow = Math.max(20, (from.x - to.x - to.width) / 3);
      context.moveTo(from.x, side);
      context.bezierCurveTo(from.x - bow, side, to.x + to.width + bow, end, to.x + to.width, end);
      return;
    }
    if (from.column === to.column && to.y < from.y) {
      context.moveTo(middle, from.y);
      context.lineTo(to.x + to.width / 2, to.y + to.height);
      return;
    }
    if (from.column !== to.column) {
      const right = from.x + from.width, side = from.y + from.height / 2, end = to.y + to.height / 2;
      const bow = Math.max(30, (to.x - right) / 3);
      context.moveTo(right, side);
      context.bezierCurveTo(right + bow, side, to.x - bow, end, to.x, end);
      return;
    }
    context.moveTo(middle, bottom);
    const target = to.x + to.width / 2;
    const gap = to.y - bottom;
    if (from.x === to.x && to.above !== from) {
      const bow = from.width / 2 + 16;
      context.bezierCurveTo(middle + bow * 1.3, bottom + gap * 0.15, target + bow * 1.3, to.y - gap * 0.15, target, to.y);
    } else context.bezierCurveTo(middle, bottom + gap * 0.4, target, to.y - gap * 0.4, target, to.y);
  }

  function drawEdges(context, edges, colour, width) {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    for (const edge of edges) path(context, layout.boxes[edge.from.index], layout.boxes[edge.to.index]);
    context.stroke();
  }

  function drawBox(context, launch, box, scale) {
    const colours = Canvas.colours;
    const colour = colours[launch.engine];
    const share = State.sizeOf(launch) / most;
    const shown = State.isShown(launch);
    // A light shade keeps text readable; the bar at the left has the full colour.
    context.fillStyle = colours.back;
    context.fillRect(box.x, box.y, box.width, box.height);
    context.globalAlpha = shown ? 0.08 + 0.37 * Math.sqrt(share) : 0.03;
    context.fillStyle = colour;
    context.fillRect(box.x, box.y, box.width, box.height);
    context.globalAlpha = shown ? 1 : 0.2;
    context.fillRect(box.x, box.y, 4, box.height);
    if (box.height * scale > 4) {
      context.strokeStyle = launch.fallback ? colours.accent : colour;
      context.lineWidth = launch.fallback ? 2.5 : 1;
      context.strokeRect(box.x, box.y, box.width, box.height);
    }
    if (scale > leastText && shown) drawText(context, launch, box);
    context.globalAlpha = 1;
  }

  const sizeText = { measured: Dom.time, predicted: Dom.time, work: (value) => Dom.rate(value, "FLOP"), bytes: Dom.bytes };

  /** Operator, window and stride, shapes, the node, and the kernel with its size. */
  function drawText(context, launch, box) {
    const colours = Canvas.colours;
    const line = (text, at, font, colour) => {
      context.font = font;
      context.fillStyle = colour;
      context.fillText(Canvas.cutText(context, text, box.width - 14, at > 1), box.x + 9, box.y + 15 + 15 * at);
    };
    const plain = "11px system-ui, sans-serif";
    line((launch.fallback ? "! " : "") + (launch.window ? [`${launch.operator} ${launch.window}`, ...launch.others].join(" + ") : launch.operators), 0, "600 12px system-ui, sans-serif", colours.text);
    line(launch.shapes || launch.kernel, 1, plain, colours.text);
    line(launch.node_list.length > 1 ? `${launch.main.name} +${launch.node_list.length - 1}` : launch.node_list[0] ?? "", 2, plain, colours.faint);
    line(`${sizeText[state.measure](State.sizeOf(launch))} · ${Dom.percent(launch.share)} · ${launch.kind}`, 3, plain, colours.text);
  }

  function draw(context) {
    if (!layout) return;
    const { x, y, k } = view.transform;
    context.save();
    context.translate(x, y);
    context.scale(k, k);
    context.font = "12px system-ui, sans-serif";
    const left = -x / k, top = -y / k, right = left + view.width / k, bottom = top + view.height / k;
    const isVisible = (box) => box.x < right && box.x + box.width > left && box.y < bottom && box.y + box.height > top;
    const crosses = ({ from, to }) => {
      const a = layout.boxes[from.index], b = layout.boxes[to.index];
      return Math.min(a.x, b.x) < right && Math.max(a.x, b.x) + 250 > left && Math.min(a.y, b.y) < bottom && Math.max(a.y, b.y) + 120 > top;
    };
    drawEdges(context, state.entry.edges.filter(crosses), Canvas.colours.edge, Math.max(1, 0.7 / k));
    const chosen = state.launch;
    if (chosen) drawEdges(context, state.entry.edges.filter((edge) => edge.from === chosen || edge.to === chosen), Canvas.colours.accent, Math.max(2, 1.5 / k));
    for (const launch of state.entry.launches) {
      const box = layout.boxes[launch.index];
      if (isVisible(box)) drawBox(context, launch, box, k);
    }
    context.font = "600 13px system-ui, sans-serif";
    context.fillStyle = Canvas.colours.faint;
    if (k > leastText) for (const label of layout.labels) context.fillText(label.text, label.x, label.y);
    for (const [index, width] of [[hovered, 1.5], [chosen ? chosen.index : -1, 3]])
      if (index >= 0) {
        const box = layout.boxes[index], line = Math.max(width, width / k);
        context.strokeStyle = Canvas.colours.accent;
        context.lineWidth = line;
        context.strokeRect(box.x - line / 2, box.y - line / 2, box.width + line, box.height + line);
      }
    context.restore();
  }

  //===---- Moving ----===//

  /** Brings a launch into view, and near enough to be read. */
  function show(launch) {
    if (!layout) return;
    const box = layout.boxes[launch.index];
    const scale = Math.max(view.transform.k, 0.6);
    const [left, top] = view.transform.apply([box.x, box.y]);
    const inside = left > 8 && top > 8 && left + box.width * scale < view.width - 8 && top + box.height * scale < view.height - 8;
    if (inside && scale === view.transform.k) return view.redraw();
    view.setTransform(d3.zoomIdentity.translate(view.width / 2 - scale * (box.x + box.width / 2), view.height / 2 - scale * (box.y + box.height / 2)).scale(scale));
  }

  function launchAt([x, y]) {
    const [worldX, worldY] = view.transform.invert([x, y]);
    return layout ? Layout.find(layout, worldX, worldY) : -1;
  }

  function next(key) {
    const { launches } = state.entry;
    const launch = state.launch;
    if (key === "Home" || !launch || state.chosenFrom === "default") return launches[0];
    if (key === "End") return launches[launches.length - 1];
    if (key === "ArrowDown") return launch.after[0] ?? launch;
    if (key === "ArrowUp") return launch.before[launch.before.length - 1] ?? launch;
    return launches[launch.index + (key === "ArrowRight" ? 1 : -1)] ?? launch;
  }

  function keys(event) {
    if (event.key === "0") fit();
    else if (event.key === "Escape") State.choose(null);
    else if (event.key === "Enter") Dom.byId("details").focus();
    else if (["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key) && state.entry.launches.length) State.choose(next(event.key), "keys");
    else return false;
    return true;
  }

  function describe() {
    const words = state.entry.isTrained && layout?.isReadable ? "Each launch of the forward pass, its gradients in the backward pass, and its updates, side by side." : "Launches in execution order, from top to bottom and then left to right.";
    Dom.byId("graph-text").textContent = `${words} A launch computes one or several nodes of the model. A line connects a launch to one that reads its result. ` +
      "Drag to move. Click the graph, then zoom with the wheel or + and -; 0 shows everything. Arrow keys: ↓ a reader, ↑ a writer, ← → the previous and the next launch.";
  }

  function start() {
    view = Canvas.create("graph-canvas", {
      draw,
      keys,
      scales: [0.005, 8],
      hover: (point) => {
        const found = point ? launchAt(point) : -1;
        view.canvas.style.cursor = found >= 0 ? "pointer" : "grab";
        view.canvas.title = found >= 0 ? Dom.launchTitle(state.entry.launches[found]) : "";
        if (found !== hovered) {
          hovered = found;
          view.redraw();
        }
      },
      click: (point) => {
        const found = launchAt(point);
        if (found >= 0) State.choose(state.entry.launches[found], "graph");
      },
      sized: () => {
        const aspect = view.width / Math.max(view.height, 1);
        if (!state.entry || !view.width || Math.abs(aspect - aspectOfLayout) <= 0.05) return;
        arrange();
        describe();
        if (state.launch && state.chosenFrom !== "default") show(state.launch);
      },
    });
    State.listen((what) => {
      if (what === "entry" || what === "measure") {
        arrange();
        describe();
      }
      if (what === "choice" && state.launch && state.chosenFrom !== "graph" && state.chosenFrom !== "default") show(state.launch);
      view.redraw();
    });
  }

  /** For tests: where a launch is drawn on the canvas, and its box in the graph. */
  const centreOf = (index) => {
    const box = layout.boxes[index];
    return view.transform.apply([box.x + box.width / 2, box.y + box.height / 2]);
  };

  const boxOf = (index) => layout.boxes[index];

  return { start, draw, centreOf, boxOf };
})();
