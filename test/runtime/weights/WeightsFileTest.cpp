// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  models whose weights are in a file: what is opened, used, replaced and refused.
// Why:   such a file comes over the air, and a wrong one must be an error, not a wrong answer.
// How:   the hand-made model without its weights, and files written byte by byte. That the compiler writes such files,
//        and computes the same hash, test/e2e/driver/weights_file_test.py checks.

#include "runtime/include/nacre/runtime.hpp"
#include "runtime/include/nacre/weights_format.h"
#include "runtime/src/weights/content_hash.h"
#include "test/runtime/RuntimeSlots.h"
#include "test/runtime/TempFolder.h"
#include "test/runtime/ToyModel.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <vector>

namespace nacre::test {
namespace {

constexpr uint64_t kLayout = 0x1234567890abcdef;

class WeightsFileTest : public testing::Test {
protected:
  WeightsFileTest() {
    std::memcpy(scale.data(), toy.scale, sizeof toy.scale);
    std::memset(toy.scale, 0, sizeof toy.scale);
    toy.table.weights_data = nullptr;
    toy.table.weights_layout = kLayout;
    toy.table.head.functions = &kSlots<true, true>.functions;
  }

  /// A file that fits, with these numbers as weights.
  std::vector<char> fileOf(const std::vector<float> &numbers) const {
    const size_t bytes = numbers.size() * sizeof(float);
    std::vector<char> file(sizeof(nacre_weights_header) + bytes);
    nacre_weights_header header = {};
    std::memcpy(header.magic, NACRE_WEIGHTS_MAGIC, sizeof header.magic);
    header.version = NACRE_WEIGHTS_VERSION;
    header.bytes = file.size();
    header.layout = kLayout;
    std::strcpy(header.model, "toy");
    std::memcpy(file.data(), &header, sizeof header);
    std::memcpy(file.data() + sizeof header, numbers.data(), bytes);
    seal(file);
    return file;
  }

  static void seal(std::vector<char> &file) {
    const size_t from = offsetof(nacre_weights_header, layout);
    const uint64_t hash = runtime::ContentHash::of(file.data() + from, file.size() - from);
    std::memcpy(file.data() + offsetof(nacre_weights_header, hash), &hash, sizeof hash);
  }

