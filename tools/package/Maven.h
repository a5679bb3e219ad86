// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: A Maven repository in a folder, as Gradle and Maven read it: libraries with their descriptions (POM), sources and
//       documentation, under <group>/<artifact>/<version>/.
// Why:  A build that names coordinates gets the model, and with it the runtime, and can choose a version.
// How:  The same inputs give the same bytes: no file has a date. So there is no maven-metadata.xml, which has one; Gradle and
//       Maven read the versions from the folders, or from a server that writes that file.

#ifndef NACRE_TOOLS_PACKAGE_MAVEN_H
#define NACRE_TOOLS_PACKAGE_MAVEN_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace nacre::tools {

struct Coordinates {
  std::string group, artifact, version;
};

/// Reads group:artifact:version.
llvm::Expected<Coordinates> parseCoordinates(llvm::StringRef text);

/// A library and what belongs to it; all are the bytes of files.
struct MavenArtifact {
  Coordinates coordinates;
  std::string name, description;
  std::optional<Coordinates> dependency; ///< Of a library.
  bool isRuntime = false;                ///< Of Nacre, whose licence is known; a model's is its owner's.
  llvm::StringRef aar, sources, javadoc;
};

/// Returns the paths of all files that writeToRepository() writes.
std::vector<std::string> repositoryFiles(llvm::StringRef repository, const Coordinates &coordinates);

/// Writes the artifact's files with their checksums.
llvm::Error writeToRepository(llvm::StringRef repository, const MavenArtifact &artifact);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PACKAGE_MAVEN_H
