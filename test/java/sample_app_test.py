#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The camera app of samples/android as a whole: kotlinc compiles it, against stand-ins for Android and CameraX (sample/stand-ins.txt), and
its Gradle files name what is there. Without Android's SDK and its plugin for Gradle, no test builds it with Gradle."""
import glob
import math
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
ANDROID = "{http://schemas.android.com/apk/res/android}"
JAR, JNI_HOST, KOTLIN_STDLIB = (os.environ[name] for name in ("NACRE_JAR", "NACRE_JNI_HOST", "NACRE_KOTLIN_STDLIB"))


def text_of(*names):
    with open(os.path.join(SAMPLE, *names), encoding="utf-8") as file:
        return file.read()


def groovy(text):
    """{path of blocks and name: [value]} of a Gradle file that only has blocks, and names with values: all that these files have."""
    found, blocks = {}, []
    for line in re.sub(r"//.*", "", text.replace("https://", "https:")).splitlines():
        line = line.strip()
        opened = re.fullmatch(r"(\w+) \{", line)
        whole = re.fullmatch(r"(\w+) \{ (.*) \}", line)
        if opened:
            blocks.append(opened[1])
        elif line == "}":
            blocks.pop()  # an IndexError if there are too many
        elif line:
            path, statement = blocks + ([whole[1]] if whole else []), whole[2] if whole else line
            name, value = re.fullmatch(r"([\w.]+(?:\(\))?)(?: = | |$)(.*)", statement).groups()
            found.setdefault(".".join((*path, name)), []).append(value)
    if blocks:
        raise ValueError(f"{blocks} are not closed")
    return found


