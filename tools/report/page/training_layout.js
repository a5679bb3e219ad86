// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Computes where the launches of a training step are drawn: forward, backward and update side by side.
// Why:  In execution order, the backward pass follows far below the forward pass that it undoes.
// How:  1. A row for each forward launch, in order. 2. A backward launch is in the row of the last forward launch that shares a node with
//       it, and so is an update; those of one row are stacked. 3. Rows are wrapped into bands like a newspaper.
"use strict";

const TrainingLayout = (() => {
  const partGap = 40, bandGap = 70, rowGap = 14, stackGap = 6, head = 22;
  const parts = ["forward", "backward", "update"];

  //===---- 1. Rows ----===//

  function rowsOf(launches) {
    const rows = [], rowOfNode = new Map();
    const namesOf = (launch) => launch.node_list.map((name) => name.replace(/( dX| dW| update| again)+$/, ""));
    const newRow = () => rows[rows.push({ forward: [], backward: [], update: [] }) - 1];
    for (const launch of launches) {
      if ((launch.part ?? "forward") !== "forward" || launch.node_list.some((name) => name.endsWith(" again"))) continue;
      newRow().forward.push(launch);
      for (const name of namesOf(launch)) rowOfNode.set(name, rows.length - 1);
    }
    const forward = new Set(rows.flatMap((row) => row.forward));
    let last = rows.length - 1;
    for (const launch of launches) {
      if (forward.has(launch)) continue;
      const known = namesOf(launch).map((name) => rowOfNode.get(name)).filter((row) => row !== undefined);
      if (known.length) last = Math.max(...known);
      const part = launch.part === "update" ? "update" : "backward";
      (rows[last] ?? newRow())[part].push(launch);
      if (last < 0) last = 0;
    }
    return rows;
  }

  //===---- 2. Boxes ----===//

  /** Boxes of all launches and the total size. `heights` are those of the boxes; `most`: the height of a band. */
  function layOut(launches, heights, width, most) {
    const rows = rowsOf(launches);
    const used = parts.filter((part) => rows.some((row) => row[part].length));
    const bandWidth = used.length * width + (used.length - 1) * partGap;
    const boxes = new Array(launches.length), labels = [];
    let left = 0, top = head, tallest = 0, band = -1;
    const stackHeight = (stack) => stack.reduce((sum, launch) => sum + heights[launch.index] + stackGap, -stackGap);
    rows.forEach((row, at) => {
      const height = Math.max(...used.map((part) => stackHeight(row[part])));
      if (at === 0 || top + height > most) {
        left += at === 0 ? 0 : bandWidth + bandGap;
        top = head;
        ++band;
        used.forEach((part, place) => labels.push({ text: part, x: left + place * (width + partGap), y: head - 8 }));
      }
      used.forEach((part, place) => {
        let y = top;
        for (const launch of row[part]) {
          boxes[launch.index] = { x: left + place * (width + partGap), y, width, height: heights[launch.index], column: band * parts.length + place };
          y += heights[launch.index] + stackGap;
        }
      });
      top += height + rowGap;
      tallest = Math.max(tallest, top);
    });
    return { boxes, labels, width: left + bandWidth, height: tallest };
  }

  return { layOut };
})();
