#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses pass entries that do not teach: each has a summary of its own, a why, Requires, Ensures and an example, which is a test.

An example is named, not copied: `Example: test/compiler/graph/fold-scales.mlir`, the lit test of that pass, whose function or entry
`@documented_example` it is. tools/dev/pass_pages.py prints it with what the pass makes of it.

A pass for some engines says so by EnginePass (dialects/plan/EnginePass.td), and tests no engine. Other code tests it only to decide
for a single launch or operator what its engine can do: ENGINE_DECISIONS lists these files.
"""
import os
import re

import tree

DEFINITION = re.compile(r"^def (\w+)\s*:\s*(\w+)(.*)", re.MULTILINE)
FLAG = re.compile(r'\s*<\s*"([^"]+)"')
EXAMPLE = re.compile(r"Example: (test/[\w./-]+\.mlir)")
ENGINES = re.compile(r'def \w+\s*:\s*EnginePass<\s*"[^"]+",\s*"[^"]+",\s*\[([^\]]*)\]>')
ENGINE_TEST = re.compile(r"\bplan::(?:isOnCpu|isOnGpu|engineOf)\(")
PASS_SOURCE = re.compile(r"^#define GEN_PASS_DEF_(\w+)$", re.MULTILINE)
ROW_FOR = re.compile(r"^\| ([\w-]+) \| ([^|]+?) \|", re.MULTILINE)
WORDS_FOR = {(): "all", ("Cpu",): "CPU", ("Gpu",): "GPU", ("Gpu", "Any"): "not CPU"}
# Files that test the engine to decide about one launch, operator or loop, and what they decide.
ENGINE_DECISIONS = {
    "compiler/driver/Pipeline.cpp": "whether an entry has the precision of the CPU",
    "compiler/driver/PlacementSearch.cpp": "whether a GPU may compute a product that must be f32",
    "compiler/encode/ChooseEncodings.cpp": "whether all launches that read a weight can read its panels",
    "compiler/encode/HalfSums.cpp": "whether weights are known to fit sums in fp16",
    "compiler/encode/noise/EntryNoise.cpp": "whether an entry has the noise of the CPU",
    "compiler/encode/panels/PanelCopies.cpp": "whether a new launch needs a note",
    "compiler/encode/SplitByEngine.cpp": "whether a launch gets the kernel's copy for the CPU",
    "compiler/graph/attention/ExpandAttention.cpp": "how many keys a kernel of the engine takes",
    "compiler/graph/attention/FuseAttention.cpp": "how many keys a kernel of the engine takes",
    "compiler/graph/halves/NarrowFloats.cpp": "whether the engine of a function stores halves, and adds them up",
    "compiler/graph/quantized/RecognizeQuantized.cpp": "whether attention of codes has a kernel",
    "compiler/kernels/entries/OperatorGroups.cpp": "the form of an operator's kernel",
    "compiler/kernels/fusion/MaximumPools.cpp": "whether a kernel also computes codes",
    "compiler/kernels/fusion/ProductPrologues.cpp": "whether a kernel makes its left operand",
    "compiler/kernels/lowerings/contractions/LowerContraction.cpp": "whether a kernel reads through a transpose",
    "compiler/kernels/storages/AssignStorages.cpp": "where a launch may begin to read, and which slices get own memory",
    "compiler/kernels/storages/Overwritten.cpp": "whether a launch may overwrite its input",
    "compiler/place/PlaceKernels.cpp": "whether the engine is decided",
}


def entries(text):
    """[(record, flag or None, body)] of all definitions of passes, also of those that derive from a class of their own."""
    starts = list(DEFINITION.finditer(text))
    for match, following in zip(starts, [*starts[1:], None]):
        flag = FLAG.match(match.group(3))
        if flag or match.group(1).endswith("Pass"):
            yield match.group(1), flag and flag.group(1), text[match.start():following.start() if following else len(text)]


def engines_of(body):
    """The engines whose operations a pass changes: enumerators of plan::Engine, none if the pass is for all."""
    found = ENGINES.match(body)
    return tuple(re.findall(r'"(\w+)"', found.group(1))) if found else ()


def words_of(body):
    """The description as one line of words."""
    description = re.search(r"let description = \[\{(.*?)\}\]", body, re.DOTALL)
    return " ".join(description.group(1).split()) if description else ""


def faults_of_example(flag, path):
    if not os.path.isfile(os.path.join(tree.ROOT, path)):
        return "which does not exist"
    if not os.path.basename(path).startswith(flag.removeprefix("nacre-")):
        return "which is not the test of this pass; name it after the pass"
    text = tree.read(path)
    if not re.search(rf"^// RUN:.*(?<![\w.]){re.escape(flag)}(?![\w-])", text, re.MULTILINE):
        return f"which does not run {flag}"
    if not re.search(r"^(?!\s*//).*@documented_example", text, re.MULTILINE):
        return "which has no @documented_example"
    if not re.search(r"^// [\w-]+: .*@documented_example|// expected-error", text, re.MULTILINE):
        return "which does not check what becomes of @documented_example"
    return None


def problems_of(path, text):
    for record, flag, body in entries(text):
        where = f"{path}: {record}"
        if not flag:
            yield f"{where}: give its flag as the first argument of its class, \"nacre-<verb>-<object>\""
            continue
        summary = re.search(r'let summary = "([^"]*)"', body)
        if not summary or summary.group(1).lower().rstrip(".") == flag.removeprefix("nacre-").replace("-", " "):
            yield f"{where}: write a summary that is a sentence of its own, not the pass's name again"
        description = words_of(body)
        if not description:
            yield f"{where}: write a description that says why the pass exists"
            continue
        for part in ("Requires:", "Ensures:"):
            if part not in description:
                yield f"{where}: the description must have a paragraph beginning with {part}"
        if engines_of(body) not in WORDS_FOR:
            yield f"{where}: is for the engines {', '.join(engines_of(body))}, but must be for one of {', '.join(map(str, filter(None, WORDS_FOR)))}"
        if "```" in body:
            yield f"{where}: name the test that the example is in instead of copying it"
        example = EXAMPLE.search(description)
        if not example:
            yield f"{where}: name the example, as 'Example: test/<room>/<pass>.mlir', a lit test with a @documented_example"
        elif fault := faults_of_example(flag, example.group(1)):
            yield f"{where}: names {example.group(1)} as its example, {fault}"


def problems_of_source(path, text, engines_of_macros):
    """Problems of a source file that tests engines, or defines a pass in a folder for one engine."""
    engines = {macro: engines_of_macros.get(macro, ()) for macro in PASS_SOURCE.findall(text)}
    for macro, names in engines.items():
        for folder, name in (("cpu", "Cpu"), ("gpu", "Gpu")):
            if f"/{folder}/" in path and path.startswith("compiler/") and names != (name,):
                yield f"{path}: {macro} is in a folder for one engine; declare it as EnginePass<..., [\"{name}\"]> in Passes.td"
    tests = ENGINE_TEST.findall(text)
    if tests and any(engines.values()):
        yield (f"{path}: tests the engine, which Passes.td names already; take operators from listGiven() or isGiven(), and compare "
               "neighbors by plan::haveSameEngine")
    elif tests and path not in ENGINE_DECISIONS:
        yield (f"{path}: tests the engine; declare the pass as EnginePass in Passes.td. If the test decides about a single launch or operator, "
               "add the file to ENGINE_DECISIONS in tools/dev/check_passes.py")
    elif not tests and path in ENGINE_DECISIONS:
        yield f"{path}: tests no engine any more; remove it from ENGINE_DECISIONS in tools/dev/check_passes.py"


def problems_of_page(path, text, engines_of_flags):
    """Rows of a table of passes with a column `for` that contradicts Passes.td."""
    for table in re.findall(r"^\| pass \| for \|.*\n(?:\|.*\n)*", text, re.MULTILINE):
        for name, words in ROW_FOR.findall(table):
            wanted = WORDS_FOR.get(engines_of_flags.get(f"nacre-{name}"))
            if wanted and wanted != words:
                yield f"{path}: says that {name} is for '{words}', but Passes.td says '{wanted}'"


def main():
    paths = tree.files()
    found = {path: tree.read(path) for path in paths if path.endswith("Passes.td")}
    problems = [problem for path, text in found.items() for problem in problems_of(path, text)]
    passes = [entry for text in found.values() for entry in entries(text)]
    macros = {record.upper(): engines_of(body) for record, _, body in passes}
    flags = {flag: engines_of(body) for _, flag, body in passes}
    for path in paths:
        if path.startswith(("compiler/", "codegen/")) and path.endswith((".cpp", ".h")):
            problems += problems_of_source(path, tree.read(path), macros)
        elif path.startswith("docs/phases/") and path.endswith(".md"):
            problems += problems_of_page(path, tree.read(path), flags)
    tree.finish(problems)


if __name__ == "__main__":
    main()
