# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures of a training, as numbers and as a curve."""
from __future__ import annotations

import html
import math
import os
from typing import Dict, Iterator, List, Mapping, Sequence, Tuple, Union

_COLORS = ("#0f9488", "#d9730d", "#6741d9", "#c2255c")  # Readable on light and dark backgrounds.
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM, _GAP = 340, 200, 56, 28, 24, 24
_HIDDEN = ("learning_rate", "seconds")  # Of all figures, those that no curve shows by default.


class History(Mapping[str, List[float]]):
    """The figures of each epoch of fit(): `history["loss"]` is a list, as is `history["val_loss"]` with validation data.

    `epoch` has the numbers of the epochs, from 1. `stopped` says why training ended before the last epoch, or is "". Notebooks show the
    curve; print(history) prints a table, and pandas.DataFrame(history.history) has it as a frame.

    >>> history = History()
    >>> history.add(1, {"loss": 2.5})
    >>> history.add(2, {"loss": 1.25})
    >>> history["loss"], history.epoch
    ([2.5, 1.25], [1, 2])
    >>> print(history)
    epoch  loss
        1   2.5
        2  1.25
    """

    def __init__(self) -> None:
        self.epoch: List[int] = []
        self.history: Dict[str, List[float]] = {}
        self.stopped = ""

    def add(self, epoch: int, logs: Mapping[str, float]) -> None:
        """Adds an epoch. A figure that earlier epochs lacked is NaN there."""
        for name in logs:
            self.history.setdefault(name, [math.nan] * len(self.epoch))
        for name, values in self.history.items():
            values.append(float(logs.get(name, math.nan)))
        self.epoch.append(epoch)

    def __getitem__(self, name: str) -> List[float]:
        if name not in self.history:
            raise KeyError(f"the history has no '{name}'; it has {', '.join(self.history) or 'no epoch'}")
        return self.history[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.history)

    def __len__(self) -> int:
        return len(self.history)

    def __repr__(self) -> str:
        return f"<nacre.History of {len(self.epoch)} epoch{'' if len(self.epoch) == 1 else 's'}>"

    def __str__(self) -> str:
        columns = [["epoch", *map(str, self.epoch)], *([name, *(f"{value:.4g}" for value in values)] for name, values in self.items())]
        widths = [max(map(len, column)) for column in columns]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in zip(*columns))

    def plot(self, *names: str) -> Curve:
        """Returns the curve of these figures, by default of all losses and metrics. Notebooks show it; save() writes an SVG file. It
        needs no other package.

        >>> history = History()
        >>> history.add(1, {"loss": 2.5})
        >>> history.plot("loss").svg[:4]
        '<svg'
        """
        chosen = names or tuple(name for name in self.history if name not in _HIDDEN)
        return Curve(self.epoch, {name: self[name] for name in chosen})

    def _repr_html_(self) -> str:
        return self.plot().svg if self.epoch else html.escape(repr(self))


class Curve:
    """A drawing of History.plot(): `svg` is its text."""

    def __init__(self, epochs: Sequence[int], figures: Mapping[str, Sequence[float]]) -> None:
        self.svg = _draw(epochs, figures)

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes an SVG file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)


def _draw(epochs: Sequence[int], figures: Mapping[str, Sequence[float]]) -> str:
    """Draws a panel for each figure; one panel for a figure and its validation."""
    panels: Dict[str, Dict[str, Sequence[float]]] = {}
    for name, values in figures.items():
        panels.setdefault(name[4:] if name.startswith("val_") else name, {})[name] = values
    width = len(panels) * (_WIDTH + _GAP)
    drawn = "".join(f'<g transform="translate({number * (_WIDTH + _GAP)} 0)">{_panel(epochs, panel)}</g>'
                    for number, panel in enumerate(panels.values()))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT}" viewBox="0 0 {width} {_HEIGHT}" role="img" '
            f'font-family="system-ui, sans-serif" font-size="11" fill="currentColor"><title>{html.escape(", ".join(figures))}</title>{drawn}</svg>')


def _panel(epochs: Sequence[int], figures: Mapping[str, Sequence[float]]) -> str:
    finite = [value for values in figures.values() for value in values if math.isfinite(value)]
    low, high = _range(finite)
    first, last = (epochs[0], epochs[-1]) if epochs else (0, 1)

    def x(epoch: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - 8) * ((epoch - first) / (last - first) if last > first else 0.5)

    def y(value: float) -> float:
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (value - low) / (high - low)

    out = []
    for tick in _ticks(low, high):
        out.append(f'<line x1="{_LEFT}" x2="{_WIDTH - 8}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="currentColor" stroke-opacity="0.15"/>'
                   f'<text x="{_LEFT - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
    out += [f'<text x="{x(epoch):.1f}" y="{_HEIGHT - 8}" text-anchor="middle">{epoch}</text>' for epoch in sorted({first, last}) if epochs]
    legend = _LEFT
    for (name, values), color in zip(figures.items(), _COLORS):
        points = [(x(epoch), y(value)) for epoch, value in zip(epochs, values) if math.isfinite(value)]
        out.append(f'<text x="{legend}" y="16" fill="{color}">{html.escape(name)}</text>')
        legend += 7 * len(name) + 16
        out.append(f'<polyline fill="none" stroke="{color}" stroke-width="1.5" points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in points)}"/>')
        if len(points) < 30:
            out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2" fill="{color}"/>' for a, b in points]
    return "".join(out)


def _range(values: Sequence[float]) -> Tuple[float, float]:
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    margin = 0.05 * (high - low) or abs(high) or 1.0
    return low - margin, high + margin


def _ticks(low: float, high: float) -> List[float]:
    """Returns round numbers in a range.

    >>> _ticks(0.1, 1.9)
    [0.5, 1.0, 1.5]
    """
    rough = (high - low) / 4
    unit: float = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= rough)
    return [round(number * step, 12) for number in range(math.ceil(low / step), math.floor(high / step) + 1)]
