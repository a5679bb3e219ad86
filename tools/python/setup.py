# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Settings that pyproject.toml cannot express: the wheel contains programs, so it is for one kind of machine but any Python 3, and
each program gets a script. make_wheel.py calls this in a new folder and sets the platform (NACRE_WHEEL_PLATFORM)."""
import os
import sys

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "nacre", "bin")
if not os.path.isdir(PROGRAMS):
    sys.exit("the wheel needs programs, which do not exist here; build it with: cmake --build build/release --target wheel")


class ProgramsWheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", os.environ["NACRE_WHEEL_PLATFORM"]


class WithPrograms(Distribution):
    def has_ext_modules(self):
        return True


setup(cmdclass={"bdist_wheel": ProgramsWheel}, distclass=WithPrograms,
      entry_points={"console_scripts": [f"{name} = nacre.programs:main" for name in sorted(os.listdir(PROGRAMS))]})
