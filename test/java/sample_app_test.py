#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The camera app of samples/android as a whole: kotlinc compiles it, against stand-ins for Android and CameraX (sample/stand-ins.txt), and
its Gradle wrapper says what is missing. Without Android's SDK, no test builds it with Gradle."""
import os
import re
import shutil
import stat
import sys
import unittest
import xml.etree.ElementTree as ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
import nacre  # noqa: E402

SAMPLE = os.path.join(nacre.ROOT, "samples", "android")
JAR, JNI_HOST, KOTLIN_STDLIB = (os.environ[name] for name in ("NACRE_JAR", "NACRE_JNI_HOST", "NACRE_KOTLIN_STDLIB"))


class SampleAppTest(nacre.NacreTest):
    def write(self, path, text):
        path = self.path("sources", path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def stand_ins(self):
        with open(os.path.join(HERE, "sample", "stand-ins.txt"), encoding="utf-8") as file:
            parts = re.split(r"^// FILE: (.*)\n", file.read(), flags=re.MULTILINE)[1:]
        sources = [self.write(path, text) for path, text in zip(parts[::2], parts[1::2])]
        strings = ElementTree.parse(os.path.join(SAMPLE, "res", "values", "strings.xml")).getroot()
        names = "".join(f" public static final int {string.get('name')} = {number};" for number, string in enumerate(strings))
        sources.append(self.write("dev/nacre/sample/R.java", f"package dev.nacre.sample;\npublic final class R {{\n  public static final class string {{{names} }}\n}}\n"))
        for name in ("NonNull", "Nullable"):
            sources.append(self.write(f"androidx/annotation/{name}.java", f"package androidx.annotation;\npublic @interface {name} {{}}\n"))
        # What nacre-package writes for a model.
        sources.append(self.write("dev/nacre/sample/Classifier.java", """package dev.nacre.sample;
public final class Classifier extends dev.nacre.CompiledModel {
  public Classifier(dev.nacre.SessionOptions options) { super("classifier", "classifier", "main", options); }
}
"""))
        return sources

    @unittest.skipUnless(shutil.which("kotlinc"), "needs kotlinc, of the package kotlin")
    def test_all_of_it_is_kotlin(self):
        folder = os.path.join(SAMPLE, "kotlin")
        app = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        arguments = ["-Werror", "-no-reflect", "-classpath", JAR, "-d", self.path("app.jar")]
        sources = self.stand_ins()
        self.call("kotlinc", *arguments, *sources, *app)
        # A call that Android does not have is noticed, and so is one that the runtime does not have.
        changed = []
        for name, old, new in (("CameraActivity.kt", "bindToLifecycle(this", "bindToLifecycle(preview"), ("ImageClassifier.kt", "network.run()", "network.start()")):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
            self.assertIn(old, text)
            changed.append(self.write(name, text.replace(old, new)))
        kept = [path for path in app if os.path.basename(path) not in ("CameraActivity.kt", "ImageClassifier.kt")]
        said = self.call("kotlinc", *arguments, *sources, *kept, *changed, status=1)
        self.assertRegex(said, r"CameraActivity\.kt:\d+:\d+: error: ")
        self.assertRegex(said, r"ImageClassifier\.kt:\d+:\d+: error: unresolved reference: start")

    @unittest.skipUnless(shutil.which("kotlinc") and os.path.exists(KOTLIN_STDLIB), "needs kotlinc, of the package kotlin")
    def test_words_are_heard(self):
        """The stand-in for AudioRecord plays a sound whose sign says the word; a network of the test listens to it."""
        graph = nacre.Graph("spotter")
        weights = [0.0] * 32000 + [0.002] * 16000 + [-0.002] * 16000
        logits = graph.node("Gemm", [graph.input("samples", [1, 16000]), graph.constant("weights", [4, 16000], weights),
                                     graph.constant("bias", [4], [4.0, -9.0, 0.0, 0.0])], transB=1)
        graph.node("Softmax", [logits], output="probabilities")
        graph.output("probabilities", [1, 4])
        graph.save(self.path("spotter.onnx"))
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("spotter.onnx"), "-o", self.path("libspotter.so"), "--quiet")
        folder = os.path.join(SAMPLE, "sound")
        sources = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".kt")]
        stand_ins = [path for path in self.stand_ins() if re.search(r"android/media|androidx/annotation", path)]
        self.call("javac", "--release", "8", "-Xlint:-options", "-d", self.path("stand-ins"), *stand_ins)
        classpath = os.pathsep.join((self.path("stand-ins"), JAR, KOTLIN_STDLIB))
        self.call("kotlinc", "-Werror", "-no-reflect", "-classpath", classpath, "-d", self.path("sound.jar"), *sources)
        classpath += os.pathsep + self.path("sound.jar")
        self.call("javac", "--release", "8", "-Xlint:-options", "-classpath", classpath, "-d", self.path("app"), os.path.join(HERE, "sample", "HearWords.java"))
        said = self.call("java", f"-Djava.library.path={JNI_HOST}", "-classpath", self.path("app") + os.pathsep + classpath, "HearWords", self.path("libspotter.so"))
        self.assertEqual(said, "up\ndown\nup\nthe microphone gives no more samples (0)\n")

    def test_the_manifest_names_its_activity(self):
        manifest = ElementTree.parse(os.path.join(SAMPLE, "AndroidManifest.xml")).getroot()
        activity = manifest.find("application/activity").get("{http://schemas.android.com/apk/res/android}name")
        self.assertTrue(os.path.exists(os.path.join(SAMPLE, "kotlin", activity.lstrip(".") + ".kt")))

    def test_the_wrapper_says_what_is_missing(self):
        script = os.path.join(SAMPLE, "gradlew")
        self.assertTrue(os.stat(script).st_mode & stat.S_IXUSR)
        copied = shutil.copy(script, self.folder)
        self.assertRegex(self.call(copied, status=1), r"gradlew: there is no .*gradle-wrapper\.jar; run 'gradle wrapper' once in ")
        with open(os.path.join(SAMPLE, "gradle", "wrapper", "gradle-wrapper.properties"), encoding="ascii") as file:
            properties = dict(line.strip().split("=", 1) for line in file)
        self.assertRegex(properties["distributionUrl"], r"/gradle-[\d.]+-bin\.zip$")
        self.assertRegex(properties["distributionSha256Sum"], r"^[0-9a-f]{64}$")
        with open(os.path.join(SAMPLE, "gradlew.bat"), "rb") as file:
            self.assertNotIn(b"\n", file.read().replace(b"\r\n", b""))

    def test_the_wrapper_starts_gradle(self):
        """With a jar of ours in the place of Gradle's."""
        source = self.write("org/gradle/wrapper/GradleWrapperMain.java", "package org.gradle.wrapper;\npublic final class GradleWrapperMain {\n"
                            "  public static void main(String[] words) { System.out.println(String.join(\",\", words)); }\n}\n")
        self.call("javac", "-d", self.path("classes"), source)
        os.makedirs(self.path("gradle", "wrapper"))
        self.call("jar", "--create", "--file", self.path("gradle", "wrapper", "gradle-wrapper.jar"), "-C", self.path("classes"), ".")
        self.assertEqual(self.call(shutil.copy(os.path.join(SAMPLE, "gradlew"), self.folder), "installDebug", "--info"), "installDebug,--info\n")


if __name__ == "__main__":
    unittest.main()
