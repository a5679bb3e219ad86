// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a reader of a page may stumble over, by the rules of WCAG 2.1 AA that can be computed: look_test.py calls `faults()` in a browser.
"use strict";

/** [red, green, blue, alpha] of a computed colour, 0 to 255 and 0 to 1. */
function channels(color) {
  const numbers = color.match(/[\d.]+/g).map(Number);
  const whole = color.startsWith("color(srgb ") ? 255 : 1; // a mixture of colours is from 0 to 1
  return [numbers[0] * whole, numbers[1] * whole, numbers[2] * whole, numbers[3] ?? 1];
}

function over(above, below) {
  const alpha = above[3];
  return [0, 1, 2].map(i => above[i] * alpha + below[i] * (1 - alpha)).concat(1);
}

function luminance(color) {
  const [r, g, b] = color.map(value => value / 255).map(value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

/** The colour below an element's text, and the opacity that the text has with its ancestors. */
function ground(element) {
  const layers = [];
  let opacity = 1;
  for (let each = element; each; each = each.parentElement) {
    const style = getComputedStyle(each);
    opacity *= Number(style.opacity);
    layers.push(channels(style.backgroundColor));
  }
  return { color: layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]), opacity };
}

function isShown(element) {
  if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
    return false;
  const box = element.getBoundingClientRect();
  return box.width > 1 && box.height > 1;
}

function describe(element) {
  return `<${element.tagName.toLowerCase()}${element.className ? ` class="${element.getAttribute("class")}"` : ""}> ${element.textContent.trim().replace(/\s+/g, " ").slice(0, 60)}`;
}

function scrolls(element) {
  return ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
}

/** Whether it waits outside of the window until it is called, as a drawer does. */
function isPutAside(element) {
  const box = element.getBoundingClientRect();
  return getComputedStyle(element).position === "fixed" && (box.right <= 0 || box.left >= innerWidth);
}

/** [element, its box] of each piece of text that can be seen. */
function* texts() {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (!node.data.trim() || ["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE"].includes(element.tagName) || !isShown(element))
      continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    yield [element, range.getBoundingClientRect()];
  }
}

function nameOf(element) {
  const by = element.getAttribute("aria-labelledby");
  const labels = [...(element.labels ?? [])].map(label => label.textContent || label.title || label.getAttribute("aria-label"));
  return [element.getAttribute("aria-label"), by && document.getElementById(by)?.textContent, ...labels, element.textContent, element.title,
          element.alt, ...[...element.querySelectorAll("img")].map(image => image.alt)].find(text => text?.trim());
}

const RULES = {
  *contrast() {
    for (const [element] of texts()) {
      const style = getComputedStyle(element), below = ground(element);
      const color = channels(style.color);
      const ratio = contrast(over([...color.slice(0, 3), color[3] * below.opacity], below.color), below.color);
      const size = parseFloat(style.fontSize), isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      if (ratio < (isLarge ? 3 : 4.5))
        yield `${ratio.toFixed(2)} ${describe(element)}`;
    }
  },
  *names() {
    for (const element of document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [role=dialog], iframe"))
      if ((element.getAttribute("role") === "dialog" || isShown(element)) && !nameOf(element))
        yield element.outerHTML.slice(0, 120);
    for (const image of document.querySelectorAll("img"))
      if (!image.hasAttribute("alt"))
        yield image.outerHTML.slice(0, 120);
  },
  *headings() {
    const shown = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(isShown);
    const levels = shown.map(heading => Number(heading.tagName[1]));
    if (levels.filter(level => level === 1).length !== 1 || levels[0] !== 1)
      yield `levels ${levels}: there must be one h1, and first`;
    for (let i = 1; i < levels.length; ++i)
      if (levels[i] > levels[i - 1] + 1)
        yield `h${levels[i]} after h${levels[i - 1]}: ${shown[i].textContent.trim()}`;
  },
  *landmarks() {
    for (const [selector, count] of [["main, [role=main]", 1], ["body > header, body > * header, [role=banner]", 1]])
      if (document.querySelectorAll(selector).length < count)
        yield `no ${selector}`;
    if (document.querySelectorAll("main, [role=main]").length > 1)
      yield "more than one main";
    for (const nav of document.querySelectorAll("nav"))
      if (isShown(nav) && !nav.getAttribute("aria-label") && !nav.getAttribute("aria-labelledby") && document.querySelectorAll("nav").length > 1)
        yield `without a label: ${describe(nav)}`;
  },
  *language() {
    if (!document.documentElement.lang)
      yield "html has no lang";
    if (!document.title.trim())
      yield "the page has no title";
  },
  *ids() {
    const seen = new Set();
    for (const { id } of document.querySelectorAll("[id]")) {
      if (seen.has(id))
        yield id;
      seen.add(id);
    }
  },
  *links() {
    // In a sentence a link differs from the words around it by more than its colour.
    for (const link of document.querySelectorAll("p a[href], li a[href], td a[href]")) {
      const isAlone = link.closest("p, li, td").textContent.trim() === link.textContent.trim();
      const style = getComputedStyle(link);
      if (isShown(link) && link.textContent.trim() && !isAlone && !link.closest("nav") && !link.classList.contains("headerlink") &&
          !style.textDecorationLine.includes("underline") && style.borderBottomStyle === "none")
        yield describe(link);
    }
  },
  *scrolling() {
    // What scrolls can be reached with the keyboard.
    for (const element of document.querySelectorAll("body *"))
      if (isShown(element) && scrolls(element) && (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1) &&
          element.tabIndex < 0 && !element.querySelector("a[href], button, input, [tabindex='0']"))
        yield describe(element);
  },
  *cut() {
    if (document.scrollingElement.scrollWidth > innerWidth)
      yield `the page is ${document.scrollingElement.scrollWidth} wide in a window of ${innerWidth}`;
    for (const [element, box] of texts()) {
      const holders = [];
      for (let each = element; each && each !== document.body; each = each.parentElement)
        holders.push(each);
      if (holders.some(each => (scrolls(each) && each.scrollWidth > each.clientWidth) || isPutAside(each)))
        continue;
      if (box.right > innerWidth + 1 || box.left < -1)
        yield `outside of the window: ${describe(element)}`;
      for (const each of holders)
        if (["hidden", "clip"].includes(getComputedStyle(each).overflowX) && box.right > each.getBoundingClientRect().right + 1)
          yield `cut by its <${each.tagName.toLowerCase()}>: ${describe(element)}`;
    }
  },
};

/** {rule: [what is wrong]}, without the rules that nothing breaks. */
function faults() {
  const found = Object.entries(RULES).map(([name, rule]) => [name, [...new Set(rule())]]);
  return Object.fromEntries(found.filter(([, problems]) => problems.length > 0));
}

/** Tables and code that need a scroll bar in a window of this width. */
function wide() {
  return [...document.querySelectorAll("main pre > code, main table")].map(each => (each.tagName === "TABLE" ? each.parentElement : each))
      .filter(each => each.scrollWidth > each.clientWidth + 1).map(describe);
}
