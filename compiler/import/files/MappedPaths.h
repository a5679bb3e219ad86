// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The paths of the files that belong to a model.

#ifndef NACRE_COMPILER_IMPORT_FILES_MAPPEDPATHS_H
#define NACRE_COMPILER_IMPORT_FILES_MAPPEDPATHS_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <utility>
#include <vector>

namespace nacre::importer {

/// The paths of the files that belong to a model: those that mapFile() maps in this thread while it lives, and those that are added. No
/// output may take their place.
class MappedPaths {
public:
  explicit MappedPaths(std::vector<std::string> &paths) : paths(paths), outer(std::exchange(current, this)) {}
  MappedPaths(const MappedPaths &) = delete;
  MappedPaths &operator=(const MappedPaths &) = delete;
  ~MappedPaths() { current = outer; }

  /// Adds a path to those of the innermost object, if there is one.
  static void add(llvm::StringRef path);

private:
  static thread_local MappedPaths *current;
  std::vector<std::string> &paths;
  MappedPaths *outer;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_FILES_MAPPEDPATHS_H
