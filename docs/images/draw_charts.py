#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the charts of README.md from the tables of docs/benchmarks.md: SVG, for light and for dark backgrounds.

usage: draw_charts.py            writes speed-light.svg and speed-dark.svg next to this file
       draw_charts.py --check    exits with 1 if these files differ from the tables
"""
import html
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TABLES = os.path.join(os.path.dirname(HERE), "benchmarks.md")
THEMES = {
    "light": {"text": "#1f2328", "quiet": "#59636e", "ours": "#00796b", "line": "#bc4c00", "grid": "#d1d9e0"},
    "dark": {"text": "#f0f6fc", "quiet": "#9198a1", "ours": "#4db6ac", "line": "#f0883e", "grid": "#3d444d"},
}
LEFT, BAR, GAP, ROW, TOP = 110, 230, 150, 20, 62  # Of names, a full bar, what is between the panels, a row, and headings.


def table(text, header):
    """Rows of the table with this header, as lists of cells."""
    lines = text.split("\n")
    start = next(number for number, line in enumerate(lines) if line.startswith(header))
    rows = []
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            return rows
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def digits(number):
    """Three digits, as many as a bar's label has room for."""
    number = float(number)
    return f"{number:.{3 if number < 1 else 2 if number < 10 else 1 if number < 100 else 0}f}"


def panels(text):
    """(title, line below it, {model: (ratio, words at its bar)}) of each panel."""
    times = {row[0]: (float(row[3]), f"{digits(row[1])} ms : {digits(row[2])} ms") for row in table(text, "| model | nacre 1T ms |")}
    counts = {row[0]: (float(row[3]), f"{row[3]} of {re.search(r'[(](.*)[)]', row[2])[1]}") for row in table(text, "| model | nacre | fewest of the others |")}
    return [("Time relative to ONNX Runtime", "x86-64, one thread; shorter is faster", times),
            ("Instructions relative to the best of three", "arm64; ONNX Runtime, ncnn and MNN; counts, not times", counts)]


def draw(text, colors):
    shown = panels(text)
    models = list(shown[0][2])
    width, height = LEFT + 2 * (BAR + GAP), TOP + ROW * len(models) + 8
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
           'font-family="system-ui, sans-serif" font-size="12" role="img">',
           "<title>Bars of time and instructions of Nacre, relative to other runtimes</title>"]

    def write(x, y, words, color, **attributes):
        more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
        out.append(f'<text x="{x}" y="{y}" fill="{colors[color]}"{more}>{html.escape(words)}</text>')

    for row, model in enumerate(models):
        write(LEFT - 8, TOP + ROW * row + 14, model.removesuffix("_rand"), "text", text_anchor="end")
    for number, (title, below, bars) in enumerate(shown):
        left = LEFT + number * (BAR + GAP)
        write(left, 18, title, "text", font_weight="bold")
        write(left, 35, below, "quiet")
        write(left + BAR, 52, "1.0", "line", text_anchor="middle")
        for row, model in enumerate(models):
            y = TOP + ROW * row
            if model not in bars:
                write(left, y + 14, "not counted", "quiet")
                continue
            ratio, words = bars[model]
            out.append(f'<rect x="{left}" y="{y + 3}" width="{ratio * BAR:.1f}" height="{ROW - 6}" fill="{colors["ours"]}"/>')
            write(left + BAR + 8, y + 14, words, "quiet", font_size=11)
        out.append(f'<line x1="{left}" y1="{TOP - 6}" x2="{left}" y2="{height - 6}" stroke="{colors["grid"]}"/>')
        out.append(f'<line x1="{left + BAR}" y1="{TOP - 6}" x2="{left + BAR}" y2="{height - 6}" stroke="{colors["line"]}" stroke-dasharray="4 3"/>')
    return "\n".join([*out, "</svg>", ""])


def main():
    with open(TABLES, encoding="utf-8") as file:
        text = file.read()
    old = []
    for theme, colors in THEMES.items():
        path = os.path.join(HERE, f"speed-{theme}.svg")
        chart = draw(text, colors)
        if sys.argv[1:] != ["--check"]:
            with open(path, "w", encoding="utf-8") as file:
                file.write(chart)
            continue
        with open(path, encoding="utf-8") as file:
            if file.read() != chart:
                old.append(f"{os.path.relpath(path)}: differs from the tables of docs/benchmarks.md; run docs/images/draw_charts.py")
    sys.exit("\n".join(old) or 0)


if __name__ == "__main__":
    main()
