// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the tables of functions of hand-made models.
// Why:   a hand-made model links the features that it needs, as a compiled one does.
// How:   like codegen/package/RuntimeSlots.cpp, but when C++ is compiled. A program links only the features that it
//        names.

#ifndef NACRE_TEST_RUNTIME_RUNTIMESLOTS_H
#define NACRE_TEST_RUNTIME_RUNTIMESLOTS_H

#include "runtime/src/slot_functions.h"

namespace nacre::test {

constexpr runtime::Slots makeSlots(bool hasVariables, bool weightsApart, bool hasGpuCode, uint32_t entries,
                                   uint32_t limits) {
  using namespace nacre::runtime;
  nacre_model_table model = {};
  model.variable_count = hasVariables;
  model.weights_layout = weightsApart;
  model.gpu_code_hash = hasGpuCode;
  model.entry_count = entries;
  model.limit_count = limits;
  runtime::Slots slots = {};
  slots.functions.struct_size = sizeof(nacre_functions);
  slots.functions.api_version = NACRE_API_VERSION;
  bool isLinked = false;
#define NACRE_FEATURE(name, condition) isLinked = condition;
#define NACRE_SLOT(slot, name)                                                                                         \
  if (isLinked)                                                                                                        \
    slots.slot = &name;
#include "runtime/features.def"
  return slots;
}

/// The tables of models with two entries, as ToyModel has, unless they say otherwise.
template <bool HasVariables, bool WeightsApart = false, bool HasGpuCode = false, uint32_t Entries = 2,
          uint32_t Limits = 0>
inline constexpr runtime::Slots kSlots = makeSlots(HasVariables, WeightsApart, HasGpuCode, Entries, Limits);

} // namespace nacre::test

#endif // NACRE_TEST_RUNTIME_RUNTIMESLOTS_H
