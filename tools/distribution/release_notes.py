# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The notes of a release: its section of CHANGELOG.md, how to get started, and contacts."""
import re
import sys

TEXT = """# Nacre {version}

{changes}

## Files

| file | for |
|---|---|
| `nacre-*.whl` | Python on Linux: `pip install ./nacre-*.whl` |
| `*.deb` | Debian 12: `apt install ./*.deb` |
| `nacre-sdk-*.tar.xz` | other Linux systems: unpack it; `SDK.md` in it says the rest |
| `nacre-runtime.aar`, `nacre.jar` | apps in Java and Kotlin |
| `nacre-site-*.tar.xz` | the documentation, to read offline |
| `nacre-*.spdx.json` | the software bill of materials (SPDX 2.3) |

Check them: `sha256sum --check SHA256SUMS`.

Home page: {home_page}. Maintainer: {maintainer}. Report vulnerabilities in private to {security_contact}.
"""


def section(changelog, version):
    """The version's section; that of unreleased changes if it has none of its own."""
    sections = dict(re.findall(r"^## ([^\n]+)\n+(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL))
    own = next((text for title, text in sections.items() if re.match(rf"{re.escape(version)}\b", title)), sections.get("Unreleased"))
    if not own or not own.strip():
        sys.exit(f"release: error: CHANGELOG.md must have a section '## {version}' or '## Unreleased', with the changes")
    return own.strip()


def write(changelog, version, arguments):
    return TEXT.format(version=version, changes=section(changelog, version), **vars(arguments))
