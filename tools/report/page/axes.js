// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Maps values to pixels, linearly or by logarithms, under the zoom of a canvas, and gives round numbers for axes.
// Why:  d3-scale does more, and would be a fifth of the page.
"use strict";

const Axes = (() => {
  /** About `count` round numbers between two. */
  function ticks(low, high, count) {
    const raw = (high - low) / count || 1;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw);
    const first = Math.ceil(low / step - 1e-9);
    return Array.from({ length: Math.max(0, Math.floor(high / step + 1e-9) - first + 1) }, (_, at) => Number(((first + at) * step).toPrecision(12)));
  }

  /**
   * A function from a domain [low, high] of values to pixels, with `invert`, the `domain` that is visible and its `ticks`. `to` and
   * `from` map values to numbers that are spread evenly, and back.
   */
  function scale([low, high], [start, end], zoom, shift, { to = (value) => value, from = (value) => value } = {}) {
    const first = to(low), size = to(high) - first;
    const map = (value) => (start + ((to(value) - first) / size) * (end - start)) * zoom + shift;
    map.invert = (pixel) => from(first + (((pixel - shift) / zoom - start) / (end - start)) * size);
    const visible = [map.invert(start), map.invert(end)];
    map.domain = () => visible;
    map.ticks = (count) => ticks(...visible, count);
    /** All powers of ten that are visible. */
    map.powers = () => {
      const least = Math.ceil(Math.log10(visible[0]) - 1e-9), most = Math.floor(Math.log10(visible[1]) + 1e-9);
      return Array.from({ length: Math.max(0, most - least + 1) }, (_, at) => 10 ** (least + at));
    };
    return map;
  }

  const logarithms = { to: Math.log, from: Math.exp };
  const linear = (domain, range, zoom = 1, shift = 0) => scale(domain, range, zoom, shift);
  const logarithmic = (domain, range, zoom = 1, shift = 0) => scale(domain, range, zoom, shift, logarithms);

  return { linear, logarithmic, ticks };
})();
