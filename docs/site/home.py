# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The home page: the parts of README.md that users of the site look for first, laid out by home.md.in, and the pages of the site.

README.md stays the only place that says these things. If it lacks a part, the site is not built.
"""
import re

# What the home page has of README.md: where it begins, as a regular expression, and where it ends.
PARTS = {
    "INTRODUCTION": r"\A# Nacre\n+(.+?)\n\n",
    "CHART": r"^(<picture>\n.*?^</picture>\n\n.+?)\n\n",
    "PYTHON": r"^(```python\n.*?^```)$",
    "APP": r"^(In an app: .+?)\n\n",
    "PLATFORMS": r"^## Platforms\n+(.*?)\n+^## ",
    "FEATURES": r"^## What sets it apart\n+((?:- [^\n]+\n)+)",
    "LIMITATIONS": r"^(\*\*Limitations\*\*: .+?)\n\n",
}
SHELL = r"^```sh\n(nacre-compile .*?)^```$"
REMARK = re.compile(r" +# .*$", re.MULTILINE)
PICTURE = re.compile(r'<picture>\s*<source [^>]*srcset="([^"]+)">\s*<img src="([^"]+)" alt="([^"]+)">\s*</picture>')


def part(readme, pattern):
    found = re.search(pattern, readme, re.MULTILINE | re.DOTALL)
    if not found:
        raise ValueError(f"README.md has no part like {pattern}, which docs/site/home.py shows on the home page")
    return found[1].strip()


def pictures(text):
    """A picture for each of the site's two schemes, which readers may choose against their system's."""
    return PICTURE.sub(r'![\3](\2){ .for-light }\n![\3](\1){ .for-dark }', text)


def page(template, readme, sections):
    """`sections`: [(title, [(title of a page, its path)])]."""
    parts = {name: pictures(part(readme, pattern)) for name, pattern in PARTS.items()}
    parts["COMMANDS"] = "```sh\n" + REMARK.sub("", part(readme, SHELL)) + "\n```"
    parts["PAGES"] = "\n".join(f"- **{title}**: " + ", ".join(f"[{name if name != title else 'all'}]({path})" for name, path in pages) + "." for title, pages in sections)
    return re.sub(r"^@([A-Z]+)@$", lambda match: parts[match[1]], template, flags=re.MULTILINE)
