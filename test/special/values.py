# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The numbers at which functions break, as bits of each element type, so that a NaN keeps its payload."""
import math
import struct

from element_types import BOOL


def width(element):
    return max(8, element.bits)


def encode(element, value):
    """The bits of a number rounded to the type, or None where the type has no such number."""
    if element.is_float and math.isfinite(value) and abs(value) > element.largest:
        return None
    try:
        return int.from_bytes(element.pack([value]), "little")
    except (OverflowError, struct.error):
        return None


def decode(element, codes):
    return element.unpack(pack(element, codes))


def pack(element, codes):
    return b"".join(code.to_bytes(width(element) // 8, "little") for code in codes)


def flushed(element, codes):
    """The same with zeros, of the same sign, for numbers that have no exponent of their own."""
    if not element.is_float:
        return codes
    mantissa, sign = element.digits - 1, 1 << element.bits - 1
    return [code & sign if (code & (sign - 1)) < 1 << mantissa else code for code in codes]


def both_signs(values):
    return [signed for value in values for signed in (value, -value)]


def neighbours(element, value):
    """The number and the ones next to it."""
    code = encode(element, value)
    return [] if code is None else [code - 1, code, code + 1]


def not_numbers(element):
    """Quiet and signalling NaNs of both signs, with the least, the greatest and other payloads."""
    mantissa = element.digits - 1
    infinity, quiet = (1 << element.bits - 1) - (1 << mantissa), 1 << mantissa - 1
    payloads = (quiet, 2 * quiet - 1, quiet | quiet // 3, 1, quiet - 1, quiet // 2)
    return [sign | infinity | payload for payload in payloads for sign in (0, 1 << element.bits - 1)]


# Where exp, sinh, cosh, expm1, tanh, erf and sigmoid end or change over, in f32 and f64.
BORDERS = [17, 20, 9.0109, 4, 5, 7.90531, 0.625, 15.9, 16.7, 87.33, 87.3365, 87.34, 88, 88.37, 88.5, 88.7, 88.722, 88.72283, 88.7229, 88.75, 88.9, 89,
           89.2, 89.4, 89.4159, 89.42, 89.5, 90, 103.9, 104.5, 708.3, 709.7, 709.79, 710.4, 710.5, 745.1, 746]
TIES = [0.5, 1.5, 2.5, 3.5, 4.5, 127.5, 128.5, 255.5, 32767.5, 2**22 - 0.5, 2**22 + 0.5, 2**23 - 0.5, 2**31 - 0.5]
TURNS = [1, 2, 3, 4, 5, 7, 8, 11, 22, 100, 710, 1001, 31415, 10**6, 10**8]
ORDINARY = [0.1, 0.2, 0.25, 0.3, 0.7, 0.75, 0.9, 0.99, 1.001, 1.1, 2, 3, 7, 10, 88.8, 100.7, 128.9, 129, 1000.25]
POWERS_OF_TWO = [-126, -100, -64, -25, -24, -23, -12, 7, 8, 10, 11, 15, 16, 24, 25, 32, 62, 63, 64, 100, 126, 127]


def of_float(element):
    smallest, mantissa = element.smallest, element.digits - 1
    numbers = [*ORDINARY, *BORDERS, *TIES, *(turn * math.pi / 2 for turn in TURNS), *(10.0**e for e in range(-38, 39)),
               *(2.0**e for e in POWERS_OF_TWO), 1e9 + 1, 1e16, 1e-40, 3e-39, smallest / 2, smallest, element.largest, element.largest / 2,
               math.sqrt(element.largest), math.sqrt(smallest)]
    if element.bits == 64:
        numbers += [10.0**e for e in (-308, -300, -200, -100, -60, 60, 100, 200, 300, 308)]
    codes = [encode(element, number) for number in both_signs([0.0, math.inf, *numbers])]
    for exact in both_signs([0.5, 1.0, 1.5, 2.0, math.pi, 2.0**mantissa, 2.0**31, 2.0**63, smallest]):
        codes += neighbours(element, exact)
    sign = 1 << element.bits - 1
    codes += [magnitude | s for magnitude in (1, 2, (1 << mantissa) - 1) for s in (0, sign)]
    codes += [code | s for code in (encode(element, element.largest) - 1, encode(element, element.largest) - 2) for s in (0, sign)]
    return not_numbers(element) + [code for code in codes if code is not None]


def of_integer(element):
    low, high = element.ends
    values = [low, low + 1, low + 2, low // 2 - 1, low // 2, low // 2 + 1, high // 2, high // 2 + 1, high - 2, high - 1, high,
              *range(-9, 10), element.bits - 1, element.bits, element.bits + 1, *both_signs([31, 32, 33, 46340, 46341, 63, 64, 65, 100, 255, 65535]),
              *both_signs([2**24, 2**24 + 1, 2**31 - 1, 2**31, 2**53 + 1])]
    return [encode(element, value) for value in values if low <= value <= high]


def of(element):
    """All of a type's special values, each once."""
    if element is BOOL:
        return [0, 1]
    return list(dict.fromkeys(of_float(element) if element.is_float else of_integer(element)))


def key_values(element):
    """Few enough to pair each with each."""
    if element is BOOL:
        return [0, 1]
    if element.is_integer:
        low, high = element.ends
        values = [low, low + 1, low // 2, -8, -7, -3, -2, -1, 0, 1, 2, 3, 7, 8, element.bits - 1, element.bits, high // 2 + 1, high - 1, high]
        return list(dict.fromkeys(encode(element, value) for value in values if low <= value <= high))
    numbers = both_signs([0.0, math.inf, 0.5, 1, 1.5, 2, 3, 0.3, 7.25, 88.8, 1e4, 1e10, 2.0**24 + 2, 1e-5, 1e-20, 1e20, 1e-40, 3e38, element.smallest,
                          element.largest])
    codes = [encode(element, number) for number in numbers]
    return list(dict.fromkeys([*not_numbers(element)[:4], *(code for code in codes if code is not None), *neighbours(element, 1.0)]))


def rows(element, columns=19):
    """Rows of a matrix: each of some values among tame ones, at the front, amidst and at the end; beside its opposite; everywhere."""
    tame = [encode(element, v) for v in ((1, 2, 3, 1, 0, 5, 2, 7, 4) if not (element.is_float or element.is_signed)
                                         else (0.5, -1, 2, 0.25, -0.75, 3, -2, 1.5, 1) if element.is_float else (1, -1, 2, 0, -3, 3, -2, 5, 1))]
    base = [tame[i % len(tame)] for i in range(columns)]
    if element.is_float:
        numbers = both_signs([0.0, math.inf, 1e-40, element.smallest, 80.0, 100.0, 1e4, 1e10, 1e15, 1e19, 2e19, 1e25, 1e38, element.largest])
        special = [*not_numbers(element), *(code for code in (encode(element, v) for v in numbers) if code is not None)]
    else:
        special = key_values(element)
    result = [base]
    for code in dict.fromkeys(special):
        for place in (0, columns // 2, columns - 1):
            result.append(base[:place] + [code] + base[place + 1:])
        other = code ^ 1 << element.bits - 1
        result += [[code] * columns, [code, other] + base[2:], [code, code] + base[2:], base[:3] + [code] * (columns - 3)]
    if element.is_float:  # no number beside the least, or the greatest
        nan, infinity, sign = encode(element, math.nan), encode(element, math.inf), 1 << element.bits - 1
        result += [[nan] + [extreme] * (columns - 1) for extreme in (infinity, infinity | sign)]
    return result

