# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parameters of a layer of Caffe."""


class Parameters:
    """The fields of one message of parameters."""

    def __init__(self, layer, message):
        self.fields = layer.get(message, [{}])[0]

    def within(self, message):
        """The fields of a message among these."""
        return Parameters(self.fields, message)

    def all(self, name):
        return self.fields.get(name, [])

    def one(self, name, default=None):
        return self.fields.get(name, [default])[0]

    def flag(self, name, default):
        return self.one(name, str(default).lower()) == "true"

    def pair(self, name, default):
        """A size along the height and the width: of each, or one of both."""
        stem = name.removesuffix("_size")
        if f"{stem}_h" in self.fields:
            return self.one(f"{stem}_h"), self.one(f"{stem}_w")
        both = self.all(name) or [default]
        return both[0], both[-1]
