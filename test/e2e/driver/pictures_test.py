#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JPEG, PNG and WAV files as inputs of nacre-run: their tensors, and what it says of those that do not fit or are damaged.

How:  --save-inputs shows the tensors. Expectations are hashes of what Pillow 9.4 computes, and Pillow itself where it is installed.
"""
import hashlib
import io
import os
import random
import struct
import subprocess
import sys
import unittest
import zlib

import numpy

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import onnx_writer
import tflite_writer
from media_files import JPEG, chunk, exif, png, wav

try:
    from PIL import Image
except ImportError:
    Image = None

USAGE = 2
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
AS_TORCHVISION = ("--resize=24", "--crop", "--mean=" + ",".join(map(str, MEAN)), "--std=" + ",".join(map(str, STD)))
JPEG_RESIZED = "a9d2f3a2eecfee0b194a639c743f6c781a5f8a314cd0cbc5712c442d638be27c"  # its center of 24 x 24, as bytes of RGB


def normalized(pixels):
    """What torchvision's ToTensor and Normalize make of pixels."""
    scaled = pixels.astype(numpy.float32) / numpy.float32(255)
    return ((scaled - numpy.array(MEAN, numpy.float32)) / numpy.array(STD, numpy.float32)).transpose(2, 0, 1)[None]


