// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs adb, and chooses the phone that it reaches. Failures say what to do, which adb's own messages do not.

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

  /// Runs an adb command for the phone, and returns its output.
  Finished call(const std::vector<std::string> &words) const;
  /// Runs a command line in the phone's shell.
  Finished shell(const std::string &command) const { return call({"shell", command}); }
  /// Runs a command line in the phone's shell, and shows its output at once on a stream of this program. Returns its
  /// status.
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
