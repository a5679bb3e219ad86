// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the hand-made model with code for GPUs as a .so, for nacre-run.
// Why:   see toy_library.cpp.
// How:   see toy_library.cpp.

#include "test/runtime/gpu_vulkan/GpuToyModel.h"

static nacre::test::GpuToyModel toy;

extern "C" {
extern nacre_model_table nacre_model_gpu_toy;
__attribute__((visibility("default"))) nacre_model_table nacre_model_gpu_toy = toy.table;
}