class PicturesTest(nacre.NacreTest):
    def library(self, name, dims, element=None):
        """A model whose only input x has this shape: f32, or 8 bits of (scale, zero point)."""
        path, library = self.path(name), self.path(f"lib{name}.so")
        if os.path.exists(library):
            return library
        if element:
            net = tflite_writer.Net()
            x = net.input("x", dims, tflite_writer.INT8, scale=element[0], zero=element[1])
            y = net.output("y", dims, tflite_writer.INT8, scale=element[0], zero=element[1])
            net.op(19, [x], [y])
            net.save(path)
        else:
            graph = onnx_writer.Graph(name)
            graph.node("Relu", [graph.input("x", dims)], output="y")
            graph.output("y", dims)
            graph.save(path)
        self.call(os.path.join(nacre.BIN, "nacre-compile"), path, "-o", library, "--quiet")
        return library

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def run_on(self, library, name, data, *options, status=0):
        return self.run_model(library, f"--input=x={self.write(name, data)}", *options, status=status)

    def tensor(self, library, name, data, *options, says=()):
        """The input that a file becomes."""
        said = self.run_on(library, name, data, f"--save-inputs={self.folder}", *options)
        for words in says:
            self.assertIn(words, said)
        if not says:
            self.assertNotIn("note:", said)
        return numpy.load(self.path("x.npy"))

    def refuses(self, library, name, data, *options, words):
        self.assertIn(words, self.run_on(library, name, data, *options, status=USAGE))

    def test_jpeg_as_torchvision_prepares_it(self):
        library = self.library("rgb", [1, 3, 24, 24])
        pixels = self.tensor(library, "a.jpg", JPEG, "--resize=24", "--crop", "--range=255")
        self.assertEqual(hashlib.sha256(pixels[0].transpose(1, 2, 0).astype(numpy.uint8).tobytes()).hexdigest(), JPEG_RESIZED)
        numpy.testing.assert_array_equal(self.tensor(library, "misnamed.npy", JPEG, *AS_TORCHVISION), normalized(pixels[0].transpose(1, 2, 0)))
        # Turned pictures are used as they are, like PIL does, and it says so.
        turned = self.tensor(library, "a.jpg", JPEG[:2] + exif(6) + JPEG[2:], "--resize=24", "--crop", "--range=255", says=["EXIF orientation 6"])
        numpy.testing.assert_array_equal(turned, pixels)
        numpy.testing.assert_array_equal(self.tensor(library, "a.jpg", JPEG[:2] + exif(1) + JPEG[2:], "--resize=24", "--crop", "--range=255"), pixels)

    def test_png_of_every_kind(self):
        library = self.library("small", [1, 3, 4, 5])
        rgb = numpy.arange(60, dtype=numpy.uint8).reshape(4, 5, 3) * 4
        wanted = (rgb.astype(numpy.float32) / numpy.float32(255)).transpose(2, 0, 1)[None]
        numpy.testing.assert_array_equal(self.tensor(library, "a.png", png(rgb)), wanted)
        alpha = numpy.concatenate([rgb, numpy.full((4, 5, 1), 7, numpy.uint8)], 2)
        numpy.testing.assert_array_equal(self.tensor(library, "a.png", png(alpha, color=6)), wanted)
        wide = (rgb.astype(numpy.uint16) * 256 + 9).astype(">u2")
        numpy.testing.assert_array_equal(self.tensor(library, "a.png", png(wide, bits=16)), wanted)
        palette = chunk(b"PLTE", rgb.tobytes()) + chunk(b"tRNS", bytes(20))
        numpy.testing.assert_array_equal(self.tensor(library, "a.png", png(numpy.arange(20, dtype=numpy.uint8).reshape(4, 5), color=3, more=palette)), wanted)
        gray = self.tensor(library, "a.png", png(rgb[:, :, 0], color=0))
        numpy.testing.assert_array_equal(gray, wanted[:, :1].repeat(3, 1))
        numpy.testing.assert_array_equal(self.tensor(library, "a.png", png(rgb), "--channels=bgr"), wanted[:, ::-1])

    def test_layouts_and_gray(self):
        rgb = numpy.arange(60, dtype=numpy.uint8).reshape(4, 5, 3) * 4
        last = self.tensor(self.library("last", [1, 4, 5, 3]), "a.png", png(rgb), "--range=255", "--mean=100", "--std=2")
        numpy.testing.assert_array_equal(last[0], (rgb.astype(numpy.float32) - 100) / 2)
        gray = self.tensor(self.library("gray", [4, 5, 1]), "a.png", png(rgb), "--range=255")
        numpy.testing.assert_array_equal(gray[:, :, 0], (rgb.astype(numpy.uint32) @ [19595, 38470, 7471] + 0x8000) >> 16)
        both = self.library("both", [1, 3, 4, 3])
        square = rgb[:3, :4]
        self.refuses(both, "a.png", png(square), words="add --layout=nchw")
        self.assertEqual(self.tensor(both, "a.png", png(square), "--layout=nhwc", "--range=255")[0].tolist(), square.tolist())

    def test_quantized_inputs_by_their_scale(self):
        rgb = numpy.arange(60, dtype=numpy.uint8).reshape(4, 5, 3) * 4
        codes = self.tensor(self.library("quantized.tflite", [1, 4, 5, 3], (1 / 255, -128)), "a.png", png(rgb))
        numpy.testing.assert_array_equal(codes[0], rgb.astype(numpy.int32) - 128)
        halves = self.tensor(self.library("halves.tflite", [1, 4, 5, 3], (1 / 128, -1)), "a.png", png(rgb), "--mean=0.5", "--std=0.5")
        exact = (rgb.astype(numpy.float32) / numpy.float32(255) - numpy.float32(0.5)) / numpy.float32(0.5)
        numpy.testing.assert_array_equal(halves[0], numpy.clip(numpy.rint(exact / numpy.float32(1 / 128)) - 1, -128, 127))

    def test_what_does_not_fit(self):
        rgb = png(numpy.zeros((30, 40, 3), numpy.uint8))
        library = self.library("rgb", [1, 3, 24, 24])
        self.refuses(library, "a.png", rgb, words="is 40 x 30 pixels, but input 'x' takes 24 x 24; add --resize=24x24 to stretch it, or")
        self.refuses(library, "a.png", rgb, "--resize=20", "--crop", words="raise --resize")
        self.refuses(library, "a.png", rgb, "--resize=24", "--crop", "--channels=gray", words="cannot be gray; change --layout or --channels")
        self.refuses(self.library("rank2", [24, 24]), "a.png", rgb, words="a picture needs an input of 3 or 4 axes (batch, channels, height, width in some order), but input 'x' has 2")
        self.refuses(self.library("batch", [2, 3, 24, 24]), "a.png", rgb, words="is one picture, but input 'x' takes 2")
        self.refuses(self.library("gray", [4, 5, 1]), "a.png", rgb, "--mean=1,2,3", words="--mean must be one number, because input 'x' is gray")
        self.refuses(library, "a.webp", b"RIFF\x20\0\0\0WEBPVP8 ", words="is a WebP picture, but --input reads JPEG, PNG and WAV files")
        self.assertIn("--mean is about pictures, but no --input is a JPEG or PNG file", self.run_model(library, "--mean=1", status=USAGE))
        self.assertIn("--rate is about sounds, but no --input is a WAV file", self.run_model(library, "--rate=1", status=USAGE))
        for option in ("--mean=1,2", "--mean=x", "--std=0", "--std=1,-1,1", "--resize=0", "--resize=3x", "--resize=70000", "--range=-1", "--range=1,1,1", "--layout=chwn", "--channels=rgba", "--rate=0", "--mean=nan"):
            self.assertIn(option.partition("=")[0] + " must be", self.run_model(library, option, status=USAGE))
        self.assertIn("a.png' is a PNG picture, but a .npy or .pb file is needed here", self.run_model(library, f"--expect=y={self.write('a.png', rgb)}", status=USAGE))

    def test_sounds(self):
        library = self.library("sound", [1, 8])
        samples = [0, 1, -32768, 32767, 16384, -5, 7, 100]
        wanted = [[sample / 32768 for sample in samples]]
        self.assertEqual(self.tensor(library, "a.wav", wav(struct.pack("<8h", *samples)), "--rate=16000").tolist(), wanted)
        for bits in (24, 32):
            packed = b"".join(struct.pack("<i", sample << 16)[4 - bits // 8:] for sample in samples)
            self.assertEqual(self.tensor(library, "a.wav", wav(packed, bits=bits)).tolist(), wanted)
        self.assertEqual(self.tensor(library, "a.wav", wav(struct.pack("<8f", *wanted[0]), bits=32, kind=3)).tolist(), wanted)
        self.assertEqual(self.tensor(library, "a.wav", wav(struct.pack("<8d", *wanted[0]), bits=64, kind=3)).tolist(), wanted)
        extensible = struct.pack("<HHIH14s", 22, 16, 0, 1, b"")
        self.assertEqual(self.tensor(library, "a.wav", wav(struct.pack("<8h", *samples), kind=0xFFFE, more=extensible)).tolist(), wanted)
        self.assertEqual(self.tensor(library, "a.wav", wav(bytes([0, 128, 255, 64, 128, 128, 128, 128]), bits=8)).tolist(), [[-1, 0, 127 / 128, -0.5, 0, 0, 0, 0]])
        both = struct.pack("<16h", *(n for sample in samples for n in (sample, 0)))
        self.assertEqual(self.tensor(library, "a.wav", wav(both, channels=2)).tolist(), [[value / 2 for value in wanted[0]]])
        short = self.tensor(library, "a.wav", wav(struct.pack("<2h", 16384, 8192)), says=["has 2 samples (16000 per second), and input 'x' takes 8: zeros follow"])
        self.assertEqual(short.tolist(), [[0.5, 0.25, 0, 0, 0, 0, 0, 0]])
        self.tensor(library, "a.wav", wav(bytes(40)), says=["has 20 samples (16000 per second), and input 'x' takes 8: the rest is cut off"])
        self.refuses(library, "a.wav", wav(bytes(16), rate=44100), "--rate=16000", words="has 44100 samples per second, but --rate is 16000; convert it")
        self.refuses(library, "a.wav", wav(bytes(16), kind=2), words="format 2 with 16 bits; convert it to 16-bit PCM")
        self.refuses(library, "a.wav", wav(struct.pack("<8f", *[float("nan")] * 8), bits=32, kind=3), words="sample 0 is infinite or NaN")
        self.refuses(library, "a.wav", wav(bytes(16))[:-3], words="it ends early: 13 of 16 bytes")
        self.refuses(self.library("rgb", [1, 3, 24, 24]), "a.wav", wav(bytes(16)), words="one axis longer than 1")

    def test_damaged_files(self):
        """Each is read or refused by name; none crashes, hangs or asks for the memory that it claims to need."""
        pixels = numpy.frombuffer(random.Random(1).randbytes(24 * 24 * 3), numpy.uint8).reshape(24, 24, 3)
        choose = random.Random(2)
        for library, name, whole in ((self.library("rgb", [1, 3, 24, 24]), "a.png", png(pixels)), (self.library("rgb", [1, 3, 24, 24]), "a.jpg", JPEG),
                                     (self.library("sound", [1, 8]), "a.wav", wav(bytes(range(16))))):
            cut = [whole[:length] for length in sorted(choose.sample(range(12, len(whole) - 2), min(12, len(whole) - 14)))]
            flipped = []
            for _ in range(25):
                damaged = bytearray(whole)
                for _ in range(choose.randint(1, 4)):
                    damaged[choose.randrange(3, len(damaged))] ^= 1 << choose.randrange(8)
                flipped.append(bytes(damaged))
            for number, data in enumerate(cut + flipped):
                path = self.write(name, data)
                done = subprocess.run([os.path.join(nacre.BIN, "nacre-run"), library, f"--input=x={path}", *(["--resize=24x24"] if name != "a.wav" else [])],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False, text=True, errors="replace")
                self.assertIn(done.returncode, (0, USAGE), f"{name} {number}: {done.stdout}")
                if done.returncode:
                    self.assertIn(name, done.stdout)
                self.assertFalse(number < len(cut) and done.returncode == 0, f"{name}: a file that was cut off is not whole")
        huge = bytearray(png(pixels))
        huge[16:24] = struct.pack(">II", 60000, 60000)
        huge[29:33] = struct.pack(">I", zlib.crc32(huge[12:29]))
        self.refuses(self.library("rgb", [1, 3, 24, 24]), "a.png", bytes(huge), words="it is 60000 x 60000 pixels, but may have at most")

    @unittest.skipUnless(Image, "python3-pil is not installed")
    def test_equals_pil(self):
        """20 pictures of all modes and sizes, resized and cropped, equal PIL's and torchvision's to the last bit."""
        library = self.library("rgb", [1, 3, 24, 24])
        choose = random.Random(3)
        for number in range(20):
            width, height = choose.randint(10, 300), choose.randint(10, 300)
            noise = Image.frombytes("RGB", (width, height), choose.randbytes(3 * width * height))
            picture = noise.resize((width // 4 + 1, height // 4 + 1)).resize((width, height), Image.BICUBIC) if number % 2 else noise
            file = io.BytesIO()
            if number < 10:
                picture.convert(choose.choice(["RGB", "L", "CMYK"])).save(file, "JPEG", quality=choose.randint(20, 95), progressive=number % 3 == 0)
            else:
                picture.convert(choose.choice(["RGB", "L", "RGBA", "LA", "P", "1"])).save(file, "PNG")
            got = self.tensor(library, "a", file.getvalue(), *AS_TORCHVISION)
            opened = Image.open(io.BytesIO(file.getvalue())).convert("RGB")
            short, long = min(width, height), max(width, height)
            size = (24, int(24 * long / short)) if width <= height else (int(24 * long / short), 24)
            left, top = (int(round((side - 24) / 2.0)) for side in size)
            wanted = opened.resize(size, Image.BILINEAR).crop((left, top, left + 24, top + 24))
            numpy.testing.assert_array_equal(got, normalized(numpy.asarray(wanted)), f"picture {number}")


if __name__ == "__main__":
    unittest.main()
