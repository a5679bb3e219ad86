#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs that would never end: ended by another thread, by Ctrl-C and by a limit; and sessions in child processes, by os.fork()."""
import os
import signal
import sys
import threading
import time
import unittest

import numpy
import packaged

import nacre
from nacre import interrupt

X = numpy.arange(4, dtype="float32")
STOP, GO = numpy.array(False), numpy.array(True)


def endless_model():
    """Adds 1 to x as long as `go`; and a state."""
    body = packaged.Graph("iteration")
    body.input("iteration", [], packaged.INT64)
    body.input("on", [], packaged.BOOL)
    body.output(body.node("Identity", ["on"], "still"), [], packaged.BOOL)
    body.node("Add", [body.input("a", [4]), body.weight("one", [4], 1, 1)], output="a_next")
    body.output("a_next", [4])
    graph = packaged.Graph("endless")
    graph.input("go", [], packaged.BOOL)
    graph.node("Loop", ["", "go", graph.input("x", [4])], "y", body=body)
    graph.node("Add", [graph.input("before", [4]), "x"], output="after")
    graph.output("y", [4])
    graph.output("after", [4])
    return graph


packaged.MODELS["endless"] = endless_model

# A program that is interrupted in its run, and runs again.
INTERRUPTED = """
import sys, threading, os, signal, time
import numpy, nacre
model = nacre.load(sys.argv[1])
x = numpy.zeros(4, "float32")
with model.session(threads=2) as session:
    for iteration in range(3):
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            session.run([numpy.array(True), x])
            print("ended")
        except KeyboardInterrupt:
            print("interrupted")
        print(session.run([numpy.array(False), x])["y"].sum(), list(session.state["before"]))
        time.sleep(0.01)
"""


