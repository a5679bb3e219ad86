# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says in Python's words what the compiler and the runtime say about options: `shape={'x': (4, 3)}` for `--shape=x=4x3`."""
from __future__ import annotations

import keyword
import re

from .options import COMMAS, NO_LIBRARY, PAIRS, CompileOptions

# A program with its options is a command to type, and stays as it is. A value ends before punctuation that ends a clause; the value of a
# tensor may follow a space, as in "--shape x=<dim>".
_WORD = r"(?:[^\s;'`),]|,(?=\S))*(?:[^\s;'`),.:]|\.\.\.)"
_OPTION = re.compile(r"(?P<command>nacre-[a-z]+(?: (?:--?[a-z][^\s;,'`]*|[^\s;,]*[./][^\s;,]*))+)"
                     rf"|(?<![\w/-])--(?P<name>[a-z][a-z-]*[a-z])(?:=(?P<value>{_WORD})| (?P<pair>[^\s=:;,']+[=:]{_WORD}))?")
_HELP = (("; see --help", "; see help(nacre.CompileOptions)"), ("; --help lists them", "; help(nacre.CompileOptions) lists them"))
_REPEATED = re.compile(r"repeat --shape=\S+=<shape> for each")
# After these a bare name would read like another word of the sentence.
_NEEDS_SIGN = re.compile(r"(?:\bwith|\bpass|\badd) $")
_FLAGS = {name for name, kind in CompileOptions.__annotations__.items() if getattr(kind, "__forward_arg__", kind) in (bool, "bool")}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_PLACEHOLDER = re.compile(r"<[^<>]*>|\.\.\.")


def in_python(text: str) -> str:
    """Replaces the options of nacre-compile in a message by the keywords of compile().

    >>> in_python("give it with --shape image=<batch>x3x<height>x<width>")
    "give it with shape={'image': (<batch>, 3, <height>, <width>)}"
    >>> in_python("--accuracy=strict cannot be combined with --weight-type=fp16, which rounds weights")
    "accuracy='strict' cannot be combined with weight_type='fp16', which rounds weights"
    >>> in_python("--dropout requires --train; or pass --loss, or run nacre-compile --list-weights")
    'dropout requires train=True; or pass loss=, or run nacre-compile --list-weights'
    """
    for shell, python in _HELP:
        text = text.replace(shell, python)
    return _OPTION.sub(_replaced, _REPEATED.sub("pass a list of shapes", text))


def keyword_of(name: str) -> str:
    """Returns the keyword of an option.

    >>> keyword_of("weight-type"), keyword_of("for")
    ('weight_type', 'for_')
    """
    spelled = name.replace("-", "_")
    return spelled + "_" if keyword.iskeyword(spelled) else spelled


def _replaced(match: re.Match[str]) -> str:
    name = match["name"]
    if not name:
        return match[0]
    if name in NO_LIBRARY or match["value"] == "list":
        return f"nacre-compile {match[0]}"
    value, pair = match["value"], match["pair"]
    if pair is not None and name not in PAIRS:
        return keyword_of(name) + match[0][len(name) + 2:]
    if value is None and pair is None:
        if keyword_of(name) in _FLAGS:
            return f"{keyword_of(name)}=True"
        return keyword_of(name) + ("=" if _NEEDS_SIGN.search(match.string[:match.start()]) else "")
    return f"{keyword_of(name)}={_value(name, pair if value is None else value)}"


def _value(name: str, text: str) -> str:
    tensor, sign, value = text.partition(PAIRS[name]) if name in PAIRS else ("", "", text)
    if sign:
        return f"{{{tensor!r}: {_shape(value) if name == 'shape' else _literal(value)}}}"
    if name in COMMAS and "," in text:
        return f"[{', '.join(_literal(part) for part in text.split(','))}]"
    return _literal(text)


def _shape(text: str) -> str:
    if text == "scalar":
        return "()"
    parts = re.findall(r"<[^<>]*>|\.\.\.|[^x]+", text)
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _literal(text: str) -> str:
    return text if _NUMBER.fullmatch(text) or _PLACEHOLDER.fullmatch(text) else repr(text)
