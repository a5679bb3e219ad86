// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the entry to run: the one that --entry names, or the one whose inputs have the shapes of the given files.

#ifndef NACRE_TOOLS_RUN_SESSION_ENTRYCHOICE_H
#define NACRE_TOOLS_RUN_SESSION_ENTRYCHOICE_H

#include "tools/run/session/Inputs.h"

#include <string>
#include <vector>

namespace nacre::run {

/// An entry that can be chosen. The inputs need no data.
struct EntryInputs {
  std::string name;
  std::vector<Port> inputs;
};

/// Returns all entries of a model. An entry that cannot be described ends the list.
std::vector<EntryInputs> describeEntries(const nacre_model *model);

/// Returns the name of the entry whose inputs have the shapes of `inputs`, which are compared by name, among entries of
/// several shapes. Returns "" if the model has no such entries or none fits.
std::string findFittingEntry(const nacre_model *model, const std::vector<Port> &inputs);

/// Sets `chosen` to the index of the entry that --entry names, or else of the first entry. If nacre-compile made it for
/// several shapes (`main@16`, `main@64`) and --entry names none of them, it is the one that fits the arrays of --input.
/// The failure lists the entries.
Outcome chooseEntry(std::vector<EntryInputs> &entries, const Options &options, size_t &chosen);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_ENTRYCHOICE_H
