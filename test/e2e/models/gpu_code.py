# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GPU code in a library, and how to make it wrong.

What: finds the packed shaders in a library's bytes, and gives a constant of theirs another value.
Why:  a test of who finds wrong kernels needs a kernel that is wrong, and nothing else: a changed byte of the library is what no
      hook in compiler or runtime can be, the same programs on other code.
How:  reads the form that is told at nacre_gpu_variant (runtime/include/nacre/model_format.h), on its own. A changed word changes
      differences of later words; each is written in the place of the old one, and all is unpacked once more to see that no other
      word has changed.
"""
import struct

HEAD, SLOTS = 5, 256
MAGIC, FUNCTION_END, CONSTANT = 0x07230203, 0x00010038, 0x0004002B
ALL = 0xFFFFFFFF


def _number(value, width=0):
    """Seven bits a byte, the highest first; zeros in front make it as wide as asked."""
    out = [value & 127]
    while value := value >> 7:
        out.insert(0, value & 127 | 128)
    return bytes([128] * (width - len(out)) + out)


def _with_sign_last(word):
    return (word << 1 & ALL) ^ (ALL if word >> 31 else 0)


def _slot(first, before):
    return (first + 37 * before & ALL) % SLOTS


def _likes(words):
    """For each instruction its place and that of its like, 0 where there is none."""
    latest, before, at = [0] * SLOTS, 0, HEAD
    while at < len(words):
        slot = _slot(words[at], before)
        yield at, latest[slot]
        before, latest[slot] = words[at], at
        at += words[at] >> 16 or 1


def _unpack(data, start):
    """Words up to the first function's end, and where the literals among their differences are: {number of the word: (place, width)}."""
    words, literals, at = [], {}, start
    different, latest, before, instruction = [], [0] * SLOTS, 0, HEAD

    def number():
        nonlocal at
        value, begin = 0, at
        while True:
            byte = data[at]
            at += 1
            value = value << 7 | byte & 127
            if byte < 128:
                return value, begin

    while at < len(data) and len(different) < 1 << 16:
        token, _ = number()
        distance = number()[0] + 1 if token & 1 else 0
        for _ in range(token // 2 + 1):
            if distance > len(different):
                return [], {}
            if distance:
                different.append(different[-distance])
            else:
                value, begin = number()
                literals[len(different)] = (begin, at - begin)
                different.append((value >> 1) ^ (ALL if value & 1 else 0))
        words += different[len(words):]
        while instruction < len(words) and instruction + (words[instruction] >> 16) <= len(words):
            length = words[instruction] >> 16
            if not length:
                return [], {}
            slot = _slot(words[instruction], before)
            for i in range(1, length if latest[slot] else 0):
                words[instruction + i] = words[instruction + i] + words[latest[slot] + i] & ALL
            before, latest[slot] = words[instruction], instruction
            instruction += length
            if before == FUNCTION_END:
                return words, literals
    return [], {}


def change_constant(path, old, new):
    """Makes float constants `old` of the library's shaders `new`; returns how many shaders have changed."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    old, new = (struct.unpack("<I", struct.pack("<f", value))[0] for value in (old, new))
    changed, magic, found = 0, _number(_with_sign_last(MAGIC)), -1
    while (found := data.find(magic, found + 1)) >= 0:
        start = found - 1 if data[found - 2] < 128 else found - 2  # behind the token of the first literals
        words, literals = _unpack(data, start)
        wanted = [ALL & new if words[at] == old and any(i + 3 == at and words[i] == CONSTANT for i, _ in _likes(words)) else words[at]
                  for at in range(len(words))]
        if wanted == words:
            continue
        copy = bytearray(data)
        for at, like in _likes(words):
            for i in range(at + 1, at + (words[at] >> 16) if like else 0):
                _replace(copy, literals, i, words[i] - words[like + i - at], wanted[i] - wanted[like + i - at])
            for i in range(at + 1, at + (words[at] >> 16) if not like else 0):
                _replace(copy, literals, i, words[i], wanted[i])
        if _unpack(copy, start)[0] == wanted:
            data, changed = copy, changed + 1
    with open(path, "wb") as file:
        file.write(data)
    return changed


def _replace(data, literals, i, old, new):
    """Another difference in the place of a literal, if it is not too wide."""
    if (old - new) & ALL and i in literals:
        place, width = literals[i]
        number = _number(_with_sign_last(new & ALL), width)
        if len(number) == width:
            data[place:place + width] = number


def remove_checksum(library):
    """Renames the note with the checksum of the contents, as if an older version had written the library."""
    with open(library, "rb") as file:
        text = file.read()
    assert text.count(b"Nacre\0\0\0") == 1, "one note"
    with open(library, "wb") as file:
        file.write(text.replace(b"Nacre\0\0\0", b"Other\0\0\0"))
