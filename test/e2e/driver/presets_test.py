#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--for: a word does what its options typed out do, to the byte; each of them can be overruled; the libraries run on the CPUs that they are for."""
import json
import os
import re
import platform
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

COMPILE = os.path.join(nacre.BIN, "nacre-compile")
ARM64_CPUS = "--cpu=generic,cortex-a53"
STANDS_FOR = {
    "phone": ["--target=android-arm64", ARM64_CPUS, "--place=auto", "--device=exynos-2100", "--weight-type=fp16"],
    "board": ["--target=linux-arm64", ARM64_CPUS, "--weight-type=fp16"],
    "desktop": ["--target=linux-x86_64", "--cpu=x86-64-v4,x86-64-v3"],
}
MODELS = ("convnet", "dense", "recurrent")
# What rounds weights, or has other instructions, differs by more than the same code does.
TOLERANCE = ("--rtol=2e-3", "--atol=1e-3")


class PresetsTest(nacre.NacreTest):
    parts = 3

    def report_of(self, *options):
        path = self.path("report.json")
        self.compile("dense", *options, f"--report={path}")
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def expectations(self, model):
        """What the model computes when it is compiled for this machine."""
        library = self.compile(model, output=self.path(f"lib{model}_host.so"))
        folder = self.path(model + ".outputs")
        os.mkdir(folder)
        self.run_model(library, f"--output={folder}")
        return [f"--expect={name[:-len('.npy')]}={os.path.join(folder, name)}" for name in os.listdir(folder)] + list(TOLERANCE)

    def test_a_word_is_its_options(self):
        for word, options in STANDS_FOR.items():
            for model in MODELS:
                with self.subTest(word=word, model=model):
                    contents = []
                    for given in [f"--for={word}"], options:
                        library = self.compile(model, *given)
                        with open(library, "rb") as file:
                            contents.append(file.read())
                    self.assertEqual(*contents)

    def test_what_it_stands_for_is_told(self):
        listed = self.call(COMPILE, "--for=list")
        self.assertIn("PRESETS (--for=)\n" + listed, self.call(COMPILE, "--help"))
        lines = re.sub(r"\n {5,}", " ", listed).splitlines()
        self.assertEqual([line.split()[0] for line in lines], list(STANDS_FOR))
        for line, (word, options) in zip(lines, STANDS_FOR.items()):
            self.assertTrue(line.endswith(": " + " ".join(options)), line)
            said = self.call(COMPILE, self.model("relu"), "-o", self.path("librelu.so"), f"--for={word}")
            self.assertIn(f"\n  --for={word} sets {' '.join(options)}\n", said)
            self.assertEqual(self.report_of(f"--for={word}")["preset"], {"for": word, "options": options})
        self.assertNotIn("preset", self.report_of())
        self.assertNotIn("--for=", self.call(COMPILE, self.model("relu"), "-o", self.path("librelu.so")))

    def test_the_phone_that_is_assumed_is_told(self):
        """Also what its GPU gets. Nothing is assumed if the device is named."""
        device = "assumed a phone like this one: Samsung Exynos 2100: Cortex-X1, Mali-G78 MP14; its GPU gets "
        self.assertEqual(len(self.report_of("--for=phone")["launches"]), 1)
        for options, words in (((), "none of 1 launch, because its CPU is predicted to be as fast"), (("--place=gpu",), "1 of 1 launch"),
                               (("--place=cpu",), "none of 1 launch")):
            with self.subTest(options):
                self.assertEqual(self.report_of("--for=phone", *options)["assumed"], device + words)
                said = self.call(COMPILE, self.model("dense"), "-o", self.path("libdense.so"), "--for=phone", *options)
                self.assertIn(f"\n  {device}{words}\n", said)
        for options in (("--for=phone", "--device=helio-g99"), ("--for=phone", "--cpu=helio-g99"), ("--for=board",), ("--device=helio-g99",)):
            self.assertNotIn("assumed", self.report_of(*options))

    def test_what_is_given_beats_what_it_stands_for(self):
        for given, key, value in (("--target=linux-arm64", "target", "linux-arm64"), ("--cpu=cortex-a55", "cpu", "cortex-a55"),
                                  ("--device=helio-g99", "device", "helio-g99"), ("--weight-type=fp32", "weight_type", "fp32"),
                                  ("--weight-type=bf16", "weight_type", "bf16")):
            with self.subTest(given):
                for options in ([given, "--for=phone"], ["--for=phone", given]):
                    report = self.report_of(*options)
                    self.assertEqual(report[key], value)
                    name = given.split("=")[0] + "="
                    self.assertEqual(report["preset"]["options"], [option for option in STANDS_FOR["phone"] if not option.startswith(name)])
        for engine in "cpu", "gpu":
            report = self.report_of("--for=phone", f"--place={engine}")
            self.assertEqual({row["engine"] for row in report["launches"]}, {engine})

    def test_what_would_contradict_is_left_out(self):
        """Strict arithmetic has weights as they are; a target takes CPUs of its own."""
        report = self.report_of("--for=phone", "--accuracy=strict")
        self.assertEqual((report["weight_type"], report["preset"]["options"]), ("fp32", STANDS_FOR["phone"][:-1]))
        report = self.report_of("--for=phone", "--target=android-x86_64")
        self.assertEqual((report["cpu"], report["weight_type"], report["preset"]["options"]), ("", "fp32", STANDS_FOR["phone"][2:4]))
        self.assertEqual(self.report_of("--for=desktop", "--target=linux-arm64")["preset"]["options"], [])
        self.call(COMPILE, self.model("relu"), "-o", self.path("librelu.so"), "--for=phone", "--target=android-arm64,android-x86_64",
                  f"--report={self.path('each.json')}")
        for target, cpus, weights, rest in (("android-arm64", "generic,cortex-a53", "fp16", slice(1, 5)), ("android-x86_64", "", "fp32", slice(2, 4))):
            with open(self.path(target, "each.json"), encoding="utf-8") as file:
                report = json.load(file)
            self.assertEqual((report["target"], report["cpu"], report["weight_type"]), (target, cpus, weights))
            self.assertEqual(report["preset"]["options"], STANDS_FOR["phone"][rest])

    @unittest.skipUnless(shutil.which("qemu-aarch64"), "needs qemu-aarch64")
    def test_a_library_that_is_trained(self):
        graph = nacre.Graph("trained", seed=2)
        graph.node("MatMul", [graph.input("x", [4, 16]), graph.weight("w", [16, 3], -0.3, 0.3)], output="y")
        graph.output("y", [4, 3])
        graph.save(self.path("trained.onnx"))
        self.call(COMPILE, self.path("trained.onnx"), "-o", self.path("libtrained.so"), "--train", "--loss=softmax-cross-entropy:y",
                  "--for=board")
        self.assertIn("loss", self.run_arm64(self.path("libtrained.so"), "--entry=train", "--set=learning_rate=0.1"))

    @unittest.skipUnless(shutil.which("qemu-aarch64"), "needs qemu-aarch64")
    def test_phones_and_boards(self):
        """Little cores of 2013, big ones of 2018, and all that qemu knows."""
        android = [("LD_LIBRARY_PATH", self.android_libraries())]
        for model in MODELS:
            expected = self.expectations(model)
            for word, environment in ("phone", android), ("board", ()):
                library = self.compile(model, f"--for={word}", output=self.path(f"lib{model}.so"))
                for cpu in "cortex-a53", "cortex-a72", "cortex-a76", "max":
                    with self.subTest(word=word, model=model, cpu=cpu):
                        self.run_arm64(library, *expected, cpu=cpu, environment=environment)

    @unittest.skipUnless(platform.machine() == "x86_64", "needs an x86-64")
    def test_desktops(self):
        for model in MODELS:
            expected = self.expectations(model)
            library = self.compile(model, "--for=desktop")
            self.run_model(library, *expected)
            if shutil.which("qemu-x86_64"):
                self.call("qemu-x86_64", "-cpu", "Haswell", os.path.join(nacre.BIN, "nacre-run"), library, *expected)

    def test_what_is_refused(self):
        chips = self.call(COMPILE, "--help")
        chips = "chips of phones (--cpu=list prints their cores):\n" + chips[chips.index("CHIPS OF PHONES (--cpu=)\n"):].split("\n\n")[0].split("\n", 1)[1] + "\n"
        for options, words in (
                (["--for=fridge"], "nacre-compile: --for must be phone, board or desktop, but is 'fridge'; --for=list lists their options\n"),
                (["--for=phne"], "nacre-compile: --for must be phone, board or desktop, but is 'phne'; did you mean 'phone'?\n"),
                (["--device=snapdragon-778"], "nacre-compile: --device: the device must be a .json file or one of dimensity-9200, exynos-2100, helio-g99, "
                 "lavapipe-host, snapdragon-778g, snapdragon-8-gen-2, but is 'snapdragon-778'; did you mean 'snapdragon-778g'?\n"),
                (["--for="], "nacre-compile: --for must be phone, board, desktop or list, but is ''; see --help\n"),
                (["--for=phone", "--target=android-arm64,linux-arm64", "--cpu=znver4"],
                 "nacre-compile: --cpu must be of one of the targets, but 'znver4' is not\n" + chips)):
            with self.subTest(options):
                self.assertEqual(self.compile("relu", *options, status=2), words)


if __name__ == "__main__":
    unittest.main()
