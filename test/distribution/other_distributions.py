#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs the wheel and unpacks the SDK in root file systems of other distributions, and compiles and runs a model there.

usage: test/distribution/other_distributions.py [--build=build/release] [--roots=build/roots] [--model=model.onnx] [suite ...]

Suites are those of Debian (bookworm, trixie) and, with --ubuntu=<mirror>, of Ubuntu (jammy). Each root is made once, by mmdebstrap, from
packages: this needs root and a network, and takes a minute. The test suite does not run this. Without mmdebstrap or an answer of the mirror
a suite is skipped, and the exit status is 77 if all are.
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = 77
PACKAGES = "python3-numpy,python3-pip,python3-venv"
# Runs in the root, in the folder /try, which has the wheel, the SDK and the model.
TRY = r"""
set -eu
export HOME=/try LC_ALL=C.UTF-8
. /etc/os-release
echo "$PRETTY_NAME, $(ldd --version | sed -n '1s/^ldd //p'), $(python3 --version)"
python3 -m venv --system-site-packages environment
environment/bin/pip --quiet --disable-pip-version-check install --no-index nacre-*.whl
environment/bin/python - model.onnx <<'END'
import sys, numpy, nacre
sample = nacre.compile(nacre.get_sample())
answer = sample.run({"image": numpy.load(nacre.get_sample("convnet.input.npy"))})["probabilities"]
assert answer.argmax() == 2 and abs(answer.max() - 0.705736) < 1e-5, answer
print("wheel: the sample is of class 2:", answer.max())
model = nacre.compile(sys.argv[1], library="libtried.so")
print("wheel: model.onnx,", model.benchmark(min_seconds=0.2))
END
for program in nacre-compile nacre-diff nacre-eval nacre-package nacre-report nacre-run nacre-translate nacre-tune; do
  environment/bin/$program --version > /dev/null
done
environment/bin/nacre-compile model.onnx -o libmodel.so --target=android-arm64 --quiet
environment/bin/nacre-package libmodel.so -o model.aar
sdk/bin/nacre-compile model.onnx -o libmodel.so --report=report.html --quiet
sdk/bin/nacre-run libmodel.so > /dev/null
echo "SDK: compiled and ran model.onnx"
"""


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suites", nargs="*", default=["bookworm", "trixie", "jammy"], metavar="suite")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), help="build folder with the wheel and the SDK")
    parser.add_argument("--roots", default=os.path.join(ROOT, "build", "roots"), help="folder of the root file systems, which are kept")
    parser.add_argument("--model", help="the model to compile (default: the sample of the wheel)")
    parser.add_argument("--ubuntu", help="mirror of Ubuntu; without it, suites of Ubuntu are skipped")
    return parser.parse_args()


def debian_mirror():
    """The one that this machine's own packages are from."""
    listed = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI)"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return next(line for line in listed.splitlines() if line.rstrip("/").endswith("/debian"))


def make_root(suite, arguments):
    """The folder of the suite's root, or None where it cannot be made."""
    folder = os.path.join(arguments.roots, suite)
    if os.path.exists(os.path.join(folder, "made")):
        return folder
    if not shutil.which("mmdebstrap"):
        print(f"{suite}: SKIPPED: mmdebstrap is not installed")
        return None
    source = f"deb {debian_mirror()} {suite} main"
    if suite in ("jammy", "noble"):
        if not arguments.ubuntu:
            print(f"{suite}: SKIPPED: no --ubuntu=<mirror>")
            return None
        keyring = "/usr/share/keyrings/ubuntu-archive-keyring.gpg"
        trust = f"signed-by={keyring}" if os.path.exists(keyring) else "trusted=yes"  # Debian 12 has no keys of Ubuntu.
        source = f"deb [{trust}] {arguments.ubuntu} {suite} main universe"
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(arguments.roots, exist_ok=True)
    done = subprocess.run(["mmdebstrap", "--quiet", "--mode=root", "--variant=apt", f"--include={PACKAGES}", suite, folder, source], check=False)
    if done.returncode:
        print(f"{suite}: SKIPPED: mmdebstrap made no root, as it says above")
        return None
    with open(os.path.join(folder, "made"), "w", encoding="utf-8"):
        pass
    return folder


def one(pattern):
    found = sorted(glob.glob(pattern), key=os.path.getmtime)
    if not found:
        sys.exit(f"error: {pattern} must exist; build the targets wheel and sdk")
    return found[-1]


def try_suite(folder, arguments):
    inside = os.path.join(folder, "try")
    shutil.rmtree(inside, ignore_errors=True)
    os.makedirs(inside)
    shutil.copy(one(os.path.join(arguments.build, "wheel", "*.whl")), inside)
    os.makedirs(os.path.join(inside, "sdk"))
    subprocess.run(["tar", "--extract", "--file", one(os.path.join(arguments.build, "sdk", "*.tar*")), "--strip-components=1",
                    "--directory", os.path.join(inside, "sdk")], check=True)  # Small roots have no xz.
    shutil.copy(arguments.model or os.path.join(arguments.build, "share", "nacre", "convnet.onnx"), os.path.join(inside, "model.onnx"))
    alone = ["unshare", "--mount", "--fork", "--pid", "sh", "-ec", 'mount -t proc proc "$0/proc"; mount --bind /dev "$0/dev"; '
             'exec env -i PATH=/usr/bin:/bin "$(command -v chroot)" "$0" sh -c "cd /try; $1"', folder, TRY]
    return subprocess.run(alone, check=False).returncode


def main():
    arguments = parse_arguments()
    results = {}
    for suite in arguments.suites:
        folder = make_root(suite, arguments)
        if folder:
            results[suite] = try_suite(folder, arguments)
            print(f"{suite}: {'passed' if results[suite] == 0 else 'FAILED'}", flush=True)
    if not results:
        sys.exit(SKIPPED)
    sys.exit(1 if any(results.values()) else 0)


if __name__ == "__main__":
    main()
