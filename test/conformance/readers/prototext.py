# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads protobuf's text format without a schema.

How:  a message is {name: list of values}; a value is a message, a text, a number, or a word (an enumerator, true, false) as text.
"""
import re

_TOKEN = re.compile(r"""\s+|\#[^\n]*|(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<word>[A-Za-z_][\w./]*)
                        |(?P<number>-?(?:inf|nan|\.?\d)[\w.+-]*)|(?P<sign>[{}<>:;,\[\]-])""", re.VERBOSE)


def _tokens(text):
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if not found:
            raise ValueError(f"no token at byte {at}: {text[at:at + 20]!r}")
        at = found.end()
        if found.lastgroup:
            yield found.lastgroup, found.group(found.lastgroup)
    yield "end", ""


def _number(word):
    try:
        return int(word, 0)
    except ValueError:
        return float(word.rstrip("fF"))


def _value(kind, word, tokens):
    if word in ("{", "<"):
        return _message(tokens)
    if kind == "text":
        return word[1:-1].encode().decode("unicode_escape")
    return _number(word) if kind == "number" else word


def _message(tokens):
    message = {}
    for _, name in tokens:
        if name in ("}", ">", ""):
            return message
        if name in (";", ","):
            continue
        kind, word = next(tokens)
        if word == ":":
            kind, word = next(tokens)
        if word == "[":
            for kind, word in tokens:
                if word == "]":
                    break
                if word != ",":
                    message.setdefault(name, []).append(_value(kind, word, tokens))
        else:
            message.setdefault(name, []).append(_value(kind, word, tokens))
    return message


def parse(text):
    return _message(iter(_tokens(text)))
