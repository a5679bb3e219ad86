// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a temporary folder on the phone. Files must not remain on the phone, and two runs must not use the same files.
// The object's destructor removes the folder, also after failures and Ctrl-C. First, it ends a program that still runs
// in the folder.

#ifndef NACRE_TOOLS_PHONE_PHONEFOLDER_H
#define NACRE_TOOLS_PHONE_PHONEFOLDER_H

#include "tools/phone/Adb.h"

namespace nacre::phone {

class PhoneFolder {
public:
  /// Stores the phone and the program's name, which is a part of the folder's name.
  PhoneFolder(const Adb &adb, std::string program) : adb(adb), program(std::move(program)) {}
  PhoneFolder(const PhoneFolder &) = delete;
  PhoneFolder &operator=(const PhoneFolder &) = delete;
  ~PhoneFolder();

  Outcome create();
  /// Copies a file to the folder, with a name of letters, digits and dots.
  Outcome push(const std::string &path, const std::string &name) const;
  Outcome pull(const std::string &name, const std::string &path) const;
  Outcome makeFolder(const std::string &name) const;
  /// Runs nacre-try in the folder with the arguments `words`, and shows its output. Returns its status.
  int run(const std::string &words, tools::Says says) const;

private:
  const Adb &adb;
  std::string program;
  std::string folder; // path of the folder; empty until it is created
};

} // namespace nacre::phone

#endif // NACRE_TOOLS_PHONE_PHONEFOLDER_H
