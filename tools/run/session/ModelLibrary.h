// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the .so of a compiled model. Apps name the model's symbol in their source, but nacre-run must find it. Messages
// about files that are not models, are damaged, or are for another machine are clearer than dlopen's. runtime/inspect
// checks the file and finds the symbol first.

#ifndef NACRE_TOOLS_RUN_SESSION_MODELLIBRARY_H
#define NACRE_TOOLS_RUN_SESSION_MODELLIBRARY_H

#include "runtime/include/nacre/runtime.h"
#include "tools/run/tensors/Failure.h"

namespace nacre::run {

class ModelLibrary {
public:
  ModelLibrary() = default;
  ModelLibrary(const ModelLibrary &) = delete;
  ModelLibrary &operator=(const ModelLibrary &) = delete;
  ~ModelLibrary();

  Outcome open(const std::string &path);

  const nacre_model *model = nullptr;
  std::string symbol;
  std::string buildId;  // in hexadecimal; empty if there is none
  size_t codeBytes = 0; // bytes of the executable segments

private:
  void *handle = nullptr;
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_MODELLIBRARY_H
