#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs a model with the wheel for arm64 Linux, under qemu, as a Python program on such a machine does.

usage: test/distribution/arm64_wheel.py [--wheel=build/arm64/wheel/nacre-*.whl] [--roots=build/roots] [--model=model.onnx]

Needs qemu-user, mmdebstrap, a network for the packages of Python for arm64 (once), and Linux 6.7, which lets a program register qemu for
itself alone. The test suite does not run this. What is missing is named, and the exit status is 77.
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = 77
LIBRARIES = "usr/lib/aarch64-linux-gnu"
# The kernel hands programs of arm64 to qemu, also those that a program of arm64 starts.
MAGIC = (r":nacre-aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:"
         r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:")
REGISTER = 'mount -t binfmt_misc none /proc/sys/fs/binfmt_misc; printf "%s" "$0" > /proc/sys/fs/binfmt_misc/register; exec "$@"'
TRY = """
import os, platform, sys, time, numpy, nacre
print(platform.machine(), "Python", platform.python_version())
sample = nacre.compile(nacre.get_sample())
answer = sample.run({"image": numpy.load(nacre.get_sample("convnet.input.npy"))})["probabilities"]
assert answer.argmax() == 2 and abs(answer.max() - 0.705736) < 1e-5, answer
print("the sample is of class 2:", answer.max())
start = time.time()
model = nacre.compile(sys.argv[1], library=sys.argv[2])
print("compiled", sys.argv[1], "in", round(time.time() - start), "s")
draw = numpy.random.default_rng(1)
inputs = {tensor.name: draw.standard_normal(tensor.shape).astype(tensor.dtype) for tensor in model.inputs}
for option, arrays in (("input", inputs), ("expect", model.run(inputs))):
    for number, (name, array) in enumerate(arrays.items()):
        numpy.save(f"{option}{number}.npy", array)
        print(f"--{option}={name}={option}{number}.npy", file=open("options", "a"))
"""


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", help="the wheel (default: the newest of build/arm64/wheel)")
    parser.add_argument("--roots", default=os.path.join(ROOT, "build", "roots"), help="folder of the root file system, which is kept")
    parser.add_argument("--model", default=os.path.join(ROOT, "build", "release", "share", "nacre", "convnet.onnx"), help="the model to compile")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"), help="programs of this machine, which compute the expected outputs")
    return parser.parse_args()


def skip(reason):
    print("SKIPPED:", reason)
    sys.exit(SKIPPED)


def make_root(folder):
    """Packages are unpacked, not set up: no program of arm64 runs yet."""
    if os.path.exists(folder):
        return
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    sources = [path for path in ("/etc/apt/sources.list", "/etc/apt/sources.list.d/debian.sources") if os.path.exists(path)]
    done = subprocess.run(["mmdebstrap", "--quiet", "--variant=extract", "--architectures=arm64", "--skip=check/empty,check/qemu",
                           "--include=python3-numpy,libstdc++6", "bookworm", folder + ".new", *sources], check=False)
    if done.returncode:
        skip("mmdebstrap made no root, as it says above")
    os.rename(folder + ".new", folder)


def main():
    arguments = parse_arguments()
    qemu = shutil.which("qemu-aarch64") or skip("no qemu-aarch64; install qemu-user")
    if not shutil.which("mmdebstrap"):
        skip("mmdebstrap is not installed")
    alone = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec", REGISTER, MAGIC + qemu + ":"]
    if subprocess.run([*alone, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
        skip("this kernel does not let a program register qemu for itself")
    root = os.path.join(arguments.roots, "bookworm-arm64")
    make_root(root)
    wheels = [arguments.wheel] if arguments.wheel else sorted(glob.glob(os.path.join(ROOT, "build", "arm64", "wheel", "*.whl")), key=os.path.getmtime)
    if not wheels:
        sys.exit("build/arm64/wheel must have a wheel: cmake --preset arm64 && cmake --build --preset arm64")
    with tempfile.TemporaryDirectory(prefix="nacre-arm64-") as folder:
        site = os.path.join(folder, "site")
        tag = os.path.basename(wheels[-1]).removesuffix(".whl").split("-")[-1]
        subprocess.run([sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-index", "--no-deps", "--target", site,
                        "--only-binary=:all:", f"--platform={tag}", wheels[-1]], check=True)
        libraries = ":".join(os.path.join(root, LIBRARIES, name) for name in ("", "blas", "lapack"))
        environment = {"PATH": "/usr/bin:/bin", "HOME": folder, "QEMU_LD_PREFIX": root, "PYTHONPATH": site, "LD_LIBRARY_PATH": libraries}
        model = os.path.abspath(arguments.model)
        subprocess.run([*alone, os.path.join(root, "usr", "bin", "python3"), "-c", TRY, model, "libtried.so"], check=True, env=environment, cwd=folder)
        with open(os.path.join(folder, "options"), encoding="utf-8") as file:
            options = file.read().splitlines()
        subprocess.run([os.path.join(os.path.abspath(arguments.bin), "nacre-eval"), model, *options], check=True, cwd=folder)
    print("the outputs are those of nacre-eval on this machine")


if __name__ == "__main__":
    main()
