#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What docs/adding-*.md say is all there is to do: their patches make a compiler and an interpreter that know new operators and a new format.

How:  1. each section's patches are applied to a copy of the compiler's sources, and the files they touch counted,
      2. what the compiler under test was built of is built again where it depends on them, by its own commands but without optimization, and
         linked with the rest,
      3. models of the new operators, folded and not, and of the new format are compiled by it, and their numbers are compared.
"""
import concurrent.futures
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import Graph, write_npy
from patches import read_patches

BUILD = os.environ.get("NACRE_BUILD", os.path.join(nacre.ROOT, "build", "release"))
TREE = os.path.join(BUILD, "test", "adding")  # one place, so that ccache knows it again
SAMPLE = bool(os.environ.get("NACRE_SAMPLE"))
# What reads the tables that are made of the operators' definitions. A sample builds of all that includes the definitions only these
# again, and what the patches change; the rest would become the same code.
READS_TABLES = re.compile(r"\bNN_\w+_ROWS\b|\bGET_OP_LIST\b|\bNn\w+\.cpp\.inc\b")
# Every source that this test compiles includes the headers of `nn`. So all get the headers that the build precompiles for
# the libraries of `nn`, whichever their own library has.
PRECOMPILED = os.path.join(BUILD, "CMakeFiles", "nacre-precompiled-nn.dir")
ANY_PRECOMPILED = re.compile(re.escape(BUILD) + r"/[\w/-]*CMakeFiles/nacre-precompiled(-\w+)?\.dir/")
# The most existing files that a section's patches may touch. To raise one needs a decision in docs/decisions.
SECTIONS = {("docs/adding-an-operator.md", "2. A new elementwise function"): 3,
            ("docs/adding-an-operator.md", "3. A new operator of `nn`"): 6,
            ("docs/adding-an-operator.md", "4. An operator of TensorFlow"): 2,
            ("docs/adding-a-format.md", "Adding a format"): 3}
# The folder of the new format: the unit tests' own, under names of the compiler.
TOY = {"test/unit/compiler/import/ToyFormat": "compiler/import/toy/Format"}


# 1. Patches


def make_tree(patches):
    """A copy of the compiler's sources, with the folder of the new format, patched."""
    shutil.rmtree(TREE, ignore_errors=True)
    for room in ("dialects", "compiler"):
        shutil.copytree(os.path.join(nacre.ROOT, room), os.path.join(TREE, room))
    for old, new in TOY.items():
        for end in (".h", ".cpp"):
            write(new + end, read(nacre.ROOT, old + end).replace(old, new))
    for patch in patches:
        write(patch.path, patch.apply(read(TREE, patch.path)))


def read(tree, path):
    with open(os.path.join(tree, path), encoding="utf-8") as file:
        return file.read()


