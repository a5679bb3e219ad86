// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  pipelines are kept in a folder that the app names, one file for each model and device.
// Why:   drivers take seconds to make them; and files in a folder may be old, damaged or somebody else's.
// How:   sessions of the hand-made model, one after the other, on files as they were left and as they should not be.

#include "test/runtime/TempFolder.h"
#include "test/runtime/gpu_vulkan/GpuSession.h"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

namespace nacre::test {
namespace {

struct GpuCacheTest : GpuSession {
  GpuCacheTest() { options.cache_folder = folder.c_str(); }

  std::vector<std::filesystem::path> files() {
    std::vector<std::filesystem::path> found;
    for (const auto &file : std::filesystem::directory_iterator(folder))
      found.push_back(file.path());
    return found;
  }

  TempFolder temporary;
  std::string folder = temporary.path();
};

TEST_F(GpuCacheTest, KeepsPipelinesInOneFile) {
  for (int iteration = 0; iteration < 2; ++iteration) {
    ASSERT_EQ(create(), NACRE_OK) << reason;
    runAndCheck();
    destroy();
    ASSERT_EQ(files().size(), 1u);
  }
  const auto written = std::filesystem::last_write_time(files()[0]);
  ASSERT_EQ(create(), NACRE_OK) << reason;
  destroy();
  EXPECT_EQ(std::filesystem::last_write_time(files()[0]), written) << "nothing was new";
}

// The compiler's hash alone tells one model's code from another's: create need not read it all.
TEST_F(GpuCacheTest, KeepsOneFileForEachHash) {
  ASSERT_EQ(create(), NACRE_OK) << reason;
  destroy();
  toy.kernels[3].gpu = &toy.addAnywhere;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  destroy();
  EXPECT_EQ(files().size(), 1u);
  ++toy.table.gpu_code_hash;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  runAndCheck();
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(GpuCacheTest, PassesOverADamagedFile) {
  ASSERT_EQ(create(), NACRE_OK) << reason;
  destroy();
  const std::filesystem::path path = files()[0];
  const uintmax_t size = std::filesystem::file_size(path);
  for (uintmax_t at : {uintmax_t(0), uintmax_t(40), size - 1}) { // the magic, the code's hash, the data
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.put('\x5a');
    file.close();
    ASSERT_EQ(create(), NACRE_OK) << reason;
    runAndCheck();
    destroy();
  }
  std::filesystem::resize_file(path, size / 2);
  ASSERT_EQ(create(), NACRE_OK) << reason;
  runAndCheck();
  destroy();
  EXPECT_EQ(std::filesystem::file_size(path), size) << "the file is whole again";
}

// Opening a pipe waits for its other end.
TEST_F(GpuCacheTest, ReplacesAPipeAtOnce) {
  ASSERT_EQ(create(), NACRE_OK) << reason;
  destroy();
  const std::filesystem::path path = files()[0];
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  ASSERT_EQ(create(), NACRE_OK) << reason;
  runAndCheck();
  destroy();
  EXPECT_TRUE(std::filesystem::is_regular_file(path));
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(GpuCacheTest, KeepsFilesInAFolderWithALongPath) {
  std::string deep = folder;
  while (deep.size() < 3000)
    deep += "/" + std::string(200, 'd');
  std::filesystem::create_directories(deep);
  options.cache_folder = deep.c_str();
  ASSERT_EQ(create(), NACRE_OK) << reason;
  folder.swap(deep);
  ASSERT_EQ(files().size(), 1u);
  EXPECT_EQ(files()[0].extension(), ".pipelines");
  folder.swap(deep);
}

TEST_F(GpuCacheTest, WritesNothingWhereThePathIsTooLong) {
  const std::string deep = folder + "/" + std::string(5000, 'd');
  options.cache_folder = deep.c_str();
  ASSERT_EQ(create(), NACRE_OK) << reason;
  runAndCheck();
  EXPECT_TRUE(files().empty());
}

TEST_F(GpuCacheTest, DoesWithoutAFolderThatIsNotThere) {
  const std::string absent = folder + "/absent";
  options.cache_folder = absent.c_str();
  ASSERT_EQ(create(), NACRE_OK) << reason;
  runAndCheck();
}

} // namespace
} // namespace nacre::test
