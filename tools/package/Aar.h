// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs a model as an Android library, the AAR that Gradle reads.
//
// How:  1. check that the libraries are of one model, one for each ABI, 2. write the classes, 3. write the archives.

#ifndef NACRE_TOOLS_PACKAGE_AAR_H
#define NACRE_TOOLS_PACKAGE_AAR_H

#include "tools/package/ModelFile.h"

namespace nacre::tools {

struct AarOptions {
  std::string className;  ///< Name of the class, such as com.example.Classifier; empty: dev.nacre.model.<Model>.
  std::string version;    ///< Version for CMake's find_package in apps with the NDK.
  bool hasWeights = true; ///< True if weights outside of the library become assets.
};

/// The bytes of an AAR, and of the archives that accompany it in a repository.
struct AndroidLibrary {
  std::string aar, sources, javadoc;
  std::vector<std::string> notes; ///< Notes for the user.
};

/// Makes an Android library. Errors name the library at fault.
llvm::Expected<AndroidLibrary> writeAndroidLibrary(llvm::ArrayRef<ModelFile> models, const AarOptions &options);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PACKAGE_AAR_H
