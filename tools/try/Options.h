// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of nacre-try.

#ifndef NACRE_TOOLS_TRY_OPTIONS_H
#define NACRE_TOOLS_TRY_OPTIONS_H

#include "runtime/include/nacre/runtime.h"

namespace nacre::tries {

/// Exit statuses. nacre-run has the same, so that a script need not know which program ran.
enum Status { Done = 0, WrongUsage = 2, Refused = 3, OutOfMemory = 4 };

extern const char *const kUsage;

struct Options {
  nacre_session_options session = nacre_session_options_default();
  const char *library = nullptr;
  const char *weights = nullptr; // weights file; null: the file next to the library
  const char *outputs = nullptr; // folder for outputs; null: outputs are not written
  const char *profileFile = nullptr;
  const char *figuresFile = nullptr; // file for figures of the phone; if it is set, no library is opened
  const char *kernels = nullptr;     // folder with libraries of kernels
  bool hasHelp = false, hasBenchmark = false, hasProfile = false, hasSeconds = false;
  uint64_t runs = 0; // number of runs; 0: as many as the minimum time needs
  double seconds = 0;
  uint64_t evictMebibytes = 0;

  bool measures() const { return hasBenchmark || hasProfile; }
};

/// Prints a message on the standard error, and returns `status`.
Status fail(Status status, const char *what, const char *why);

/// Returns the text after the prefix; null if the word does not begin with it.
const char *after(const char *word, const char *prefix);

/// Parses main's arguments, except the inputs, whose names come from the model.
Status parseOptions(int count, char **words, Options &options);

/// Reports an error if an option has no effect with --figures, or only with it.
Status checkFigures(int count, char **words, const Options &options);

} // namespace nacre::tries

#endif // NACRE_TOOLS_TRY_OPTIONS_H
