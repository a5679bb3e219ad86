# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The session of Python of a page: its blocks of Python run one after another, where they stand, and share their variables.

usage: session.py FIFO_OF_BLOCKS FIFO_OF_STATUS PRELUDE     from the first it reads paths of blocks, to the second it writes 0 or 1;
the prelude is Python that comes before all blocks
"""
import sys
import traceback

MAY_LACK = ("torch", "onnx")  # Nobody needs them for Nacre.


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


def main(blocks, status, prelude):
    variables = {"__name__": "__main__"}
    exec(prelude, variables)  # pylint: disable=exec-used
    while True:
        with open(blocks, encoding="utf-8") as file:
            path = file.read().strip()
        failed = 0
        try:
            run(path, variables)
        except BaseException:  # pylint: disable=broad-except
            traceback.print_exc()
            failed = 1
        sys.stdout.flush()
        sys.stderr.flush()
        with open(status, "w", encoding="ascii") as file:
            file.write(f"{failed}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
