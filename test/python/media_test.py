#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures and sounds as inputs in Python: the numbers of Pillow and of nacre-run, which are those of nacre/image.hpp, and every refusal."""
import io
import os
import pathlib
import random
import struct
import sys
import unittest
from unittest import mock

import numpy
import packaged

sys.path.append(os.path.join(packaged.ROOT, "test", "e2e"))  # whose nacre is another
import nacre  # noqa: E402
import tflite_writer  # noqa: E402
from media_files import JPEG, exif, png, wav  # noqa: E402

try:
    from PIL import Image
except ImportError:
    Image = None

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def random_pixels(*shape):
    """The pixels of test/runtime/image/ImageHppTest.cpp."""
    state, values = 1, bytearray()
    for _ in range(int(numpy.prod(shape))):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        values.append(state >> 24)
    return numpy.frombuffer(bytes(values), numpy.uint8).reshape(shape)


def info(shape, kind="f32", **more):
    dtype = {"f32": "float32", "f16": "float16", "u8": "uint8", "i8": "int8", "i16": "int16", "u16": "uint16"}.get(kind, "int64")
    return nacre.TensorInfo("image", tuple(shape), numpy.dtype(dtype), kind, 0)._replace(**more)


class MediaTest(packaged.PackageTest):
    def library(self, name, dims, element=None):
        """A model with one input x of this shape: f32, or int8 of (scale, zero point)."""
        if element:
            net = tflite_writer.Net()
            x = net.input("x", dims, tflite_writer.INT8, scale=element[0], zero=element[1])
            y = net.output("y", dims, tflite_writer.INT8, scale=element[0], zero=element[1])
            net.op(19, [x], [y])
            path = self.path(name + ".tflite")
            net.save(path)
        else:
            graph = packaged.Graph(name)
            graph.node("Relu", [graph.input("x", dims)], output="y")
            graph.output("y", dims)
            path = self.path(name + ".onnx")
            graph.save(path)
        return nacre.compile(path, jobs=1, library=self.path(f"lib{name}.so"))

    def tensor_of_nacre_run(self, model, name, data, *options):
        with open(self.path(name), "wb") as file:
            file.write(data)
        self.call(nacre.find_program("nacre-run"), model.path, f"--input=x={self.path(name)}", f"--save-inputs={self.folder}", *options)
        return numpy.load(self.path("x.npy"))


