// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files that options name, and the files that --output writes for tensors. An output must not overwrite a file that
// is read, or another output; dialects/NamedFiles.h compares them. A tensor's file has the tensor's name. If this is
// not possible, or another tensor's file has this name, the file's name is a part of the tensor's name and a hash.

#ifndef NACRE_TOOLS_RUN_SESSION_FILES_H
#define NACRE_TOOLS_RUN_SESSION_FILES_H

#include "dialects/NamedFiles.h"
#include "tools/run/session/ModelSession.h"

namespace nacre::run {

/// Adds the files and folders that options name. The names of tensors are not known yet, so each text after a '=' may
/// be a file.
void addFiles(NamedFiles &files, const Options &options);

/// Returns the path of a report's page. The page is next to the report, as in nacre-report.
std::string pageOf(const std::string &report);

/// Adds the files that --output writes, in the order of outputPaths().
void addOutputs(NamedFiles &files, const std::vector<Port> &outputs, const std::vector<Port> &states,
                const std::string &folder);

/// Adds the files that --save-inputs writes.
void addSavedInputs(NamedFiles &files, const std::vector<Port> &inputs, const std::string &folder);

/// Fails if an output would overwrite another file.
Outcome checkFiles(const NamedFiles &files);

/// Returns the paths of files for all outputs, then for the state. Tensors with different names have different files.
std::vector<std::string> outputPaths(const std::vector<Port> &outputs, const std::vector<Port> &states,
                                     const std::string &folder);

/// Returns the path of the file that outputPaths() chose for a tensor in this folder, or "" if it does not exist.
std::string findOutput(const std::string &folder, const std::string &tensor);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_FILES_H
