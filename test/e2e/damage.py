# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Libraries that are cut off, or have a flipped bit in what the system's loader reads. What opens them must never die of a signal."""
import random
import struct

_LOAD, _DYNAMIC, _EXECUTABLE = 1, 2, 1
_SYMBOLS, _STRINGS, _RELOCATIONS, _HASH, _BYTES_OF = 6, 5, 7, 0x6FFFFEF5, {5: 10, 7: 8}


def cuts(data, count):
    """The beginnings of a file, of lengths from 0 on."""
    for number in range(count):
        yield data[:len(data) * number // count]


def flips(data, count, seed=1, structures_only=False):
    """Copies of a library with one flipped bit: half of them in the headers of the file, the others in the loader's tables. Those of
    structures only are in the file's header and the dynamic section."""
    draw = random.Random(seed)
    headers, tables = header_ranges(data), table_ranges(data)
    if structures_only:
        headers, tables = [(0, 64)], [dynamic_range(data)]
    for number in range(count):
        begin, end = draw.choice((headers, tables)[number % 2])
        damaged = bytearray(data)
        damaged[draw.randrange(begin, end)] ^= 1 << draw.randrange(8)
        yield bytes(damaged)


def flip_bit(data, place):
    """A copy with one flipped bit in the byte at a place."""
    flipped = bytearray(data)
    flipped[place] ^= 1
    return bytes(flipped)


def flip_code(data):
    """A copy with one flipped bit in the middle of its code."""
    begin, end = table_ranges(data)[0]
    return flip_bit(data, (begin + end) // 2)


def remove_sum(data):
    """A copy without a checksum, as older versions made libraries."""
    place = data.index(b"\x06\0\0\0\x08\0\0\0\x02\0\0\0Nacre\0\0\0") + 20
    return data[:place] + bytes(8) + data[place + 8:]


def lengthen_code(data):
    """A copy without a checksum, whose code ends where the next segment begins, as code does that fills its last page."""
    data = bytearray(remove_sum(data))
    loads = [(number, row) for number, row in enumerate(segments(data)) if row[0] == _LOAD]
    number, next_address = next((code, after[3]) for (code, row), (_, after) in zip(loads, loads[1:]) if row[1] & _EXECUTABLE)
    programs, = struct.unpack_from("<Q", data, 32)
    size = next_address - segments(data)[number][3]
    struct.pack_into("<QQ", data, programs + 56 * number + 32, size, size)
    return bytes(data)


def header_ranges(data):
    """Where the ELF header, the program headers and the section headers are."""
    programs, sections = struct.unpack_from("<QQ", data, 32)
    program_count, _, section_count = struct.unpack_from("<HHH", data, 56)
    return [(0, 64), (programs, programs + 56 * program_count), (sections, sections + 64 * section_count)]


def segments(data):
    programs, = struct.unpack_from("<Q", data, 32)
    count, = struct.unpack_from("<H", data, 56)
    return [struct.unpack_from("<IIQQQQQQ", data, programs + 56 * i) for i in range(count)]


def offset_of(data, address):
    for kind, _, offset, first, _, size, _, _ in segments(data):
        if kind == _LOAD and first <= address < first + size:
            return offset + address - first
    raise ValueError(f"no segment has the address {address}")


def dynamic_range(data):
    [found] = [(offset, offset + size) for kind, _, offset, _, _, size, _, _ in segments(data) if kind == _DYNAMIC]
    return found


def table_ranges(data):
    """Where the dynamic section, names, symbols, their hash table, relocations and code are."""
    ranges = [(offset, offset + size) for kind, flags, offset, _, _, size, _, _ in segments(data) if kind == _LOAD and flags & _EXECUTABLE]
    begin, end = dynamic_range(data)
    ranges.append((begin, end))
    entries = dict(struct.unpack_from("<QQ", data, at) for at in range(begin, end, 16))
    for tag in (_SYMBOLS, _STRINGS, _RELOCATIONS, _HASH):
        at = offset_of(data, entries[tag])
        ranges.append((at, at + entries[_BYTES_OF[tag]] if tag in _BYTES_OF else at + 32))
    return ranges
