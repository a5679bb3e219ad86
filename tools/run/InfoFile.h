// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the description of a model as JSON (docs/info.schema.json).
// Why:   a script reads names, shapes and quantization without an app.
// How:   as in ProfileFile.h.

#ifndef NACRE_TOOLS_RUN_INFOFILE_H
#define NACRE_TOOLS_RUN_INFOFILE_H

#include "tools/run/session/ModelSession.h"

namespace nacre::run {

std::string infoJson(const ModelSession &session, const nacre_session_info &engines,
                     const std::vector<nacre_launch_info> &launches, const std::string &symbol, size_t codeBytes);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_INFOFILE_H
