// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which parts of the runtime a model links, for each combination of features.

#include "codegen/package/RuntimeSlots.h"
#include "gtest/gtest.h"
#include <set>
#include <string>

using namespace nacre;

namespace {

package::RuntimeSlots slotsOf(bool hasVariables, bool weightsApart, bool hasGpuCode) {
  nacre_model_table model = {};
  model.variable_count = hasVariables ? 3 : 0;
  model.weights_layout = weightsApart ? 0x1234 : 0;
  model.gpu_code_hash = hasGpuCode ? 0x5678 : 0;
  return package::runtimeSlots(model);
}

/// The symbol in a slot, without what all symbols begin with; "" if the slot is empty.
std::string symbolIn(const package::RuntimeSlots &slots, size_t offset) {
  auto found = slots.symbols.find(offset);
  if (found == slots.symbols.end())
    return "";
  const std::string symbol = found->second, prefix = "nacre_runtime_";
  EXPECT_EQ(symbol.substr(0, prefix.size()), prefix);
  return symbol.substr(prefix.size());
}

#define SYMBOL_IN(slot) symbolIn(slots, offsetof(runtime::Slots, slot))

TEST(RuntimeSlots, EachCombinationHasItsFeatures) {
  for (unsigned bits = 0; bits < 8; ++bits) {
    const bool hasVariables = bits & 1, weightsApart = bits & 2, hasGpuCode = bits & 4;
    SCOPED_TRACE(testing::Message() << "variables " << hasVariables << ", weights apart " << weightsApart
                                    << ", GPU code " << hasGpuCode);
    const package::RuntimeSlots slots = slotsOf(hasVariables, weightsApart, hasGpuCode);
    EXPECT_EQ(slots.table.functions.struct_size, sizeof(nacre_functions));
    EXPECT_EQ(slots.table.functions.api_version, uint32_t(NACRE_API_VERSION));
    EXPECT_EQ(SYMBOL_IN(functions.session_create), "session_create");

    EXPECT_EQ(SYMBOL_IN(functions.session_run), hasVariables ? "run_with_labels" : "session_run");
    EXPECT_EQ(SYMBOL_IN(functions.state), hasVariables ? "states" : "no_states");
    EXPECT_EQ(SYMBOL_IN(check_state), hasVariables ? "check_variables" : "check_no_variables");

    EXPECT_EQ(SYMBOL_IN(functions.weights), weightsApart ? "weights_files" : "");

    EXPECT_EQ(slots.hasEngine(), hasGpuCode);
    EXPECT_EQ(slots.bytes(), hasGpuCode ? sizeof(runtime::Slots) : offsetof(runtime::Slots, engine));
    const bool both = hasGpuCode && hasVariables;
    EXPECT_EQ(SYMBOL_IN(engine.start), hasGpuCode ? "start_gpu" : "");
    EXPECT_EQ(SYMBOL_IN(engine.run), both ? "run_with_state" : hasGpuCode ? "run_on_gpu" : "");
    EXPECT_EQ(SYMBOL_IN(engine.plan), both ? "plan_phases_and_state" : hasGpuCode ? "plan_phases" : "");
    EXPECT_EQ(SYMBOL_IN(engine.bring_state), both ? "bring_state" : "");
    EXPECT_EQ(SYMBOL_IN(engine.states), both ? "gpu_state_parts" : "");
  }
}

TEST(RuntimeSlots, OnlyModelsWithLimitsCompareSizes) {
  for (uint32_t limits : {0u, 3u}) {
    SCOPED_TRACE(testing::Message() << limits << " limits");
    nacre_model_table model = {};
    model.limit_count = limits;
    package::RuntimeSlots slots = package::runtimeSlots(model);
    EXPECT_EQ(SYMBOL_IN(functions.session_run), limits ? "run_within_limits" : "session_run");
    model.variable_count = 1;
    slots = package::runtimeSlots(model);
    EXPECT_EQ(SYMBOL_IN(functions.session_run), limits ? "run_within_limits" : "run_with_labels");
  }
}

TEST(RuntimeSlots, OnlyModelsWithSeveralEntriesCanSwitch) {
  for (uint32_t entries : {1u, 2u, 5u}) {
    SCOPED_TRACE(testing::Message() << entries << " entries");
    nacre_model_table model = {};
    model.entry_count = entries;
    const package::RuntimeSlots slots = package::runtimeSlots(model);
    EXPECT_EQ(SYMBOL_IN(functions.session_use), entries > 1 ? "use_entry" : "");
    EXPECT_EQ(SYMBOL_IN(functions.session_create), entries > 1 ? "create_with_entries" : "session_create");
    EXPECT_EQ(SYMBOL_IN(functions.session_memory), entries > 1 ? "memory_of_entries" : "session_memory");
    EXPECT_EQ(SYMBOL_IN(functions.session_destroy), entries > 1 ? "destroy_with_entries" : "session_destroy");
  }
}

/// Apps call every function without a look whether it is there. Only the weights' and the switch of the entry are asked
/// for.
TEST(RuntimeSlots, AppsFindEveryFunction) {
  for (unsigned bits = 0; bits < 8; ++bits) {
    const package::RuntimeSlots slots = slotsOf(bits & 1, bits & 2, bits & 4);
    for (size_t offset = offsetof(nacre_functions, model_describe); offset < sizeof(nacre_functions);
         offset += sizeof(void *)) {
      if (offset != offsetof(nacre_functions, weights) && offset != offsetof(nacre_functions, session_use)) {
        EXPECT_NE(symbolIn(slots, offset), "") << "at offset " << offset;
      }
    }
  }
}

} // namespace