def write(path, text):
    path = os.path.join(TREE, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


# 2. Building


def ninja(*arguments):
    return subprocess.run(["ninja", "-C", BUILD, "-t", *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def moved(command):
    """The command without optimization, reading sources and generated files from the copy first and writing there."""
    words = []
    for word in shlex.split(ANY_PRECOMPILED.sub(os.path.join(TREE, "precompiled", ""), command)):
        word = re.sub(r"^-O[0-3s]$", "-O0", word)
        if word == "-I" + nacre.ROOT:
            words += ["-I" + TREE, word]
        elif word == BUILD and words[-1:] == ["-isystem"]:
            words += [os.path.join(TREE, "generated"), "-isystem", word]
        else:
            words.append(word)
    return words


class Build:
    """Builds the programs under test again, where they depend on what was changed."""

    def __init__(self, patches):
        self.changed = {os.path.join(nacre.ROOT, patch.path) for patch in patches}
        self.new_sources = [new for patch in patches for new in patch.get_new_sources()]

    def run(self, *programs):
        generated = self.generate()
        self.precompile()
        objects = self.compile(generated)
        return [self.link(program, dict(objects)) for program in programs]

    def generate(self):
        """Runs tablegen on the changed .td files' folder; the files it makes."""
        made = []
        for command in ninja("commands", "nacre-nn").splitlines():
            if "mlir-tblgen" not in command or "/dialects/nn/" not in command:
                continue
            words = shlex.split(command.split(" && ")[1])
            name = words[words.index("-o") + 1]
            folder = os.path.join(TREE, "generated", "dialects", "nn")
            os.makedirs(folder, exist_ok=True)
            words = [word.replace(nacre.ROOT + "/dialects", TREE + "/dialects") if word.endswith(".td") else word
                     for word in words if word != "--write-if-changed"]
            words[words.index("-o") + 1] = os.path.join(folder, name)
            words[words.index("-d") + 1] = os.path.join(folder, name + ".d")
            words.insert(1, "-I" + TREE)
            subprocess.run(words, cwd=TREE, check=True)
            made.append(os.path.join(BUILD, "dialects", "nn", name))
        return made

    @staticmethod
    def precompile():
        """Parses the headers of `nn` once, and MLIR's."""
        folder = os.path.join(TREE, "precompiled")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(PRECOMPILED, folder, ignore=shutil.ignore_patterns("*.o", "*.?ch", "*.d"))
        for command in ninja("commands", "nacre-precompiled-nn").splitlines():
            words = moved(command)
            if "c++-header" in words:
                target = os.path.join(folder, os.path.basename(words[words.index("-o") + 1]))
                words[words.index("-o") + 1], words[words.index("-MF") + 1] = target, target + ".d"
                subprocess.run(words, cwd=BUILD, check=True)

    def compile(self, generated):
        """Object of the build: the one made again."""
        generated = set(generated) | {os.path.relpath(path, BUILD) for path in generated}
        depends, obj = {}, None  # object: whether it reads a file that a patch changes
        for line in ninja("deps").splitlines():
            if not line.startswith(" "):
                obj = line.split(": #deps")[0]
            elif line.strip() in self.changed:
                depends[obj] = True
            elif line.strip() in generated:
                depends.setdefault(obj, False)
        # Not compile_commands.json, whose commands go past ccache.
        commands = {entry["output"]: entry for entry in json.loads(ninja("compdb"))}
        # Objects of the top folder only hold the precompiled headers, which precompile() makes.
        jobs = {obj: commands[obj] for obj, changes in depends.items()
                if not obj.startswith(("test/", "CMakeFiles/")) and (changes or not SAMPLE or reads_tables(commands[obj]["file"]))}
        for folder, neighbour, source in self.new_sources:
            like, = [obj for obj in commands if re.fullmatch(f"{folder}/CMakeFiles/[^/]*/{neighbour}.o", obj)]
            file = os.path.join(nacre.ROOT, folder, source)
            jobs[like.replace(neighbour, source)] = {"command": commands[like]["command"], "file": file}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return dict(zip(jobs, pool.map(self.compile_one, jobs, jobs.values())))

    @staticmethod
    def compile_one(obj, entry):
        target = os.path.join(TREE, "objects", obj)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        words = moved(entry["command"])
        source = os.path.join(TREE, os.path.relpath(entry["file"], nacre.ROOT))
        words[words.index("-c") + 1] = source if os.path.exists(source) else entry["file"]
        words[words.index("-o") + 1] = target
        words[words.index("-MF") + 1] = target + ".d"
        done = subprocess.run(words, cwd=BUILD, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise AssertionError(f"{entry['file']} must build as the documents leave it:\n{done.stdout}")
        return target

    @staticmethod
    def link(program, objects):
        """The new objects come before the archives, which then have nothing to add in their place."""
        command = ninja("commands", program).splitlines()[-1]
        words = [word.replace("\\$", "$") for word in shlex.split(command.split("&&")[1])]  # in quotes, shlex leaves this to the shell
        target = os.path.join(TREE, os.path.basename(program))
        words[words.index("-o") + 1] = target
        words = [objects.pop(word, word) for word in words]
        first = words.index("-o")
        archived = [path for obj, path in objects.items() if is_in_archive(obj, words)]
        subprocess.run(words[:first] + archived + words[first:], cwd=BUILD, check=True)
        return target


def reads_tables(source):
    return READS_TABLES.search(read(nacre.ROOT, os.path.relpath(source, nacre.ROOT)))


def is_in_archive(obj, words):
    """Whether an archive of the link is made in the folder of `obj`'s library."""
    folder = obj.split("/CMakeFiles/")[0]
    name = obj.split("/CMakeFiles/")[1].split(".dir/")[0]
    return f"{folder}/lib{name}.a" in words


# 3. Numbers

VALUES = [-90.0, -3.5, -1.0, -0.0, 0.25, 2.0, 7.5, 100.0]
EPSILON = 1e-12


def hard_sigmoid(values):
    return [min(max(0.2 * x + 0.5, 0.0), 1.0) for x in values]


def log_sigmoid(values):
    return [min(x, 0.0) - math.log1p(math.exp(-abs(x))) for x in values]


def unit_length(values):
    length = math.sqrt(sum(x * x for x in values) + EPSILON)
    return [x / length for x in values]


class AddingTest(nacre.NacreTest):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.patches = read_patches(SECTIONS)
        patches = [patch for section in SECTIONS for patch in cls.patches.get(section, [])]
        make_tree(patches)
        cls.compiler, cls.interpreter = Build(patches).run("bin/nacre-compile", "bin/nacre-eval")

    def test_files_touched(self):
        for section, most in SECTIONS.items():
            touched = {patch.path for patch in self.patches[section]}
            self.assertLessEqual(len(touched), most, f"{section} touches {sorted(touched)}")

    def test_new_operators(self):
        """Computed by kernels, and folded where the input is a constant."""
        graph, dims = Graph("adding"), [1, len(VALUES)]
        x = graph.input("x", dims)
        write_npy(self.path("x.npy"), dims, VALUES)
        expected = []
        for operator, values in (("LogSigmoid", log_sigmoid(VALUES)), ("UnitLength", unit_length(VALUES))):
            graph.output(graph.node(operator, [x], output=operator), dims)
            write_npy(self.path(operator + ".npy"), dims, values)
            expected.append(f"--expect={operator}={self.path(operator + '.npy')}")
        model, library, ir = self.path("adding.onnx"), self.path("libadding.so"), self.path("graph.mlir")
        graph.save(model)
        for fold in (False, True):
            with self.subTest(fold=fold):
                options = [f"--set=x={self.path('x.npy')}"] if fold else []
                self.call(self.compiler, model, *options, "--compile-to=graph", "-o", ir)
                with open(ir, encoding="utf-8") as file:
                    self.assertEqual(re.findall("log_sigmoid|unit_length", file.read()), [] if fold else ["log_sigmoid", "unit_length"])
                self.call(self.compiler, model, *options, "-o", library)
                inputs = [] if fold else [f"--input=x={self.path('x.npy')}"]
                self.run_model(library, *inputs, *expected, "--rtol=1e-5", "--atol=1e-6")
        self.call(self.interpreter, model, f"--input=x={self.path('x.npy')}", *expected, "--rtol=1e-5", "--atol=1e-6")

    def test_new_operator_of_tensorflow(self):
        model, library, dims = self.path("adding.pbtxt"), self.path("libadding.so"), [len(VALUES)]
        with open(model, "w", encoding="utf-8") as file:
            for name in ("x", "y"):
                file.write(f'node {{ name: "{name}" op: "Placeholder" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} '
                           f'attr {{ key: "shape" value {{ shape {{ dim {{ size: {dims[0]} }} }} }} }} }}\n')
            file.write('node { name: "z" op: "Xlog1py" input: "x" input: "y" attr { key: "T" value { type: DT_FLOAT } } }\n')
        others = [abs(y) for y in reversed(VALUES)]
        for name, values in (("x", VALUES), ("y", others), ("z", [x * math.log1p(y) for x, y in zip(VALUES, others)])):
            write_npy(self.path(name + ".npy"), dims, values)
        self.call(self.compiler, model, "-o", library)
        self.run_model(library, f"--input=x={self.path('x.npy')}", f"--input=y={self.path('y.npy')}", f"--expect=z={self.path('z.npy')}",
                       "--rtol=1e-5", "--atol=1e-6")

    def test_new_format(self):
        model, library, dims = self.path("model"), self.path("libtoy.so"), [len(VALUES)]
        with open(model, "w", encoding="utf-8") as file:
            file.write(f"toy\ninput x {dims[0]}\nconstant c {' '.join(map(str, reversed(VALUES)))}\n"
                       "s = add x c\ny = relu s\nz = hardsigmoid x\noutput y\noutput z\n")
        sums = [max(a + b, 0.0) for a, b in zip(VALUES, reversed(VALUES))]
        for name, values in (("x", VALUES), ("y", sums), ("z", hard_sigmoid(VALUES))):
            write_npy(self.path(name + ".npy"), dims, values)
        self.call(self.compiler, model, "-o", library)
        self.run_model(library, f"--input=x={self.path('x.npy')}", *(f"--expect={y}={self.path(y + '.npy')}" for y in "yz"),
                       "--rtol=1e-5", "--atol=1e-6")


if __name__ == "__main__":
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        sys.exit(print("skipped: the build's own commands are asked of ninja alone"))
    unittest.main()
