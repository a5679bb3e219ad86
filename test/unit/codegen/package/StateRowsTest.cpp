// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The description of a state in its file, as the runtime will write and compare it. Where elements lie is tested by
// copying some: test/runtime/state/StateFileTest.cpp.

#include "codegen/package/StateRows.h"

#include <gtest/gtest.h>

namespace nacre::package {
namespace {

/// Variables of one axis without their names.
struct State {
  std::vector<nacre_variable> variables;
  std::vector<int64_t> dims;
  std::string strings;

  void add(const std::string &name, nacre_element_type type, nacre_state_role role, int64_t extent, uint64_t bytes) {
    nacre_variable row = {};
    row.tensor.name = static_cast<uint32_t>(strings.size());
    row.tensor.element_type = type;
    row.tensor.rank = 1;
    row.tensor.first_dim = static_cast<uint32_t>(dims.size());
    row.tensor.bytes = bytes;
    row.role = role;
    strings += name + '\0';
    dims.push_back(extent);
    describeLoops(row, {extent}, {});
    variables.push_back(row);
  }
  StateFileTexts describe() {
    return describeFile(variables.data(), static_cast<uint32_t>(variables.size()), strings.data(), dims.data());
  }
};

TEST(StateRows, TextsAreJson) {
  State state;
  state.add("a \"b\" \\ \n \xc3\xa9", NACRE_F32, NACRE_STATE_WEIGHT, 3, 12);
  state.add("codes", NACRE_I4, NACRE_STATE_WEIGHT, 5, 3);
  const StateFileTexts texts = state.describe();
  EXPECT_EQ(texts.rows[0].text, "\"a \\\"b\\\" \\\\ \\u000a \xc3\xa9\":{\"dtype\":\"F32\",\"shape\":[3]");
  EXPECT_EQ(texts.rows[0].text.substr(texts.rows[0].type, 5), "\"F32\"");
  EXPECT_EQ(texts.rows[0].text.substr(texts.rows[0].shape), "[3]");
  EXPECT_EQ(texts.rows[1].text, "\"codes\":{\"dtype\":\"U8\",\"shape\":[3]"); // files have no such type: its bytes
  EXPECT_EQ(texts.head.find(NACRE_FILE_CHECKSUM NACRE_FILE_FINGERPRINT "\""), 0u);
  EXPECT_EQ(texts.head.size(), sizeof NACRE_FILE_CHECKSUM NACRE_FILE_FINGERPRINT + 17);
  EXPECT_EQ(texts.stepCounter, 0u);
}

TEST(StateRows, WideElementsAreFirstInTheFile) {
  State state;
  state.add("odd", NACRE_U8, NACRE_STATE_WEIGHT, 3, 3);
  state.add("half", NACRE_F16, NACRE_STATE_WEIGHT, 3, 6);
  state.add("single", NACRE_F32, NACRE_STATE_WEIGHT, 3, 12);
  state.add("#step", NACRE_I64, NACRE_STATE_COUNTER, 1, 8);
  state.add("even", NACRE_F32, NACRE_STATE_WEIGHT, 4, 16);
  const StateFileTexts texts = state.describe();
  std::vector<uint32_t> order;
  for (const nacre_variable &variable : state.variables)
    order.push_back(variable.in_file);
  EXPECT_EQ(order, (std::vector<uint32_t>{3, 4, 2, 1, 0}));
  EXPECT_EQ(texts.stepCounter, 4u);
  EXPECT_EQ(texts.head.substr(texts.head.size() - 9), ",\"step\":\"");
}

TEST(StateRows, TheFingerprintIsOfWhatAModelKeeps) {
  const auto headOf = [](auto change) {
    State state;
    state.add("w", NACRE_F32, NACRE_STATE_WEIGHT, 4, 16);
    state.add("w#m", NACRE_F32, NACRE_STATE_MOMENT, 4, 16);
    change(state);
    return state.describe().head;
  };
  const std::string head = headOf([](State &) {});
  EXPECT_EQ(head, headOf([](State &state) { std::swap(state.variables[0], state.variables[1]); }));
  EXPECT_NE(head, headOf([](State &state) { state.strings[0] = 'v'; }));
  EXPECT_NE(head, headOf([](State &state) { state.dims[1] = 2; }));
  EXPECT_NE(head, headOf([](State &state) { state.variables[1].role = NACRE_STATE_COUNTER; }));
  EXPECT_NE(head, headOf([](State &state) { state.variables[1].tensor.element_type = NACRE_I32; }));
  EXPECT_NE(head, headOf([](State &state) { state.variables.pop_back(); }));
}

/// The runtime's texts fit the buffer, with numbers of any length.
TEST(StateRows, TheBufferHasRoomForTheHeader) {
  State state;
  for (int i = 0; i < 50; ++i)
    state.add("w" + std::to_string(i), NACRE_F32, NACRE_STATE_WEIGHT, 1, 4);
  state.add("#step", NACRE_I64, NACRE_STATE_COUNTER, 1, 8);
  const StateFileTexts texts = state.describe();
  const std::string most = std::to_string(UINT64_MAX);
  std::string header = texts.head + most + "\"}";
  for (const StateFileTexts::Row &row : texts.rows)
    header += "," + row.text + ",\"data_offsets\":[" + most + "," + most + "]}";
  EXPECT_GE(texts.bufferBytes, 8 + header.size() + sizeof "}" + NACRE_ALIGNMENT);
  EXPECT_LE(texts.bufferBytes, 2 * header.size());
  // And for what is stored otherwise than in the model.
  nacre_variable &wide = state.variables.front();
  wide.tensor.bytes = 1 << 20;
  describeLoops(wide, {512, 512}, {{1, 0}});
  EXPECT_EQ(state.describe().bufferBytes, 1u << 20);
}

TEST(StateRows, WhatIsInTheModelsOrderIsOneElement) {
  nacre_variable row = {};
  row.tensor.bytes = 24;
  EXPECT_EQ(describeLoops(row, {2, 3}, {}), (std::vector<int64_t>{1, 0, 1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(row.stored_bytes, 24u);
  EXPECT_EQ(row.element_bytes, 24u);
  // Turned: two columns of three; no panels, which is one as wide as a row.
  EXPECT_EQ(describeLoops(row, {2, 3}, {{1, 0}}), (std::vector<int64_t>{1, 24, 1, 24, 3, 4, 1, 24, 2, 12}));
  EXPECT_EQ(row.stored_bytes, 24u);
  EXPECT_EQ(row.element_bytes, 4u);
  EXPECT_EQ(row.part_columns, 2u);
  row.tensor.bytes = 0;
  describeLoops(row, {0, 3}, {{1, 0}, 4});
  EXPECT_EQ(row.stored_bytes, 0u);
}

} // namespace
} // namespace nacre::package
