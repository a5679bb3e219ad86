// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  nacre-run with --device=adb.
// Why:   a model is measured on a phone before there is an app.
// How:   1. inputs and expected outputs are read here, against the library's tables; 2. library, weights, inputs and
//        nacre-try go into a folder of the phone; 3. nacre-try runs there; 4. what it wrote is fetched, compared and
//        written here.

#ifndef NACRE_TOOLS_RUN_PHONE_PHONERUN_H
#define NACRE_TOOLS_RUN_PHONE_PHONERUN_H

#include "dialects/NamedFiles.h"
#include "tools/run/session/Options.h"

namespace nacre::run {

Outcome runOnPhone(const Options &options, NamedFiles &files);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_PHONE_PHONERUN_H
