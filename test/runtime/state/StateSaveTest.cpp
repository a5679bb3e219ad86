// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  where states are saved: over files, through links, with permissions, to other things than files, on disks that
//        are full.
// Why:   a save that fails must leave the file that was there, and no other file.

#include "test/runtime/state/SavedState.h"

#include <csignal>
#include <cstring>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace nacre::test {
namespace {

class StateSaveTest : public SavedState {};

TEST_F(StateSaveTest, AFileOfNothingIsNotSaved) {
  for (nacre_variable &variable : made.variables)
    if (variable.role == NACRE_STATE_STATISTIC)
      variable.role = NACRE_STATE_WEIGHT;
  EXPECT_EQ(nacre_state_save(state, path.c_str(), NACRE_STATE_STATISTIC), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(nacre_state_reason(state), "the model has no state of these roles");
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST_F(StateSaveTest, WhatCannotBeWrittenLeavesTheOldFile) {
  const std::string whole = saved();
  struct rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  for (rlim_t most : {rlim_t(0), rlim_t(100), rlim_t(whole.size() - 1)}) { // as a disk that is full
    const struct rlimit limit = {most, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const nacre_status status = nacre_state_save(state, path.c_str(), NACRE_STATE_ALL);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(status, NACRE_FAILED);
    EXPECT_STREQ(nacre_state_reason(state), "the file cannot be written: system error 27");
    EXPECT_EQ(readFile(path), whole);
    EXPECT_EQ(names(), std::set<std::string>{"state.safetensors"});
  }
  signal(SIGXFSZ, handler);
  EXPECT_EQ(nacre_state_save(state, folder.path("absent/state").c_str(), NACRE_STATE_ALL), NACRE_FAILED);
  EXPECT_STREQ(nacre_state_reason(state), "the file cannot be written: no such file or folder");
  EXPECT_EQ(nacre_state_save(state, "/proc/state", NACRE_STATE_ALL), NACRE_FAILED); // for root, too
  EXPECT_EQ(nacre_state_save(state, std::string(5000, 'x').c_str(), NACRE_STATE_ALL), NACRE_FAILED);
  EXPECT_STREQ(nacre_state_reason(state), "the file cannot be written: the name is too long");
  // A folder of another, where even root becomes nobody.
  const uid_t root = geteuid();
  ASSERT_EQ(chmod(folder.path().c_str(), 0555), 0);
  if (root != 0 || seteuid(65534) == 0) {
    EXPECT_EQ(nacre_state_save(state, path.c_str(), NACRE_STATE_ALL), NACRE_FAILED);
    EXPECT_STREQ(nacre_state_reason(state), "the file cannot be written: permission is denied");
    ASSERT_EQ(seteuid(root), 0);
  }
  chmod(folder.path().c_str(), 0700);
  EXPECT_EQ(readFile(path), whole);
  EXPECT_EQ(names(), std::set<std::string>{"state.safetensors"});
}

/// The link stays, and its target is replaced. A save never writes through links that an attacker puts next to it.
TEST_F(StateSaveTest, SymbolicLinksAreFollowed) {
  const std::string real = folder.path("real"), deep = folder.path("deep/er");
  ASSERT_TRUE(std::filesystem::create_directories(deep));
  ASSERT_EQ(symlink("deep/er/next", path.c_str()), 0); // relative to its folder
  ASSERT_EQ(symlink("../../real", (deep + "/next").c_str()), 0);
  const auto expectSaved = [&](const std::string &at) {
    fill(made.model(), state, ++seed);
    saved();
    EXPECT_TRUE(std::filesystem::is_symlink(path));
    EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(at))) << at;
    ASSERT_EQ(nacre_state_load(other, at.c_str(), NACRE_STATE_ALL), NACRE_OK) << nacre_state_reason(other);
    EXPECT_EQ(all(state), all(other));
  };
  expectSaved(real); // nothing was there
  expectSaved(real);
  EXPECT_EQ(names(), (std::set<std::string>{"deep", "real", "state.safetensors"}));
  ASSERT_EQ(unlink(path.c_str()), 0);
  ASSERT_EQ(symlink((deep + "/absolute").c_str(), path.c_str()), 0);
  expectSaved(deep + "/absolute");

  ASSERT_EQ(unlink(path.c_str()), 0);
  ASSERT_EQ(symlink("loop", path.c_str()), 0);
  ASSERT_EQ(symlink("state.safetensors", folder.path("loop").c_str()), 0);
  EXPECT_EQ(nacre_state_save(state, path.c_str(), NACRE_STATE_ALL), NACRE_FAILED);
  EXPECT_STREQ(nacre_state_reason(state), "the file cannot be written: system error 40"); // ELOOP
  EXPECT_EQ(names(), (std::set<std::string>{"deep", "loop", "real", "state.safetensors"}));
}

TEST_F(StateSaveTest, PermissionsStay) {
  const auto modeOf = [&] { return std::filesystem::status(path).permissions(); };
  const mode_t before = umask(027);
  saved();
  EXPECT_EQ(modeOf(), std::filesystem::perms(0640)); // a new file's, less the mask
  for (mode_t mode : {0600, 0644, 0666, 0400}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    saved();
    EXPECT_EQ(modeOf(), std::filesystem::perms(mode));
  }
  umask(before);
}

TEST_F(StateSaveTest, OnlyRegularFilesAreReadAndReplaced) {
  ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0666), 0);
  ASSERT_EQ(mkdir(folder.path("folder").c_str(), 0777), 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string bound = folder.path("socket");
  ASSERT_LT(bound.size(), sizeof address.sun_path);
  std::strcpy(address.sun_path, bound.c_str());
  const int socketFile = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(bind(socketFile, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
  ASSERT_EQ(symlink("/dev/zero", folder.path("device").c_str()), 0);
  const std::string before = all(state);
  const std::set<std::string> there = names();
  for (const char *name : {"pipe", "folder", "socket", "device"}) { // none of them waits for anybody
    const std::string at = folder.path(name);
    const auto type = std::filesystem::status(at).type();
    EXPECT_EQ(nacre_state_save(state, at.c_str(), NACRE_STATE_ALL), NACRE_FAILED) << name;
    EXPECT_STREQ(nacre_state_reason(state), "the file cannot be written: it is not a regular file") << name;
    EXPECT_EQ(nacre_state_load(state, at.c_str(), NACRE_STATE_ALL), NACRE_FAILED) << name;
    if (std::string(name) != "socket") { // which cannot even be opened
      EXPECT_STREQ(nacre_state_reason(state), "the file cannot be read: it is not a regular file") << name;
    }
    EXPECT_EQ(std::filesystem::status(at).type(), type) << name;
  }
  EXPECT_EQ(names(), there);
  EXPECT_EQ(all(state), before);
  close(socketFile);
}

} // namespace
} // namespace nacre::test
