// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Computes where each launch is drawn.
// Why:  Launches run in order, and a graph of thousands is nearly a line: drawn in layers, it would be an unreadable thread.
// How:  1. Lanes: a launch is below the one whose result it reads, next to others whose results are still unread.
//       2. Columns: rows in order, each as high as its launch is large, wrapped like a newspaper to fit the screen.
//       Both are linear in launches and edges.
"use strict";

const Layout = (() => {
  const width = 214, leastHeight = 66, mostMore = 40, rowGap = 14, laneGap = 28, columnGap = 60, mostLanes = 12;
  /** Graphs of up to this many launches are drawn at a size that can be read, and moved sideways; larger ones fit the screen. */
  const mostReadable = 600;

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

  function columnHeightOf(heights, lane, aspect, readableHeight) {
    const total = heights.reduce((sum, height) => sum + height + rowGap, 0);
    if (heights.length <= mostReadable) return readableHeight;
    const meanLanes = 1 + lane.reduce((sum, own) => sum + own, 0) / Math.max(lane.length, 1);
    const columnWidth = meanLanes * (width + laneGap) + columnGap;
    const columns = Math.max(1, Math.round(Math.sqrt((aspect * total) / columnWidth)));
    return Math.max(total / columns, 4 * (leastHeight + rowGap));
  }

  function layOutColumns(launches, heights, aspect, readableHeight) {
    const lane = lanesOf(launches);
    const columnHeight = columnHeightOf(heights, lane, aspect, readableHeight);
    const boxes = [];
    let left = 0, top = 0, lanes = 0, tallest = 0, column = -1;
    launches.forEach((launch, index) => {
      if (index === 0 || top + heights[index] > columnHeight) {
        left += index === 0 ? 0 : (lanes + 1) * (width + laneGap) - laneGap + columnGap;
        ++column;
        top = lanes = 0;
      }
      boxes.push({ x: left + lane[index] * (width + laneGap), y: top, width, height: heights[index], column });
      top += heights[index] + rowGap;
      lanes = Math.max(lanes, lane[index]);
      tallest = Math.max(tallest, top);
    });
    return { boxes, labels: [], width: left + (lanes + 1) * (width + laneGap) - laneGap, height: tallest };
  }

  /** Lines between neighbours are straight. */
  function noteNeighbours(boxes) {
    const last = new Map();
    for (const box of boxes.slice().sort((a, b) => a.y - b.y)) {
      box.above = last.get(box.x);
      last.set(box.x, box);
    }
  }

  /** Returns the box of each launch, labels, and the total size. `sizes` are not negative; `aspect` is the screen's width over its height,
      `readableHeight` its height at a scale at which boxes can be read. */
  function layOut(entry, sizes, aspect, readableHeight) {
    const most = sizes.reduce((least, size) => Math.max(least, size), 0) || 1;
    const heights = sizes.map((size) => leastHeight + mostMore * Math.sqrt(size / most));
    const isReadable = entry.launches.length <= mostReadable;
    const layout = entry.isTrained && isReadable ? TrainingLayout.layOut(entry.launches, heights, width, readableHeight) : layOutColumns(entry.launches, heights, aspect, readableHeight);
    noteNeighbours(layout.boxes);
    return { ...layout, isReadable };
  }

  /** The place of the launch that is drawn at a point, or -1. */
  const find = ({ boxes }, x, y) => boxes.findIndex((box) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height);

  return { layOut, find };
})();
