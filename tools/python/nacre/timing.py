# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of runs and launches."""
from __future__ import annotations

import statistics
import time
from typing import Any, List, NamedTuple, Optional, Sequence

import numpy as np

from .entry_choice import Inputs
from .session import Session
from .tensors import Array, TensorInfo, fitting

_WARM_UP = 3


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


class Benchmark(NamedTuple):
    """Times of runs in milliseconds, without the overhead of Python."""

    min_ms: float
    median_ms: float
    p90_ms: float
    runs: int
    threads: int
    device: str  #: The GPU; "" if only the CPU computed.

    def __str__(self) -> str:
        return (f"least {self.min_ms:.3f} ms, median {self.median_ms:.3f} ms, p90 {self.p90_ms:.3f} ms of {_count(self.runs, 'run')}, "
                f"{_count(self.threads, 'thread')}{', ' + self.device if self.device else ''}")


class LaunchCost(NamedTuple):
    """The time of a launch in nanoseconds: the median over some runs of the sum over its executions."""

    nodes: str
    kernel: str
    kind: str
    begin_ns: int
    total_ns: int
    executions: int
    cpu_ns: int
    gpu_ns: int


class Profile(NamedTuple):
    """The launches of an entry in order; printing sorts them by time."""

    launches: List[LaunchCost]
    runs: int

    @property
    def total_ns(self) -> int:
        """The sum of all launches."""
        return sum(launch.total_ns for launch in self.launches)

    def __str__(self) -> str:
        total = self.total_ns or 1
        rows = [f"{launch.total_ns / 1e6:9.3f} ms {100 * launch.total_ns / total:5.1f} %  {launch.kind:<12} {launch.nodes}"
                for launch in sorted(self.launches, key=lambda launch: -launch.total_ns)]
        return "\n".join([*rows, f"{self.total_ns / 1e6:9.3f} ms in {_count(len(rows), 'launch', 'launches')}, medians of {_count(self.runs, 'run')}"])


def seeded(info: TensorInfo, generator: np.random.Generator) -> Array:
    """Generates a missing input: floats in [-1, 1), integers and booleans 0 or 1, codes of small values."""
    if info.dtype.kind == "f":
        return generator.uniform(-1, 1, info.array_shape).astype(info.dtype)
    return generator.integers(0, 2, info.array_shape).astype(info.dtype)


def fill(session: Session, inputs: Optional[Inputs]) -> None:
    """Writes all inputs in place: the given ones, and the others generated from a seed."""
    if inputs is None:
        given: Any = {}
    elif hasattr(inputs, "items"):
        given = dict(inputs)
    else:
        listed = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        given = {info.name: value for info, value in zip(session.inputs, listed)}
        if len(listed) > len(session.inputs):
            raise ValueError(f"entry '{session.entry}' has {len(session.inputs)} inputs, but {len(listed)} are given")
    for name in given:
        session.input(name)  # Names that there are not are refused.
    generator = np.random.default_rng(0)
    for info in session.inputs:
        session.input(info.name)[...] = fitting(given[info.name], info) if info.name in given else seeded(info, generator)


def measure(session: Session, inputs: Optional[Inputs], runs: Optional[int], min_seconds: float) -> Benchmark:
    fill(session, inputs)
    for _ in range(_WARM_UP):
        session.run_bare()
    times: List[int] = []
    least = max(1, runs or 1)
    end = time.perf_counter_ns() + int(min_seconds * 1e9)
    while len(times) < least or time.perf_counter_ns() < end:
        begin = time.perf_counter_ns()
        session.run_bare()
        times.append(time.perf_counter_ns() - begin)
    times.sort()
    told = session.describe()
    return Benchmark(times[0] / 1e6, statistics.median(times) / 1e6, times[min(len(times) - 1, len(times) * 9 // 10)] / 1e6, len(times),
                     told["threads"], told["device"])


def profile(session: Session, launches: Sequence[Any], inputs: Optional[Inputs], runs: int) -> Profile:
    if runs < 1:
        raise ValueError(f"runs must be at least 1, but is {runs}")
    fill(session, inputs)
    session.run_bare()
    times: List[List[Any]] = []
    for _ in range(runs):
        session.run_bare()
        times.append([session.launch_time(number) for number in range(len(launches))])

    def median(number: int, field: str) -> int:
        return int(statistics.median_low([getattr(run[number], field) for run in times]))

    costs = [LaunchCost(launch.nodes, launch.kernel, launch.kind, median(number, "begin"), median(number, "total"),
                        median(number, "executions"), median(number, "cpu_total"), median(number, "gpu_total"))
             for number, launch in enumerate(launches)]
    return Profile(costs, runs)
