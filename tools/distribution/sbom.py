# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The software bill of materials, SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3): Nacre, and the Debian packages whose code the files
of a release contain. A wheel has the copyright file of each whose library it carries; those that are compiled in, or that pages contain, are
listed here, as in NOTICE. The machine that builds a release knows their versions."""
import datetime
import hashlib
import json
import os
import re
import subprocess
import time
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPILED_IN = ("libflatbuffers-dev", "libgcc-12-dev", "libjpeg62-turbo-dev", "libpng-dev", "libstdc++-12-dev", "zlib1g-dev")


def on_pages():
    """The packages of which reports and the site have scripts."""
    with open(os.path.join(ROOT, "tools", "report", "CMakeLists.txt"), encoding="utf-8") as file:
        modules = re.search(r"set\(d3_modules ([^)]*)\)", file.read())[1].split()
    return ["mkdocs-material", *(f"node-d3-{module}" for module in modules)]


def last_commit():
    """Seconds, as text; empty in an archive of the sources, or on a machine without git."""
    try:
        return subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], check=False, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout.strip()
    except FileNotFoundError:
        return ""


def created():
    """SOURCE_DATE_EPOCH or the time of the last commit, so that the same sources give the same bytes; else now."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or last_commit() or time.time()
    return datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc)


def installed(package):
    """(version, source package) of a Debian package."""
    said = subprocess.run(["dpkg-query", "-W", "-f", "${Version} ${source:Package}", package], check=True, stdout=subprocess.PIPE, text=True).stdout
    return said.split()


def carried(wheel):
    """Names of the Debian packages whose licences the wheel has."""
    with zipfile.ZipFile(wheel) as archive:
        return sorted(re.findall(r"^nacre/licenses/(.+)\.txt$", "\n".join(archive.namelist()), re.MULTILINE))


def describe(name, version, **more):
    return {"name": name, "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "versionInfo": version, "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", "downloadLocation": "NOASSERTION", **more}


def write(wheel, version, arguments):
    person = "Person: " + arguments.maintainer.replace("<", "(").replace(">", ")")
    nacre = describe("nacre", version, licenseDeclared="Apache-2.0 WITH LLVM-exception", supplier=person,
                     homepage=arguments.home_page)
    maven = describe("nacre-runtime", version, licenseDeclared="Apache-2.0 WITH LLVM-exception", supplier=person, homepage=arguments.home_page,
                     externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": f"pkg:maven/dev.nacre/nacre-runtime@{version}?type=aar"}])
    packages = []
    for package in dict.fromkeys([*carried(wheel), *COMPILED_IN, *on_pages()]):
        found, source = installed(package)
        packages.append(describe(package, found, supplier="Organization: Debian", externalRefs=[{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": f"pkg:deb/debian/{source}@{found}"}]))
    with open(wheel, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"nacre-{version}",
        "documentNamespace": f"{arguments.home_page.rstrip('/')}/spdx/nacre-{version}-{digest}",
        "creationInfo": {"created": created().strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: nacre-release", person]},
        "packages": [nacre, maven, *packages],
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-nacre"},
                          *({"spdxElementId": "SPDXRef-nacre", "relationshipType": "CONTAINS", "relatedSpdxElement": one["SPDXID"]} for one in [maven, *packages])]}
    return json.dumps(document, indent=1) + "\n"
