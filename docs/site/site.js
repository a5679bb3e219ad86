// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code and tables that are wider than the window can be scrolled with the keyboard: the theme does this only where there is a pointer.
"use strict";

const WIDE = ".md-typeset pre > code, .md-typeset__scrollwrap";

function mark() {
  for (const each of document.querySelectorAll(WIDE))
    if (each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight)
      each.tabIndex = 0;
    else
      each.removeAttribute("tabindex");
}

// The theme wraps tables after this script has run.
new MutationObserver(mark).observe(document.querySelector(".md-content"), { childList: true, subtree: true });
new ResizeObserver(mark).observe(document.querySelector(".md-content"));
document.querySelector(".md-search__scrollwrap").tabIndex = 0; // site.css hides it while the search is closed
document.querySelector(".md-search").setAttribute("aria-label", "Search");
