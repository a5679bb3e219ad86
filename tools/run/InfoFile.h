// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Returns the description of a model as JSON (docs/info.schema.json), from which scripts read names, shapes and
// quantization.

#ifndef NACRE_TOOLS_RUN_INFOFILE_H
#define NACRE_TOOLS_RUN_INFOFILE_H

#include "tools/run/session/ModelSession.h"

namespace nacre::run {

std::string infoJson(const ModelSession &session, const nacre_session_info &engines,
                     const std::vector<nacre_launch_info> &launches, const std::string &symbol, size_t codeBytes);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_INFOFILE_H
