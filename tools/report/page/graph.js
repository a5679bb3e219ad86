// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Draws the graph of launches: the colour shows the engine; height and shade show the size.
"use strict";

const Graph = (() => {
  const { state } = State;
  let view, layout, aspectOfLayout = 0, most = 1, hovered = -1;

  function arrange() {
    if (!view.width) return; // the layout needs a size
    const launches = state.entry.launches;
    const sizes = launches.map(State.sizeOf);
    most = sizes.reduce((least, size) => Math.max(least, size), 0) || 1;
    aspectOfLayout = view.width / Math.max(view.height, 1) || 1.6;
    layout = Layout.layOut(launches, sizes, aspectOfLayout);
    hovered = -1;
    fit();
  }

  function fit() {
    const margin = 16;
    const scale = Math.min((view.width - 2 * margin) / Math.max(layout.width, 1), (view.height - 2 * margin) / Math.max(layout.height, 1), 1.5);
    view.setTransform(d3.zoomIdentity.translate((view.width - scale * layout.width) / 2, Math.max(margin, (view.height - scale * layout.height) / 2)).scale(Math.max(scale, 0.005)));
  }

  //===---- Drawing ----===//

  function path(context, from, to) {
    const middle = from.x + from.width / 2, bottom = from.y + from.height;
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
    if (from.x === to.x && gap > 20) {
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
    context.globalAlpha = shown ? 0.25 + 0.75 * Math.sqrt(share) : 0.08;
    context.fillStyle = colour;
    context.fillRect(box.x, box.y, box.width, box.height);
    context.globalAlpha = shown ? 1 : 0.2;
    if (box.height * scale > 4) {
      context.strokeStyle = launch.fallback ? colours.accent : colour;
      context.lineWidth = launch.fallback ? 2.5 : 1;
      context.strokeRect(box.x, box.y, box.width, box.height);
    }
    if (scale > 0.45 && shown) {
      // Text on a deep shade needs the background's colour.
      context.fillStyle = share > 0.45 ? colours.back : colours.text;
      const others = launch.node_list.length - 1;
      const label = (launch.fallback ? "! " : "") + (launch.node_list[0] ?? launch.kernel) + (others > 0 ? ` +${others}` : "");
      context.fillText(Canvas.cutText(context, label, box.width - 10), box.x + 5, box.y + 14);
      if (box.height > 34) {
        const size = state.measure === "measured" || state.measure === "predicted" ? Dom.microseconds(State.sizeOf(launch)) + " µs" : Dom.count(State.sizeOf(launch));
        context.fillText(`${launch.engine} · ${size}`, box.x + 5, box.y + 29);
      }
    }
    context.globalAlpha = 1;
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
      return Math.min(a.x, b.x) < right && Math.max(a.x, b.x) + 250 > left && Math.min(a.y, b.y) < bottom && Math.max(a.y, b.y) + 100 > top;
    };
    drawEdges(context, state.entry.edges.filter(crosses), Canvas.colours.edge, Math.max(1, 0.7 / k));
    const chosen = state.launch;
    if (chosen) drawEdges(context, state.entry.edges.filter((edge) => edge.from === chosen || edge.to === chosen), Canvas.colours.accent, Math.max(2, 1.5 / k));
    for (const launch of state.entry.launches) {
      const box = layout.boxes[launch.index];
      if (isVisible(box)) drawBox(context, launch, box, k);
    }
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
    if (key === "Home" || !launch) return launches[0];
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
        if (state.launch) show(state.launch);
      },
    });
    State.listen((what) => {
      if (what === "entry" || what === "measure") arrange();
      if (what === "choice" && state.launch && state.chosenFrom !== "graph") show(state.launch);
      view.redraw();
    });
  }

  /** For tests: where a launch is drawn on the canvas. */
  const centreOf = (index) => {
    const box = layout.boxes[index];
    return view.transform.apply([box.x + box.width / 2, box.y + box.height / 2]);
  };

  return { start, centreOf };
})();
