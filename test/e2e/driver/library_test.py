#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compiled library is to its app and its loader: size, symbols, pages, what it needs, where it loads."""
import itertools
import json
import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import lenet
import nacre

KIB = 1024
PAGE = 16 * KIB
SHF_ALLOC = 2
PT_LOAD, PT_DYNAMIC, PT_NOTE, PT_TLS, PT_GNU_STACK, PT_GNU_RELRO = 1, 2, 4, 7, 0x6474E551, 0x6474E552
PF_X, PF_W = 1, 2
NEEDED = {"linux-x86_64": ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0"],
          "linux-arm64": ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0"],
          "android-arm64": ["libc.so", "libm.so", "libdl.so"],
          "android-x86_64": ["libc.so", "libm.so", "libdl.so"]}


class LibraryTest(nacre.NacreTest):
    parts = 2

    def readelf(self, library, *what):
        program = os.path.join(nacre.LLVM_BIN, "llvm-readelf")
        return json.loads(self.call(program, "--elf-output-style=JSON", *what, library))[0]

    def exported(self, library):
        lines = self.call(os.path.join(nacre.LLVM_BIN, "llvm-nm"), "-D", "--defined-only", library).splitlines()
        return [line.split()[-1] for line in lines]

    def test_one_operator_takes_24_kib_at_most_and_64_with_a_gpu(self):
        for place, most in ("cpu", 24), ("gpu", 64):
            with self.subTest(place):
                library = self.compile("relu", "--target=linux-arm64", f"--place={place}")
                sections = [entry["Section"] for entry in self.readelf(library, "--sections")["Sections"]]
                # The padding after what is read-only is addresses up to the next page, not bytes.
                allocated = sum(s["Size"] for s in sections
                                if s["Flags"]["Value"] & SHF_ALLOC and s["Name"]["Name"] != ".relro_padding")
                print(f"allocated sections of a one-operator model for the {place}, arm64: {allocated} bytes")
                self.assertLessEqual(allocated, most * KIB)

    def test_lenets_training_takes_160_kib_at_most_beside_its_weights(self):
        """Code of all entries, tables and runtime, as the page of training compiles it for phones."""
        lenet.lenet().save(self.path("lenet.onnx"))
        for target in "linux-arm64", "android-arm64":
            with self.subTest(target):
                library = self.path("liblenet.so")
                self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("lenet.onnx"), "-o", library, f"--target={target}", "--train",
                          "--loss=softmax-cross-entropy:logits", "--optimizer=sgd:momentum=0.9", "--train-batch=16")
                sections = [entry["Section"] for entry in self.readelf(library, "--sections")["Sections"]]
                [weights] = [s["Size"] for s in sections if s["Name"]["Name"] == ".nacre_weights"]
                size = os.path.getsize(library) - weights
                print(f"LeNet's training, {target}: {size} bytes of library beside {weights} of weights")
                self.assertGreater(weights, 50_000)
                self.assertLessEqual(size, 160 * KIB)

    def test_only_a_model_with_state_links_what_saves_it(self):
        graph = nacre.Graph("sum")
        graph.output(graph.node("Add", [graph.input("x", [4]), graph.input("before", [4])], output="after"), [4])
        graph.output(graph.node("Relu", ["after"], output="y"), [4])
        graph.save(self.path("sum.onnx"))
        for kept in (), ("--state=before:after",):
            library = self.path("libsum.so")
            self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("sum.onnx"), "-o", library, *kept)
            with open(library, "rb") as file:
                self.assertEqual(b"safetensors" in file.read(), bool(kept))

    def test_a_library_links_the_features_of_its_model(self):
        """For each combination of the runtime's features, by a symbol that only the feature has."""
        graph = nacre.Graph("features")
        product = graph.node("MatMul", [graph.input("x", [4, 16]), graph.weight("w", [16, 16], -0.3, 0.3)])
        graph.output(graph.node("Add", [product, graph.input("before", [4, 16])], output="after"), [4, 16])
        graph.output(graph.node("Relu", ["after"], output="y"), [4, 16])
        graph.save(self.path("features.onnx"))
        for states, apart, gpu in itertools.product((False, True), repeat=3):
            with self.subTest(states=states, apart=apart, gpu=gpu):
                library = self.path("libfeatures.so")
                self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("features.onnx"), "-o", library, *["--state=before:after"] * states,
                          *["--weights-in=file"] * apart, *["--place=gpu"] * gpu)
                symbols = self.call(os.path.join(nacre.LLVM_BIN, "llvm-nm"), library).split()
                self.assertIn("nacre_runtime_session_create", symbols)
                for name, is_linked in (("no_states", not states), ("run_with_labels", states), ("weights_files", apart), ("start_gpu", gpu),
                                        ("plan_phases", gpu and not states), ("plan_phases_and_state", gpu and states)):
                    self.assertEqual("nacre_runtime_" + name in symbols, is_linked, name)

    def test_only_a_model_for_gpus_links_the_vulkan_half(self):
        for place, expected in ("cpu", False), ("gpu", True), ("split:50", True):
            with self.subTest(place):
                with open(self.compile("relu", f"--place={place}"), "rb") as library:
                    self.assertEqual(b"vkCreateInstance" in library.read(), expected)

    def for_each_target(self):
        """A library with weights, which are a segment of their own."""
        for target in NEEDED:
            with self.subTest(target):
                yield target, self.compile("convnet", f"--target={target}", output=self.path(f"libconvnet-{target}.so"))

    def test_one_symbol(self):
        for target, library in self.for_each_target():
            self.assertEqual(self.exported(library), ["nacre_model_convnet_" + target.replace("-", "_")])

    def test_what_the_loader_is_asked_for(self):
        """The system's libraries by the names they have there, in no version; nothing that an old loader does not know."""
        for target, library in self.for_each_target():
            dynamic = self.call(os.path.join(nacre.LLVM_BIN, "llvm-readelf"), "--dynamic", library)
            entries = re.findall(r"\((\w+)\)\s+(.*)", dynamic)
            named = {kind: [text.split("[")[1].rstrip("]") for k, text in entries if k == kind] for kind in ("NEEDED", "SONAME")}
            self.assertEqual(named, {"NEEDED": NEEDED[target], "SONAME": [os.path.basename(library)]})
            unwanted = {"TEXTREL", "RPATH", "RUNPATH", "VERNEED", "VERDEF", "RELR", "ANDROID_RELA", "INIT_ARRAY", "FINI_ARRAY"}
            self.assertEqual(unwanted & {kind for kind, _ in entries}, set())

    def test_segments_fit_pages_of_16_kib(self):
        for _, library in self.for_each_target():
            elf = self.readelf(library, "--segments", "--sections")
            segments = [e["ProgramHeader"] for e in elf["ProgramHeaders"]]

            def of_type(kind):
                return [s for s in segments if s["Type"]["Value"] == kind]

            last_page = -1
            for load in of_type(PT_LOAD):
                self.assertEqual(load["Alignment"], PAGE)
                self.assertEqual(load["Offset"] % PAGE, load["VirtualAddress"] % PAGE)
                self.assertNotEqual(load["Flags"]["Value"] & (PF_X | PF_W), PF_X | PF_W)
                self.assertGreater(load["VirtualAddress"] // PAGE, last_page, "no page has two protections")
                last_page = (load["VirtualAddress"] + load["MemSize"] - 1) // PAGE
            [relro] = of_type(PT_GNU_RELRO)
            self.assertEqual((relro["VirtualAddress"] + relro["MemSize"]) % PAGE, 0, "else its last page stays writable")
            [stack] = of_type(PT_GNU_STACK)
            self.assertFalse(stack["Flags"]["Value"] & PF_X)
            self.assertEqual(of_type(PT_TLS), [])
            # Android's loader compares the two, since apps for API 26.
            [dynamic] = of_type(PT_DYNAMIC)
            [section] = [s for s in (e["Section"] for e in elf["Sections"]) if s["Name"]["Name"] == ".dynamic"]
            self.assertEqual((section["Offset"], section["Size"]), (dynamic["Offset"], dynamic["FileSize"]))

    def build_id(self, library):
        """The only build ID, of the section and of the program header that the loader maps."""
        notes = self.call(os.path.join(nacre.LLVM_BIN, "llvm-readelf"), "--notes", library)
        [found] = re.findall(r"Build ID: (\w+)", notes)
        segments = [e["ProgramHeader"] for e in self.readelf(library, "--segments")["ProgramHeaders"]]
        with open(library, "rb") as file:
            image = file.read()
        loaded = b"".join(image[s["Offset"]:s["Offset"] + s["FileSize"]] for s in segments if s["Type"]["Value"] == PT_NOTE)
        self.assertEqual(loaded.count(bytes.fromhex(found)), 1)
        return found

    def test_build_id_names_the_contents(self):
        """Crash reports and profilers find a library by it: two compiles agree, and other weights make another one."""
        found = []
        for target, library in self.for_each_target():
            found.append(self.build_id(library))
            with open(library, "rb") as file:
                first = file.read()
            with open(self.compile("convnet", f"--target={target}", output=library), "rb") as file:
                self.assertEqual(file.read(), first)
        for seed in 1, 2:
            graph = nacre.Graph("weights", seed=seed)
            graph.node("MatMul", [graph.input("x", [1, 48]), graph.weight("w", [48, 600], -0.3, 0.3)], output="y")
            graph.output("y", [1, 600])
            graph.save(self.path("weights.onnx"))
            self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("weights.onnx"), "-o", self.path("libweights.so"))
            found.append(self.build_id(self.path("libweights.so")))
        self.assertTrue(all(re.fullmatch("[0-9a-f]{32}", each) for each in found), found)
        self.assertEqual(len(set(found)), len(NEEDED) + 2, found)
        self.build_id(self.compile("relu"))  # no weights

    def test_the_name_can_be_chosen(self):
        library = self.compile("relu", "--name=my_model")
        self.assertEqual(self.exported(library), ["nacre_model_my_model"])

    def test_header_is_pedantic_c99_and_cxx17(self):
        header = self.compile("relu")[:-len(".so")].replace("librelu", "relu") + ".h"
        include = "-I" + os.path.join(nacre.ROOT, "runtime", "include")
        for compiler, language, standard in (("gcc", "c", "c99"), ("g++", "c++", "c++17")):
            self.call(compiler, "-x", language, f"-std={standard}", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                      include, header)

    @unittest.skipUnless(shutil.which("qemu-aarch64"), "needs qemu-aarch64")
    def test_android_library_runs_over_a_shim_of_libc(self):
        library = self.compile("convnet", "--target=android-arm64")
        self.call("python3", os.path.join(nacre.ROOT, "samples", "models", "make_convnet.py"), self.folder)
        expected = os.path.join(nacre.ROOT, "samples", "models", "convnet.expected.npy")
        self.run_arm64(library, f"--input=image={self.path('convnet.input.npy')}", f"--expect=probabilities={expected}",
                       environment=[("LD_LIBRARY_PATH", self.android_libraries())])

    @unittest.skipUnless(shutil.which("qemu-aarch64"), "needs qemu-aarch64")
    def test_baseline_arm64_library_runs_on_the_oldest_core(self):
        self.run_arm64(self.compile("convnet", "--target=linux-arm64"), cpu="cortex-a53")


if __name__ == "__main__":
    unittest.main()
