// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/package/Maven.h"
#include "dialects/OutputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nacre::tools {
namespace {

void writeCoordinates(raw_ostream &os, const Coordinates &coordinates, StringRef indent) {
  os << indent << "<groupId>" << coordinates.group << "</groupId>\n"
     << indent << "<artifactId>" << coordinates.artifact << "</artifactId>\n"
     << indent << "<version>" << coordinates.version << "</version>\n";
}

/// Returns the POM of an artifact. Names and descriptions contain no characters that XML must escape.
std::string pomOf(const MavenArtifact &artifact) {
  std::string text;
  raw_string_ostream os(text);
  os << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
     << "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n  <modelVersion>4.0.0</modelVersion>\n";
  writeCoordinates(os, artifact.coordinates, "  ");
  os << "  <packaging>aar</packaging>\n  <name>" << artifact.name << "</name>\n  <description>" << artifact.description
     << "</description>\n";
  if (artifact.isRuntime)
    os << "  <licenses>\n    <license>\n      <name>Apache-2.0 WITH LLVM-exception</name>\n"
       << "      <url>https://llvm.org/LICENSE.txt</url>\n    </license>\n  </licenses>\n";
  if (artifact.dependency) {
    os << "  <dependencies>\n    <dependency>\n";
    writeCoordinates(os, *artifact.dependency, "      ");
    os << "      <type>aar</type>\n      <scope>compile</scope>\n    </dependency>\n  </dependencies>\n";
  }
  os << "</project>\n";
  return text;
}

constexpr const char *kChecksums[] = {".md5", ".sha1"};
/// Suffixes of an artifact's files. The description is written last, so that a reader finds either nothing or all
/// files.
constexpr const char *kSuffixes[] = {"-sources.jar", "-javadoc.jar", ".aar", ".pom"};

Error writeWithChecksums(const std::string &path, StringRef bytes) {
  MD5 md5;
  md5.update(bytes);
  const SmallString<32> md5Digits = md5.final().digest();
  const std::string sha1 = toHex(SHA1::hash(arrayRefFromStringRef(bytes)), /*LowerCase=*/true);
  const std::pair<std::string, StringRef> files[] = {
      {path, bytes}, {path + kChecksums[0], md5Digits}, {path + kChecksums[1], sha1}};
  for (const auto &[file, content] : files)
    if (const std::string problem = writeFile(file, content); !problem.empty())
      return createStringError("cannot write '" + file + "': " + problem);
  return Error::success();
}

/// Returns the common path of an artifact's files, without their suffixes.
std::string stemOf(StringRef repository, const Coordinates &at) {
  SmallString<128> path = repository;
  for (StringRef part : split(at.group, '.'))
    sys::path::append(path, part);
  sys::path::append(path, at.artifact, at.version, at.artifact + "-" + at.version);
  return path.str().str();
}

/// True if Maven and Gradle accept the name and a folder can have it.
bool isName(StringRef text) {
  return !text.empty() && !text.starts_with(".") && !text.ends_with(".") && !text.contains("..") &&
         all_of(text, [](char c) { return isAlnum(c) || c == '.' || c == '-' || c == '_'; });
}

} // namespace

Expected<Coordinates> parseCoordinates(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ':');
  if (parts.size() == 3 && all_of(parts, isName))
    return Coordinates{parts[0].str(), parts[1].str(), parts[2].str()};
  return createStringError("--coordinates must be <group>:<artifact>:<version>, of letters, digits, dots, hyphens and "
                           "underscores, as com.example:classifier:1.0, but is '" +
                           text + "'");
}

std::vector<std::string> repositoryFiles(StringRef repository, const Coordinates &coordinates) {
  const std::string stem = stemOf(repository, coordinates);
  std::vector<std::string> files;
  for (const char *suffix : kSuffixes) {
    files.push_back(stem + suffix);
    for (const char *checksum : kChecksums)
      files.push_back(stem + suffix + checksum);
  }
  return files;
}

Error writeToRepository(StringRef repository, const MavenArtifact &artifact) {
  const std::string stem = stemOf(repository, artifact.coordinates), pom = pomOf(artifact);
  const StringRef folder = sys::path::parent_path(stem);
  if (std::error_code error = sys::fs::create_directories(folder))
    return createStringError("cannot make the folder '" + folder + "': " + error.message());
  const StringRef contents[] = {artifact.sources, artifact.javadoc, artifact.aar, pom};
  for (const auto &[suffix, bytes] : zip_equal(kSuffixes, contents))
    if (Error error = writeWithChecksums(stem + suffix, bytes))
      return error;
  return Error::success();
}

} // namespace nacre::tools
