// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the files that options name, and those that --output makes of tensors' names.
// Why:   no output may take the place of a file that is read, or of another output.
// How:   dialects/NamedFiles.h compares them. A tensor's file has its name; where a file cannot have it, or another tensor's file has it,
//        a hash of the name follows as much of it as fits.

#ifndef NACRE_TOOLS_RUN_SESSION_FILES_H
#define NACRE_TOOLS_RUN_SESSION_FILES_H

#include "dialects/NamedFiles.h"
#include "tools/run/session/ModelSession.h"

namespace nacre::run {

/// Adds the files and folders that options name. Names of tensors are not known yet, so what follows any '=' may be a file.
void addFiles(NamedFiles &files, const Options &options);

/// Returns the path of the page of a report: next to it, as nacre-report has it.
std::string pageOf(const std::string &report);

/// Adds the files that --output writes, in the order of outputPaths().
void addOutputs(NamedFiles &files, const std::vector<Port> &outputs, const std::vector<Port> &states,
                const std::string &folder);

/// Adds the files that --save-inputs writes.
void addSavedInputs(NamedFiles &files, const std::vector<Port> &inputs, const std::string &folder);

/// Fails if an output would take the place of another file.
Outcome checkFiles(const NamedFiles &files);

/// Returns the paths of files for all outputs, then for the state. Tensors of different names have different files.
std::vector<std::string> outputPaths(const std::vector<Port> &outputs, const std::vector<Port> &states,
                                     const std::string &folder);

/// Returns the path of a tensor's file that outputPaths() made in this folder, or "" if there is none.
std::string findOutput(const std::string &folder, const std::string &tensor);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_FILES_H
