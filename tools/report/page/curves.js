// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Draws curves over epochs as SVG: axes with round numbers, a line per series, its points with their values as titles.
"use strict";

const Curves = (() => {
  const width = 560, height = 240, left = 62, right = 14, top = 14, bottom = 34;

  function svg(tag, attributes = {}, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  function range(values, isFromZero) {
    const low = isFromZero ? 0 : Math.min(...values), high = Math.max(...values);
    const gap = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
    return [isFromZero ? 0 : low - gap, high + gap];
  }

  /**
   * A figure of `series`: { name, colour, isDashed, points: [[x, y]] }. `unit`: { format, isFromZero, scale }, where ticks are round
   * in multiples of `scale`. Values that are no numbers interrupt a line.
   */
  function figure(title, series, { format, isFromZero = false, scale = 1 }) {
    const points = series.flatMap((each) => each.points).filter(([, y]) => y !== null);
    const xs = points.map(([x]) => x);
    const [x0, x1] = [Math.min(...xs), Math.max(...xs, Math.min(...xs) + 1)];
    const [y0, y1] = range(points.map(([, y]) => y), isFromZero);
    const x = Axes.linear([x0, x1], [left, width - right]), y = Axes.linear([y0, y1], [height - bottom, top]);
    const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
    for (const value of Axes.ticks(y0 / scale, y1 / scale, 5).map((tick) => tick * scale))
      drawing.append(svg("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }), svg("text", { class: "tick", x: left - 6, y: y(value) + 4, "text-anchor": "end" }, format(value)));
    for (const value of Axes.ticks(x0, x1, 8).filter(Number.isInteger))
      drawing.append(svg("text", { class: "tick", x: x(value), y: height - bottom + 16, "text-anchor": "middle" }, String(value)));
    drawing.append(svg("text", { class: "tick", x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, "epoch"));
    for (const each of series) {
      let path = "", isDown = false;
      for (const [at, value] of each.points) {
        path += value === null ? "" : `${isDown ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
        isDown = value !== null;
      }
      drawing.append(svg("path", { class: "curve", d: path, stroke: each.colour, "stroke-dasharray": each.isDashed ? "5 4" : undefined }));
      if (each.points.length <= 200)
        for (const [at, value] of each.points)
          if (value !== null) drawing.append(svg("circle", { cx: x(at), cy: y(value), r: 3, fill: each.colour }, svg("title", {}, `${each.name}, epoch ${at}: ${format(value)}`)));
    }
    return drawing;
  }

  return { figure };
})();
