// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  two states of a model, and a file that one of them is saved to.

#ifndef NACRE_TEST_RUNTIME_STATE_SAVEDSTATE_H
#define NACRE_TEST_RUNTIME_STATE_SAVEDSTATE_H

#include "test/runtime/TempFolder.h"
#include "test/runtime/state/StatefulModel.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <set>

namespace nacre::test {

class SavedState : public testing::Test {
protected:
  SavedState() {
    EXPECT_EQ(nacre_state_create(made.model(), nullptr, &state), NACRE_OK);
    EXPECT_EQ(nacre_state_create(made.model(), nullptr, &other), NACRE_OK);
    fill(made.model(), state, 1);
  }
  ~SavedState() override {
    nacre_state_destroy(state);
    nacre_state_destroy(other);
  }

  std::set<std::string> names() {
    std::set<std::string> found;
    for (const auto &file : std::filesystem::directory_iterator(folder.path()))
      found.insert(file.path().filename());
    return found;
  }
  std::string all(nacre_state *of) { return contents(made.model(), of); }
  /// Expects that loading these bytes fails for the reason `why` and changes nothing.
  void expectRefused(const std::string &bytes, const std::string &why, uint32_t roles = NACRE_STATE_ALL) {
    const std::string before = all(other);
    writeFile(path, bytes);
    EXPECT_NE(nacre_state_load(other, path.c_str(), roles), NACRE_OK) << bytes.substr(0, 200);
    EXPECT_NE(std::string(nacre_state_reason(other)).find(why), std::string::npos) << nacre_state_reason(other);
    EXPECT_TRUE(all(other) == before);
  }
  std::string saved(uint32_t roles = NACRE_STATE_ALL) {
    EXPECT_EQ(nacre_state_save(state, path.c_str(), roles), NACRE_OK) << nacre_state_reason(state);
    return readFile(path);
  }
  static std::string withHeader(const std::string &header, const std::string &data) {
    const uint64_t bytes = header.size();
    return std::string(reinterpret_cast<const char *>(&bytes), 8) + header + data;
  }

  StatefulModel made;
  nacre_state *state = nullptr, *other = nullptr;
  TempFolder folder;
  std::string path = folder.path("state.safetensors");
  unsigned seed = 1;
};

} // namespace nacre::test

#endif // NACRE_TEST_RUNTIME_STATE_SAVEDSTATE_H
