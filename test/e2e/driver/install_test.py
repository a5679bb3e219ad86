#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nacre as an app's developer gets it: installed, found by CMake, compiling the app's network in the app's build."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

DATA = os.environ.get("NACRE_TEST_DATA", os.path.join(nacre.ROOT, "..", "shared", "data"))

# Of samples that are built where there is a network that others trained: what samples_test.py runs.
NETWORKS = {"keywords": ("KEYWORD_NET", "tf-real/kws/CRNN_S.pb"), "faces": ("FACE_NET", "onnx-real/ultraface_RFB_320/model.onnx"),
            "sentences": ("SENTENCE_NET", "onnx-tract/byte_sb_bidi_lstm/model.onnx")}


class InstallTest(nacre.NacreTest):
    def test_samples_build_and_run_from_an_installation(self):
        prefix, build = self.path("installed"), self.path("samples")
        self.call("cmake", "--install", os.environ["NACRE_BUILD"], "--prefix", prefix)
        pages = os.listdir(os.path.join(prefix, "share", "man", "man1"))
        programs = os.listdir(os.path.join(prefix, "bin"))
        self.assertEqual(sorted(pages), sorted(program + ".1" for program in programs))
        for program in programs:
            self.assertIn("0.1", self.call(os.path.join(prefix, "bin", program), "--version"))
        networks = {program: f"-D{variable}={os.path.join(DATA, path)}" for program, (variable, path) in NETWORKS.items()
                    if os.path.exists(os.path.join(DATA, path))}
        self.call("cmake", "-S", os.path.join(nacre.ROOT, "samples"), "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
                  *networks.values())
        self.call("cmake", "--build", build)
        for program in networks:
            self.assertRegex(self.call(os.path.join(build, program), status=2), rf"^usage: .*/{program} \S+")

        picture = self.path("picture.ppm")
        with open(picture, "wb") as file:
            file.write(b"P6 120 100 255\n" + bytes(i * 7 % 256 for i in range(120 * 100 * 3)))
        said = [self.call(os.path.join(build, program), picture) for program in ("classify", "classify_cpp")]
        self.assertRegex(said[0], r"^class \d, [\d.]+ %\n$")
        self.assertEqual(said[0], said[1])
        self.call(os.path.join(build, "classify"), self.path("no-picture"), status=1)
        learned = self.call(os.path.join(build, "personalize"), os.path.join(build, "strokes.txt"), self.path("learned"), "3")
        self.assertRegex(learned, r"^epoch 1: loss .*\nepoch 2: .*\nepoch 3: .*\nrecognizes \d+ of 60\n$")


if __name__ == "__main__":
    unittest.main()
