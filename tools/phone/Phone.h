// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the programs and libraries that a phone can run, and the right nacre-try for it. A program for another
// architecture or for a newer Android would end with a message that does not name the reason.

#ifndef NACRE_TOOLS_PHONE_PHONE_H
#define NACRE_TOOLS_PHONE_PHONE_H

#include "tools/phone/Adb.h"

namespace nacre::phone {

struct Abi {
  const char *target; // value for nacre-compile --target=
  const char *name;   // Android's name
};

/// Returns the ABI of a target for Android; null if it is not one.
const Abi *findAbi(const std::string &target);

/// ABIs of a phone that Nacre has code for, the phone's preferred one first.
using Abis = std::vector<const Abi *>;

/// Asks the phone for its ABIs, and refuses a phone that cannot run any library for Android.
Outcome askAbis(const Adb &adb, Abis &abis);

/// Finds a file of Nacre for this ABI, in the folder of libraries next to this program.
Outcome findPart(const Abi &abi, const std::string &name, std::string &path);

/// Returns the failure of nacre-try that ended with a status other than 0.
tools::Failure statusFailure(const Adb &adb, int status);

/// Returns the failure of a command that Ctrl-C ended.
tools::Failure interrupted();

/// Reads the value of --device, adb or adb:<serial>; `serial` is empty if none is given.
bool parseDevice(const std::string &value, std::string &serial);

} // namespace nacre::phone

#endif // NACRE_TOOLS_PHONE_PHONE_H
