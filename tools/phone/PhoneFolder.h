// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a folder of its own on the phone.
// Why:   what a run leaves there would fill the phone, and two runs must not meet.
// How:   removed with the object, after failures and Ctrl-C, too; a program that still runs there is ended first.

#ifndef NACRE_TOOLS_PHONE_PHONEFOLDER_H
#define NACRE_TOOLS_PHONE_PHONEFOLDER_H

#include "tools/phone/Adb.h"

namespace nacre::phone {

class PhoneFolder {
public:
  /// The program whose folder it is names it.
  PhoneFolder(const Adb &adb, std::string program) : adb(adb), program(std::move(program)) {}
  PhoneFolder(const PhoneFolder &) = delete;
  PhoneFolder &operator=(const PhoneFolder &) = delete;
  ~PhoneFolder();

  Outcome create();
  /// Copies a file into the folder, under a name of letters, digits and dots.
  Outcome push(const std::string &path, const std::string &name) const;
  Outcome pull(const std::string &name, const std::string &path) const;
  Outcome makeFolder(const std::string &name) const;
  /// Runs nacre-try, which is in the folder, with these words, and shows what it says; returns its status.
  int run(const std::string &words, tools::Says says) const;

private:
  const Adb &adb;
  std::string program;
  std::string folder; // empty: not created
};

} // namespace nacre::phone

#endif // NACRE_TOOLS_PHONE_PHONEFOLDER_H
