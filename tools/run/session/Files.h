// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files that options name, and those that --output names after tensors. No output may overwrite a file that is
// read, or another output; dialects/NamedFiles.h compares them. A tensor's file has its name. If a file cannot have
// this name, or another tensor's file has it, a part of the name is followed by a hash of it.

#ifndef NACRE_TOOLS_RUN_SESSION_FILES_H
#define NACRE_TOOLS_RUN_SESSION_FILES_H

#include "dialects/NamedFiles.h"
#include "tools/run/session/ModelSession.h"

namespace nacre::run {

/// Adds the files and folders that options name. Names of tensors are not known yet, so any text after a '=' may be a
/// file.
void addFiles(NamedFiles &files, const Options &options);

/// Returns the path of a report's page, which is next to it, as in nacre-report.
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
