// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  adb, and the phone that it reaches.
// Why:   messages of adb do not say what to do about them.

#ifndef NACRE_TOOLS_PHONE_ADB_H
#define NACRE_TOOLS_PHONE_ADB_H

#include "tools/Failure.h"
#include "tools/process/Process.h"

namespace nacre::phone {

using tools::Finished;
using tools::Outcome;

class Adb {
public:
  /// Finds the program: NACRE_ADB, else PATH, else the SDK of ANDROID_HOME or ANDROID_SDK_ROOT.
  Outcome find();
  /// Chooses the phone with this serial, or the only one if it is empty.
  Outcome choose(const std::string &serial);

  /// Runs a command of adb for the phone, and keeps what it says.
  Finished call(const std::vector<std::string> &words) const;
  /// Runs a command line in the phone's shell.
  Finished shell(const std::string &command) const { return call({"shell", command}); }
  /// The same, and shows at once what it says, on one of our streams; returns its status.
  int showShell(const std::string &command, tools::Says says) const;

  const std::string &name() const { return chosen; }

private:
  std::vector<std::string> withPhone(const std::vector<std::string> &words) const;

  std::string program;
  std::string chosen; // its serial
};

/// Returns a word that a shell reads as this text.
std::string quoteForShell(const std::string &text);

} // namespace nacre::phone

#endif // NACRE_TOOLS_PHONE_ADB_H
