// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a model on a phone (nacre-run --device=adb), so that it can be measured before there is an app.
//
// How:   1. Read inputs and expected outputs here, and check them with the library's tables.
//        2. Copy library, weights, inputs and nacre-try to a folder of the phone.
//        3. Run nacre-try there.
//        4. Fetch its results, then compare and write them here.

#ifndef NACRE_TOOLS_RUN_PHONE_PHONERUN_H
#define NACRE_TOOLS_RUN_PHONE_PHONERUN_H

#include "dialects/NamedFiles.h"
#include "tools/run/session/Options.h"

namespace nacre::run {

Outcome runOnPhone(const Options &options, NamedFiles &files);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_PHONE_PHONERUN_H
