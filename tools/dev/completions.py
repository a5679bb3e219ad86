#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what bash, zsh and fish complete a program's command line with: its options and their values, as --help has them.

usage: completions.py PROGRAM FOLDER     writes FOLDER/bash/<name>, FOLDER/zsh/_<name> and FOLDER/fish/<name>.fish

A value is completed with the words that --help has in the option's spelling (<train|frozen>), at the beginning of what it says of a
list of them (<target[,target]>), or in a closing section headed by the option ("PHASES (--compile-to=)"). Any other value, and what
is no option, is a file; so is what follows the @ of a response file.
"""
import os
import re
import subprocess
import sys

import help_text

VALUE = re.compile(r"\[?(=| )<(.+)>\]?")
WORD = r"[a-z][\w-]*"
LISTED = re.compile(rf"{WORD}(?:, {WORD})* or {WORD}(?=[;. ]|$)")  # a, b or c
PATHS = {"file", "folder", "prefix"}
FOLLOWED = re.compile(rf"^({WORD})\[,(?!\1\]).+\]$")  # auto[,entry=cpu]: only the word is completed; tensor[,tensor] is none
SECTION = re.compile(r"[A-Z ]+ \((--[\w-]+)=\)")


def values_of(spelling, text):
    words = [FOLLOWED.sub(r"\1", word) for word in (spelling or "").split("|")]
    if len(words) > 1 and not PATHS & set(words):
        return [word for word in words if re.fullmatch(WORD, word)]
    listed = LISTED.match(text) if spelling and "[," in spelling else None
    return re.findall(WORD, listed[0].replace(" or ", ",")) if listed else []


def read_options(text):
    """[(option, separator of its value or '', [value], what is said of it)]"""
    values, words = {}, None
    for line in text.splitlines():
        heading = SECTION.fullmatch(line)
        if heading:
            words = values.setdefault(heading[1], [])
        elif words is not None and help_text.DEFINITION.fullmatch(line):
            words += re.findall(rf"^ +({WORD}) ", line)  # not what is only a part of a value
        elif not line.startswith(" "):
            words = None
    found = []
    for kind, *parts in help_text.options(help_text.sections(text)["OPTIONS"]):
        if kind == "option":
            name, rest, said = parts
            value = VALUE.fullmatch(rest)
            separator, spelling = value.groups() if value else ("", "")
            found.append((name, separator, values_of(spelling, said) or values.get(name, []), re.split(r"[;:.] |: ", said)[0]))
    return found


def bash(program, options):
    function = "_" + program.replace("-", "_")
    cases = "".join(f"    {name}) COMPREPLY=($(compgen -W '{' '.join(values)}' -- \"$word\")); return ;;\n"
                    for name, _, values, _ in options if values)
    names = " ".join(name + separator.strip() for name, separator, _, _ in options)
    return f"""# Completes {program}; made of its --help.
{function}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD-1]}}
  # Bash takes --option=value apart at the sign.
  [[ $word == = ]] && word=
  [[ $option == = ]] && option=${{COMP_WORDS[COMP_CWORD-2]}}
  COMPREPLY=()
  case $option in
{cases}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W '{names}' -- "$word"))
    [[ ${{COMPREPLY[0]-}} == *= ]] && compopt -o nospace
  elif [[ $word == @* ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -P @ -f -- "${{word#@}}")
  fi
  return 0
}}
complete -o bashdefault -o default -F {function} {program}
"""


def quoted(text):
    return text.replace("'", "'\\''")


def zsh(program, options):
    lines = []
    for name, separator, values, said in options:
        said = quoted(re.sub(r"([\[\]:\\])", r"\\\1", said))
        value = f":value:({' '.join(values)})" if values else ":value:_files"
        lines.append(f"  '{name}{separator.strip()}[{said}]{value if separator else ''}' \\\n")
    return f"#compdef {program}\n# Made of its --help.\n_arguments -S \\\n{''.join(lines)}  '*:file:{{ compset -P @; _files }}'\n"


def fish(program, options):
    lines = [f"# Completes {program}; made of its --help.\n"]
    for name, separator, values, said in options:
        kind = f"-s {name[1:]}" if re.fullmatch("-[A-Za-z]", name) else f"-l {name.lstrip('-')}"
        value = f" -x -a '{' '.join(values)}'" if values else " -r -F" if separator else ""
        lines.append(f"complete -c {program} {kind}{value} -d '{quoted(said)}'\n")
    word = "(commandline -ct)"
    lines.append(f"complete -c {program} -n 'string match -q \"@*\" -- {word}' "
                 f"-a '(__fish_complete_path (string sub -s 2 -- {word}) | string replace -r \"^\" @)'\n")
    return "".join(lines)


def main():
    program, folder = sys.argv[1:]
    name = os.path.basename(program)
    options = read_options(subprocess.run([program, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout)
    for shell, path, write in (("bash", name, bash), ("zsh", "_" + name, zsh), ("fish", name + ".fish", fish)):
        os.makedirs(os.path.join(folder, shell), exist_ok=True)
        with open(os.path.join(folder, shell, path), "w", encoding="utf-8") as file:
            file.write(write(name, options))


if __name__ == "__main__":
    main()
