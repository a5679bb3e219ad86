// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the hand-made model with a loop that never ends, as a .so.
// Why:   nacre-run is asked to end it.
// How:   as toy_library.cpp.

#include "test/runtime/ToyModel.h"

static nacre_model_table makeLooping() {
  static nacre::test::ToyModel looping;
  looping.loopWhile();
  return looping.table;
}

extern "C" {
extern nacre_model_table nacre_model_looping;
__attribute__((visibility("default"))) nacre_model_table nacre_model_looping = makeLooping();
}
