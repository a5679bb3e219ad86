// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Provides a canvas that is sharp on every screen, redraws on changes, uses the page's colours, and pans and zooms by
//       mouse, touch and keyboard (d3-zoom).
"use strict";

const Canvas = (() => {
  const colours = {};

  function readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["back", "raised", "text", "faint", "line", "edge", "accent", "cpu", "gpu", "cut", "roof", "link", "tone0", "tone1", "tone2", "tone3", "tone4", "tone5"])
      colours[name] = style.getPropertyValue("--" + name).trim();
  }

  /**
   * `draw(context, view)` draws into `view.width` x `view.height` pixels under `view.transform`.
   * `keys(event, view)` returns whether it handled a key that neither moves nor zooms.
   */
  function create(id, { draw, keys = () => false, hover = () => {}, click = () => {}, scales = [0.02, 200], sized = () => {} }) {
    const canvas = Dom.byId(id);
    const context = canvas.getContext("2d");
    const view = { canvas, width: 0, height: 0, transform: d3.zoomIdentity, redraw, setTransform };
    let pending = false;

    function paint() {
      pending = false;
      const ratio = window.devicePixelRatio || 1;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.fillStyle = colours.back;
      context.fillRect(0, 0, view.width, view.height);
      if (view.width > 0) draw(context, view);
    }

    function redraw() {
      if (pending) return;
      pending = true;
      requestAnimationFrame(paint);
    }

    // The wheel scrolls the page until the user clicks the canvas; one finger scrolls the page, two fingers move and zoom.
    const takes = (event) => {
      if (event.type === "wheel") return event.ctrlKey || document.activeElement === canvas;
      return !event.button && (!event.touches || event.touches.length > 1);
    };
    const zoom = d3.zoom().scaleExtent(scales).filter(() => takes(d3.event)).on("zoom", () => {
      view.transform = d3.event.transform;
      redraw();
    });
    const selection = d3.select(canvas).call(zoom).on("dblclick.zoom", null).style("touch-action", "pan-y");

    function setTransform(transform) {
      selection.call(zoom.transform, transform);
    }

    const pointOf = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("pointermove", (event) => hover(pointOf(event), view));
    canvas.addEventListener("pointerleave", () => hover(null, view));
    canvas.addEventListener("click", (event) => {
      canvas.focus({ preventScroll: true });
      click(pointOf(event), view);
    });
    canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const steps = { "+": 1.4, "=": 1.4, "-": 1 / 1.4 };
      if (keys(event, view)) event.preventDefault();
      else if (steps[event.key]) {
        selection.call(zoom.scaleBy, steps[event.key]);
        event.preventDefault();
      }
    });
    new ResizeObserver(() => {
      const ratio = window.devicePixelRatio || 1;
      view.width = canvas.clientWidth;
      view.height = canvas.clientHeight;
      canvas.width = Math.round(view.width * ratio);
      canvas.height = Math.round(view.height * ratio);
      sized(view);
      paint();
    }).observe(canvas);
    return view;
  }

  /** Returns `text` truncated to `width` pixels, at its beginning or its end. */
  function cutText(context, text, width, keepsEnd = true) {
    if (context.measureText(text).width <= width) return text;
    const fits = Math.floor((width / context.measureText(text).width) * text.length) - 1;
    return fits > 1 ? (keepsEnd ? Dom.shorten : Dom.begin)(text, fits) : "";
  }

  /** Returns the index that a key moves to from `at` in a list of `count`; undefined for other keys. */
  function moved(key, at, count) {
    return { ArrowRight: Math.min(at + 1, count - 1), ArrowLeft: Math.max(at - 1, 0), Home: 0, End: count - 1 }[key];
  }

  return { create, colours, readColours, cutText, moved };
})();
