// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See NamedFiles.h.

#include "dialects/NamedFiles.h"
#include "dialects/OutputFile.h"

#include <algorithm>
#include <optional>
#include <sys/stat.h>

namespace nacre {
namespace {

/// The identity of a file, which is equal for all spellings of its path.
struct Identity {
  dev_t device;
  ino_t number;                  // Inode of the file, or of the deepest existing folder of its path.
  std::vector<std::string> rest; // Rest of the path, below that folder; empty if the file exists.
  bool isFolder;

  bool operator==(const Identity &other) const {
    return device == other.device && number == other.number && rest == other.rest;
  }
};

/// Returns the identity of the file that is named `named`; `nullopt` for a pipe, a terminal or /dev/null.
std::optional<Identity> identify(const std::string &named) {
  struct stat found;
  if (stat(named.c_str(), &found) == 0) {
    if (!S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode))
      return std::nullopt;
    return Identity{found.st_dev, found.st_ino, {}, S_ISDIR(found.st_mode)};
  }
  const std::string path = followLinks(named);
  Identity identity{};
  std::string folder = path[0] == '/' ? "/" : ".";
  if (stat(folder.c_str(), &found) != 0)
    return std::nullopt;
  identity.device = found.st_dev;
  identity.number = found.st_ino;
  for (size_t begin = 0, end; begin <= path.size(); begin = end + 1) {
    end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    if (part.empty() || part == ".")
      continue;
    if (!identity.rest.empty()) { // The path is in a folder that does not exist yet.
      if (part == "..")
        identity.rest.pop_back();
      else
        identity.rest.push_back(part);
      continue;
    }
    folder += "/" + part;
    if (stat(folder.c_str(), &found) != 0) {
      identity.rest.push_back(part);
      continue;
    }
    identity.device = found.st_dev;
    identity.number = found.st_ino;
  }
  return identity;
}

} // namespace

void NamedFiles::add(const std::string &option, const std::string &path, Use use) {
  const auto isSame = [&](const File &file) { return file.option == option && file.path == path && file.use == use; };
  if (!path.empty() && (use != Use::Read || std::none_of(files.begin(), files.end(), isSame)))
    files.push_back({option, path, use});
}

void NamedFiles::letReplace(const std::string &outputOption, const std::string &inputOption) {
  replacements.emplace_back(outputOption, inputOption);
}

bool NamedFiles::mayBeOne(const File &a, const File &b) const {
  if (a.use == b.use)
    return a.use != Use::Written;
  const File &output = a.use == Use::Read ? b : a, &input = a.use == Use::Read ? a : b;
  return std::any_of(replacements.begin(), replacements.end(),
                     [&](const auto &pair) { return pair.first == output.option && pair.second == input.option; });
}

std::string NamedFiles::findProblem() const {
  std::vector<std::optional<Identity>> identities;
  for (const File &file : files)
    identities.push_back(identify(file.path));
  for (size_t i = 0; i < files.size(); ++i)
    for (size_t j = 0; j < files.size(); ++j) {
      const File &output = files[i], &other = files[j];
      if (i == j || output.use == Use::Read || (other.use != Use::Read && j > i) || mayBeOne(output, other) ||
          !identities[i] || !identities[j] || !(*identities[i] == *identities[j]))
        continue;
      // A program may write files into the folder of a model.
      if (output.use == Use::Folder && identities[i]->isFolder)
        continue;
      return output.option + " must not name the file of " + other.option + ", but " +
             (output.path == other.path ? "both are '" + output.path + "'"
                                        : "'" + output.path + "' and '" + other.path + "' are one file") +
             "; choose another " + (output.use == Use::Folder ? "folder" : "file");
    }
  return "";
}

} // namespace nacre
