// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a Maven repository in a folder for Gradle and Maven: libraries with their descriptions (POM), sources and
// documentation, under <group>/<artifact>/<version>/. A build that contains the coordinates gets the model and the
// runtime, and can choose a version. The same inputs give the same bytes, so no file contains a date. Therefore, there
// is no maven-metadata.xml, which would contain one. Gradle and Maven find versions in the folders, or on a server that
// writes that file.

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

/// Parses group:artifact:version.
llvm::Expected<Coordinates> parseCoordinates(llvm::StringRef text);

/// A library with its archives, as the bytes of files.
struct MavenArtifact {
  Coordinates coordinates;
  std::string name, description;
  std::optional<Coordinates> dependency; ///< Coordinates of the library that this one depends on.
  bool isRuntime = false;                ///< True for Nacre's runtime, whose licence is known.
  llvm::StringRef aar, sources, javadoc;
};

/// Returns the paths of all files that writeToRepository() writes.
std::vector<std::string> repositoryFiles(llvm::StringRef repository, const Coordinates &coordinates);

/// Writes the artifact's files with their checksums.
llvm::Error writeToRepository(llvm::StringRef repository, const MavenArtifact &artifact);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PACKAGE_MAVEN_H
