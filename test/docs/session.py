# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The session of Python of a page: its blocks of Python run one after another, where they stand, and share their variables.

usage: session.py FIFO_OF_BLOCKS FIFO_OF_STATUS PRELUDE     from the first it reads paths of blocks, to the second it writes 0 or 1;
the prelude is Python that comes before all blocks
"""
import sys
import traceback

MAY_LACK = ("torch", "torchvision", "PIL", "onnx", "onnxruntime", "tensorflow")  # Nobody needs them for Nacre.


def run(path, variables):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    where, _, code = text.partition("\n")
    try:
        exec(compile(code, where, "exec"), variables)  # pylint: disable=exec-used
    except ModuleNotFoundError as error:
        if error.name not in MAY_LACK:
            raise
        print(f"SKIPPED: {where}: this Python has no {error.name}")


def attempt(work):
    """Whether it was done; what was wrong is said."""
    try:
        work()
    except BaseException:  # pylint: disable=broad-except
        traceback.print_exc()
        return False
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return True


def main(blocks, status, prelude):
    variables = {"__name__": "__main__"}
    begun = attempt(lambda: exec(prelude, variables))  # pylint: disable=exec-used
    while True:
        with open(blocks, encoding="utf-8") as file:
            path = file.read().strip()
        good = begun and attempt(lambda code=path: run(code, variables))
        with open(status, "w", encoding="ascii") as file:
            file.write(f"{0 if good else 1}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