  std::string write(const std::vector<char> &bytes, const std::string &name = "toy.weights") const {
    std::ofstream(folder.path(name), std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
    return folder.path(name);
  }

  /// The first output of a run with x[1] = 1, which is the weight there, plus 1, or 0 below that.
  float answer(const Weights &weights) {
    nacre_session_options options = nacre_session_options_default();
    weights.add_to(options);
    Session session;
    EXPECT_EQ(session.create(*toy.model(), options), NACRE_OK) << session.reason();
    if (!session)
      return -1;
    session.input<float>("x")[1] = 1;
    EXPECT_EQ(session.run(), NACRE_OK);
    return session.output<float>("y")[1];
  }

  /// Returns the reason why a file of these bytes is refused.
  std::string refusal(const std::vector<char> &bytes) {
    Weights weights;
    EXPECT_EQ(weights.open(*toy.model(), write(bytes).c_str()), NACRE_BAD_ARGUMENT);
    EXPECT_FALSE(weights);
    return weights.reason();
  }

  TempFolder folder;
  ToyModel toy;
  std::vector<float> scale = std::vector<float>(kColumns);
};

TEST_F(WeightsFileTest, IsUsedAndReplaced) {
  Weights weights;
  ASSERT_EQ(weights.open(*toy.model(), write(fileOf(scale)).c_str()), NACRE_OK) << weights.reason();
  EXPECT_EQ(answer(weights), scale[1] + 1);
  const uint64_t first = weights.hash();

  scale[1] = 41;
  ASSERT_EQ(weights.open(*toy.model(), write(fileOf(scale), "next.weights").c_str()), NACRE_OK);
  EXPECT_EQ(answer(weights), 42);
  EXPECT_NE(weights.hash(), first);
}

TEST_F(WeightsFileTest, KeepsTheOldOneIfTheNewOneIsWrong) {
  Weights weights;
  ASSERT_EQ(weights.open(*toy.model(), write(fileOf(scale)).c_str()), NACRE_OK);
  EXPECT_EQ(weights.open(*toy.model(), folder.path("absent").c_str()), NACRE_FAILED);
  EXPECT_STREQ(weights.reason(), "the weights file cannot be read: no such file or folder");
  EXPECT_EQ(weights.open(*toy.model(), folder.path().c_str()), NACRE_FAILED);
  EXPECT_STREQ(weights.reason(), "the weights file cannot be read: it is not a regular file");
  EXPECT_EQ(answer(weights), scale[1] + 1);
}

TEST_F(WeightsFileTest, MayBeRemovedWhileItIsUsed) {
  Weights weights;
  const std::string path = write(fileOf(scale));
  ASSERT_EQ(weights.open(*toy.model(), path.c_str()), NACRE_OK);
  ASSERT_EQ(remove(path.c_str()), 0);
  EXPECT_EQ(answer(weights), scale[1] + 1);
}

TEST_F(WeightsFileTest, NamesWhatIsWrong) {
  std::vector<char> file = fileOf(scale), changed = file;
  const std::string size = std::to_string(file.size());
  const std::string incomplete = ": it is incomplete; copy or download it again";

  EXPECT_EQ(refusal({}), "the weights file must have " + size + " bytes, but has 0" + incomplete);
  changed.resize(100);
  EXPECT_EQ(refusal(changed), "the weights file must have " + size + " bytes, but has 100" + incomplete);
  changed = file;
  changed.resize(file.size() - 32);
  EXPECT_EQ(refusal(changed),
            "the weights file must have " + size + " bytes, but has " + std::to_string(changed.size()) + incomplete);
  changed.resize(file.size() + 1);
  EXPECT_EQ(refusal(changed),
            "the weights file must have " + size + " bytes, but has " + std::to_string(changed.size()) + incomplete);

  EXPECT_EQ(refusal(std::vector<char>(1000, 'x')),
            "the weights file must be written by nacre-compile --weights-in=file, but is another kind of file");

  changed = file;
  changed[offsetof(nacre_weights_header, version)] = 2;
  EXPECT_EQ(refusal(changed), "the weights file must have version 1, but has version 2; write it with the Nacre that "
                              "compiled the library");

  changed = file;
  changed[offsetof(nacre_weights_header, layout)] ^= 1;
  std::strcpy(&changed[offsetof(nacre_weights_header, model)], "dogs");
  seal(changed);
  EXPECT_EQ(refusal(changed),
            "the weights file, of 'dogs', does not fit this library, of 'toy': the network, an option or "
            "the version of Nacre differs; use it with the library compiled with it");
}

TEST_F(WeightsFileTest, FindsEveryChangedByte) {
  const std::vector<char> file = fileOf(scale);
  for (size_t at = 0; at < file.size(); ++at) {
    if (at / sizeof(uint32_t) == offsetof(nacre_weights_header, reserved) / sizeof(uint32_t))
      continue;
    std::vector<char> changed = file;
    changed[at] ^= 0x40;
    EXPECT_NE(refusal(changed), "") << at;
  }
}

TEST_F(WeightsFileTest, WithoutEndOfItsNameIsRefusedWithinIt) {
  std::vector<char> changed = fileOf(scale);
  changed[offsetof(nacre_weights_header, layout)] ^= 1;
  std::memset(&changed[offsetof(nacre_weights_header, model)], 'n', sizeof(nacre_weights_header::model));
  EXPECT_NE(refusal(changed).find("the weights file, of 'nnnn"), std::string::npos);
}

TEST_F(WeightsFileTest, CreateLooksAtTheHead) {
  nacre_session_options options = nacre_session_options_default();
  Session session;
  EXPECT_EQ(session.create(*toy.model(), options), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(session.reason(),
               "the weights of 'toy' are in a file that nacre-compile wrote with the library: open it, and "
               "pass it in the session's options");
  alignas(NACRE_ALIGNMENT) char memory[1024] = {};
  options.weights = memory;
  options.weights_bytes = sizeof memory;
  EXPECT_EQ(session.create(*toy.model(), options), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(session.reason(),
               "the weights file must be written by nacre-compile --weights-in=file, but is another kind of file");
  nacre_state *state = nullptr;
  EXPECT_EQ(nacre_state_create(toy.model(), &options, &state), NACRE_BAD_ARGUMENT);
}

TEST_F(WeightsFileTest, MayBeInMemoryOfTheApp) {
  const std::vector<char> file = fileOf(scale);
  alignas(NACRE_ALIGNMENT) char memory[1024];
  std::memcpy(memory, file.data(), file.size());
  char reason[256] = "";
  ASSERT_EQ(nacre_weights_check(toy.model(), memory, file.size(), reason, sizeof reason), NACRE_OK) << reason;
  nacre_session_options options = nacre_session_options_default();
  options.weights = memory;
  options.weights_bytes = file.size();
  Session session;
  EXPECT_EQ(session.create(*toy.model(), options), NACRE_OK) << session.reason();

  memory[file.size() - 1] ^= 1;
  EXPECT_EQ(nacre_weights_check(toy.model(), memory, file.size(), reason, sizeof reason), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(reason,
               "the weights file is damaged: its contents do not have the hash that it names; copy or download it "
               "again");
  EXPECT_EQ(nacre_weights_check(toy.model(), memory + 32, file.size(), nullptr, 0), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_weights_check(toy.model(), memory + 32, file.size(), reason, sizeof reason), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(reason,
               "the weights file must be in memory aligned to 64 bytes, but is not; use nacre_weights_open, or copy "
               "it");
}

TEST_F(WeightsFileTest, GivesStatesTheirInitialValues) {
  toy.variables[0].initial = 1;
  Weights weights;
  ASSERT_EQ(weights.open(*toy.model(), write(fileOf(scale)).c_str()), NACRE_OK);
  nacre_session_options options = nacre_session_options_default();
  weights.add_to(options);
  nacre_state *state = nullptr;
  ASSERT_EQ(nacre_state_create(toy.model(), &options, &state), NACRE_OK);
  std::vector<float> values(kColumns);
  EXPECT_EQ(nacre_state_read(state, 0, values.data(), kColumns * sizeof(float)), NACRE_OK);
  EXPECT_EQ(values, scale);
  nacre_state_destroy(state);
}

TEST(WeightsFile, IsRefusedByAModelWithItsWeightsInside) {
  ToyModel toy;
  EXPECT_FALSE(nacre_weights_are_apart(toy.model()));
  Weights weights;
  EXPECT_EQ(weights.open(*toy.model(), "toy.weights"), NACRE_UNSUPPORTED);
  EXPECT_EQ(nacre_weights_open(toy.model(), nullptr, nullptr, nullptr, 0), NACRE_BAD_ARGUMENT);
}

// As LLVM computes it, which the compiler uses: XXH64 of the bytes 0, 1, 2, ... with seed 0.
TEST(ContentHash, IsXxh64) {
  std::vector<char> bytes(64);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = char(i);
  EXPECT_EQ(runtime::ContentHash::of(bytes.data(), 32), 0xcbf59c5116ff32b4);
  EXPECT_EQ(runtime::ContentHash::of(bytes.data(), 64), 0xf7c67301db6713f0);
}

} // namespace
} // namespace nacre::test
