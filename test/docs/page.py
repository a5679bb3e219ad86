# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A page's commands, run as they stand there: one script of bash in a folder that has what the page takes for granted.

The environment, set by ctest, says where things are: NACRE_BUILD, NACRE_BIN, NACRE_CMAKE, NACRE_TEST_DATA.
"""
import ast
import fnmatch
import os
import re
import shutil
import subprocess
import sys

import blocks

ROOT = blocks.ROOT
HERE = os.path.join(ROOT, "test", "docs")
BUILD = blocks.BUILD
BIN = os.environ.get("NACRE_BIN", os.path.join(BUILD, "bin"))
DATA = os.environ.get("NACRE_TEST_DATA", os.path.join(ROOT, "..", "shared", "data"))
COMMAND_SECONDS = float(os.environ.get("NACRE_COMMAND_SECONDS", "1200"))
TRACE = "\x1e"  # Before each command that bash tells of; once more for each level it is nested.
NEEDS = "**You need:**"  # Begins a page's paragraphs that say what its commands take.
PACKAGES = {"programs": "nacre", "development": "libnacre-dev", "java": "libnacre-java", "python": "python3-nacre", "documentation": "nacre-doc"}
OF_MANUAL = "Files that the examples name stand for your own."
CHECKOUT = "the sources of Nacre"
INSTALLED = re.compile(r"/usr/(?=share/nacre\b|share/java/nacre\b|lib/nacre\b|share/doc/(?:lib|python3-)?nacre|lib/jni\b)")


class PageError(AssertionError):
    """A command of a page failed; says which, where, and what it said."""


def without_fences(lines):
    """The text of lines outside of blocks."""
    inside, kept = False, []
    for line in lines:
        inside ^= bool(line.lstrip().startswith("```"))
        kept.append("" if inside or line.lstrip().startswith("```") else line)
    return "\n".join(kept)


def assigned_by(code):
    """Names that code assigns at its top level or in a `try`, imports of modules excepted."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store))


def names_in(code):
    return {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}


