# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages of the C and C++ interface: each declaration of a header with its comment, as clang reads them.

How:  clang's syntax tree says what is declared where, and which comment belongs to it; words and prototypes are the header's own text.
      Macros, which are no part of the tree, are found by their lines.
"""
import json
import os
import re
import subprocess

from gfm import cell, code

MACRO = re.compile(r"(?:^/\*\*(?P<doc>(?:(?!\*/).)*?)\*/\n)?^#define (?P<name>NACRE_\w+)(?P<rest>(?:[^\n\\/]|\\\n|/(?!\*))*)(?:/\*\*<(?P<after>.*?)\*/)?", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"(?<![\w`.#])(nacre_\w+|NACRE_\w+)(?:\(\))?(?![\w`])")
GUARD = re.compile(r"_(H|HPP)$")
# What the introduction of a header consists of.
ROW = re.compile(r"  (\w+) {2,}(\S.*)")
HEADWORD = re.compile(r"([\w()]+:) +(\S.*)")
COLUMNS = 100  # Of code, which a page has room for.


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def tree(clang, header):
    language = ["-x", "c++", "-std=c++17"] if header.endswith(".hpp") else ["-x", "c", "-std=c99"]
    done = subprocess.run([clang, *language, "-fsyntax-only", "-I" + os.path.dirname(os.path.dirname(header)), "-Xclang", "-ast-dump=json", header],
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def span(node):
    """Where a declaration is in its file; macros in it count where they are used."""
    begin, end = (node["range"][side].get("expansionLoc", node["range"][side]) for side in ("begin", "end"))
    return begin.get("offset"), end.get("offset", 0) + end.get("tokLen", 0)


def declarations(root, header):
    """Those of the header itself: clang names a file only where it changes."""
    file = ""
    for node in root["inner"]:
        place = node.get("loc", {})
        place = place.get("expansionLoc", place)
        file = place.get("file", file)
        if "includedFrom" not in place and os.path.realpath(file or header) == os.path.realpath(header) and "offset" in place:
            yield node


def words(comment):
    """A comment without its stars: paragraphs, and lines that are set in from the others as they stand."""
    text = re.sub(r"^\s*/\*\*<?|\*/\s*$", "", comment.strip())
    lines = [re.sub(r"^\s*(?:\* ?|///<? ?)", "", line).rstrip() for line in text.split("\n")]
    out, literal = [], False
    for line in lines:
        is_set_in = line.startswith("  ")
        if is_set_in != literal and (is_set_in or line):
            out.append("```text" if is_set_in else "```")
            if not is_set_in:
                out.append("")
            else:
                out.insert(-1, "")
            literal = is_set_in
        out.append(line)
    return "\n".join(out + ["```"] * literal).strip()


def laid_out(lines, language):
    """A paragraph of a header's introduction: a list of names, code, headwords with their texts, or prose."""
    if all(ROW.match(line) for line in lines):
        return "\n".join(["| name | purpose |", "|---|---|", *(f"| {name} | {cell(text)} |" for name, text in (ROW.match(line).groups() for line in lines))])
    if all(line.startswith("  ") for line in lines):
        return code("\n".join(line[2:] for line in lines), language).rstrip()
    out = ""
    for line in lines:
        headword = HEADWORD.match(line)
        out += f"\n\n**{headword[1]}** {headword[2]}" if headword else " " + line.strip()
    return out.strip()


def wrapped(prototype):
    """A prototype on lines that fit a page: of a long one, each parameter has a line."""
    if max(map(len, prototype.split("\n"))) <= COLUMNS or "{" in prototype:
        return prototype
    name, parameters = re.fullmatch(r"([^(]*)\((.*)\)([^()]*;)", " ".join(prototype.split()), re.DOTALL).groups()[:2]
    end = prototype[prototype.rindex(")") + 1:]
    return f"{name}(\n    " + re.sub(r", (?![^(<]*[)>])", ",\n    ", parameters) + ")" + end


