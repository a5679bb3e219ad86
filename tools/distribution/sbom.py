# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The software bill of materials, SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3): Nacre, and the Debian packages whose code its
wheel and SDK carry. A wheel has the copyright file of each of these, and the machine that builds it knows their versions."""
import datetime
import hashlib
import json
import os
import re
import subprocess
import zipfile


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
    nacre = describe("nacre", version, licenseDeclared="Apache-2.0 WITH LLVM-exception", supplier="Person: " + arguments.maintainer,
                     homepage=arguments.home_page)
    packages = []
    for package in carried(wheel):
        found, source = installed(package)
        packages.append(describe(package, found, supplier="Organization: Debian", externalRefs=[{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": f"pkg:deb/debian/{source}@{found}"}]))
    with open(wheel, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    made = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"nacre-{version}",
        "documentNamespace": f"{arguments.home_page.rstrip('/')}/spdx/nacre-{version}-{digest}",
        "creationInfo": {"created": made.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: nacre-release", "Person: " + arguments.maintainer]},
        "packages": [nacre, *packages],
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-nacre"},
                          *({"spdxElementId": "SPDXRef-nacre", "relationshipType": "CONTAINS", "relatedSpdxElement": one["SPDXID"]} for one in packages)]}
    return json.dumps(document, indent=1) + "\n"