class Page:
    """A page, a folder for what it names, and beside that what the test needs: `around`."""

    def __init__(self, path, around):
        self.path, self.around, self.folder = path, around, os.path.join(around, "folder")
        self.blocks = [block for block in blocks.blocks_of(path) if block.is_run()]
        self.prelude = ""  # Python that the page's session begins with: what its reader has.
        self.said = []  # Of each command its line, text and output.
        self.installed, self.linked = [], []  # Components of packages; what checkout() put into the folder.
        self.environment = {
            **os.environ, "NACRE_PAGE": around, "NACRE_ROOT": ROOT, "NACRE_BUILD": BUILD, "NACRE_BIN": BIN, "NACRE_PYTHON": sys.executable,
            "NACRE_CMAKE": os.environ.get("NACRE_CMAKE") or shutil.which("cmake"), "NACRE_TEST_DATA": DATA, "HOME": around, "LC_ALL": "C.UTF-8",
            "PATH": ":".join([os.path.join(HERE, "stand-ins"), os.path.join(around, "root", "usr", "bin"), BIN, os.path.dirname(sys.executable), "/usr/bin:/bin",
                              os.environ.get("NACRE_LLVM_BIN", "/usr/lib/llvm-22/bin")]),
            "PKG_CONFIG_PATH": os.path.join(around, "root", "usr", "share", "pkgconfig"),
            "CMAKE_PREFIX_PATH": os.path.join(around, "root", "usr")}
        for folder in (self.folder, os.path.join(around, "blocks")):
            os.mkdir(folder)

    def file(self, *names):
        """The path of a file that the page names; its folder is there."""
        path = os.path.join(self.folder, *names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def call(self, *command):
        """A program of the fixture's own, in the page's folder."""
        done = subprocess.run([str(word) for word in command], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", check=False)
        if done.returncode:
            raise PageError(f"{' '.join(map(str, command))}\n{done.stdout}")
        return done.stdout

    def install(self, *components):
        """Packages that the page takes for granted, in the root that its paths of /usr lead to."""
        self.installed += components
        for component in components:
            self.call("cmake", "--install", "build/release", "--component", component, "--prefix", os.path.join(self.around, "root", "usr"))

    def samples(self):
        """The samples of the package nacre-doc, whose make_examples.py makes what pages take as examples."""
        self.installed.append("documentation")
        folder = os.path.join(self.around, "root", "usr", "share", "doc", "nacre")
        os.makedirs(folder, exist_ok=True)
        os.symlink(os.path.join(ROOT, "samples"), os.path.join(folder, "samples"))

    def checkout(self):
        """The page's folder is the top of this tree, after a build; what is written into either is the page's own."""
        for name in os.listdir(ROOT):
            if name not in ("build", ".git"):
                os.symlink(os.path.join(ROOT, name), self.file(name))
        for name in ("bin", "runtime"):
            os.symlink(os.path.join(BUILD, name), self.file("build", "release", name))
        self.linked = os.listdir(self.folder)

    def prepared(self):
        """Files that the fixture made, relative to the page's folder."""
        for folder, folders, names in os.walk(self.folder):
            at = os.path.relpath(folder, self.folder)
            if at == ".":
                folders[:] = [name for name in folders if name not in self.linked]
                names = [name for name in names if name not in self.linked]
            for name in names + [name for name in folders if not os.listdir(os.path.join(folder, name))]:
                yield os.path.normpath(os.path.join(at, name))

    def needs_until(self, line):
        """The paragraphs above a line that say what the page's commands take."""
        prose = without_fences(blocks.read(self.path).split("\n")[:line])
        return " ".join(part for part in re.split(r"\n\s*\n", prose) if part.lstrip().startswith(NEEDS))

    def first_use(self, is_used):
        """The line of the first block for which that is true, or the end of the page."""
        return next((block.line for block in self.blocks if is_used(block)), len(blocks.read(self.path)))

    def untold(self):
        """Yields what the fixture prepared, but the page does not name above its first use. A reader would lack it.

        A session of Python may lack PyTorch here, so what it writes may be prepared, too."""
        if self.path.startswith("man/"):
            if OF_MANUAL not in blocks.read(self.path):
                yield OF_MANUAL
            return
        for path in self.prepared():
            parts = path.split("/")
            names = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
            first = self.first_use(lambda block, each=names: any(name in block.text for name in each))
            if any(f'"{path}"' in block.text for block in self.blocks if block.line == first and block.language == "python" and not block.file):
                continue
            told = re.findall(r"`([^`]+)`", self.needs_until(first))
            if not any(fnmatch.fnmatch(name, word.rstrip("/")) for name in names for word in told):
                yield path
        first = self.needs_until(self.first_use(lambda _: True))
        yield from (PACKAGES[component] for component in self.installed if f"`{PACKAGES[component]}`" not in first)
        if self.linked and CHECKOUT not in first:
            yield CHECKOUT
        for name in assigned_by(self.prelude):
            line = self.first_use(lambda block, each=name: block.language == "python" and not block.file and each in names_in(block.text))
            if line < len(blocks.read(self.path)) and f"`{name}`" not in self.needs_until(line):
                yield f"Python's {name}"

    def script(self):
        """Bash, of which each line has the number that it has on the page."""
        lines = [""] * len(blocks.read(self.path).split("\n"))
        for number, block in enumerate(self.blocks):
            body = block.text.split("\n")[:-1]
            if block.language == "sh":
                lines[block.line:block.line + len(body)] = [INSTALLED.sub("$NACRE_PAGE/root/usr/", line) for line in body]
                continue
            with open(os.path.join(self.around, "blocks", str(number)), "w", encoding="utf-8") as file:
                # A session says of an error the page and its line.
                file.write("\n".join(body[1:] if block.file else [block.page, *[""] * block.line, *body]) + "\n")
            lines[block.line - 1] = f"page-block {number} {block.file}".rstrip()
        return "\n".join(lines)

    def has_session(self):
        return any(block.language == "python" and not block.file for block in self.blocks)

    def session(self, streams):
        """The page's session of Python, if it has one."""
        if not self.has_session():
            return None
        fifos = [os.path.join(self.around, name) for name in ("to-python", "from-python")]
        for fifo in fifos:
            os.mkfifo(fifo)
        return subprocess.Popen([os.path.join(HERE, "stand-ins", "python3"), "-W", "ignore", os.path.join(HERE, "session.py"), *fifos, self.prelude],
                                **streams)

    def run(self):
        """Runs everything; PageError tells of the first command that failed."""
        script = os.path.join(self.around, "script")
        with open(script, "w", encoding="utf-8") as file:
            file.write(self.script())
        output = os.path.join(self.around, "output")
        with open(output, "wb") as said:
            streams = {"cwd": self.folder, "env": self.environment, "stdin": subprocess.DEVNULL, "stdout": said, "stderr": said}
            session = self.session(streams)
            try:
                start = f"PS4=$'\\x1e$LINENO: '; set -exo pipefail; . {script}"
                status = subprocess.run(["bash", "-c", start], **streams, timeout=COMMAND_SECONDS, check=False).returncode
            finally:
                if session:
                    session.kill()
                    session.wait()
        with open(output, encoding="utf-8", errors="replace") as file:
            self.tell(file.read(), status)

    def tell(self, output, status):
        """Divides what was said by commands."""
        _, *parts = re.split(f"{TRACE}+", output)
        for part in parts:
            command, _, said = part.partition("\n")
            line, _, command = command.partition(": ")
            if command.startswith(". "):
                continue  # The script itself.
            self.said.append((int(line), command, said))
        if status:
            line, command, said = self.said[-1] if self.said else (0, "bash", output)
            raise PageError(f"{self.path}:{line}: exit status {status} of: {command}\n{said}")

    def answers(self, beginning):
        """What the commands that begin so said, one after another."""
        return [said for _, command, said in self.said if command.startswith(beginning)]
