# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of pictures and sounds: PNG and WAV of any contents, and a small JPEG file, because Python itself has nothing that writes one."""
import base64
import struct
import zlib

# 40 x 30 pixels, progressive.
JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//"
    "2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wgARCAAeACgDASIAAhEBAxEB/8QA"
    "GAABAQEBAQAAAAAAAAAAAAAABAMAAgb/xAAYAQADAQEAAAAAAAAAAAAAAAACAwQBBv/aAAwDAQACEAMQAAAB8/W9xM9e0nbDM2OP2mquaGlFMthmZVP/xAAb"
    "EAADAQADAQAAAAAAAAAAAAAAAQIRAxAhEv/aAAgBAQABBQJSKRQKD4FPaTFBMj4xcJM+KSUZ7hhmH//EABwRAAICAgMAAAAAAAAAAAAAAAACAQMEESMyQf/a"
    "AAgBAwEBPwHH5J0TtPRbSnIZJ2pGQz9hbD//xAAdEQACAQQDAAAAAAAAAAAAAAAAAgMRISJRARIx/9oACAECAQE/AVuY6MdcCtSMaQ70t4f/xAAYEAACAwAA"
    "AAAAAAAAAAAAAAAAESAwMf/aAAgBAQAGPwKzRT//xAAfEAEAAgEDBQAAAAAAAAAAAAABABEQIDFBIVFhceH/2gAIAQEAAT8h0CJ34gorDggG+Cxu9/ER+YgB"
    "xzBPeMLO+oV6EDSf/9oADAMBAAIAAwAAABBooBBfD//EABgRAQEBAQEAAAAAAAAAAAAAABEBACEx/9oACAEDAQE/ELo6Edw5Q9zMLhk6lm//xAAdEQEBAAIB"
    "BQAAAAAAAAAAAAABEQAxcSFBUaHx/9oACAECAQE/EIFcJ2nGGIcvzIk2sMhQYG3uvgxv1cAH25//xAAeEAEAAgICAwEAAAAAAAAAAAABABEhYTFREEFx8P/a"
    "AAgBAQABPxDXLfU0zRCC6H2aZTdPDtaFHEo8CW1iPQr0gW2h+dzgBAYZZgUvoQcRFrEo0uDncCmJTmGUBWf/2Q==")


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(pixels, color=2, more=b"", bits=8):
    """A PNG file of rows of bytes."""
    height, width = pixels.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, 0)) + more +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def wav(samples, rate=16000, channels=1, bits=16, kind=1, more=b""):
    """A WAV file of bytes of samples."""
    form = struct.pack("<HHIIHH", kind, channels, rate, rate * channels * bits // 8, channels * bits // 8, bits) + more
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", len(samples)) + samples
    return b"RIFF" + struct.pack("<I", len(body)) + body


def exif(orientation):
    """The segment of a JPEG file that says how it is turned."""
    tiff = b"II*\0" + struct.pack("<IHHHIHHI", 8, 1, 0x112, 3, 1, orientation, 0, 0)
    return b"\xff\xe1" + struct.pack(">H", 8 + len(tiff)) + b"Exif\0\0" + tiff