class Header:
    def __init__(self, clang, path):
        self.path, self.text, self.language = path, read(path), "cpp" if path.endswith(".hpp") else "c"
        self.data = self.text.encode()
        self.root = tree(clang, path)

    def at(self, begin, end):
        return self.data[begin:end].decode()

    def comment(self, node):
        for inner in node.get("inner", ()):
            if inner["kind"] == "FullComment":
                begin, end = span(inner)
                # clang's range is of the words; the marks around them are of no use.
                return words(self.at(begin, end))
        return ""

    def members(self, node, kind):
        return [inner for inner in node.get("inner", ()) if inner["kind"] == kind]

    def prototype(self, node):
        begin, end = span(node)
        function = next((inner for inner in node.get("inner", ()) if inner["kind"].startswith(("Function", "CXX"))), node)
        body = next((inner for inner in function.get("inner", ()) if inner["kind"] == "CompoundStmt"), None)
        if body:
            end = span(body)[0]
        text = self.at(begin, end).strip()
        text = re.sub(r"\)\s*(noexcept)?\s*:\s.*$", r") \1", text, flags=re.DOTALL).strip() if body and function["kind"] == "CXXConstructorDecl" else text
        lines = [re.sub(r"^  (?=  )", "", line) for line in text.split("\n")]
        return "\n".join(lines).removeprefix("static inline ").removeprefix("NACRE_INLINE ") + ";"

    def record(self, node):
        fields = self.members(node, "FieldDecl")
        if not fields:
            return ""
        rows = [f"| `{field['name']}` | `{cell(field['type']['qualType'])}` | {cell(self.comment(field))} |" for field in fields]
        return "\n".join(["| field | type | meaning |", "|---|---|---|", *rows]) + "\n"

    def enum(self, node):
        rows, value = [], -1
        for constant in self.members(node, "EnumConstantDecl"):
            given = next((inner.get("value") for inner in constant.get("inner", ()) if inner["kind"] == "ConstantExpr"), None)
            value = int(given) if given is not None else value + 1
            rows.append(f"| `{constant['name']}` | {value} | {cell(self.comment(constant))} |")
        return "\n".join(["| constant | value | meaning |", "|---|--:|---|", *rows]) + "\n"

    def entries(self):
        """(offset, name, Markdown) of what is declared, in no order."""
        told = set()
        for node in declarations(self.root, self.path):
            kind, name = node["kind"], node.get("name", "")
            if kind == "NamespaceDecl":
                for inner in node.get("inner", ()):
                    yield from self.of_cpp(inner)
            elif kind in ("RecordDecl", "EnumDecl") and node.get("inner") and (self.comment(node) or kind == "EnumDecl"):
                told.add(name)
                yield span(node)[0], name, "\n\n".join([self.comment(node), self.record(node) if kind == "RecordDecl" else self.enum(node)])
            elif kind == "FunctionDecl" and not name.startswith("_"):
                yield span(node)[0], name, code(wrapped(self.prototype(node)), "c") + "\n" + self.comment(node)
            elif kind == "TypedefDecl" and name not in told and ("(" in node["type"]["qualType"] or self.comment(node)):
                yield span(node)[0], name, code(wrapped(self.at(*span(node)) + ";"), "c") + "\n" + self.comment(node)
        for macro in MACRO.finditer(self.text):
            doc = macro["after"] or macro["doc"]
            if doc and not GUARD.search(macro["name"]):
                yield len(self.text[:macro.start("name")].encode()), macro["name"], code(f"#define {macro['name']}{macro['rest'].rstrip()}", "c") + "\n" + words("/**" + doc + "*/")

    def of_cpp(self, node):
        kind, name = node["kind"], node.get("name", "")
        if kind in ("FunctionDecl", "FunctionTemplateDecl") and self.comment(node):
            yield span(node)[0], name, code(wrapped(self.prototype(node)), "cpp") + "\n" + self.comment(node)
        if kind not in ("CXXRecordDecl",) or not node.get("inner"):
            return
        yield span(node)[0], name, self.comment(node)
        public = node.get("tagUsed") == "struct"
        for inner in node["inner"]:
            if inner["kind"] == "AccessSpecDecl":
                public = inner["access"] == "public"
            elif public and not inner.get("isImplicit") and not inner.get("explicitlyDeleted") and inner["kind"] in ("CXXMethodDecl", "FunctionTemplateDecl",
                                                                                                               "CXXConversionDecl", "FieldDecl"):
                yield span(inner)[0], f"{name}::{inner['name']}", code(wrapped(self.prototype(inner)), "cpp") + "\n" + self.comment(inner)

    def introduction(self):
        """The header's first comment."""
        first = re.search(r"/\*\*(?!<)(.*?)\*/", self.text, re.DOTALL)
        text = re.sub(r"^ \* ?", "", first[1].strip(), flags=re.MULTILINE).removeprefix("* ")
        return "\n\n".join(laid_out(paragraph.split("\n"), self.language) for paragraph in text.split("\n\n") if paragraph.strip()) + "\n"


def pages(clang, folder, headers):
    """{name of the page: Markdown}; names that another page explains lead there."""
    read_headers = {header: Header(clang, os.path.join(folder, header)) for header in headers}
    entries = {header: sorted(one.entries()) for header, one in read_headers.items()}
    where = {name: (header, name.lower()) for header, found in entries.items() for _, name, _ in found if "::" not in name}
    for header, one in read_headers.items():
        for node in declarations(one.root, one.path):
            if node["kind"] == "EnumDecl" and node.get("name"):
                where.update({inner["name"]: where.get(node["name"]) for inner in one.members(node, "EnumConstantDecl")})

    def linked(text, header):
        def link(match):
            place = where.get(match[1])
            return f"[`{match[0]}`]({'' if place[0] == header else place[0] + '.md'}#{place[1]})" if place else match[0]
        # Neither in code nor in what is a link already.
        return "".join(part if i % 2 else NAME.sub(link, part) for i, part in enumerate(re.split(r"(```.*?```|`[^`\n]*`)", text, flags=re.DOTALL)))

    made = {}
    for header, one in read_headers.items():
        out = [f"# nacre/{header}", "", linked(one.introduction(), header), ""]
        written = set()
        for _, name, text in entries[header]:
            if (name, text) not in written:
                written.add((name, text))
                out += [("### " if "::" in name else "## ") + name + ("" if "::" in name else f" {{ #{name.lower()} }}"), "", linked(text, header), ""]
        made[header] = "\n".join(out)
    return made
