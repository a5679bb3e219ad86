#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples in the package's docstrings do what they say; and what it offers has a docstring and types."""
import ast
import doctest
import graphlib
import importlib
import inspect
import os
import pkgutil
import pydoc
import unittest

import numpy
import packaged

import nacre

NEEDS_ONNX = "nacre.onnx_backend"


def modules():
    names = [f"nacre.{module.name}" for module in pkgutil.iter_modules(nacre.__path__)]
    return [importlib.import_module(name) for name in ["nacre", *names] if name != NEEDS_ONNX]


class ExamplesTest(packaged.PackageTest):
    def test_examples(self):
        nacre.compile(self.model("convnet"), library=self.path("libconvnet.so"))
        former = os.getcwd()
        self.addCleanup(os.chdir, former)
        os.chdir(self.folder)
        tried = 0
        for module in modules():
            outcome = doctest.testmod(module, extraglobs={"numpy": numpy, "load": nacre.load, "compile": nacre.compile})
            self.assertEqual(outcome.failed, 0, module.__name__)
            tried += outcome.attempted
        self.assertGreater(tried, 20)

    def test_everything_offered_is_described_and_typed(self):
        offered = {name: value for name, value in vars(nacre).items() if not name.startswith("_") and not inspect.ismodule(value)}
        functions = [(name, value) for name, value in offered.items() if inspect.isfunction(value)]
        for name, value in offered.items():
            self.assertTrue(value.__doc__, name)
            if inspect.isclass(value) and not issubclass(value, Exception):
                functions += [(f"{name}.{member}", inner) for member, inner in vars(value).items()
                              if inspect.isfunction(inner) and not member.startswith("_")]
        self.assertGreater(len(functions), 25)
        for name, function in functions:
            described = inspect.signature(function)
            self.assertIsNot(described.return_annotation, described.empty, name)
            untyped = [parameter.name for parameter in described.parameters.values()
                       if parameter.annotation is parameter.empty and parameter.name not in ("self", "cls", "_cls")]
            if function.__module__.startswith("nacre"):
                self.assertEqual(untyped, [], name)

    def test_help_is_short(self):
        said = pydoc.render_doc(nacre, renderer=pydoc.plaintext)
        self.assertLess(len(said.splitlines()), 70)
        for name in ("nacre.compile(", "model.run(", "model.fit(", "nacre.Session", "VERSION"):
            self.assertIn(name, said)
        self.assertNotIn("CLASSES", said)

    def test_dir_lists_what_is_offered(self):
        listed = dir(nacre)
        self.assertTrue({"compile", "load", "from_torch", "Model", "OptionError", "__version__"} <= set(listed))
        self.assertEqual([name for name in listed if name.startswith("_") and not name.startswith("__") or inspect.ismodule(getattr(nacre, name))], [])

    def test_no_module_imports_one_that_imports_it(self):
        """Not even for types."""
        imports = {}
        for module in modules():
            with open(module.__file__, encoding="utf-8") as file:
                nodes = [node for node in ast.walk(ast.parse(file.read())) if isinstance(node, ast.ImportFrom) and node.level == 1]
            name = module.__name__.partition(".")[2]
            imports[name] = {node.module for node in nodes if node.module} | {part.name for node in nodes if not node.module for part in node.names}
        self.assertIn("errors", imports["compiler"])
        self.assertEqual(list(graphlib.TopologicalSorter(imports).static_order())[-1], "", "graphlib raises a CycleError")

    def test_checkers_of_types_are_told(self):
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(nacre.__file__), "py.typed")))

    def test_it_is_python_3_9(self):
        for module in modules():
            with open(module.__file__, encoding="utf-8") as file:
                compile(file.read(), module.__file__, "exec", dont_inherit=True, flags=__import__("ast").PyCF_ONLY_AST, _feature_version=9)


if __name__ == "__main__":
    unittest.main()