class CancelTest(packaged.PackageTest):
    def compiled(self, **options):
        return nacre.compile(self.model("endless"), state={"before": "after"}, jobs=1, library=self.path("libendless.so"), **options)

    def end(self, session):
        """Ends the session's endless run by another thread."""
        def cancel():
            while not session.cancel():
                time.sleep(0.001)
        other = threading.Thread(target=cancel)
        other.start()
        with self.assertRaises(nacre.RunError) as caught:
            session.run([GO, X])
        other.join()
        self.assertEqual(caught.exception.status.name, "CANCELLED")
        self.assertRegex(caught.exception.reason, "^the run was cancelled before '")

    def check(self, model, **options):
        with model.session(**options) as session:
            self.assertFalse(session.cancel(), "no run is in progress")
            for iteration in range(3):
                numpy.testing.assert_array_equal(session.state["before"], iteration * X)
                self.end(session)
                numpy.testing.assert_array_equal(session.state["before"], iteration * X)
                numpy.testing.assert_array_equal(session.run([STOP, X])["y"], X)
        self.assertFalse(session.cancel(), "it is closed")

    def test_another_thread_ends_a_run(self):
        self.check(self.compiled(), threads=1)
        self.check(self.compiled(), threads=4)

    def test_on_a_gpu(self):
        model = self.compiled(place="gpu")
        try:
            model.session(gpu=True).close()
        except nacre.RunError as error:
            self.skipTest(error.reason)
        self.check(model, gpu=True)

    def test_iterations_have_a_limit(self):
        with self.compiled().session(max_iterations=100) as session:
            with self.assertRaises(nacre.RunError) as caught:
                session.run([GO, X])
            self.assertEqual(caught.exception.status.name, "TOO_MANY_ITERATIONS")
            numpy.testing.assert_array_equal(session.run([STOP, X])["y"], X)
        self.assert_says(ValueError, "max_iterations must be from 0 to 2^64 - 1, but is -1", self.compiled().session, max_iterations=-1)

    def test_ctrl_c_ends_a_run(self):
        self.compiled()
        # A shell that starts a test in the background lets it ignore Ctrl-C.
        said = self.call(sys.executable, "-B", "-c", INTERRUPTED, self.path("libendless.so"),
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
                         env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertEqual(said.split("\n")[:-1], ["interrupted", "0.0 [0.0, 0.0, 0.0, 0.0]"] * 3)

    def test_other_handlers_are_left_alone(self):
        told = []
        before = signal.signal(signal.SIGINT, lambda *_: told.append("here"))
        self.addCleanup(signal.signal, signal.SIGUSR1, signal.signal(signal.SIGUSR1, lambda *_: told.append("there")))
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        former = signal.set_wakeup_fd(writer)
        try:
            with self.compiled().session() as session:
                session.run([STOP, X])
                os.kill(os.getpid(), signal.SIGINT)
                session.run([STOP, X])
            self.assertEqual(told, ["here"])
            signal.signal(signal.SIGINT, signal.default_int_handler)
            with interrupt.cancelled_by_interrupt(lambda: None):
                os.kill(os.getpid(), signal.SIGUSR1)
            self.assertEqual(signal.set_wakeup_fd(former), writer)
            self.assertEqual(told, ["here", "there"])
            self.assertEqual(os.read(reader, 1) + os.read(reader, 1), bytes([signal.SIGINT, signal.SIGUSR1]),
                             "what comes during a run is passed on")
        finally:
            signal.signal(signal.SIGINT, before)
            os.close(reader)
            os.close(writer)


class ForkTest(packaged.PackageTest):
    def in_child(self, body):
        """Fails unless a child ends well that does this."""
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            code = 1
            try:
                body()
                code = 0
            finally:
                os._exit(code)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def compiled(self):
        return nacre.compile(self.model("endless"), state={"before": "after"}, jobs=1)

    def test_a_child_runs_and_closes(self):
        model = self.compiled()
        for threads in (1, 4, 16):
            with model.session(threads=threads) as session:
                def in_child():
                    numpy.testing.assert_array_equal(session.run([STOP, X])["y"], X)
                    session.close()
                session.run([STOP, X])
                self.in_child(in_child)
                self.in_child(session.close)
                numpy.testing.assert_array_equal(session.run([STOP, X])["y"], X)
                numpy.testing.assert_array_equal(session.state["before"], 2 * X)

    def test_a_child_leaves_the_with(self):
        """As a program does that forks inside, without a word about it."""
        program = ("import os, sys, numpy, nacre\n"
                   "model = nacre.compile(sys.argv[1], state={'before': 'after'}, jobs=1)\n"
                   "with model.session(threads=4) as session:\n"
                   "    session.run([numpy.array(False), numpy.zeros(4, 'float32')])\n"
                   "    child = os.fork()\n"
                   "if child == 0:\n"
                   "    sys.exit(0)\n"
                   "print(os.waitpid(child, 0)[1], os.path.exists(model.path))\n")
        said = self.call(sys.executable, "-B", "-c", program, self.model("endless"),
                         env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertEqual(said, "0 True\n", "the folder of the library is the parent's")

    def test_a_fork_during_a_run(self):
        model = self.compiled()
        for threads in (1, 4, 16):
            state = model.new_state()
            session = model.session(threads=threads, state=state)
            runner = threading.Thread(target=_run_until_cancelled, args=[session])
            runner.start()
            while not _is_in_a_run(state):
                time.sleep(0.001)

            def in_child():
                with self.assertRaises(nacre.RunError) as caught:
                    session.run([STOP, X])
                self.assertEqual(caught.exception.status.name, "FAILED")
                self.assertIn("began before a fork and never ends", caught.exception.reason)
                session.close()
                with model.session(threads=1) as another:
                    numpy.testing.assert_array_equal(another.run([STOP, X])["y"], X)
            self.in_child(in_child)
            while runner.is_alive():
                session.cancel()
                runner.join(0.01)
            session.close()


def _is_in_a_run(state):
    try:
        return state["before"] is None
    except nacre.RunError:
        return True


def _run_until_cancelled(session):
    """Begins anew where the state was being read."""
    status = "BAD_ARGUMENT"
    while status == "BAD_ARGUMENT":
        try:
            session.run([GO, X])
        except nacre.RunError as error:
            status = error.status.name


if __name__ == "__main__":
    unittest.main()