def words(value):
    return re.findall(r"'([^']*)'", value)


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
        activity = manifest.find("application/activity").get(ANDROID + "name")
        self.assertTrue(os.path.exists(os.path.join(SAMPLE, "kotlin", activity.lstrip(".") + ".kt")))

    def test_gradle_files_name_what_is_there(self):
        build, settings, readme = groovy(text_of("build.gradle")), groovy(text_of("settings.gradle")), text_of("README.md")
        sources = "android.sourceSets.main."
        self.assertEqual([name for name in build if name.startswith(sources)], [sources + name for name in ("manifest.srcFile", "kotlin.srcDirs", "res.srcDirs", "assets.srcDirs")])
        for name, there in (("manifest.srcFile", True), ("kotlin.srcDirs", True), ("res.srcDirs", True), ("assets.srcDirs", False)):  # the reader's, README.md
            [path] = words(build[sources + name][0])
            self.assertEqual(os.path.exists(os.path.join(SAMPLE, path)), there, path)
            self.assertTrue(there or f"`{path}`" in readme, path)
        namespace = words(build["android.namespace"][0])
        self.assertEqual(words(build["android.defaultConfig.applicationId"][0]), namespace)
        for path in glob.glob(os.path.join(SAMPLE, "kotlin", "*.kt")):
            self.assertIn(f"package {namespace[0]}\n", text_of("kotlin", os.path.basename(path)))

        # What the command of README.md writes: the model's coordinates, its class, and the repository.
        library, name, folder = re.search(r"-o lib(\w+)\.so .*--class=([\w.]+) .*--maven=samples/android/(\w+) ", readme, re.DOTALL).groups()
        self.assertEqual(name.rpartition(".")[0], namespace[0])
        self.assertIn(f"uri('{folder}')", str(settings["dependencyResolutionManagement.repositories.maven.url"]))
        dependencies = [words(value)[0] for value in build["dependencies.implementation"]]
        self.assertEqual(dependencies[0], f"dev.nacre.model:{library}:1.0")
        # AndroidX: every library is used, and every import has a library, or one that those bring along.
        imports = {line.split()[1] for path in glob.glob(os.path.join(SAMPLE, "kotlin", "*.kt")) for line in text_of("kotlin", os.path.basename(path)).splitlines()
                   if line.startswith("import androidx.")}
        groups = {dependency.split(":")[0] for dependency in dependencies[1:]}
        self.assertEqual({group for group in groups if any(line.startswith(group + ".") for line in imports)}, groups)
        brought = {"androidx.core"}  # by androidx.activity
        self.assertEqual({line for line in imports if not any(line.startswith(group + ".") for group in groups | brought)}, set())
        self.assertEqual(text_of("gradle.properties"), "android.useAndroidX=true\n")

    def test_versions_agree(self):
        build, readme = groovy(text_of("build.gradle")), text_of("README.md")
        plugins = {words(value)[0]: words(value)[1] for value in build["plugins.id"]}
        self.assertEqual(set(plugins), {"com.android.application", "org.jetbrains.kotlin.android"})
        gradle = re.search(r"gradle-([\d.]+)-bin\.zip", text_of("gradle", "wrapper", "gradle-wrapper.properties"))[1]
        self.assertIn(f"Gradle {gradle} or later", readme)
        # The plugin's release notes: the least Gradle, and the newest API that it knows.
        least, newest = {"8.7": ("8.9", 35)}[plugins["com.android.application"].rpartition(".")[0]]
        self.assertEqual(gradle, least)
        self.assertLessEqual(int(build["android.compileSdk"][0]), newest)
        self.assertEqual(build["android.defaultConfig.targetSdk"], build["android.compileSdk"])
        with open(os.path.join(nacre.ROOT, "docs", "android.md"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn(f"Requirements: Android 7 (API {build['android.defaultConfig.minSdk'][0]}) or later", page)
        abis = ", ".join(f"'{abi}'" for abi in words(build["android.defaultConfig.ndk.abiFilters"][0]))
        self.assertIn(f"abiFilters {abis}", page)
        java = re.search(r"VERSION_(\d+)", build["android.compileOptions.sourceCompatibility"][0])[1]
        self.assertEqual(build["android.compileOptions.targetCompatibility"], [f"JavaVersion.VERSION_{java}"])
        self.assertEqual(build["android.kotlinOptions.jvmTarget"], [f"'{java}'"])

    def resources(self):
        """{type: {name}} of the folder res."""
        found = {}
        for path in glob.glob(os.path.join(SAMPLE, "res", "*", "*.xml")):
            kind = os.path.basename(os.path.dirname(path)).split("-")[0]
            if kind == "values":
                for value in ElementTree.parse(path).getroot():
                    found.setdefault(value.tag, set()).add(value.get("name"))
            else:
                found.setdefault(kind, set()).add(os.path.basename(path)[:-len(".xml")])
        return found

    def test_every_resource_that_is_named_is_there(self):
        there, named = self.resources(), set()
        for path in [os.path.join(SAMPLE, "AndroidManifest.xml"), *glob.glob(os.path.join(SAMPLE, "res", "*", "*.xml"))]:
            for element in ElementTree.parse(path).iter():
                named |= {tuple(value[1:].split("/")) for value in element.attrib.values() if value.startswith("@") and not value.startswith("@android:")}
        code = "".join(text_of("kotlin", name) for name in os.listdir(os.path.join(SAMPLE, "kotlin")))
        named |= set(re.findall(r"(?<!android\.)\bR\.(\w+)\.(\w+)", code))
        self.assertEqual(named, {(kind, name) for kind, names in there.items() for name in names})

    def test_the_icon(self):
        """Android 8 and later cut a circle, a square or a drop out of it: what is drawn must be within 33 of its center (54, 54)."""
        self.assertEqual(ElementTree.parse(os.path.join(SAMPLE, "AndroidManifest.xml")).getroot().find("application").get(ANDROID + "icon"), "@mipmap/icon")
        adaptive = ElementTree.parse(os.path.join(SAMPLE, "res", "mipmap-anydpi-v26", "icon.xml")).getroot()
        self.assertEqual((adaptive.tag, [layer.tag for layer in adaptive]), ("adaptive-icon", ["background", "foreground", "monochrome"]))
        self.assertEqual(ElementTree.parse(os.path.join(SAMPLE, "res", "mipmap-anydpi", "icon.xml")).getroot().tag, "layer-list")
        picture = ElementTree.parse(os.path.join(SAMPLE, "res", "drawable", "icon_foreground.xml")).getroot()
        self.assertEqual([picture.get(ANDROID + name) for name in ("width", "height", "viewportWidth", "viewportHeight")], ["108dp", "108dp", "108", "108"])
        paths = [path.get(ANDROID + "pathData") for path in picture.iter("path")]
        self.assertGreater(len(paths), 0)
        for path in paths:
            for step in re.findall(r"[A-Za-z][^A-Za-z]*", path):
                self.assertIn(step[0], "MLAZ", "the test knows no other steps")
                numbers = [float(number) for number in re.findall(r"-?[\d.]+", step)]
                self.assertEqual(len(numbers), {"M": 2, "L": 2, "A": 7, "Z": 0}[step[0]], path)
                if numbers:
                    self.assertLessEqual(math.hypot(numbers[-2] - 54, numbers[-1] - 54), 33, path)

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
