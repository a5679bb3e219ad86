// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the classes of a model as text: Java source, and a page of documentation. Repositories and editors expect
// archives of both next to a library.

#ifndef NACRE_TOOLS_PACKAGE_MODELSOURCE_H
#define NACRE_TOOLS_PACKAGE_MODELSOURCE_H

#include "tools/package/ModelFile.h"

namespace nacre::tools {

/// Returns the Java source of the class `className`, such as dev/nacre/model/Mobilenet. It has the same members as the
/// class file of writeModelClass().
std::string writeModelSource(llvm::StringRef className, llvm::StringRef library, const ModelFile &model,
                             const EntryOfFile &entry);

/// Returns an HTML page with all inputs and outputs. `classNames` has a name for each entry.
std::string writeModelPage(llvm::ArrayRef<std::string> classNames, const ModelFile &model);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PACKAGE_MODELSOURCE_H
