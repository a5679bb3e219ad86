# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The notes of a release: its section of CHANGELOG.md, how to get started, and contacts."""
import re
import sys

TEXT = """# Nacre {version}

{changes}

## Files

| file | for |
|---|---|
| `nacre-*_x86_64.whl` | Python 3.9 or later on x86-64 Linux (RHEL 9, Ubuntu 22.04, Debian 12 or newer): `pip install ./nacre-*_x86_64.whl` |
{arm64}| `*.deb` | Debian 12: `apt install ./*.deb`. Debian 13: use the wheel or the SDK |
| `nacre-sdk-*.tar.xz` | other Linux systems as old as those of the wheel: unpack it; its `README.md` says the rest |
| `nacre-runtime.aar`, `nacre.jar` | apps in Java and Kotlin |
| `maven` | a Maven repository with `nacre-runtime.aar`, its sources and documentation: `dev.nacre:nacre-runtime:{version}` for Gradle |
| `nacre-site-*.tar.xz` | the documentation, to read offline |
| `nacre-*.spdx.json` | the software bill of materials (SPDX 2.3) |

Check them: `sha256sum --check SHA256SUMS`.

Home page: {home_page}. Maintainer: {maintainer}. Report vulnerabilities in private to {security_contact}.
"""
ARM64 = "| `nacre-*_aarch64.whl` | the same on arm64 Linux |\n"


def without_links(text):
    """Links into the tree lead nowhere from a folder of files."""
    text = re.sub(r"\s*\(\[why\]\([^)]*\)\)", "", text)
    return re.sub(r"\[([^\]]+)\]\((?!https:)[^)]*\)", r"\1", text)


def section(changelog, version):
    """The version's section, then the unreleased changes, which are in what is built; only these if the version has no section."""
    sections = dict(re.findall(r"^## ([^\n]+)\n+(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL))
    own = next((text.strip() for title, text in sections.items() if re.match(rf"{re.escape(version)}\b", title)), "")
    unreleased = sections.get("Unreleased", "").strip()
    if not own and not unreleased:
        sys.exit(f"release: error: CHANGELOG.md must have a section '## {version}' or '## Unreleased', with the changes")
    if own and unreleased:
        return f"{own}\n\n## Changes after {version} that these files contain\n\n{unreleased}"
    return own or unreleased


def write(changelog, version, arguments):
    return TEXT.format(version=version, changes=without_links(section(changelog, version)), arm64=ARM64 if arguments.arm64 else "", **{
        name: getattr(arguments, name) for name in ("home_page", "maintainer", "security_contact")})
