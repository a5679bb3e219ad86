// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Computes where each launch is drawn.
// Why:  Launches run in order, and a graph of thousands is nearly a line: drawn in layers, it would be an unreadable thread.
// How:  1. Lanes: a launch is below the one whose result it reads, next to others whose results are still unread.
//       2. Columns: rows in order, each as high as its launch is large, wrapped like a newspaper to fit the screen.
//       Both are linear in launches and edges.
"use strict";

const Layout = (() => {
  const width = 150, leastHeight = 20, mostMore = 60, rowGap = 12, laneGap = 28, columnGap = 80, mostLanes = 12;

  //===---- 1. Lanes ----===//

  function lanesOf(launches) {
    const lane = new Array(launches.length).fill(0);
    const lastRead = launches.map((launch) => launch.after.reduce((last, other) => Math.max(last, other.index), launch.index));
    const heads = [];
    const isFree = (place, index) => heads[place] === undefined || lastRead[heads[place]] <= index;
    for (const { index, before } of launches) {
      let own = -1;
      for (const other of before) {
        const place = lane[other.index];
        if (heads[place] === other.index && (own < 0 || place < own)) own = place;
      }
      for (let place = 0; own < 0; ++place)
        if (place === mostLanes - 1 || isFree(place, index)) own = place;
      lane[index] = own;
      heads[own] = index;
    }
    return lane;
  }

  //===---- 2. Columns ----===//

  /** Returns the box of each launch and the total size. `sizes` are not negative; `aspect` is the screen's width over height. */
  function layOut(launches, sizes, aspect) {
    const lane = lanesOf(launches);
    const most = sizes.reduce((least, size) => Math.max(least, size), 0) || 1;
    const heights = sizes.map((size) => leastHeight + mostMore * Math.sqrt(size / most));
    const total = heights.reduce((sum, height) => sum + height + rowGap, 0);
    const meanLanes = 1 + lane.reduce((sum, own) => sum + own, 0) / Math.max(lane.length, 1);
    const columnWidth = meanLanes * (width + laneGap) + columnGap;
    const columns = Math.max(1, Math.round(Math.sqrt((aspect * total) / columnWidth)));
    const columnHeight = Math.max(total / columns, 4 * (leastHeight + rowGap));
    const boxes = [], starts = [];
    let left = 0, top = 0, lanes = 0, tallest = 0;
    launches.forEach((launch, index) => {
      if (index === 0 || top + heights[index] > columnHeight) {
        left += index === 0 ? 0 : (lanes + 1) * (width + laneGap) - laneGap + columnGap;
        starts.push({ left, first: index });
        top = lanes = 0;
      }
      boxes.push({ x: left + lane[index] * (width + laneGap), y: top, width, height: heights[index], column: starts.length - 1, lane: lane[index] });
      top += heights[index] + rowGap;
      lanes = Math.max(lanes, lane[index]);
      tallest = Math.max(tallest, top);
    });
    return { boxes, starts, width: left + (lanes + 1) * (width + laneGap) - laneGap, height: tallest };
  }

  /** The place of the launch that is drawn at a point, or -1. A row is one launch's. */
  function find({ boxes, starts }, x, y) {
    let column = starts.length - 1;
    while (column >= 0 && starts[column].left > x) --column;
    if (column < 0) return -1;
    let low = starts[column].first, high = (starts[column + 1]?.first ?? boxes.length) - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (boxes[middle].y <= y) low = middle;
      else high = middle - 1;
    }
    const box = boxes[low];
    return box && x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height ? low : -1;
  }

  return { layOut, find };
})();
