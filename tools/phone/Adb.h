// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs adb, and chooses a phone. Unlike adb's own messages, failures contain a remedy.

#ifndef NACRE_TOOLS_PHONE_ADB_H
#define NACRE_TOOLS_PHONE_ADB_H

#include "tools/Failure.h"
#include "tools/process/Process.h"

namespace nacre::phone {

using tools::Finished;
using tools::Outcome;

class Adb {
public:
  /// Finds the program in NACRE_ADB, then in PATH, then in the SDK of ANDROID_HOME or ANDROID_SDK_ROOT.
  Outcome find();
  /// Chooses the phone with the serial number `serial`, or the only phone if `serial` is empty.
  Outcome choose(const std::string &serial);

  /// Runs an adb command for the phone, and returns its output.
  Finished call(const std::vector<std::string> &words) const;
  /// Runs a command line in the phone's shell.
  Finished shell(const std::string &command) const { return call({"shell", command}); }
  /// Runs a command line in the phone's shell, and shows its output immediately on a stream of this program. Returns
  /// its status.
  int showShell(const std::string &command, tools::Says says) const;

  const std::string &name() const { return chosen; }

private:
  std::vector<std::string> withPhone(const std::vector<std::string> &words) const;

  std::string program;
  std::string chosen; // serial number of the chosen phone
};

/// Returns `text` quoted for a shell, which reads it as one word.
std::string quoteForShell(const std::string &text);

} // namespace nacre::phone

#endif // NACRE_TOOLS_PHONE_ADB_H
