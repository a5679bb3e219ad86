# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of a program, from its manual page: the few requests of roff that docs/man and tools/dev/man_page.py use."""
import re

FONTS = {"B": "**", "I": "*"}


def plain(text):
    """Words without roff's escapes, and without what Markdown would take for its own."""
    text = text.replace("\\&", "").replace("\\(aq", "'").replace("\\(ga", "`").replace("\\(dq", '"').replace("\\~", " ").replace("\\-", "-")
    return re.sub(r"([*_<>|`\[\]])", r"\\\1", text.replace("\\e", "\0")).replace("\0", "\\\\")


def spans(text):
    """A line with changes of font in it."""
    out, font = "", ""
    for piece in re.split(r"(\\f[BIRP])", text):
        if re.fullmatch(r"\\f[BIRP]", piece):
            font = FONTS.get(piece[2], "")
        elif piece:
            out += marked(piece, font)
    return out


def marked(text, font):
    """Words in a font, unless they change it themselves."""
    if "\\f" in text:
        return spans(f"\\f{'B' if font == FONTS['B'] else 'I' if font else 'R'}{text}")
    words = text.strip(" ")
    if not words or not font:
        return plain(text)
    lead, trail = text[:len(text) - len(text.lstrip(" "))], text[len(text.rstrip(" ")):]
    literal = words.replace("\\&", "").replace("\\-", "-").replace("\\e", "\\").replace("\\(aq", "'").replace("\\(ga", "`").replace("\\(dq", '"')
    return lead + (f"`{literal}`" if font == "**" and "`" not in literal else f"{font}{plain(words)}{font}") + trail


def arguments(line):
    """Of a request; quoted ones may have blanks."""
    return [quoted or bare for quoted, bare in re.findall(r'"([^"]*)"|(\S+)', line)]


def alternating(fonts, line):
    return "".join(marked(word, fonts[i % 2]) for i, word in enumerate(arguments(line)))


def to_markdown(page, pages):
    """`page` is roff; `pages` are the programs whose pages may be linked to."""
    out, title, term, literal, depth = [], "", False, False, 0
    for line in page.split("\n"):
        request, _, rest = line.partition(" ")
        if line.startswith('.\\"') or not line or request in (".TH", ".ad", ".hy", ".nh"):
            continue
        if request in (".nf", ".EX", ".fi", ".EE"):
            literal = request in (".nf", ".EX")
            out += ["", "```text"] if literal else ["```", ""]
        elif literal:
            out.append(re.sub(r"\\f[BIRP]", "", line).replace("\\-", "-").replace("\\&", "").replace("\\e", "\\").replace("\\(aq", "'"))
        elif request in (".SH", ".SS"):
            out += ["", ("## " if request == ".SH" else "### ") + plain(" ".join(arguments(rest))).capitalize(), ""]
            title = title or rest
        elif request in (".PP", ".P", ".LP", ".br"):
            out.append("")
        elif request == ".RS":
            depth += 1
        elif request == ".RE":
            depth -= 1
        elif request in (".TP", ".TQ"):
            term = True
        else:
            if request in (".B", ".I"):
                text = marked(" ".join(arguments(rest)), FONTS[request[1]])
            elif re.fullmatch(r"\.[BIR]{2}", request):
                text = alternating([FONTS.get(font, "") for font in request[1:]], rest)
            elif request.startswith("."):
                raise ValueError(f"cannot show the request {request} of a manual page")
            else:
                text = spans(line)
            if term:
                out += ["", "    " * depth + f"- {text}  "]
                term = False
            elif out and (out[-1].lstrip().startswith("- ") or out[-1].startswith("    ")):
                out.append("    " * (depth + 1) + text)
            else:
                out.append("    " * depth + text)
    text = "\n".join(out)
    return re.sub(r"`(nacre-[a-z-]+)` ?\(1\)", lambda m: f"[{m[1]}]({m[1]}.md)" if m[1] in pages else m[0], text)
