// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the hand-made model as a .so, so that nacre-run can be tested without the compiler.
// Why:   its modes and exit codes are its own business, not a model's.
// How:   the table must be the symbol itself, so the model is copied into it when the library is loaded.

#include "test/runtime/ToyModel.h"

static nacre::test::ToyModel toy;

extern "C" {
extern nacre_model_table nacre_model_toy;
__attribute__((visibility("default"))) nacre_model_table nacre_model_toy = toy.table;
}
