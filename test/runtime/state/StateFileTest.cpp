// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  states as objects of their own: copied, stored in panels, saved and loaded, and files that are damaged, of
//        others, or of other models. StateSaveTest.cpp has where they are saved.
// Why:   what was trained must not be lost, and must never be half of one thing and half of another.
// How:   the toy model with more to keep; damage by hand, all of it.

#include "runtime/src/state/stored.h"
#include "test/runtime/state/SavedState.h"

#include <algorithm>
#include <cstring>

namespace nacre::test {
namespace {

class StateFileTest : public SavedState {};

TEST_F(StateFileTest, PanelsAreWhereKernelsReadThem) {
  const nacre_variable &conv = made["conv/w"];
  ASSERT_EQ(conv.stored_bytes, 384u);
  float model[6][3][2][2], panels[2][2 * 2 * 3][4], back[6][3][2][2];
  for (int i = 0; i < 72; ++i)
    (&model[0][0][0][0])[i] = float(i + 1);
  runtime::copy_stored(made.toy.table, conv, reinterpret_cast<char *>(panels), reinterpret_cast<char *>(model), true);
  for (int oc = 0; oc < 8; ++oc)
    for (int row = 0; row < 12; ++row)
      EXPECT_EQ(panels[oc / 4][row][oc % 4], oc < 6 ? model[oc][row % 3][row / 6][row / 3 % 2] : 0);
  runtime::copy_stored(made.toy.table, conv, reinterpret_cast<char *>(panels), reinterpret_cast<char *>(back), false);
  EXPECT_TRUE(std::equal(&model[0][0][0][0], &model[0][0][0][0] + 72, &back[0][0][0][0]));

  uint16_t gates[3][12], stored[2][3][2][4]; // two groups, of each two parts of 3 columns side by side
  for (int i = 0; i < 36; ++i)
    (&gates[0][0])[i] = uint16_t(i + 1);
  ASSERT_EQ(made["gates"].stored_bytes, sizeof stored);
  runtime::copy_stored(made.toy.table, made["gates"], reinterpret_cast<char *>(stored), reinterpret_cast<char *>(gates),
                       true);
  for (int group = 0; group < 2; ++group)
    for (int row = 0; row < 3; ++row)
      for (int part = 0; part < 2; ++part)
        for (int lane = 0; lane < 4; ++lane)
          EXPECT_EQ(stored[group][row][part][lane], lane < 3 ? gates[row][(group * 2 + part) * 3 + lane] : 0);
}

TEST_F(StateFileTest, DamagedRowsAreRefused) {
  const auto refuses = [&](auto &field, auto value) {
    const auto before = field;
    field = value;
    nacre_state *none = nullptr;
    EXPECT_EQ(nacre_state_create(made.model(), nullptr, &none), NACRE_UNSUPPORTED);
    field = before;
  };
  nacre_variable &conv = made["conv/w"];
  refuses(conv.element_bytes, uint64_t(0));
  refuses(conv.element_bytes, uint64_t(8));
  refuses(conv.stored_bytes, uint64_t(380));
  refuses(conv.tensor.bytes, uint64_t(287));
  refuses(conv.part_columns, 0u);
  refuses(conv.part_columns, 7u);
  refuses(conv.first_loop, UINT32_MAX);
  refuses(conv.first_loop, uint32_t(made.dims.size()));
  for (uint32_t count : {0u, 1u, 3u, 41u, UINT32_MAX, 1u << 31 | conv.loop_count})
    refuses(conv.loop_count, count);
  refuses(made["gates"].loop_count, made["gates"].loop_count - 1);
  for (uint32_t i = 0; i < 2 * conv.loop_count; ++i)
    for (int64_t value : {int64_t(-1), int64_t(0), int64_t(7), INT64_MAX})
      if (i % 2 == 0 || made.dims[conv.first_loop + i - 1] > 1) // else the stride says nothing
        refuses(made.dims[conv.first_loop + i], value);
  nacre_state *none = nullptr;
  EXPECT_EQ(nacre_state_create(made.model(), nullptr, &none), NACRE_OK);
  nacre_state_destroy(none);
}

TEST_F(StateFileTest, IsLoadedAsItWasSaved) {
  saved();
  EXPECT_NE(all(state), all(other));
  ASSERT_EQ(nacre_state_load(other, path.c_str(), NACRE_STATE_ALL), NACRE_OK) << nacre_state_reason(other);
  EXPECT_EQ(all(state), all(other));
  EXPECT_EQ(names(), std::set<std::string>{"state.safetensors"});
  // And over a file that is there.
  fill(made.model(), state, 2);
  saved();
  ASSERT_EQ(nacre_state_load(other, path.c_str(), NACRE_STATE_ALL), NACRE_OK);
  EXPECT_EQ(all(state), all(other));
}

TEST_F(StateFileTest, RolesAreLoadedAlone) {
  saved();
  fill(made.model(), other, 7);
  const std::string before = all(other);
  ASSERT_EQ(nacre_state_load(other, path.c_str(), NACRE_STATE_WEIGHT | NACRE_STATE_STATISTIC), NACRE_OK);
  fill(made.model(), other, 7, NACRE_STATE_WEIGHT | NACRE_STATE_STATISTIC);
  EXPECT_EQ(all(other), before); // of the others nothing had changed
}

TEST_F(StateFileTest, WeightsLoadIntoEveryModelThatHasTheirNames) {
  const int64_t step = 41;
  uint32_t index = 0;
  ASSERT_EQ(nacre_state_find(state, "#step", &index), NACRE_OK);
  ASSERT_EQ(nacre_state_write(state, index, &step, sizeof step), NACRE_OK);
  const std::string bytes = saved(NACRE_STATE_WEIGHT | NACRE_STATE_MOMENT);
  EXPECT_NE(bytes.find("\"step\":\"41\""), std::string::npos);
  expectRefused(bytes, "the file must have 'total', but does not");
  made["mean"].role = NACRE_STATE_COUNTER; // of another training, so to speak
  made.describe();
  expectRefused(bytes, "other tensors or another optimizer", NACRE_STATE_WEIGHT | NACRE_STATE_MOMENT);
  writeFile(path, bytes);
  EXPECT_EQ(nacre_state_load(other, path.c_str(), NACRE_STATE_WEIGHT), NACRE_OK) << nacre_state_reason(other);
  made["conv/w"].tensor.name += 1;
  expectRefused(bytes, "but \"conv/w\" is not part of it", NACRE_STATE_WEIGHT);
}

TEST_F(StateFileTest, FilesOfOthersLoad) {
  // By plain JSON: other orders of keys, spaces, escapes, no checksum, elements of other roles.
  const std::string header =
      "{ \"turned\" : { \"shape\" : [2, 3] , \"data_offsets\" : [0, 48], \"dtype\" : \"F64\" } ,\n"
      "\"a \\\"name\\\" \\\\ \\u0001 \\u00e9\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[48,52]},"
      "\"__metadata__\":{\"format\":\"pt\"},\"x#m\":{\"dtype\":\"F99\",\"shape\":[],\"data_offsets\":[52,53]}}  ";
  const std::string data = std::string(48, 'a') + "bbbb" + "c";
  writeFile(path, withHeader(header, data));
  ASSERT_EQ(nacre_state_load(other, path.c_str(), NACRE_STATE_WEIGHT), NACRE_OK) << nacre_state_reason(other);
  EXPECT_NE(all(other).find(std::string(48, 'a')), std::string::npos);
  EXPECT_NE(all(other).find("bbbb"), std::string::npos);
  expectRefused(withHeader(header, data), "but \"x#m\" is not part of it", NACRE_STATE_WEIGHT | NACRE_STATE_MOMENT);
  expectRefused(withHeader(header, data.substr(1)), "do not follow each other", NACRE_STATE_WEIGHT);
  expectRefused(withHeader(header, data + "d"), "do not follow each other", NACRE_STATE_WEIGHT);
}

TEST_F(StateFileTest, WhatIsNoHeaderIsRefused) {
  const char *headers[] = {
      "",
      "{",
      "{}}",
      "[]",
      "{\"turned\"}",
      "{\"turned\":{}}",
      "{\"turned\":{\"dtype\":\"F64\"}}",
      "{\"turned\":[0]}",
      "{\"turned\":{\"dtype\":\"F64\",\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[0,48]}}",
      "{\"turned\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,48]}}",
      "{\"turned\":{\"dtype\":\"F64\",\"shape\":[3,2],\"data_offsets\":[0,48]}}",
      "{\"turned\":{\"dtype\":\"F64\",\"shape\":[2,3,1],\"data_offsets\":[0,48]}}",
      "{\"turned\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,48]}}",
      "{\"turned\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[48,0]}}",
      "{\"turned\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[0,48,48]}}",
      "{\"turned\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[0,99999999999999999999]}}",
      "{\"turned\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[0,48]},}",
      ("{\"turned\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[0,48]},"
       "\"turned\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[48,48]}}"),
      "{\"turned\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[0,48],\"more\":[]}}",
      "{\"turned\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[0,48]},\"__metadata__\":{\"crc32c\":\"0\"}}",
      "{\"turned\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[0,48]},\"__metadata__\":{\"crc32c\":3}}",
      "{\"\\ud800\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[0,48]}}",
      "{\"\\u00\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[0,48]}}",
      "{\"tur",
      "{\"\\",
      "{\"a\nb\":{}}"};
  for (const char *header : headers)
    expectRefused(withHeader(header, std::string(48, 'x')), "the file must", NACRE_STATE_WEIGHT);
  expectRefused("", "ends within its header");
  expectRefused(std::string(8, '\xff'), "ends within its header");
  expectRefused(withHeader(std::string((8 << 20) + 1, ' '), ""), "or is too long");
  EXPECT_EQ(nacre_state_load(other, folder.path("absent").c_str(), NACRE_STATE_ALL), NACRE_FAILED);
  EXPECT_STREQ(nacre_state_reason(other), "the file cannot be read: no such file or folder");
  EXPECT_NE(nacre_state_load(other, folder.path().c_str(), NACRE_STATE_ALL), NACRE_OK);
}

/// Checks the message word for word: the tensor that differs, its shape in the model, and its shape in the file.
TEST_F(StateFileTest, ReasonsSayWhatIsOtherThanInTheModel) {
  const auto reasonOf = [&](const std::string &bytes, uint32_t roles) {
    expectRefused(bytes, "the file must", roles);
    return std::string(nacre_state_reason(other));
  };
  const auto reasonOfHeader = [&](const std::string &rows) {
    return reasonOf(withHeader("{" + rows + "}", std::string(96, 'x')), NACRE_STATE_WEIGHT);
  };
  const std::string turned = "\"turned\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[0,48]}";
  const std::string expected = "the file must have \"turned\":{\"dtype\":\"F64\",\"shape\":[2,3]} once, but has ";
  for (const char *there : {"{\"dtype\":\"F64\",\"shape\":[3,2],\"data_offsets\":[0,48]}",
                            "{\"dtype\":\"I64\",\"shape\":[2,3],\"data_offsets\":[0,48]}",
                            "{\"data_offsets\":[0,96],\"shape\":[2, 3],\"dtype\":\"F64\"}"})
    EXPECT_EQ(reasonOfHeader("\"turned\":" + std::string(there)), expected + there);
  EXPECT_EQ(reasonOfHeader(turned + ",\"turned\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[48,96]}"),
            expected + "{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[48,96]}");
  EXPECT_EQ(reasonOfHeader("\"fc\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[0,48]}"),
            "the file must be of this model's state, but \"fc\" is not part of it");
  EXPECT_EQ(reasonOfHeader(turned),
            "the file must be a whole safetensors file, but its tensors do not follow each other to its end");

  std::string whole = saved(NACRE_STATE_WEIGHT | NACRE_STATE_MOMENT);
  EXPECT_EQ(reasonOf(whole, NACRE_STATE_ALL),
            "the file must have 'total', but does not; load only weights and statistics, or another file");
  EXPECT_EQ(reasonOf(whole.substr(0, whole.size() - 1), NACRE_STATE_ALL),
            "the file must be a whole safetensors file, but its tensors do not follow each other to its end");
  EXPECT_EQ(reasonOf(whole.substr(0, 200), NACRE_STATE_ALL),
            "the file must be a whole safetensors file, but it ends within its header, or is too long");
  EXPECT_EQ(reasonOf(withHeader("{\"turned\"}", ""), NACRE_STATE_ALL),
            "the file must be a whole safetensors file, but its header is damaged");
  made["mean"].role = NACRE_STATE_COUNTER;
  made.describe();
  EXPECT_EQ(reasonOf(whole, NACRE_STATE_WEIGHT | NACRE_STATE_MOMENT),
            "the file must be of this model's state, but its fingerprint differs: other tensors or another optimizer");
  whole.back() = static_cast<char>(whole.back() ^ 1);
  EXPECT_EQ(reasonOf(whole, NACRE_STATE_WEIGHT | NACRE_STATE_MOMENT),
            "the file must be a whole safetensors file, but its checksum does not match");
  // With a checksum that is none, and with none where there must be one.
  EXPECT_EQ(reasonOfHeader("\"__metadata__\":{\"crc32c\":\"0\"}," + turned.substr(0, turned.size() - 4) + "96]}"),
            expected + "{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[0,96]}");
  for (const char *metadata : {"{\"crc32c\":\"0\"}", "{\"crc32c\":\"00000000\"}", "{\"format\":\"nacre\"}",
                               "{\"format\":\"nacre\",\"crc32c\":[]}"})
    EXPECT_EQ(
        reasonOf(withHeader("{\"__metadata__\":" + std::string(metadata) + "," + turned + "}", std::string(48, 'x')),
                 NACRE_STATE_WEIGHT),
        "the file must be a whole safetensors file, but its checksum does not match");
}

/// Their elements lie where such elements may: a multiple of their size from the data's beginning, which is one of 64.
TEST_F(StateFileTest, TensorsAreAlignedInTheFile) {
  const std::string whole = saved();
  for (const auto &[name, size] :
       {std::pair("#step", 8), {"turned", 8}, {"conv/w", 4}, {"total", 4}, {"gates", 2}, {"mean", 2}}) {
    const size_t row = whole.find("\"" + std::string(name) + "\":");
    ASSERT_NE(row, std::string::npos) << name;
    const std::string key = "\"data_offsets\":[";
    EXPECT_EQ(std::stoul(whole.substr(whole.find(key, row) + key.size())) % static_cast<size_t>(size), 0u) << name;
  }
  uint64_t header = 0;
  std::memcpy(&header, whole.data(), sizeof header);
  EXPECT_EQ((header + 8) % 64, 0u);
}

TEST_F(StateFileTest, DamageIsFound) {
  const std::string whole = saved();
  const size_t header = whole.find(std::string("}}")) + 2;
  for (size_t bytes = 0; bytes < whole.size(); bytes += bytes < header ? 1 : 97)
    expectRefused(whole.substr(0, bytes), "the file");
  for (size_t at = 0; at < whole.size(); at += 31) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0xff);
    expectRefused(flipped, "the file");
  }
}

TEST_F(StateFileTest, IsCopied) {
  ASSERT_EQ(nacre_state_copy(state, other), NACRE_OK);
  EXPECT_EQ(all(state), all(other));
  StatefulModel another;
  nacre_state *foreign = nullptr;
  ASSERT_EQ(nacre_state_create(another.model(), nullptr, &foreign), NACRE_OK);
  EXPECT_EQ(nacre_state_copy(state, foreign), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(nacre_state_reason(foreign), "a state must be copied from an idle one of the same model");
  nacre_session_options options = nacre_session_options_default();
  options.state = foreign;
  char reason[256] = "";
  options.reason = reason;
  options.reason_capacity = sizeof reason;
  nacre_session *session = nullptr;
  EXPECT_EQ(nacre_session_create(made.model(), &options, &session), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(reason, "the options' state belongs to another model");
  nacre_state_destroy(foreign);
}

} // namespace
} // namespace nacre::test
