#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the charts of README.md from the tables of docs/benchmarks.md and benchmarks-peers.md: SVG, for light and for dark backgrounds.

usage: draw_charts.py            writes speed-light.svg and speed-dark.svg next to this file
       draw_charts.py --check    exits with 1 if these files differ from the tables
"""
import html
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PAGES = [os.path.join(os.path.dirname(HERE), name) for name in ("benchmarks.md", "benchmarks-peers.md")]
THEMES = {
    "light": {"text": "#1f2328", "quiet": "#59636e", "ours": "#00796b", "line": "#bc4c00", "grid": "#d1d9e0"},
    "dark": {"text": "#f0f6fc", "quiet": "#9198a1", "ours": "#4db6ac", "line": "#f0883e", "grid": "#3d444d"},
}
LEFT, UNIT, PANEL, ROW, TOP = 110, 150, 375, 20, 62  # Of names, a ratio of 1, a panel, a row, and headings.
MARKS = {"ncnn": "circle", "mnn": "diamond"}
SIZE_UNIT = 11  # Of a megabyte.


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


def relative_times(text):
    """{model: (Nacre's time, words at its bar, {runtime: its time})}, relative to ONNX Runtime's."""
    shown = {}
    for name, nacre, ort, *others in (row[:5] for row in table(text, "| model | nacre 1T ms | ort 1T ms | ncnn 1T ms | mnn 1T ms |")):
        marks = {runtime: float(time) / float(ort) for runtime, time in zip(MARKS, others) if time != "-"}
        shown[name] = (float(nacre) / float(ort), f"{digits(nacre)} : {digits(ort)} ms", marks)
    return shown


def relative_counts(text):
    rows = table(text, "| model | nacre | fewest of the others |")
    return {row[0]: (float(row[3]), f"{row[3]} of {re.search(r'[(](.*)[)]', row[2])[1]}", {}) for row in rows}


class Chart:
    """An SVG in the making."""

    def __init__(self, colors, width, height):
        self.colors, self.height = colors, height
        self.out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
                    'font-family="system-ui, sans-serif" font-size="12" role="img">',
                    "<title>Bars of time, instructions and size of Nacre, beside other runtimes</title>"]

    def write(self, x, y, words, color, **attributes):
        more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
        self.out.append(f'<text x="{x}" y="{y}" fill="{self.colors[color]}"{more}>{html.escape(words)}</text>')

    def bar(self, x, y, width, color):
        self.out.append(f'<rect x="{x}" y="{y + 3}" width="{width:.1f}" height="{ROW - 6}" fill="{self.colors[color]}"/>')

    def mark(self, x, y, form):
        paint = f'fill="none" stroke="{self.colors["text"]}" stroke-width="1.5"'
        if form == "circle":
            self.out.append(f'<circle cx="{x:.1f}" cy="{y}" r="4" {paint}/>')
        else:
            self.out.append(f'<path d="M{x:.1f} {y - 5}l5 5l-5 5l-5 -5z" {paint}/>')

    def headings(self, left, top, title, below):
        self.write(left, top, title, "text", font_weight="bold")
        self.write(left, top + 17, below, "quiet")

    def axis(self, x, top, bottom, color, **attributes):
        more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
        self.out.append(f'<line x1="{x}" y1="{top}" x2="{x}" y2="{bottom}" stroke="{self.colors[color]}"{more}/>')

    def ratios(self, left, models, bars, bottom):
        """A panel with a row for each model."""
        self.write(left + UNIT, 52, "1.0", "line", text_anchor="middle")
        for row, model in enumerate(models):
            y = TOP + ROW * row
            if model not in bars:
                self.write(left, y + 14, "not counted", "quiet")
                continue
            ratio, words, marks = bars[model]
            self.bar(left, y, ratio * UNIT, "ours")
            for runtime, other in marks.items():
                self.mark(left + other * UNIT, y + ROW // 2, MARKS[runtime])
            self.write(left + PANEL - 20, y + 14, words, "quiet", font_size=11, text_anchor="end")
        self.axis(left, TOP - 6, bottom, "grid")
        self.axis(left + UNIT, TOP - 6, bottom, "line", stroke_dasharray="4 3")

    def text(self):
        return "\n".join([*self.out, "</svg>", ""])


def draw(text, colors):
    times, counts, sizes = relative_times(text), relative_counts(text), table(text, "| runtime | MB |")
    bottom = TOP + ROW * len(times) + 2
    chart = Chart(colors, LEFT + 2 * PANEL, bottom + 66 + ROW * len(sizes))
    for row, model in enumerate(times):
        chart.write(LEFT - 8, TOP + ROW * row + 14, model.removesuffix("_rand"), "text", text_anchor="end")
    chart.headings(LEFT, 18, "Phones (arm64): instructions; shorter is better", "1.0: the best of ONNX Runtime, ncnn and MNN; counts")
    chart.ratios(LEFT, times, counts, bottom)
    second = LEFT + PANEL
    chart.headings(second, 18, "PCs (x86-64): time on one thread; shorter is better", "bar: Nacre; 1.0: ONNX Runtime")
    for place, (runtime, name) in enumerate((("ncnn", "ncnn"), ("mnn", "MNN"))):
        chart.mark(second + 207 + 55 * place, 31, MARKS[runtime])
        chart.write(second + 216 + 55 * place, 35, name, "quiet")
    chart.ratios(second, times, times, bottom)
    chart.headings(LEFT, bottom + 30, "Size of the runtime, MB; shorter is better", "x86-64, without weights; Nacre's has the code of mobilenet_v2")
    for row, (name, size) in enumerate(sizes):
        y = bottom + 56 + ROW * row
        chart.write(LEFT - 8, y + 14, name.split(",")[0].removesuffix(" 1.30.0"), "text", text_anchor="end")
        chart.bar(LEFT, y, float(size) * SIZE_UNIT, "ours" if name.startswith("Nacre") else "grid")
        chart.write(LEFT + float(size) * SIZE_UNIT + 6, y + 14, size, "quiet", font_size=11)
    return chart.text()


def main():
    text = ""
    for page in PAGES:
        with open(page, encoding="utf-8") as file:
            text += file.read()
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
                old.append(f"{os.path.relpath(path)}: differs from the tables of the benchmarks; run docs/images/draw_charts.py")
    sys.exit("\n".join(old) or 0)


if __name__ == "__main__":
    main()
