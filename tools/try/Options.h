// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of nacre-try.

#ifndef NACRE_TOOLS_TRY_OPTIONS_H
#define NACRE_TOOLS_TRY_OPTIONS_H

#include "runtime/include/nacre/runtime.h"

namespace nacre::tries {

/// Exit statuses, the same as those of nacre-run, so that a script need not know which program ran.
enum Status { Done = 0, WrongUsage = 2, Refused = 3, OutOfMemory = 4 };

extern const char *const kUsage;

struct Options {
  nacre_session_options session = nacre_session_options_default();
  const char *library = nullptr;
  const char *weights = nullptr; // null: next to the library
  const char *outputs = nullptr; // a folder
  const char *profileFile = nullptr;
  const char *figuresFile = nullptr; // for figures of the phone; there is then no library
  const char *kernels = nullptr;     // a folder
  bool hasHelp = false, hasBenchmark = false, hasProfile = false, hasSeconds = false;
  uint64_t runs = 0; // 0: as the seconds require
  double seconds = 0;
  uint64_t evictMebibytes = 0;

  bool measures() const { return hasBenchmark || hasProfile; }
};

/// Prints a message on the standard error; returns the status.
Status fail(Status status, const char *what, const char *why);

/// Returns the text after a prefix, or null.
const char *after(const char *word, const char *prefix);

/// Reads main's words, except the inputs, which need the model.
Status parseOptions(int count, char **words, Options &options);

/// Refuses options that have no effect with --figures, or only with it.
Status checkFigures(int count, char **words, const Options &options);

} // namespace nacre::tries

#endif // NACRE_TOOLS_TRY_OPTIONS_H
