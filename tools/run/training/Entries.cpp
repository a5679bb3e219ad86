// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Entries.h.

#include "tools/run/training/Entries.h"
#include "tools/run/session/Text.h"

#include <cstring>

namespace nacre::run {

static std::string entryNames(const nacre_model *model) {
  std::string names;
  nacre_entry_info entry;
  for (uint32_t e = 0; nacre_entry_describe(model, e, &entry) == NACRE_OK; ++e)
    names += (names.empty() ? "" : ", ") + printableText(entry.name);
  return names;
}

bool hasEntry(const nacre_model *model, const char *name) {
  nacre_entry_info entry;
  for (uint32_t e = 0; nacre_entry_describe(model, e, &entry) == NACRE_OK; ++e)
    if (std::strcmp(entry.name, name) == 0)
      return true;
  return false;
}

Outcome refuseEntry(const nacre_model *model, const std::string &name) {
  return usageFailure("the model must have an entry '" + name + "', but has " + entryNames(model) +
                      "; compile it with nacre-compile --train" + (name == "accumulate" ? " --accumulate" : ""));
}

} // namespace nacre::run
