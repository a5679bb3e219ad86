// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills inputs from pictures and sounds. It is separate from Inputs.h, so that nacre-eval and nacre-diff, which only
// use Inputs.h, link no decoders.

#ifndef NACRE_TOOLS_RUN_SESSION_MEDIAINPUTS_H
#define NACRE_TOOLS_RUN_SESSION_MEDIAINPUTS_H

#include "tools/run/session/Inputs.h"

namespace nacre::run {

/// Fills an input from the picture or sound in `bytes`. `path` is the path of the file.
Outcome fillFromMedia(Port &port, const Media &media, std::string_view bytes, const std::string &path,
                      const Options &options);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_MEDIAINPUTS_H
