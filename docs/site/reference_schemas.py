# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of a JSON schema: its words, then a table of all that it has, by the path to it."""
import os

from gfm import cell


def type_of(schema, root):
    schema = resolved(schema, root)
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"])
    for word in ("oneOf", "anyOf"):
        if word in schema:
            return " or ".join(type_of(one, root) for one in schema[word])
    kinds = schema.get("type", "any")
    return " or ".join(kinds) if isinstance(kinds, list) else kinds


def resolved(schema, root):
    """What a reference refers to. True allows anything."""
    schema = schema if isinstance(schema, dict) else {}
    while "$ref" in schema:
        target = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    return schema


def rows(schema, root, path, seen):
    """(path, whether it must be there, schema) of what an object or list holds."""
    if id(schema) in seen or not isinstance(schema, dict):
        return
    schema, seen = resolved(schema, root), seen | {id(schema)}
    for word in ("oneOf", "anyOf", "allOf"):
        for one in schema.get(word, ()):
            yield from rows(one, root, path, seen)
    if isinstance(schema.get("items"), dict):
        yield from rows(schema["items"], root, path + "[]", seen)
    if isinstance(schema.get("additionalProperties"), dict):
        inner = schema["additionalProperties"]
        yield f"{path}.*".lstrip("."), False, inner
        yield from rows(inner, root, f"{path}.*", seen)
    for name, inner in schema.get("properties", {}).items():
        at = f"{path}.{name}".lstrip(".")
        yield at, name in schema.get("required", ()), inner
        yield from rows(inner, root, at, seen)


def page(file, schema):
    out = [f"# {schema.get('title', file)}", "", schema.get("description", ""), "", f"The schema itself: [{os.path.basename(file)}]({file}).", "",
           "| path | type | always | what |", "|---|---|---|---|"]
    written = set()
    for path, required, inner in rows(schema, schema, "", frozenset()):
        what = resolved(inner, schema)
        row = f"| `{path}` | {cell(type_of(inner, schema))} | {'yes' if required else ''} | {cell(what.get('description', ''))} |"
        if row not in written:
            written.add(row)
            out.append(row)
    return "\n".join(out) + "\n"