class PicturesTest(MediaTest):
    def test_numbers_of_pillow(self):
        """Those of the C++ header's test."""
        pixels = random_pixels(5, 7, 3)
        small = nacre.image(pixels, info([2, 3, 3], "u8"), resize=(2, 3), layout="nhwc")
        self.assertEqual(small.ravel().tolist(), [82, 98, 115, 161, 119, 100, 170, 174, 124, 97, 136, 162, 144, 162, 97, 138, 143, 91])
        larger = nacre.image(pixels, info([6, 9, 3], "u8"), resize=(6, 9))
        self.assertEqual(larger[0].ravel().tolist(), [60, 94, 129, 140, 39, 106, 188, 70, 54, 190, 125, 27, 163, 64, 108, 154, 181, 71, 207, 217, 73,
                                                      225, 192, 74, 174, 136, 55])
        gray = nacre.image(pixels, info([1, 3, 2], "u8"), resize=(3, 2))
        self.assertEqual(gray.ravel().tolist(), [102, 168, 119, 130, 146, 149])
        kept = nacre.image(random_pixels(333, 500, 3), info([1, 56, 56, 3], "u8"), resize=64, crop=True)
        hashed = 0xCBF29CE484222325  # FNV-1a
        for byte in kept.tobytes():
            hashed = (hashed ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
        self.assertEqual(hashed, 0x7065B48C7ABB77DE)

    def test_an_odd_rest_is_rounded_to_even(self):
        row = numpy.arange(8, dtype=numpy.uint8)[None]
        firsts = [nacre.image(row, info([1, 1, 8 - rest], "u8"), crop=True, layout="nchw").ravel()[0] for rest in range(8)]
        self.assertEqual(firsts, [0, 0, 1, 2, 2, 2, 3, 4])

    def test_layouts_channels_and_range(self):
        pixels = random_pixels(4, 5, 3)
        scaled = (pixels.astype(numpy.float32) / numpy.float32(255) - numpy.array(MEAN, numpy.float32)) / numpy.array(STD, numpy.float32)
        first = nacre.image(pixels, (1, 3, 4, 5), mean=MEAN, std=STD)
        numpy.testing.assert_array_equal(first[0], scaled.transpose(2, 0, 1))
        self.assertEqual((first.dtype, first.ctypes.data % 64), (numpy.float32, 0))
        numpy.testing.assert_array_equal(nacre.image(pixels, (4, 5, 3), mean=MEAN, std=STD), scaled)
        reversed_ = nacre.image(pixels, (1, 4, 5, 3), channels="bgr", range=255, mean=(1, 2, 3))
        numpy.testing.assert_array_equal(reversed_[0], pixels[:, :, ::-1].astype(numpy.float32) - numpy.array([1, 2, 3], numpy.float32))
        alpha = numpy.concatenate([pixels, numpy.full((4, 5, 1), 9, numpy.uint8)], 2)
        numpy.testing.assert_array_equal(nacre.image(alpha, (1, 3, 4, 5), mean=MEAN, std=STD), first)
        gray = nacre.image(pixels[:, :, 0], (1, 3, 4, 5), range=255)
        numpy.testing.assert_array_equal(gray[0], pixels[:, :, :1].repeat(3, 2).transpose(2, 0, 1))
        both = nacre.image([pixels, pixels[::-1]], (2, 3, 4, 5), mean=MEAN, std=STD)
        numpy.testing.assert_array_equal(both, numpy.stack([first[0], first[0][:, ::-1]]))

    def test_codes_of_quantized_inputs(self):
        row = numpy.array([[0, 1, 127, 128, 255]], numpy.uint8)

        def codes(kind, scale, zero, **options):
            made = nacre.image(row, info([1, 1, 5], kind, scale=scale, zero_point=zero), layout="nchw", **options)
            self.assertEqual(made.dtype, info([1], kind).dtype)
            return made.ravel().tolist()

        self.assertEqual(codes("i8", 1 / 255, -128), [-128, -127, -1, 0, 127])
        centered = {"range": 255, "mean": 127.5, "std": 127.5}
        self.assertEqual(codes("u8", 1 / 64, 100, **centered), [36, 37, 100, 100, 164])
        self.assertEqual(codes("u8", 1 / 1024, 100, **centered), [0, 0, 96, 104, 255])
        self.assertEqual(codes("i16", 1 / 32768, 0, **centered), [-32768, -32511, -129, 129, 32767])
        self.assertEqual(codes("u8", 2, 0, range=255), [0, 0, 64, 64, 128])
        self.assertEqual(codes("u8", 1, 0), [0, 1, 127, 128, 255])
        self.assertEqual(codes("u8", 1e-9, -(1 << 31)), [0, 255, 255, 255, 255])
        channels = info([1, 1, 3], "u8", scale=0.0, channel_axis=2, scales=(1.0, 2.0, 0.5), zero_points=(0, 1, 2))
        self.assertEqual(nacre.image(numpy.array([[[10, 20, 30]]], numpy.uint8), channels, layout="nhwc", range=255).ravel().tolist(), [10, 11, 62])

    def test_bits_of_nacre_run(self):
        """20 pictures of all sizes, into floats and into codes, equal those of nacre/image.hpp."""
        floats, codes = self.library("floats", [1, 3, 24, 32]), self.library("codes", [1, 24, 32, 3], (0.0173, -3))
        choose = random.Random(5)
        for number in range(20):
            width, height = choose.randint(8, 260), choose.randint(8, 260)
            noise = numpy.frombuffer(choose.randbytes(3 * width * height), numpy.uint8).reshape(height, width, 3)
            pixels = noise if number % 2 else (noise // 64 + numpy.arange(width, dtype=numpy.uint8)[:, None] * 3)
            if number % 3:
                size, words, crop = choose.randint(32, 90), "--resize={}", ["--crop"]
            else:
                size, words, crop = (24, 32), "--resize=32x24", []
            for model in floats, codes:
                expected = self.tensor_of_nacre_run(model, "a.png", png(numpy.ascontiguousarray(pixels)), words.format(size), *crop,
                                                    "--mean=" + ",".join(map(str, MEAN)), "--std=" + ",".join(map(str, STD)))
                made = nacre.image(pixels, model, resize=size, crop=bool(crop), mean=MEAN, std=STD)
                self.assertEqual(made.dtype, expected.dtype)
                numpy.testing.assert_array_equal(made, expected, f"picture {number}")
                self.assertEqual(model.run(made)["y"].shape, tuple(model.outputs[0].shape))

    @unittest.skipUnless(Image, "python3-pil is not installed")
    def test_files_and_pictures_of_pillow(self):
        """Pictures of all modes equal PIL's, and nacre-run's."""
        model = self.library("floats", [1, 3, 24, 24])
        choose = random.Random(7)
        for mode, kind in (("RGB", "JPEG"), ("L", "JPEG"), ("CMYK", "JPEG"), ("RGB", "PNG"), ("L", "PNG"), ("RGBA", "PNG"), ("LA", "PNG"), ("P", "PNG"),
                           ("1", "PNG"), ("I", "PNG")):
            picture = Image.frombytes("RGB", (50, 40), choose.randbytes(6000)).convert("L" if mode == "I" else mode)
            if mode == "I":
                picture = Image.fromarray(numpy.asarray(picture).astype(numpy.int32) * 257)
            file = io.BytesIO()
            picture.save(file, kind)
            expected = self.tensor_of_nacre_run(model, "a", file.getvalue(), "--resize=30", "--crop")
            numpy.testing.assert_array_equal(nacre.image(self.path("a"), model, resize=30, crop=True), expected, f"{mode} {kind}")
            opened = Image.open(self.path("a"))
            numpy.testing.assert_array_equal(nacre.image(opened, model.inputs[0], resize=30, crop=True), expected)
            if mode != "I":
                resized = opened.convert("RGB").resize((37, 30), Image.BILINEAR).crop((6, 3, 30, 27))
                numpy.testing.assert_array_equal(nacre.image(resized, model), expected)
        with open(self.path("turned.jpg"), "wb") as out:
            out.write(JPEG[:2] + exif(6) + JPEG[2:])
        with self.assertLogs("nacre", "WARNING") as logged:
            nacre.image(self.path("turned.jpg"), model, resize=24, crop=True)
        self.assertIn("EXIF orientation 6", logged.output[0])
        with open(self.path("text.jpg"), "w", encoding="ascii") as out:
            out.write("text")
        self.assert_says(ValueError, f"'{self.path('text.jpg')}' is not a picture that Pillow reads", nacre.image, self.path("text.jpg"), model)
        self.assertRaises(FileNotFoundError, nacre.image, self.path("none.jpg"), model)
        self.assert_says(TypeError, "a picture of floats has no common range; convert it to an array of uint8", nacre.image, Image.new("F", (24, 24)), model)
        self.assert_says(TypeError, "a picture with 32 bits per pixel has no common range; convert it to an array of uint8", nacre.image,
                         Image.new("I", (24, 24)), model)

    def test_without_pillow(self):
        with mock.patch.dict(sys.modules, {"PIL": None, "PIL.Image": None}):
            self.assert_says(ImportError, "Pillow, which reads 'cat.jpg', is not installed; install it with 'pip install pillow', or pass the pixels as an "
                             "array of uint8", nacre.image, "cat.jpg", (1, 3, 8, 8))

    def test_what_does_not_fit(self):
        pixels = random_pixels(8, 8, 3)

        def refuses(words, like=(1, 3, 8, 8), kind=ValueError, picture=pixels, **options):
            self.assert_says(kind, words, nacre.image, picture, like, **options)

        refuses("a picture needs an input of 3 or 4 axes (batch, channels, height, width in some order), but input 'input' has 2", (8, 8))
        refuses("the first and the last axis of input 'input' could both hold channels; pass layout='nchw' or layout='nhwc'", (1, 3, 8, 3))
        refuses("input 'input' has no axis of 1 or 3 channels before or after height and width", (1, 4, 8, 8))
        refuses("input 'input' has no axis of 1 or 3 channels after height and width", layout="nhwc")
        refuses("the picture is 8 x 8 pixels, but input 'input' takes 9 x 8; pass resize=(8, 9) to stretch it, or resize=<shorter side> and crop=True to "
                "keep its center", (1, 3, 8, 9))
        refuses("the picture is 6 x 6 pixels when resized, but input 'input' takes at least 8 x 8; raise resize", resize=6, crop=True)
        refuses("input 'image' must hold f32, f16, or integers of 8 or 16 bits to take a picture, but holds i64", info([1, 3, 8, 8], "i64"), TypeError)
        refuses("input 'image' has a scale that is not above 0", info([1, 3, 8, 8], "u8", scale=0.0))
        refuses("input 'image' has a scale for each index of axis 2, not for each channel",
                info([1, 3, 8, 8], "u8", scale=0.0, channel_axis=2, scales=(1.0,) * 8, zero_points=(0,) * 8))
        refuses("input 'input' has 3 channels, so its channels cannot be gray", channels="gray")
        refuses("channels must be 'rgb', 'bgr' or 'gray', but is 'rgba'", channels="rgba")
        refuses("layout must be 'nchw' or 'nhwc', but is 'chwn'", layout="chwn")
        refuses("input 'input' takes 2 pictures, but 1 are given", (2, 3, 8, 8))
        refuses("std must be finite and above 0, but is (1, 0, 1)", std=(1, 0, 1))
        refuses("mean must be finite, but is nan", mean=numpy.nan)
        refuses("mean must be one number, because input 'input' is gray, but has 3", (1, 1, 8, 8), mean=MEAN)
        refuses("mean must be one number or three, but has 2", mean=(1, 2))
        refuses("range must be finite and above 0, but is -1", range=-1)
        refuses("resize must be the length of the shorter side or (height, width), but is (1, 2, 3)", resize=(1, 2, 3))
        refuses("resize must be the length of the shorter side or (height, width), but is 0", resize=0)
        refuses("a picture must be resized to at most 65535 pixels along each side", resize=70000)
        refuses("the array of a picture must be of uint8, with values from 0 to 255, but is of float64", kind=TypeError, picture=numpy.zeros((8, 8, 3)))
        refuses("the array of a picture must have the shape (height, width) or (height, width, 1, 3 or 4), but has (3, 8, 8)", picture=pixels.transpose(2, 0, 1))
        refuses("a picture must have 1 to 65535 pixels along each side, but is 0 x 8", picture=pixels[:, :0])
        sums = nacre.compile(self.model("sums"), jobs=1)
        refuses("the model has 2 inputs; pass one of them, such as model.inputs[0]; they are a: f32[2, 3], b: f32[3]", sums)
        self.assert_says(TypeError, "input 'a' must be of float32, but is of uint8; a picture becomes an input by nacre.image(picture, model, mean=..., "
                         "std=...), another array by array.astype('float32')", sums.run, pixels, [1, 2, 3])

    def test_run_takes_no_files(self):
        """Without mean and std, a picture has no meaning: a picture is refused even if its shape fits."""
        model = self.library("rows", [5, 4, 3])
        for file in ("cat.jpg", b"cat.jpg", pathlib.Path("cat.jpg")):
            self.assert_says(TypeError, f"input 'x' must be an array of float32, but is {file!r}; a picture becomes an input by "
                             "nacre.image(file, model, mean=..., std=...), a sound by nacre.sound(file, model), and numpy.load reads .npy files", model.run, file)
        pixels = random_pixels(5, 4, 3)

        class Picture:  # As Pillow's, which has no __array__.
            __array_interface__ = pixels.__array_interface__

        for picture in (pixels, Picture()):
            self.assert_says(TypeError, "input 'x' must be of float32, but is of uint8; a picture becomes an input by nacre.image(picture, model, "
                             "mean=..., std=...), another array by array.astype('float32')", model.run, picture)


class SoundsTest(MediaTest):
    def test_wav_files_of_every_kind(self):
        floats, codes = self.library("floats", [1, 8]), self.library("codes", [1, 8, 1], (0.0087, 5))
        samples = [0, 1, -32768, 32767, 16384, -5, 7, 100]
        reals = [sample / 32768 for sample in samples]
        files = [wav(struct.pack("<8h", *samples)), wav(struct.pack("<8f", *reals), bits=32, kind=3), wav(struct.pack("<8d", *reals), bits=64, kind=3),
                 wav(struct.pack("<8h", *samples), kind=0xFFFE, more=struct.pack("<HHIH14s", 22, 16, 0, 1, b"")),
                 wav(bytes([0, 128, 255, 64, 128, 1, 2, 3]), bits=8), wav(struct.pack("<24h", *range(-900, 1500, 100)), channels=3)]
        files += [wav(b"".join(struct.pack("<i", sample << 16 | 77)[4 - bits // 8:] for sample in samples), bits=bits) for bits in (24, 32)]
        for number, content in enumerate(files):
            for model in floats, codes:
                expected = self.tensor_of_nacre_run(model, "a.wav", content)
                made = nacre.sound(self.path("a.wav"), model, rate=16000)
                self.assertEqual((made.dtype, made.shape), (expected.dtype, expected.shape))
                numpy.testing.assert_array_equal(made, expected, f"file {number}")
        numpy.testing.assert_array_equal(nacre.sound(numpy.array(samples, "int16"), floats), [reals])
        numpy.testing.assert_array_equal(nacre.sound(numpy.array([reals, reals]).T, floats), numpy.array([reals], "float32"))
        self.assertEqual(nacre.sound(numpy.array(reals), info([8], "i16")).tolist(), samples)

    def test_other_lengths_and_refusals(self):
        path = self.path("a.wav")

        def write(content):
            with open(path, "wb") as file:
                file.write(content)

        write(wav(struct.pack("<2h", 16384, 8192)))
        with self.assertLogs("nacre", "WARNING") as logged:
            self.assertEqual(nacre.sound(path, (4,)).tolist(), [0.5, 0.25, 0, 0])
            self.assertEqual(nacre.sound(path, (1, 1)).tolist(), [[0.5]])
        self.assertIn("has 2 samples, and input 'input' takes 4: zeros follow", logged.output[0])
        self.assertIn("takes 1: the rest is cut off", logged.output[1])

        def refuses(words, like=(8,), kind=ValueError, recording=path, **options):
            self.assert_says(kind, words, nacre.sound, recording, like, **options)

        refuses(f"'{path}' has 16000 samples per second, but rate is 8000; convert it, for example with: ffmpeg -i <file> -ar 8000 <new file>.wav", rate=8000)
        refuses("rate is checked in WAV files, but an array does not say its own", recording=numpy.zeros(8), rate=8000)
        refuses("input 'input' takes f32[2, 4], but samples need an input with one axis longer than 1; compute the input (a spectrogram?) as an array", (2, 4))
        refuses("input 'image' takes i64[8], but samples need f32, f16, or integers of 8 or 16 bits", info([8], "i64"), TypeError)
        refuses("input 'image' takes u8[8], unsigned integers without a scale, which no sample is", info([8], "u8"), TypeError)
        refuses("the array of a sound must be of floats, int16 or int32, but is of uint8", kind=TypeError, recording=numpy.zeros(8, "uint8"))
        refuses("the array of a sound must have the shape (samples,) or (samples, channels), but has (0,)", recording=numpy.zeros(0))
        refuses("the array: sample 1 is infinite or NaN", recording=numpy.array([0, numpy.nan] * 4))
        write(b"text")
        refuses(f"'{path}' is not a WAV file; convert it, for example with: ffmpeg -i <file> <new file>.wav")
        for content, words in ((wav(bytes(16), kind=2), "its samples have format 2 with 16 bits; convert it to 16-bit PCM"), (wav(bytes(16))[:-3], "it ends "
                               "early: 13 of 16 bytes of samples are there"), (wav(bytes(16))[:30], "it ends before its samples"), (wav(b""), "it has no samples")):
            write(content)
            refuses(f"'{path}' is a WAV sound that cannot be read: {words}")


if __name__ == "__main__":
    unittest.main()
