// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Creates elements and texts. Names from the model are untrusted: they become text, never markup.
"use strict";

const Dom = (() => {
  const byId = (id) => document.getElementById(id);

  /** An element; attributes that are functions listen, children are elements or texts. */
  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === "function") made.addEventListener(name, value);
      else if (value !== undefined && value !== false) made.setAttribute(name, value);
    }
    made.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
    return made;
  }

  const fill = (parent, ...children) => parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));

  const group = (text) => text.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
  const fixed = (value, digits) => {
    const [whole, part] = value.toFixed(digits).split(".");
    return group(whole) + (part ? "." + part : "");
  };

  const count = (value) => fixed(value, 0);
  /** A number with its noun: "1 launch", "2 launches". */
  const counted = (value, noun) => count(value) + " " + (value === 1 ? noun : noun + (noun.endsWith("ch") ? "es" : "s"));
  /** Milliseconds in a table of microseconds. A clock's last digits are noise. */
  const microseconds = (ms) => fixed(ms * 1e3, 1);
  /** Three digits, in the unit that suits. */
  const milliseconds = (ms) => (ms === 0 ? "0" : ms >= 1e3 ? fixed(ms / 1e3, ms >= 1e4 ? 1 : 2) + " s" : ms >= 100 ? fixed(ms, 0) + " ms" : ms >= 10 ? fixed(ms, 1) + " ms" : ms >= 1 ? fixed(ms, 2) + " ms" : fixed(ms * 1e3, ms < 0.1 ? 1 : 0) + " µs");
  const time = milliseconds;
  const percent = (share) => (100 * share).toFixed(share >= 0.0995 ? 0 : 1) + "\u00a0%";

  function scaled(value, units, step) {
    let at = 0;
    while (value >= step && at + 1 < units.length) {
      value /= step;
      ++at;
    }
    return (at === 0 ? count(value) : value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2)) + " " + units[at];
  }
  const bytes = (value) => scaled(value, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
  const rate = (perSecond, unit) => scaled(perSecond, ["", "K", "M", "G", "T", "P"].map((prefix) => prefix + unit), 1000);

  /** At most `length` characters, of which the end says more than the beginning. */
  const shorten = (text, length) => (text.length <= length ? text : "…" + text.slice(text.length - length + 1));

  const begin = (text, length) => (text.length <= length ? text : text.slice(0, length - 1) + "…");

  const launchTitle = (launch) => `${launch.number}: ${launch.nodes || launch.kernel}`;

  /** A list of buttons that choose launches. */
  const launchButtons = (launches, choose, most = 40) => launches.length > 0 &&
    element("ul", { class: "names" },
      launches.slice(0, most).map((launch) => element("li", {}, element("button", { type: "button", click: () => choose(launch) }, `${launch.number}: ${begin(launch.nodes || launch.kernel, 30)}`))),
      launches.length > most ? element("li", {}, `and ${count(launches.length - most)} more`) : undefined);

  /** Text in which options, such as --threads=2, do not break; commands are between backquotes. */
  const prose = (text) => text.split(/(`[^`]+`|--[a-z][\w=.-]*\w)/).map((part, at) => (at % 2 ? element("code", { class: part.startsWith("`") && "command" }, part.replaceAll("`", "")) : part));

  /** Shapes and arrows; lines break only between them. */
  const shapes = (text) => text.split(" → ").flatMap((part, at, parts) => [element("span", { class: "word" }, part + (at + 1 < parts.length ? " →" : "")), " "]);

  const pairs = (rows) => element("dl", { class: "pairs" },
    rows.filter((row) => row && row[1] !== undefined && row[1] !== "").flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));

  return { byId, element, fill, count, counted, fixed, microseconds, milliseconds, time, percent, bytes, rate, shorten, begin, launchTitle, launchButtons, prose, shapes, pairs };
})();
