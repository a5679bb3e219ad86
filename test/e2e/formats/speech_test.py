#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The front end of keyword spotting, from samples to what an ear hears of them, and whole nets behind it.

Why:  the nets' recorded answers begin behind the front end: `Mfcc:0` is what they are fed. A phone has samples.
How:  AudioSpectrogram and Mfcc as TensorFlow's kernels define them, computed here: a periodic Hann window, the transform of the
      next power of two, triangles over mel whose halves a bin is shared between, logarithms and their cosine transform.
      A whole net must say of samples what it says of the coefficients that are expected of them.
"""
import cmath
import math
import os
import random
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import tensorflow_writer as tf
from onnx_writer import write_npy


def transform(samples):
    """The discrete Fourier transform of as many numbers as a power of two."""
    count = len(samples)
    if count == 1:
        return list(samples)
    even, odd = transform(samples[0::2]), transform(samples[1::2])
    turned = [cmath.exp(-2j * math.pi * k / count) * x for k, x in enumerate(odd)]
    return [a + b for a, b in zip(even, turned)] + [a - b for a, b in zip(even, turned)]


def spectrogram(samples, window, stride):
    """The power of each frequency, frame by frame."""
    length = 1 << (window - 1).bit_length()
    hann = [0.5 - 0.5 * math.cos(2 * math.pi * i / window) for i in range(window)]
    frames = []
    for begin in range(0, len(samples) - window + 1, stride):
        frame = [x * w for x, w in zip(samples[begin:begin + window], hann)] + [0.0] * (length - window)
        frames.append([abs(x) ** 2 for x in transform(frame)[:length // 2 + 1]])
    return frames


class MelBands:
    """Each bin belongs to the falling half of one triangle and, with the rest of its weight, to the rising half of the next."""

    def __init__(self, bins, rate, count, low, high):
        spacing = (self.mel(high) - self.mel(low)) / (count + 1)
        self.middles = [self.mel(low) + spacing * (i + 1) for i in range(count + 1)]
        self.count, self.low = count, self.mel(low)
        self.width = 0.5 * rate / (bins - 1)
        self.bins = range(int(1.5 + low / self.width), int(high / self.width) + 1)

    @staticmethod
    def mel(hertz):
        return 1127 * math.log1p(hertz / 700)

    def share(self, power):
        bands = [0.0] * self.count
        for number in self.bins:
            mel, magnitude = self.mel(number * self.width), math.sqrt(power[number])
            band = sum(middle < mel for middle in self.middles[:self.count]) - 1
            below = self.low if band < 0 else self.middles[band]
            falling = magnitude * (self.middles[band + 1] - mel) / (self.middles[band + 1] - below)
            if band >= 0:
                bands[band] += falling
            if band + 1 < self.count:
                bands[band + 1] += magnitude - falling
        return bands


def coefficients(frames, rate, count=13, bands=40, low=20.0, high=4000.0):
    filters = MelBands(len(frames[0]), rate, bands, low, high)
    result = []
    for power in frames:
        loudness = [math.log(max(x, 1e-12)) for x in filters.share(power)]
        result.append([math.sqrt(2 / bands) * sum(x * math.cos(k * math.pi / bands * (i + 0.5)) for i, x in enumerate(loudness))
                       for k in range(count)])
    return result


def sound(count, rate, seed):
    """A chirp in noise, as floats of single precision."""
    pick = random.Random(seed)
    wave = [0.4 * math.sin(2 * math.pi * (200 + 1500 * i / count) * i / rate) + pick.uniform(-0.1, 0.1) for i in range(count)]
    return list(struct.unpack(f"<{count}f", struct.pack(f"<{count}f", *wave)))


def flat(rows):
    return [x for row in rows for x in row]


class SpeechTest(nacre.NacreTest):
    def write(self, name, shape, values):
        write_npy(self.path(name), shape, values)
        return self.path(name)

    def compile_graph(self, graph, *options):
        library = self.path("libspeech.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), graph, "-o", library, "--jobs=1", *options)
        return library


class FrontEndTest(SpeechTest):
    def test_spectra_and_coefficients(self):
        """Frames that overlap, touch and leave gaps; windows of a power of two and not; bands beyond both ends of what is heard."""
        f32 = tf.Type(tf.FLOAT)
        rate = tf.Tensor(tf.INT32, [], struct.pack("<i", 8000))
        nodes = [tf.node("rate", "Const", dtype=tf.Type(tf.INT32), value=rate)]
        inputs, expected, outputs = [], [], []
        for number, (samples, window, stride, squared, bands) in enumerate((
                (900, 256, 100, True, {}), (700, 200, 200, False, {"low": 0.0, "count": 5, "bands": 12}),
                (1000, 300, 333, True, {"low": 300.0, "high": 3999.0, "count": 8, "bands": 8}))):
            x, spectra, heard = f"x{number}", f"spectra{number}", f"heard{number}"
            wave = sound(samples, 8000, number)
            power = spectrogram(wave, window, stride)
            frames, bins = len(power), len(power[0])
            seen = power if squared else [[math.sqrt(v) for v in row] for row in power]
            known = coefficients(seen, 8000, **bands)
            nodes += [tf.node(x, "Placeholder", dtype=f32, shape=tf.Shape([samples, 1])),
                      tf.node(spectra, "AudioSpectrogram", [x], window_size=window, stride=stride, magnitude_squared=squared),
                      tf.node(heard, "Mfcc", [spectra, "rate"], dct_coefficient_count=bands.get("count", 13),
                              filterbank_channel_count=bands.get("bands", 40), lower_frequency_limit=bands.get("low", 20.0),
                              upper_frequency_limit=bands.get("high", 4000.0))]
            inputs.append(f"--input={x}={self.write(x + '.npy', [samples, 1], wave)}")
            expected.append(f"--expect={spectra}={self.write(spectra + '.npy', [1, frames, bins], flat(seen))}")
            expected.append(f"--expect={heard}={self.write(heard + '.npy', [1, frames, len(known[0])], flat(known))}")
            outputs += [f"--output={spectra}", f"--output={heard}"]
        with open(self.path("speech.pb"), "wb") as file:
            file.write(tf.graph(nodes))
        for place in ((), ("--place=gpu",)):
            library = self.compile_graph(self.path("speech.pb"), *outputs, *place)
            self.run_model(library, "--rtol=1e-4", "--atol=1e-5", *inputs, *expected, *(("--gpu",) if place else ()))


DATA = os.path.join(os.environ.get("NACRE_TEST_DATA", os.path.join(nacre.ROOT, "..", "shared", "data")), "tf-real", "kws")


@unittest.skipUnless(os.path.isdir(DATA), f"needs {DATA}")
class KeywordsTest(SpeechTest):
    def test_nets_from_samples(self):
        """A convolutional and a recurrent one, whose frames overlap and touch."""
        wave = sound(16000, 16000, 7)
        clip = self.write("clip.npy", [16000, 1], wave)
        for name, stride in (("DS_CNN_S", 320), ("GRU_S", 640)):
            with self.subTest(net=name):
                heard = coefficients(spectrogram(wave, 640, stride), 16000, count=10)
                known = self.write("heard.npy", [1, len(heard), 10], flat(heard))
                graph = os.path.join(DATA, name + ".pb")
                behind = self.compile_graph(graph, "--input=Mfcc", f"--shape=Mfcc=1x{len(heard)}x10", "--output=labels_softmax")
                self.run_model(behind, f"--input=Mfcc={known}", f"--output={self.folder}")
                whole = self.compile_graph(graph, "--input=decoded_sample_data", "--shape=decoded_sample_data=16000x1",
                                           "--set=decoded_sample_data:1=16000", "--output=Mfcc", "--output=labels_softmax")
                self.run_model(whole, f"--input=decoded_sample_data={clip}", f"--expect=Mfcc={known}",
                               f"--expect=labels_softmax={self.path('labels_softmax.npy')}", "--rtol=1e-3", "--atol=1e-4")


if __name__ == "__main__":
    unittest.main()
