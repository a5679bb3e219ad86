#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of nacre-compile: what it writes, what it reports, how it refuses, and that its bytes repeat."""
import filecmp
import json
import os
import pty
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

# What a phase writes that none before it does, and what it leaves none of.
PHASES = {
    "import": (r"nn\.conv ", r"plan\."),
    "graph": (r"nn\.conv ", r"nn\.transpose.*nn\.transpose|plan\."),
    "kernels": (r"plan\.kernel .*linalg\.generic", r"nn\.|encoding<|cpu = array|offset = |arena_bytes"),
    "encode": (r"plan\.weight .*plan\.encoding<panel", r"nn\.|cpu = array|offset = |arena_bytes"),
    "place": (r"plan\.launch .*cpu = array<i64: 0, \d+>", r"nn\.|offset = |arena_bytes"),
    "schedule": (r"arena_bytes = \d+ .*plan\.storage +temporary \{offset = \d+", r"nn\.|llvm\.func"),
    "codegen": (r"llvm\.func @\w+.*llvm\.load", r"nn\."),
}


class DriverTest(nacre.NacreTest):
    parts = 2

    def test_every_phase_prints_its_ir(self):
        printed = {}
        for phase, (written, gone) in PHASES.items():
            with self.subTest(phase):
                output = self.path(f"{phase}.mlir")
                self.compile("convnet", f"--compile-to={phase}", output=output)
                with open(output, encoding="utf-8") as file:
                    text = printed[phase] = file.read()
                self.assertIsNotNone(re.search(written, text, re.DOTALL), written)
                found = re.search(gone, text, re.DOTALL)
                self.assertIsNone(found, found)
        self.assertLess(printed["graph"].count("nn."), printed["import"].count("nn."), "nothing was simplified")

    def test_every_output_kind(self):
        for kind, mark in (("obj", b"\x7fELF"), ("asm", b".globl"), ("llvm-ir", b"define ")):
            with self.subTest(kind):
                with open(self.compile("relu", f"--emit={kind}", output=self.path(f"relu.{kind}")), "rb") as file:
                    self.assertIn(mark, file.read())

    def test_report(self):
        path = self.path("report.json")
        library = self.compile("convnet", f"--report={path}", "--place=gpu")
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual((report["model"], report["output"]), (self.model("convnet"), library))
        self.assertEqual(report["file_bytes"], os.path.getsize(library))
        for part in ("arena_bytes", "code_bytes", "gpu_code_bytes", "gpu_packed_bytes", "operators", "kernels"):
            self.assertGreater(report[part], 0, part)
        # The convolutions, and what a batch normalization in them leaves of itself.
        self.assertLess(abs(report["weight_bytes"] / os.path.getsize(self.model("convnet")) - 1), 0.3)
        self.assertEqual(set(report["phase_ms"]), {*PHASES, "package"})
        self.assertAlmostEqual(sum(report["phase_ms"].values()), report["total_ms"], places=3)
        launches = report["launches"]
        self.assertEqual(len({row["kernel"] for row in launches}), report["kernels"])
        said = self.run_model(library, "--info")
        self.assertEqual([row["kernel"] for row in launches], re.findall(r"^  \w+ +(\w+) +\S", said.split("launches")[-1], re.MULTILINE))
        for row in launches:
            self.assertEqual((row["engine"], row["gpu_share"], row["gpu_declined"]), ("gpu", 1, ""), row)
            self.assertEqual(row["iterations"], 1)
            self.assertTrue(row["nodes"])
            self.assertGreater(min(row["read_bytes"], row["written_bytes"]), 0, row)
            self.assertEqual(row["executed_flops"], row["flops"], row)
        self.assertLess(4 * report["gpu_packed_bytes"], report["gpu_code_bytes"])
        # Between two weights there may be padding, and each is read by one launch.
        self.assertLessEqual(sum(row["weight_bytes"] for row in launches), report["weight_bytes"])
        self.assertGreater(sum(row["weight_bytes"] for row in launches), 0.9 * report["weight_bytes"])
        self.assertGreater(sum(row["flops"] for row in launches), 1e6)

    def progress_of(self, *options):
        """(done, total) of each line of progress that a terminal is shown in codegen."""
        screen, terminal = pty.openpty()
        command = [os.path.join(nacre.BIN, "nacre-compile"), self.model("convnet"), "-o", self.path("libconvnet.so"), *options]
        shown = b""
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal) as compiling:
            os.close(terminal)
            try:
                while part := os.read(screen, 4096):
                    shown += part
            except OSError:  # how a terminal says that nobody writes to it any more
                pass
        os.close(screen)
        self.assertEqual(compiling.returncode, 0, shown)
        return [(int(done), int(total)) for done, total in re.findall(rb"codegen (\d+)/(\d+)", shown)]

    def test_progress_counts_every_step_to_its_total(self):
        for place in ("cpu", "gpu", "split:50"):
            with self.subTest(place):
                shown = self.progress_of(f"--place={place}")
                total = shown[0][1]
                self.assertEqual(shown, [(done, total) for done in range(1, total + 1)])

    def test_check_lists_all_unsupported_nodes(self):
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), "--check", self.model("unsupported"), status=1)
        self.assertIn("Discombobulate", said)
        self.assertIn("Frobnicate", said)
        self.assertEqual((said.count("Frobnicate"), said.splitlines()[-1]), (1, "0 of 2 nodes are supported"))
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), "--check", self.model("convnet"))
        self.assertRegex(said, r"^(\d+) of \1 nodes are supported\n$")

    def test_compiling_what_is_not_supported_names_the_node(self):
        said = self.compile("unsupported", status=1)
        self.assertIn("discombobulate_0", said)
        self.assertFalse(os.path.exists(self.path("libunsupported.so")))

    def test_bad_files_are_refused(self):
        cases = {"missing.onnx": None, "empty.onnx": b"", "noise.onnx": bytes(range(256)) * 8}
        with open(self.model("convnet"), "rb") as file:
            cases["truncated.onnx"] = file.read()[:100000]
        for name, content in cases.items():
            with self.subTest(name):
                if content is not None:
                    with open(self.path(name), "wb") as file:
                        file.write(content)
                said = self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path(name), "-o", self.path("libx.so"), status=1)
                self.assertIn(name, said)

    def test_same_bytes_for_any_jobs_and_folder(self):
        copies = []
        for jobs in (1, 2):
            os.makedirs(self.path(str(jobs), "deeper"))
            copies.append(self.path(str(jobs), "deeper", "libconvnet.so"))
            self.compile("convnet", f"--jobs={jobs}", output=copies[-1])
        self.assertTrue(filecmp.cmp(*copies, shallow=False))

    def test_leaves_only_library_and_header(self):
        before = set(os.listdir(self.folder))
        library = self.compile("relu")
        left = set(os.listdir(self.folder)) - before
        self.assertEqual(left, {"relu.onnx", os.path.basename(library), "relu.h"})

    def test_answer_is_onnx_runtimes(self):
        self.call("python3", os.path.join(nacre.ROOT, "samples", "models", "make_convnet.py"), self.folder)
        image = f"--input=image={self.path('convnet.input.npy')}"
        expected = os.path.join(nacre.ROOT, "samples", "models", "convnet.expected.npy")
        self.run_model(self.compile("convnet"), image, f"--expect=probabilities={expected}")

    def test_accuracy_decides_how_it_is_computed_and_not_what_is_stored(self):
        self.call("python3", os.path.join(nacre.ROOT, "samples", "models", "make_convnet.py"), self.folder)
        image = f"--input=image={self.path('convnet.input.npy')}"
        expected = os.path.join(nacre.ROOT, "samples", "models", "convnet.expected.npy")

        def weight_bytes(*options):
            library = self.compile("convnet", f"--report={self.path('report.json')}", *options)
            self.run_model(library, image, f"--expect=probabilities={expected}")
            with open(self.path("report.json"), encoding="utf-8") as file:
                return json.load(file)["weight_bytes"]

        self.assertEqual(weight_bytes("--accuracy=strict"), weight_bytes())
        self.assertEqual(weight_bytes("--accuracy=fast", "--place=split:50"), weight_bytes())
        plans = [self.call(os.path.join(nacre.BIN, "nacre-compile"), self.model("convnet"), "--compile-to=encode", "-o", "-", f"--accuracy={word}")
                 for word in ("fast", "strict")]
        self.assertEqual(["plan.winograd" in plan for plan in plans], [True, False])

    def test_a_wrong_answer_is_told(self):
        library = self.compile("convnet")
        expected = os.path.join(nacre.ROOT, "samples", "models", "convnet.expected.npy")
        said = self.run_model(library, f"--expect=probabilities={expected}", status=1)  # a seeded input, not the image
        self.assertIn("probabilities", said)

    def test_runs_without_proc(self):
        """Sandboxes may not have it."""
        without = ["unshare", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
        if subprocess.run([*without, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("this user may not make a mount namespace")
        library = self.path("librelu.so")
        self.call(*without, os.path.join(nacre.BIN, "nacre-compile"), self.model("relu"), "-o", library)
        self.assertIn("y f32[1,64]", self.call(*without, os.path.join(nacre.BIN, "nacre-run"), library))

    def test_outputs_that_are_nan_are_counted(self):
        self.assertIn("y f32[1,64]: 64 of 64 NaN\n", self.run_model(self.compile("relu"), "--set=x=nan"))

    def test_an_unwritable_output_is_an_error(self):
        done = subprocess.run([os.path.join(nacre.BIN, "nacre-compile"), self.model("relu"), "-o", self.path("no", "such", "libx.so")],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write", done.stderr)
        self.assertIn("libx.so", done.stderr)


if __name__ == "__main__":
    unittest.main()
