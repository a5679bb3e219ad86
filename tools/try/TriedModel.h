// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An opened library with a session, and its inputs and outputs.

#ifndef NACRE_TOOLS_TRY_TRIEDMODEL_H
#define NACRE_TOOLS_TRY_TRIEDMODEL_H

#include "runtime/inspect/library_check.h"
#include "tools/try/Options.h"

namespace nacre::tries {

/// A model under test. Its parts exist until the program ends.
struct TriedModel {
  const nacre_model *model = nullptr;
  nacre_library_facts facts;
  nacre_weights weights = {nullptr, 0, 0};
  nacre_session *session = nullptr;
  nacre_model_info info;
  uint32_t entryNumber = 0;
  nacre_entry_info entry;
  nacre_memory_info memory;
  double createdMs = 0;
  bool needsGpu = false;

  Status open(const char *path);
  Status create(Options &options);
  /// Fills the inputs that `words` name from files, and all others with generated values.
  Status fillInputs(int count, char **words);
  Status run();
  Status writeOutputs(const char *folder);
  void printOutputs();

private:
  Status openWeights(Options &options);
  Status readInput(const char *text);
  void printOutput(uint32_t index);
};

} // namespace nacre::tries

#endif // NACRE_TOOLS_TRY_TRIEDMODEL_H
