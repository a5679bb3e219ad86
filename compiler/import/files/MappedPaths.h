// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paths of the files that belong to a model.

#ifndef NACRE_COMPILER_IMPORT_FILES_MAPPEDPATHS_H
#define NACRE_COMPILER_IMPORT_FILES_MAPPEDPATHS_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <utility>
#include <vector>

namespace nacre::importer {

/// Records the paths of the files that belong to a model, because no output may overwrite them. While the object
/// exists, it collects the paths that mapFile() maps in this thread, and the paths that add() receives.
class MappedPaths {
public:
  explicit MappedPaths(std::vector<std::string> &paths) : paths(paths), outer(std::exchange(current, this)) {}
  MappedPaths(const MappedPaths &) = delete;
  MappedPaths &operator=(const MappedPaths &) = delete;
  ~MappedPaths() { current = outer; }

  /// Adds a path to the innermost object, if there is one.
  static void add(llvm::StringRef path);

private:
  static thread_local MappedPaths *current;
  std::vector<std::string> &paths;
  MappedPaths *outer;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_FILES_MAPPEDPATHS_H
