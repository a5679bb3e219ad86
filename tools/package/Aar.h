// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: a model as an Android library: what Gradle takes as an AAR.
// How:  1. the libraries are of one model, and one of each ABI, 2. classes, 3. all in one archive.

#ifndef NACRE_TOOLS_PACKAGE_AAR_H
#define NACRE_TOOLS_PACKAGE_AAR_H

#include "tools/package/ModelFile.h"

namespace nacre::tools {

struct AarOptions {
  std::string className; ///< As com.example.Classifier; empty: dev.nacre.model.<Model>.
};

/// The AAR's bytes. Errors name the library at fault.
llvm::Expected<std::string> writeAar(llvm::ArrayRef<ModelFile> models, const AarOptions &options);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PACKAGE_AAR_H
