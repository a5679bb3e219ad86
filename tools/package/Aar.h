// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: a model as an Android library: what Gradle takes as an AAR.
// How:  1. the libraries are of one model, and one of each ABI, 2. classes, 3. all in archives.

#ifndef NACRE_TOOLS_PACKAGE_AAR_H
#define NACRE_TOOLS_PACKAGE_AAR_H

#include "tools/package/ModelFile.h"

namespace nacre::tools {

struct AarOptions {
  std::string className;  ///< As com.example.Classifier; empty: dev.nacre.model.<Model>.
  std::string version;    ///< For CMake's find_package in apps with the NDK.
  bool hasWeights = true; ///< Weights that are not in the library are assets.
};

/// The bytes of an AAR, and of the archives that go with it in a repository.
struct AndroidLibrary {
  std::string aar, sources, javadoc;
  std::vector<std::string> notes; ///< What the user should know.
};

/// Errors name the library at fault.
llvm::Expected<AndroidLibrary> writeAndroidLibrary(llvm::ArrayRef<ModelFile> models, const AarOptions &options);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PACKAGE_AAR_H
