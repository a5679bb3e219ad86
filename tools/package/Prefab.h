// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the part of an AAR for apps in C and C++: headers and libraries in the layout of Prefab
// (https://google.github.io/prefab), which Gradle passes to CMake and ndk-build.

#ifndef NACRE_TOOLS_PACKAGE_PREFAB_H
#define NACRE_TOOLS_PACKAGE_PREFAB_H

#include "tools/package/Archive.h"
#include "tools/package/ModelFile.h"

#include <deque>
#include <map>

namespace nacre::tools {

/// Adds the files under `prefab/`. `header` is the text of the model's C header. `texts` owns texts to which the files
/// refer.
void addPrefab(const std::map<std::string, const ModelFile *> &byAbi, llvm::StringRef version, llvm::StringRef header,
               std::vector<ArchivedFile> &files, std::deque<std::string> &texts);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PACKAGE_PREFAB_H
