// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Plots each launch's achieved rate over its arithmetic intensity, below the limits of the device's engines.
"use strict";

const Roofline = (() => {
  const { state } = State;
  const left = 96, bottom = 40, right = 14, top = 12;
  let view, points = [], at = -1;

  function collect() {
    points = state.entry.launches.filter((launch) => launch.flopRate > 0 && launch.intensity > 0 && State.isShown(launch)).sort((a, b) => b.time - a.time);
    at = -1;
  }

  const rowOf = (roof) => ({ flops_per_second: roof.flops, bytes_per_second: roof.bytes, cache_bytes_per_second: roof.cache });

  /** Engines whose roofs are drawn: those that have work. */
  function roofs() {
    const { machine } = state.entry;
    if (!machine || machine.kind === "estimated") return [];
    const known = { cpu: rowOf(machine.cpuRoof), gpu: machine.gpuRoof && rowOf(machine.gpuRoof) };
    const hasGpu = state.entry.launches.some((launch) => launch.gpu_share > 0), hasCpu = state.entry.launches.some((launch) => launch.gpu_share < 1);
    return [hasCpu && ["cpu", known.cpu], hasGpu && known.gpu && ["gpu", known.gpu]].filter(Boolean);
  }

  function scales() {
    const rates = [...points.map((launch) => launch.flopRate), ...roofs().map(([, roof]) => roof.flops_per_second * 1.5)];
    const intensities = [...points.map((launch) => launch.intensity), ...roofs().map(([, roof]) => (roof.flops_per_second / roof.bytes_per_second) * 4)];
    const least = (values) => values.reduce((low, value) => Math.min(low, value), Infinity), most = (values) => values.reduce((high, value) => Math.max(high, value), 0);
    const { k, x, y } = view.transform;
    return {
      x: Axes.logarithmic([Math.min(least(intensities), 1) / 2, most(intensities) * 2], [left, view.width - right], k, x),
      y: Axes.logarithmic([Math.max(least(rates) / 2, most(rates) * 1e-6), most(rates) * 1.5], [view.height - bottom, top], k, y),
    };
  }

  const radius = (launch) => 3 + 14 * Math.sqrt(launch.time / points[0].time);

  function drawAxes(context, { x, y }) {
    const colours = Canvas.colours;
    context.strokeStyle = colours.line;
    context.lineWidth = 1;
    context.fillStyle = colours.faint;
    context.textAlign = "center";
    for (const value of x.powers()) {
      context.strokeRect(x(value), top, 0, view.height - top - bottom);
      context.fillText(value >= 1 ? Dom.count(value) : String(Number(value.toPrecision(3))), x(value), view.height - bottom + 15);
    }
    context.fillText("FLOP per byte read and written", (left + view.width) / 2, view.height - 6);
    context.textAlign = "right";
    for (const value of y.powers()) {
      context.strokeRect(left, y(value), view.width - left - right, 0);
      context.fillText(Dom.rate(value, "FLOP/s"), left - 4, y(value) + 4);
    }
    context.textAlign = "left";
  }

  const bandwidths = (roof) => [[roof.bytes_per_second, [], "memory"], [roof.cache_bytes_per_second, [5, 4], "cache"]];

  function drawRoof(context, { x, y }, [engine, roof]) {
    const colours = Canvas.colours;
    const [low, high] = x.domain();
    context.strokeStyle = colours[engine];
    for (const [bandwidth, dashes] of bandwidths(roof)) {
      const ridge = roof.flops_per_second / bandwidth;
      context.setLineDash(dashes);
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(x(low), y(low * bandwidth));
      context.lineTo(x(ridge), y(roof.flops_per_second));
      context.lineTo(Math.max(x(high), x(ridge)), y(roof.flops_per_second));
      context.stroke();
    }
    context.setLineDash([]);
  }

  /** Labels are above circles, with a rim in the colour of the background. */
  function drawLabels(context, { x, y }, [engine, roof]) {
    const low = x.domain()[0];
    context.strokeStyle = Canvas.colours.back;
    context.fillStyle = Canvas.colours[engine];
    context.lineWidth = 4;
    const write = (...textAndPlace) => {
      context.strokeText(...textAndPlace);
      context.fillText(...textAndPlace);
    };
    for (const [bandwidth, , name] of bandwidths(roof)) {
      const label = Math.sqrt((low * roof.flops_per_second) / bandwidth);
      write(`${name} ${Dom.rate(bandwidth, "B/s")}`, x(label) + 8, y(label * bandwidth) + 14);
    }
    context.textAlign = "right";
    write(`${engine.toUpperCase()} ${Dom.rate(roof.flops_per_second, "FLOP/s")}`, view.width - right - 4, y(roof.flops_per_second) - 6);
    context.textAlign = "left";
  }

  function draw(context) {
    if (!state.entry) return;
    context.font = "12px system-ui, sans-serif";
    if (!points.length) {
      context.fillStyle = Canvas.colours.faint;
      context.fillText("No launch has both a time and floating-point work.", 16, 28);
      return;
    }
    const scale = scales(), { x, y } = scale;
    drawAxes(context, scale);
    context.save();
    context.beginPath();
    context.rect(left, top, view.width - left - right, view.height - top - bottom);
    context.clip();
    roofs().forEach((roof) => drawRoof(context, scale, roof));
    for (const launch of points) {
      context.globalAlpha = 0.6;
      context.fillStyle = Canvas.colours[launch.engine];
      context.beginPath();
      context.arc(x(launch.intensity), y(launch.flopRate), radius(launch), 0, 7);
      context.fill();
      context.globalAlpha = 1;
      if (launch === points[at] || launch === state.launch) {
        context.strokeStyle = Canvas.colours.accent;
        context.lineWidth = 3;
        context.stroke();
      }
    }
    roofs().forEach((roof) => drawLabels(context, scale, roof));
    context.restore();
  }

  function say() {
    const launch = points[at];
    Dom.byId("roofline-said").textContent = !launch ? "" :
      `Launch ${launch.number}, ${launch.nodes || launch.kernel}: ${Dom.rate(launch.flopRate, "FLOP/s")} at ${launch.intensity.toFixed(2)} FLOP per byte, ${Dom.time(launch.time)}` +
      (launch.peakShare ? `, ${Dom.percent(launch.peakShare)} of what ${launch.level} allows.` : ".");
  }

  function point(position) {
    let found = -1;
    if (position && points.length) {
      const { x, y } = scales();
      let nearest = 24;
      points.forEach((launch, index) => {
        const distance = Math.hypot(x(launch.intensity) - position[0], y(launch.flopRate) - position[1]) - radius(launch);
        if (distance < nearest) [nearest, found] = [distance, index];
      });
    }
    if (found === at) return;
    at = found;
    say();
    view.redraw();
  }

  const choose = () => points[at] && State.choose(points[at], "roofline");

  function keys({ key }) {
    const moved = Canvas.moved(key, at, points.length);
    if (moved !== undefined) at = moved;
    else if (key === "Enter") choose();
    else if (key === "0") view.setTransform(d3.zoomIdentity);
    else return false;
    say();
    view.redraw();
    return true;
  }

  function describe() {
    const { entry } = state;
    const machine = entry.machine;
    Dom.byId("roofline").hidden = !points.length;
    const times = entry.profile ? "measured" : "predicted";
    const roof = machine ? `The lines are the peaks of ${machine.name} with ${Dom.counted(machine.threads, "thread")}, ${machine.kind === "measured" ? "measured with the times" : "from its profile"}: launches below the sloped line wait for memory, those below the flat line are limited by arithmetic. Launches whose data stay in a cache may exceed the memory's line.`
      : "The profile has no peaks of its machine: measure again with this version of nacre-run.";
    const caution = entry.profile && machine && machine.kind !== "measured" ? " They apply only if the times come from the same device." : "";
    Dom.byId("roofline-text").textContent = `Each circle is a launch; its area is the ${times} time. ${roof}${caution} The arrow keys move through launches, the longest first.`;
  }

  function start() {
    view = Canvas.create("roofline-canvas", { draw, keys, hover: point, click: choose, scales: [1, 100] });
    State.listen((what) => {
      if (what === "entry" || what === "filter") {
        collect();
        say();
        describe();
      }
      if (what === "entry") view.setTransform(d3.zoomIdentity);
      view.redraw();
    });
  }

  return { start };
})();
