# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small tree that keeps all rules of tools/dev/check_*.py, and what a check says of it after changes."""
import os
import subprocess
import sys
import tempfile

CHECKS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "tools", "dev")
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"

PASSES = f"""// {LICENCE}
class RoomPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {{}}
def SplitWorkPass : RoomPass<"nacre-split-work"> {{
  let summary = "Give each core a part";
  let description = [{{
    One core is slow.

    Requires: nothing.

    Ensures: parts.

    Example: test/compiler/graph/split-work.mlir; two parts.
  }}];
}}
"""
LIT = """// RUN: nacre-opt %s --nacre-split-work | FileCheck %s
// CHECK-LABEL: func.func @documented_example
// CHECK:         %[[X:[^ ,:()]+]] = nn.constant
func.func @documented_example() {
"""
TREE = {
    "README.md": "# Nacre\n\nCompiles networks.\n",
    "docs/README.md": "# Documents\n",
    "docs/overview.md": "# Overview\n\n| `compiler/graph` | passes |\n| `compiler` | phases |\n",
    "compiler/graph/Passes.td": PASSES,
    "compiler/graph/Split.cpp": f"// {LICENCE}\n#include \"compiler/graph/Split.h\"\n",
    "compiler/graph/Split.h": f"// {LICENCE}\n",
    "test/README.md": "# Tests\n",
    "test/compiler/graph/split-work.mlir": LIT,
}


def answer(check, changes):
    """What a check says of the tree with these files written, or taken away where they are None, and whether it failed."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**TREE, **changes}.items():
            if text is None:
                continue
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w" if isinstance(text, str) else "wb") as file:
                file.write(text)
        done = subprocess.run([sys.executable, os.path.join(CHECKS, f"check_{check}.py"), f"--root={root}"],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


def passes(old, new):
    assert old in PASSES
    return {"compiler/graph/Passes.td": PASSES.replace(old, new)}


def lit(old, new):
    assert old in LIT
    return {"test/compiler/graph/split-work.mlir": LIT.replace(old, new)}


SOURCE = f"// {LICENCE}\n"


def said(literal):
    """A tool that says this in a message."""
    return {"tools/run/session/Options.cpp": SOURCE + f"const char *const kHelp = {literal};\n"}


def comment(text):
    """A public header with this comment."""
    return {"runtime/include/nacre/run.h": f"{SOURCE}{text}\nint run();\n"}


def rate(declaration):
    """A phase that has a figure of its own."""
    return {"compiler/graph/Split.cpp": SOURCE + declaration + "\n"}


ROW = "| [One axis](one-axis.md) | A kernel has one. | in force |\n"


def decided(row=ROW, page="# One axis\n\nIt is cut.\n"):
    """Two decisions, and their table with this row for the first."""
    table = f"# Decisions\n\n| decision | what was decided | status |\n|---|---|---|\n{row}| [One pool](one-pool.md) | There is one. | in force |\n"
    return {"docs/decisions/README.md": table, "docs/decisions/one-axis.md": page, "docs/decisions/one-pool.md": "# One pool\n\nIt has threads.\n"}
