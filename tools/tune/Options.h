// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of nacre-tune.

#ifndef NACRE_TOOLS_TUNE_OPTIONS_H
#define NACRE_TOOLS_TUNE_OPTIONS_H

#include "tools/Failure.h"

#include <optional>
#include <string>

namespace nacre::tune {

extern const char *const kHelp;

struct Options {
  std::string basePath;
  std::string outputPath = "-";
  std::string kernels;         // a folder; empty: the one next to the program, for the measured machine
  std::optional<int> gpu = -1; // index of the GPU; -1: any GPU; nullopt: no GPU is measured
  bool onPhone = false;
  std::string phoneSerial; // serial number of the phone; empty: the only phone
  bool help = false, version = false;
};

tools::Outcome parseOptions(int count, char **words, Options &options);

} // namespace nacre::tune

#endif // NACRE_TOOLS_TUNE_OPTIONS_H
