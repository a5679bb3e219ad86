# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of the Python package: what nacre.__all__ offers, from the sources alone, so that nothing need be importable here."""
import ast
import inspect
import os

from gfm import code


def signature(function, name, is_method):
    arguments = function.args
    decorators = {one.id for one in function.decorator_list if isinstance(one, ast.Name)}
    if is_method and "staticmethod" not in decorators and arguments.args:
        arguments.args = arguments.args[1:]  # self is no one's to give.
    if "property" in decorators:
        return f"{name}: {ast.unparse(function.returns)}" if function.returns else name
    shown = f"{name}({ast.unparse(arguments)})" + (f" -> {ast.unparse(function.returns)}" if function.returns else "")
    if len(shown) > 110:
        parts = ast.unparse(arguments)
        shown = f"{name}(\n    " + ",\n    ".join(split(parts)) + ")" + (f" -> {ast.unparse(function.returns)}" if function.returns else "")
    return shown


def split(text):
    """At commas that stand in no brackets."""
    out, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            out.append("")
        else:
            out[-1] += letter
    return [part.strip() for part in out]


def described(node):
    """A docstring as Markdown: its examples are code."""
    out, example = [], False
    for line in (inspect.cleandoc(ast.get_docstring(node) or "")).split("\n"):
        begins = line.lstrip().startswith(">>>")
        if begins and not example:
            out += ["", "```python"]
            example = True
        elif example and not line.strip():
            out.append("```")
            example = False
        out.append(line)
    return "\n".join(out + (["```"] if example else [])) + "\n"


def fields(node):
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and not one.target.id.startswith("_"):
            yield ast.unparse(one)


def shown(node, name):
    out = [f"## {name}", ""]
    if isinstance(node, ast.FunctionDef):
        return out + [code(signature(node, f"nacre.{name}", False), "python"), described(node)]
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    lines = [f"class nacre.{name}" + (f"({bases})" if bases else ""), *("    " + line for line in fields(node))]
    out += [code("\n".join(lines), "python"), described(node)]
    for one in node.body:
        if isinstance(one, ast.FunctionDef) and (not one.name.startswith("_") or one.name == "__init__" and ast.get_docstring(one)):
            out += [f"### {name}.{one.name}", "", code(signature(one, one.name, True), "python"), described(one)]
    return out


def page(folder):
    found, offered, package = {}, [], None
    for file in sorted(os.listdir(folder)):
        if file.endswith(".py"):
            with open(os.path.join(folder, file), encoding="utf-8") as source:
                tree = ast.parse(source.read())
            package = tree if file == "__init__.py" else package
            for node in tree.body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    found.setdefault(node.name, node)
                if file == "__init__.py" and isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                    offered = ast.literal_eval(node.value)
    out = ["# The Python package", "", described(package), "The way through it: [Nacre in Python](../docs/python.md).", ""]
    for name in offered:
        if name in found:
            out += shown(found[name], name)
    return "\n".join(out)
