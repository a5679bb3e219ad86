// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the programs and libraries that a phone can run, such as the right nacre-try. A program for another
// architecture or for a newer Android would end with a message that does not contain the reason.

#ifndef NACRE_TOOLS_PHONE_PHONE_H
#define NACRE_TOOLS_PHONE_PHONE_H

#include "tools/phone/Adb.h"

namespace nacre::phone {

struct Abi {
  const char *target; // value for nacre-compile --target=
  const char *name;   // Android's name
};

/// Returns the ABI of a target; null if the target is not for Android.
const Abi *findAbi(const std::string &target);

/// ABIs of a phone that Nacre supports, the phone's preferred ABI first.
using Abis = std::vector<const Abi *>;

/// Asks the phone for its ABIs. Fails if the phone cannot run any library for Android.
Outcome askAbis(const Adb &adb, Abis &abis);

/// Finds the file `name` of Nacre for the ABI `abi`, in the folder of libraries next to this program.
Outcome findPart(const Abi &abi, const std::string &name, std::string &path);

/// Returns the failure of nacre-try that ended with a status other than 0.
tools::Failure statusFailure(const Adb &adb, int status);

/// Returns the failure of a command that Ctrl-C ended.
tools::Failure interrupted();

/// Parses the value of --device: adb or adb:<serial>. Returns false if it is invalid. Without a serial number, `serial`
/// is empty.
bool parseDevice(const std::string &value, std::string &serial);

} // namespace nacre::phone

#endif // NACRE_TOOLS_PHONE_PHONE_H
