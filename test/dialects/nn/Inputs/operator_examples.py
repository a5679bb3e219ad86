# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the example of each operator into a function. Reads a dialect's page (mlir-tblgen -gen-op-doc), writes a module.

The function's arguments are the values that the example uses but does not define. The example has their types: they stand in the
operands' order at an operation's end, or beside the operands, as in `above(%t : tensor<f32>)`. A comment at the end of an example
may list the types of the results; the function returns the results with these types, so that the parser compares them.

Fails if an operator has no example.
"""
import re
import sys

VALUE = re.compile(r"%\w+")
TYPE = re.compile(r"tensor<[^<>]*>")
BESIDE = re.compile(r"\(([^()]*%[^()]*) : ([^()]*)\)")
RESULT_TYPES = re.compile(r"// (tensor<[^<>]*>(?:, tensor<[^<>]*>)*)$")
CONTINUED = 4  # A line that is indented by so many more than an operation's first one belongs to it.


def operators(page):
    """Yields each operator's name and its example, which is empty if there is none."""
    for section in re.split(r"^### ", page, flags=re.MULTILINE)[1:]:
        name = section.split("`")[1]
        example = re.search(r"^Example:\n\n```mlir\n(.*?)\n```$", section, re.MULTILINE | re.DOTALL)
        yield name, example[1] if example and re.search(rf"\b{re.escape(name)}\b", example[1]) else ""


def operations(example):
    """Yields the operations and the braces of an example, each as one line without its comment."""
    lines, first = [], 0
    for line in example.split("\n"):
        indent = len(line) - len(line.lstrip())
        line = line.split(" //")[0].strip()
        if lines and indent >= first + CONTINUED:
            lines[-1] += " " + line
        else:
            lines.append(line)
            first = indent
    return lines


def without_attributes(text):
    """Removes attribute dictionaries and what opens a region."""
    return re.sub(r"\{.*\}|\{$", "", text)


def operands(text):
    """Yields the operands of an operation and their types."""
    text = without_attributes(text.partition(" = ")[2] or text)
    for values, types in BESIDE.findall(text):
        yield from zip(VALUE.findall(values), TYPE.findall(types))
    text = BESIDE.sub("", text)
    values, _, types = text.partition(" : ")
    yield from zip(VALUE.findall(values), TYPE.findall(types))


def function(name, example):
    """Returns the function that holds an example."""
    arguments, defined, results = {}, set(), []
    for text in operations(example):
        if text.startswith("^"):
            defined.update(VALUE.findall(text))
            continue
        for value, of_type in operands(text):
            if value not in defined:
                arguments.setdefault(value, of_type)
        results = VALUE.findall(text.partition(" = ")[0]) if " = " in text else results
        defined.update(results)
    types = RESULT_TYPES.search(example)
    values = ", ".join(f"{value}: {of_type}" for value, of_type in arguments.items())
    signature = f"func.func @{name}({values})" + (f" -> ({types[1]})" if types else "")
    end = f"return {', '.join(results)} : {types[1]}" if types else "return"
    return "\n".join([signature + " {", *("  " + line for line in example.split("\n")), "  " + end, "}", ""])


def main():
    examples = dict(operators(sys.stdin.read()))
    missing = [name for name, example in examples.items() if not example]
    if missing or not examples:
        sys.exit(f"{len(missing)} of {len(examples)} operators have no example of themselves: {', '.join(missing)}; "
                 "add 'Example:' and an mlir block to their descriptions")
    print("\n".join(function(name, example) for name, example in examples.items()))


if __name__ == "__main__":
    main()
