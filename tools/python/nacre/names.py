# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Suggests the name that a mistyped one was probably meant to be, under the conditions of Nacre's programs (tools/NearestName.h)."""
from __future__ import annotations

from typing import Iterable, List, Mapping


def _typing_distance(one: str, other: str) -> int:
    """Returns how many letters must be added, removed, replaced or swapped with their neighbour to make one of the other.

    >>> _typing_distance("acuracy", "accuracy"), _typing_distance("wieght", "weight")
    (1, 1)
    """
    older: List[int] = []
    before = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            row.append(min(row[j - 1] + 1, before[j] + 1, before[j - 1] + (letter != wanted)))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                row[j] = min(row[j], older[j - 2] + 1)
        older, before = before, row
    return before[-1]


def nearest(name: str, candidates: Iterable[str]) -> str:
    """Returns the first of the nearest candidates, or "" if all differ in more than a third of the letters.

    >>> nearest("acuracy", ["advice", "accuracy"]), nearest("acuracy", ["target"])
    ('accuracy', '')
    """
    if len(name) > 100:
        return ""
    found, least = "", max(1, len(name) // 3) + 1
    for candidate in candidates:
        distance = _typing_distance(name, candidate)
        if distance < least:
            found, least = candidate, distance
    return found


def refuse_keywords(keywords: Mapping[str, object], inputs: Iterable[str], options: Iterable[str]) -> None:
    """Raises the TypeError of a keyword that run() does not have, with the call that was probably meant.

    >>> refuse_keywords({"threads": 2}, ["image"], ["threads"])
    Traceback (most recent call last):
      ...
    TypeError: run() got an unexpected keyword 'threads', which is an option of a session; did you mean model.session(threads=2).run(...)?
    """
    for keyword, value in keywords.items():
        if keyword in inputs:
            advice = f"; did you mean run({{'{keyword}': ...}})?"
        elif keyword in options:
            advice = f", which is an option of a session; did you mean model.session({keyword}={value!r}).run(...)?"
        else:
            advice = f"; inputs are passed by name in a dict: run({{{', '.join(f'{name!r}: ...' for name in inputs)}}})"
        raise TypeError(f"run() got an unexpected keyword '{keyword}'{advice}")


def require_known(keywords: Iterable[str], known: Iterable[str], function: str) -> None:
    """Raises the TypeError of a wrong keyword, with a suggestion.

    >>> require_known(["thread"], ["threads", "gpu"], "session")
    Traceback (most recent call last):
      ...
    TypeError: session() got an unexpected keyword 'thread'; did you mean 'threads'?
    """
    names = sorted(known)
    for keyword in keywords:
        if keyword not in names:
            meant = nearest(keyword, names)
            advice = f"did you mean '{meant}'?" if meant else f"keywords are {', '.join(names)}"
            raise TypeError(f"{function}() got an unexpected keyword '{keyword}'; {advice}")
