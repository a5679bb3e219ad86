#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compile() and fit() show on a terminal, in a notebook and elsewhere; and the curve of a History."""
import contextlib
import io
import math
import os
import pty
import subprocess
import sys
import types
import unittest
import unittest.mock
import xml.etree.ElementTree

import packaged
from digits import LABELS, PIXELS, DigitsTest

import nacre
from nacre import compiler, progress

SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
import packaged, nacre
from digits import LABELS, PIXELS
from nacre import compiler, progress
compiler._PROGRESS_DELAY = progress._PAUSE = 0
model = nacre.compile({model!r}, train=True, train_batch=16, loss="softmax-cross-entropy:logits", jobs=1{more})
model.fit(PIXELS, LABELS, epochs=2, learning_rate=0.1{more})
"""


class Notebook:
    """What IPython offers in a kernel of Jupyter; notes what a cell shows."""

    def __init__(self):
        self.outputs = []  # Of each output all its contents, in order.
        shell = types.SimpleNamespace(kernel=object())
        self.modules = {"IPython": types.SimpleNamespace(get_ipython=lambda: shell),
                        "IPython.display": types.SimpleNamespace(HTML=lambda text: text, display=self.display)}

    def display(self, content, display_id):
        assert display_id is True
        contents = [content]
        self.outputs.append(contents)
        return types.SimpleNamespace(update=contents.append)

    def __enter__(self):
        self.patches = contextlib.ExitStack()
        self.patches.enter_context(unittest.mock.patch.dict(sys.modules, self.modules))
        self.patches.enter_context(unittest.mock.patch.object(progress, "_PAUSE", 0))
        self.patches.enter_context(unittest.mock.patch.object(compiler, "_PROGRESS_DELAY", 0))
        return self

    def __exit__(self, *_):
        self.patches.close()


class ProgressTest(DigitsTest):
    def script(self, more=""):
        return [sys.executable, "-c", SCRIPT.format(tests=os.path.dirname(os.path.abspath(__file__)), model=self.model("digits"), more=more)]

    def on_terminal(self, more=""):
        """What a script writes to a terminal."""
        ours, theirs = pty.openpty()
        child = subprocess.Popen(self.script(more), stderr=theirs, stdout=subprocess.DEVNULL)
        os.close(theirs)
        said = b""
        with contextlib.suppress(OSError):  # The end of a terminal.
            while data := os.read(ours, 4096):
                said += data
        os.close(ours)
        self.assertEqual(child.wait(timeout=packaged.COMMAND_SECONDS), 0, said)
        return said.decode()

    def test_on_a_terminal(self):
        said = self.on_terminal()
        self.assertRegex(said, r"\r\x1b\[K(import|train|graph|kernels|schedule|codegen)", "the compiler's")
        self.assertRegex(said, r"\r\x1b\[K 12 % epoch 1 of 2, step 1 of 4: loss [\d.]+, accuracy [\d.]+")
        self.assertRegex(said, r"\r\x1b\[Kepoch 1 of 2: loss [\d.]+, accuracy [\d.]+, learning rate 0\.1, 0\.\d s\r\n")
        self.assertTrue(said.rstrip().splitlines()[-1].endswith(" s"), "at the end only lines are left")
        self.assertEqual(self.on_terminal(", progress=False"), "")

    def test_elsewhere_only_lines_that_are_asked_for(self):
        for more, lines in (("", 0), (", progress=True", 2)):
            done = subprocess.run(self.script(more), stderr=subprocess.PIPE, text=True, check=True, timeout=packaged.COMMAND_SECONDS)
            self.assertEqual(len(done.stderr.splitlines()), lines, done.stderr)
            self.assertNotIn("\r", done.stderr)

    def test_in_a_notebook(self):
        with Notebook() as notebook:
            model = self.compiled(cache=False)
            (compiled,) = notebook.outputs
            self.assertRegex("\n".join(compiled), r"<div>(import|train|graph|kernels|schedule|codegen)\b")
            self.assertEqual(compiled[-1], "", "nothing is left")
            model.fit(PIXELS, LABELS, epochs=15, learning_rate=0.1, validation_split=0.2, callbacks=[lambda training, logs: logs.update({"<b>": 1})])
            _, fitted = notebook.outputs
            self.assertRegex(fitted[0], r'^<div><progress value="0\.022" max="1"></progress> epoch 1 of 15, step 1 of 3: loss ')
            self.assertTrue(any("validation, step 1" in content for content in fitted))
            self.assertRegex(fitted[-1], r"^<pre>(epoch \d+ of 15: loss .*, val accuracy .*, &lt;b&gt; 1, .* s\n){12}</pre>$")
            model.fit(PIXELS, LABELS, learning_rate=0.1, progress=False)
            self.assertEqual(len(notebook.outputs), 2)

    def test_messages_are_the_same_with_progress(self):
        errors = []
        for shown in (False, True):
            with Notebook(), self.assertRaises(nacre.CompileError) as caught:
                nacre.compile(self.model("unsupported"), progress=shown)
            errors.append((str(caught.exception), caught.exception.diagnostics, caught.exception.output))
        self.assertEqual(errors[0], errors[1])
        with Notebook(), self.assertRaises(nacre.OptionError) as caught:
            nacre.compile(self.model("sums"), accuracy="best")
        self.assertEqual(str(caught.exception), "accuracy must be fast or strict, but is 'best'")

    def test_quick_compilations_show_nothing(self):
        with Notebook() as notebook, unittest.mock.patch.object(compiler, "_PROGRESS_DELAY", 3600):
            nacre.compile(self.model("sums"), cache=False, jobs=1)
        self.assertEqual(notebook.outputs, [])

    def test_texts_are_not_replaced_too_often(self):
        shown = io.StringIO()
        with unittest.mock.patch.object(sys, "stderr", shown), unittest.mock.patch.object(shown, "isatty", lambda: True):
            display = progress.make_display(None)
            for number in range(1000):
                display.show(str(number))
            display.close()
        self.assertLess(shown.getvalue().count("\x1b[K"), 20)


class HistoryTest(unittest.TestCase):
    def history(self):
        history = nacre.History()
        for epoch, (loss, tested) in enumerate(((2.5, 2.75), (1.25, 1.5), (math.nan, 1.4)), 1):
            history.add(epoch, {"loss": loss, "accuracy": epoch / 4, "val_loss": tested, "seconds": 1})
        return history

    def test_figures(self):
        history = self.history()
        self.assertEqual(dict(history), history.history)
        self.assertEqual(history["val_loss"], [2.75, 1.5, 1.4])
        self.assertEqual(repr(history), "<nacre.History of 3 epochs>")
        self.assertEqual(str(history).splitlines()[:2], ["epoch  loss  accuracy  val_loss  seconds", "    1   2.5      0.25      2.75        1"])
        with self.assertRaises(KeyError) as caught:
            history["los"]
        self.assertEqual(caught.exception.args[0], "the history has no 'los'; it has loss, accuracy, val_loss, seconds")
        history.add(4, {"loss": 1, "late": 3})
        self.assertEqual([math.isnan(value) for value in history["late"]], [True] * 3 + [False])
        self.assertTrue(math.isnan(history["accuracy"][3]))

    def test_curves(self):
        history = self.history()
        drawing = xml.etree.ElementTree.fromstring(history.plot().svg)
        space = "{http://www.w3.org/2000/svg}"
        panels = drawing.findall(space + "g")
        self.assertEqual([[line.get("points").count(",") for line in panel.iter(space + "polyline")] for panel in panels], [[2, 3], [3]],
                         "loss and val_loss together, without NaN; accuracy; no seconds")
        texts = [text.text for text in panels[0].iter(space + "text")]
        self.assertEqual(texts[-4:], ["1", "3", "loss", "val_loss"])
        places = [float(pair.split(",")[1]) for pair in next(panels[1].iter(space + "polyline")).get("points").split()]
        self.assertEqual(places, sorted(places, reverse=True), "what grows goes up")
        self.assertEqual(history._repr_html_(), history.plot()._repr_svg_())
        self.assertEqual(history.plot("seconds").svg.count("<polyline"), 1)
        self.assertRaises(KeyError, history.plot, "los")
        self.assertEqual(nacre.History()._repr_html_(), "&lt;nacre.History of 0 epochs&gt;")
        for values in ([5.0], [0.0, 0.0], [math.inf, math.nan], [1e-12, 2e-12], [1e30, -1e30]):
            odd = nacre.History()
            for epoch, value in enumerate(values, 1):
                odd.add(epoch, {"<loss>": value})
            xml.etree.ElementTree.fromstring(odd.plot().svg)
            self.assertNotRegex(odd.plot().svg, "nan|inf")

    def test_a_curve_as_a_file(self):
        with packaged.tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "curve.svg")
            self.history().plot("loss").save(path)
            self.assertEqual(xml.etree.ElementTree.parse(path).getroot().tag, "{http://www.w3.org/2000/svg}svg")


if __name__ == "__main__":
    unittest.main()
