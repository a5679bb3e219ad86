#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The samples on the networks that they are for: what they say of a photograph, a voice, drawn faces and a text.

How:  each is built as samples/README.md has it, by every compiler there is and with all warnings. What it says is compared with
      the truth (of which butterfly the photograph is, which words were spoken, where a face was drawn, where the network's own
      authors found sentences) and, where it is a number, with the network in double precision on an input that is laid out here.
"""
import ast
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import unittest
import wave
import zipfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from media_files import JPEG
from onnx_writer import write_npy

DATA = os.environ.get("NACRE_TEST_DATA", os.path.join(nacre.ROOT, "..", "shared", "data"))
SAMPLES = os.path.join(nacre.ROOT, "samples")
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")


def read_npy(data):
    """The numbers of an array, as one list."""
    begin = 10 + struct.unpack_from("<H", data, 8)[0]
    code = {"<f4": "f", "|u1": "B"}[ast.literal_eval(data[10:begin].decode())["descr"]]
    return struct.unpack(f"<{(len(data) - begin) // struct.calcsize(code)}{code}", data[begin:])


def write_ppm(path, width, height, pixels, comment=b""):
    with open(path, "wb") as file:
        file.write(b"P6 %b%d %d\n255\n" % (comment, width, height) + bytes(pixels))
    return path


def read_ppm(path):
    with open(path, "rb") as file:
        width, height, pixels = re.fullmatch(rb"P6\s(\d+)\s(\d+)\s255\s(.*)", file.read(), re.DOTALL).groups()
    assert len(pixels) == 3 * int(width) * int(height)
    return int(width), int(height), pixels


class SampleTest(nacre.NacreTest):
    def data(self, *names):
        path = os.path.join(DATA, *names)
        if not os.path.exists(path):
            self.skipTest(f"needs {path}")
        return path

    def build(self, source, network, model, *options):
        self.call(os.path.join(nacre.BIN, "nacre-compile"), model, "-o", self.path(f"lib{network}.so"), "--quiet", *options)
        is_c = source.endswith(".c")
        self.look_for_mistakes(source, is_c)
        program = self.path(source.replace(".", "_"))
        for compiler in filter(shutil.which, ("cc", "gcc", "clang-22") if is_c else ("c++", "g++", "clang++-22")):
            self.call(compiler, "-std=c99" if is_c else "-std=c++17", "-O2", *WARNINGS, os.path.join(SAMPLES, source), "-I" + self.folder,
                      "-I" + os.path.join(nacre.ROOT, "runtime", "include"), "-L" + self.folder, "-l" + network, "-Wl,-rpath,$ORIGIN",
                      "-o", program)
        self.assertRegex(self.call(program, status=2), rf"^usage: {re.escape(program)} \S+")
        return program

    def look_for_mistakes(self, source, is_c):
        """They are no part of the build whose sources tools/dev/check_tidy.py knows."""
        if shutil.which("clang-tidy-22"):
            self.call("clang-tidy-22", "--quiet", *(("--checks=-readability-identifier-naming",) if is_c else ()), os.path.join(SAMPLES, source), "--",
                      "-std=c99" if is_c else "-std=c++17", "-I" + self.folder, "-I" + os.path.join(nacre.ROOT, "runtime", "include"))

    def evaluate(self, model, name, dims, values, *options):
        """What the network answers in double precision: {output: numbers}."""
        folder = self.path("answers")
        os.makedirs(folder, exist_ok=True)
        write_npy(self.path("input.npy"), dims, values)
        self.call(os.path.join(nacre.BIN, "nacre-eval"), model, f"--input={name}={self.path('input.npy')}", f"--output={folder}", *options)
        answers = {}
        for file in os.listdir(folder):
            with open(os.path.join(folder, file), "rb") as array:
                answers[file.removesuffix(".npy")] = read_npy(array.read())
        return answers


class ClassifyTest(SampleTest):
    """The photograph of a monarch that the super-resolution network came with, in grey, and MobileNet, which never saw it."""
    MONARCH = 324

    def test_a_butterfly(self):
        network = self.data("tflite", "mobilenet_v1_0.25_224_float.tflite")
        with open(self.data("onnx-real", "super_resolution_10", "test_data_set_0", "input_0.pb"), "rb") as file:
            grey = [round(255 * x) for x in struct.unpack("<50176f", file.read()[-4 * 50176:])]
        picture = write_ppm(self.path("butterfly.ppm"), 224, 224, [x for x in grey for _ in range(3)], b"# taken in a garden\n")
        program = self.build("classify.c", "classifier", network)
        said = self.call(program, picture)
        known = self.evaluate(network, "input", [1, 224, 224, 3], [(x - 127.5) / 127.5 for x in grey for _ in range(3)])
        (probabilities,) = known.values()
        self.assertEqual(max(range(1001), key=probabilities.__getitem__), self.MONARCH)
        self.assertEqual(said, f"class {self.MONARCH}, {100 * probabilities[self.MONARCH]:.1f} %\n")
        self.assertEqual(self.call(self.build("classify.cpp", "classifier", network), picture), said)

        labels = self.path("labels.txt")
        with open(labels, "w", encoding="utf-8") as file:
            file.writelines(f"{'monarch' if i == self.MONARCH else 'something else'}\n" for i in range(1001))
        self.assertEqual(self.call(program, picture, labels), said.replace(",", ": monarch,"))
        with open(labels, "w", encoding="utf-8") as file:
            file.writelines("label\n" for i in range(self.MONARCH))
        self.assertEqual(self.call(program, picture, labels, status=1), f"classify: {labels} must have one line for each of 1001 classes\n")
        self.assertEqual(self.call(program, labels, status=1), f"classify: {labels} must be an 8-bit binary PPM file\n")


class JpegTest(SampleTest):
    @unittest.skipUnless(os.path.exists("/usr/include/jpeglib.h"), "needs libjpeg")
    def test_a_jpeg_file(self):
        """Both programs say of a file what they say of its pixels, as nacre-run reads them."""
        self.compile("convnet", output=self.path("libclassifier.so"))
        self.compile_pixels()
        jpeg = self.path("picture.jpg")
        with open(jpeg, "wb") as file:
            file.write(JPEG)
        self.run_model(self.path("libpixels.so"), f"--input=x={jpeg}", "--range=255", f"--save-inputs={self.folder}")
        with open(self.path("x.npy"), "rb") as file:
            picture = write_ppm(self.path("picture.ppm"), 40, 30, [int(x) for x in read_npy(file.read())])
        for source, compiler in (("classify.c", ["cc", "-std=c99"]), ("classify.cpp", ["c++", "-std=c++17"])):
            program = self.path(source.replace(".", "_"))
            self.call(*compiler, "-O2", *WARNINGS, "-DSAMPLES_JPEG", os.path.join(SAMPLES, source), "-I" + self.folder, "-I" + os.path.join(nacre.ROOT, "runtime", "include"),
                      "-L" + self.folder, "-lclassifier", "-ljpeg", "-Wl,-rpath,$ORIGIN", "-o", program)
            said = self.call(program, picture)
            self.assertRegex(said, r"^class \d, [\d.]+ %\n$")
            self.assertEqual(self.call(program, jpeg), said)
            for length in (2, 300, len(JPEG) - 40):
                with open(self.path("cut.jpg"), "wb") as file:
                    file.write(JPEG[:length])
                self.assertEqual(self.call(program, self.path("cut.jpg"), status=1), f"classify: {self.path('cut.jpg')} must be a JPEG or 8-bit binary PPM file\n")

    def compile_pixels(self):
        graph = nacre.Graph("pixels")
        graph.node("Relu", [graph.input("x", [1, 30, 40, 3])], output="y")
        graph.output("y", [1, 30, 40, 3])
        graph.save(self.path("pixels.onnx"))
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("pixels.onnx"), "-o", self.path("libpixels.so"), "--quiet")


class KeywordsTest(SampleTest):
    """A synthesizer's voice, and networks that learned from people's."""
    OPTIONS = ("--input=decoded_sample_data", "--shape=decoded_sample_data=16000x1", "--set=decoded_sample_data:1=16000")

    @staticmethod
    def spoken(word):
        """Its samples, 16000 a second."""
        said = subprocess.run(["espeak-ng", "-v", "en-gb", "-s", "130", "--stdout", word], stdout=subprocess.PIPE, check=True).stdout
        begin = said.index(b"data") + 8
        samples = [x for (x,) in struct.iter_unpack("<h", said[begin:begin + (len(said) - begin) // 2 * 2])]
        step = struct.unpack_from("<I", said, 24)[0] / 16000
        places = [i * step for i in range(int((len(samples) - 1) / step))]
        return [round(samples[int(x)] + (samples[int(x) + 1] - samples[int(x)]) * (x - int(x))) for x in places]

    def write_wav(self, name, samples, rate=16000, channels=1):
        with wave.open(self.path(name), "wb") as file:
            file.setparams((channels, 2, rate, 0, "NONE", ""))
            file.writeframes(struct.pack(f"<{len(samples)}h", *samples))
        return self.path(name)

    @unittest.skipUnless(shutil.which("espeak-ng"), "needs espeak-ng, who speaks")
    def test_spoken_words(self):
        network, labels = self.data("tf-real", "kws", "CRNN_S.pb"), self.data("tf-real", "kws", "labels.txt")
        program = self.build("keywords.c", "keyword_net", network, *self.OPTIONS, "--output=labels_softmax")
        pause, samples, begins = [0] * 6400, [0] * 6400, {}
        for word in ("yes", "no", "up", "off", "seven", "go", "on"):
            begins[word] = len(samples) / 16000
            samples += self.spoken(word) + pause
        said = re.findall(r"^([\d.]+) s: (\w+), (\d+) %$", self.call(program, self.write_wav("words.wav", samples), labels), re.MULTILINE)
        self.assertEqual([word for _, word, _ in said], [word for word in begins if word != "seven"])
        for time, word, _ in said:
            self.assertLess(abs(float(time) - begins[word]), 0.6, word)

        # The first word again: a mean of three looks, a tenth of a second apart, the middle one around its time.
        heard = [0.0] * 8000 + [x / 32768 for x in samples]
        middle, of_yes = round(float(said[0][0]) * 16000), 0
        for begin in (middle - 1600, middle, middle + 1600):
            known = self.evaluate(network, "decoded_sample_data", [16000, 1], heard[begin:begin + 16000], "--cut-input=decoded_sample_data",
                                  *self.OPTIONS[1:], "--cut-output=labels_softmax")
            of_yes += known["labels_softmax"][2] / 3
        self.assertAlmostEqual(100 * of_yes, float(said[0][2]), delta=0.51)

    def test_other_files(self):
        labels = self.data("tf-real", "kws", "labels.txt")
        program = self.build("keywords.c", "keyword_net", self.data("tf-real", "kws", "DS_CNN_S.pb"), *self.OPTIONS, "--output=labels_softmax")
        self.assertEqual(self.call(program, self.write_wav("silence.wav", [0] * 20000), labels), "")
        noise = random.Random(3)
        self.assertEqual(self.call(program, self.write_wav("noise.wav", [noise.randrange(-9000, 9000) for _ in range(20000)]), labels), "")
        for name, options in (("fast.wav", {"rate": 44100}), ("stereo.wav", {"channels": 2})):
            path = self.write_wav(name, [0] * 20000, **options)
            self.assertEqual(self.call(program, path, labels, status=1), f"keywords: {path} must be a 16-bit mono WAV file at 16000 Hz\n")
        for path in (labels, self.path("missing.wav")):
            self.call(program, path, labels, status=1)
        self.assertEqual(self.call(program, self.path("silence.wav"), self.path("missing"), status=1),
                         f"keywords: {self.path('missing')} must have 12 labels, one per line, but has 0\n")


class Canvas:
    """Faces are found that are drawn like this."""

    def __init__(self, width, height, colour):
        self.width, self.height, self.pixels = width, height, bytearray(bytes(colour) * width * height)

    def ellipse(self, x, y, across, down, colour):
        for row in range(max(0, round(y - down)), min(self.height, round(y + down))):
            half = across * max(0.0, 1 - ((row - y) / down) ** 2) ** 0.5
            left, right = max(0, round(x - half)), min(self.width, round(x + half))
            begin = 3 * (row * self.width + left)
            self.pixels[begin:begin + 3 * (right - left)] = bytes(colour) * (right - left)

    def face(self, x, y, size):
        """Returns the box of it."""
        for right, down, across, high, colour in (
                (0, -12, 66, 86, (60, 40, 30)), (0, 90, 25, 40, (200, 150, 125)), (0, 0, 55, 75, (224, 172, 145)),
                (-22, -12, 11, 6, (250, 250, 250)), (22, -12, 11, 6, (250, 250, 250)), (-22, -12, 5, 6, (50, 30, 20)),
                (22, -12, 5, 6, (50, 30, 20)), (-22, -28, 13, 3, (60, 40, 30)), (22, -28, 13, 3, (60, 40, 30)),
                (0, 14, 9, 8, (205, 150, 125)), (-5, 19, 3, 2, (120, 70, 60)), (5, 19, 3, 2, (120, 70, 60)),
                (0, 40, 21, 7, (170, 70, 70)), (0, 40, 20, 1.5, (110, 40, 40))):
            self.ellipse(x + right * size, y + down * size, across * size, high * size, colour)
        return (x - 55 * size, y - 75 * size, x + 55 * size, y + 75 * size)

    def halved(self):
        """As planes, each number the mean of four pixels, from about -1 to 1."""
        rows = [self.pixels[3 * self.width * y:3 * self.width * (y + 1)] for y in range(self.height)]
        return [((above[x] + above[x + 3] + below[x] + below[x + 3]) / 4 - 127) / 128 for channel in range(3)
                for above, below in zip(rows[0::2], rows[1::2]) for x in range(channel, 3 * self.width, 6)]


def overlap(a, b):
    def area(box):
        return max(0, box[2] - box[0]) * max(0, box[3] - box[1])
    both = area((max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])))
    return both / (area(a) + area(b) - both)


class FacesTest(SampleTest):
    def test_drawn_faces(self):
        network = self.data("onnx-real", "ultraface_RFB_320", "model.onnx")
        program = self.build("faces.cpp", "face_net", network)
        canvas = Canvas(640, 480, (120, 150, 170))
        drawn = [canvas.face(200, 220, 1.5), canvas.face(460, 260, 1.0)]
        picture, marked = write_ppm(self.path("faces.ppm"), 640, 480, canvas.pixels), self.path("marked.ppm")
        said = [tuple(map(float, line)) for line in re.findall(r"^face ([\d.]+) %: (-?\d+) (-?\d+) to (-?\d+) (-?\d+)$",
                                                               self.call(program, picture, marked), re.MULTILINE)]
        self.assertEqual(len(said), 2)
        for face in drawn:
            self.assertGreater(max(overlap(face, box[1:]) for box in said), 0.6)

        known = self.evaluate(network, "input", [1, 3, 240, 320], canvas.halved())
        found = sorted(((known["scores"][2 * i + 1], [part * size for part, size in zip(known["boxes"][4 * i:4 * i + 4], (640, 480) * 2)])
                        for i in range(4420) if known["scores"][2 * i + 1] >= 0.7), reverse=True)
        kept = []
        for score, box in found:
            if all(overlap(box, other) <= 0.3 for _, other in kept):
                kept.append((score, box))
        self.assertGreater(len(found), len(kept))
        for (score, box), (percent, *corners) in zip(kept, said):
            self.assertAlmostEqual(100 * score, percent, delta=0.06)
            self.assertLess(max(abs(a - b) for a, b in zip(box, corners)), 1.01)

        # Green is what lies within three pixels of a box's edge, and all else as it was.
        width, height, pixels = read_ppm(marked)
        self.assertEqual((width, height), (640, 480))
        for y in range(height):
            for x in range(width):
                edges = [min(x - left, right - 1 - x, y - top, bottom - 1 - y) for _, left, top, right, bottom in said]
                at = 3 * (y * width + x)
                expected = b"\x00\xff\x00" if any(0 <= edge < 3 for edge in edges) else canvas.pixels[at:at + 3]
                self.assertEqual(pixels[at:at + 3], expected, (x, y))

    def test_no_faces_and_no_picture(self):
        program = self.build("faces.cpp", "face_net", self.data("onnx-real", "ultraface_RFB_320", "model.onnx"))
        canvas = Canvas(97, 61, (120, 150, 170))
        picture, marked = write_ppm(self.path("empty.ppm"), 97, 61, canvas.pixels), self.path("marked.ppm")
        self.assertEqual(self.call(program, picture, marked), "")
        self.assertEqual(read_ppm(marked), (97, 61, bytes(canvas.pixels)))
        nowhere = self.path("no", "folder.ppm")
        self.assertEqual(self.call(program, picture, nowhere, status=1), f"faces: {nowhere} cannot be written\n")
        write_ppm(picture, 97, 61, canvas.pixels[:-1])
        self.assertEqual(self.call(program, picture, marked, status=1), f"faces: {picture} must be an 8-bit binary PPM file\n")


class SentencesTest(SampleTest):
    """The texts, and where sentences end in them, that its authors recorded; and what those texts make, told one after the other."""

    def test_recorded_texts(self):
        folder = self.data("onnx-tract", "byte_sb_bidi_lstm")
        program = self.build("sentences.cpp", "sentence_net", os.path.join(folder, "model.onnx"), "--shape=input=1x512")
        with zipfile.ZipFile(os.path.join(folder, "io.npz")) as archive:
            texts, logits = (read_npy(archive.read(name)) for name in ("input.npy", "Add_26.npy"))
        length, everything = len(texts) // 2, []
        for row in range(2):
            text, ends = bytes(texts[row * length:(row + 1) * length]), logits[2 * row * length:2 * (row + 1) * length:2]
            cuts = [0, *(i + 1 for i in range(length) if ends[i] > 0), length]
            sentences = [text[begin:end].strip(b"\x00 ").decode() for begin, end in zip(cuts, cuts[1:])]
            sentences = [sentence for sentence in sentences if sentence]
            self.assertEqual(len(sentences), 2)
            everything += sentences
            self.assertEqual(self.split(program, text.strip(b"\x00").decode()), sentences)

        order = random.Random(1)
        story = [order.choice(everything) for _ in range(100)]
        self.assertEqual(self.split(program, " ".join(story)), story)
        self.assertEqual(self.split(program, ""), [])
        words = "Donaudampfschifffahrtsgesellschaftskapitän " * 40
        self.assertEqual("".join(self.split(program, words)).replace(" ", ""), words.replace(" ", ""))
        umlauts = "ä" * 1000
        self.assertEqual("".join(self.split(program, umlauts)), umlauts)
        self.assertEqual(self.call(program, self.path("missing"), status=1), f"sentences: {self.path('missing')} cannot be read\n")

    def split(self, program, text):
        with open(self.path("text.txt"), "w", encoding="utf-8") as file:
            file.write(text)
        return self.call(program, self.path("text.txt"), encoding="utf-8").splitlines()


if __name__ == "__main__":
    unittest.main()
