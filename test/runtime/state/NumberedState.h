// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a state that is made of a number, which it has.
// Why:   what a file holds must be what one saver saved, and nothing mixed of two.
// How:   the number seeds all bytes of the state; a loaded state is compared with the bytes of its number.

#ifndef NACRE_TEST_RUNTIME_STATE_NUMBEREDSTATE_H
#define NACRE_TEST_RUNTIME_STATE_NUMBEREDSTATE_H

#include "test/runtime/state/StatefulModel.h"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace nacre::test {

/// A folder of one file, gone with it.
class FolderOfOneFile {
public:
  FolderOfOneFile(const std::string &in, const std::string &file) : folder(in + "/nacre-XXXXXX"), file(file) {
    if (!mkdtemp(folder.data()))
      std::abort();
  }
  FolderOfOneFile(const FolderOfOneFile &) = delete;
  FolderOfOneFile &operator=(const FolderOfOneFile &) = delete;
  ~FolderOfOneFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  std::string path() const { return folder + "/" + file; }
  /// Returns the files next to it that no saver makes, or, unless `wereKilled`, leaves.
  int countStrangers(bool wereKilled) const {
    int strangers = 0;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename();
      strangers += name != file && !(wereKilled && name.rfind(file + ".new-", 0) == 0);
    }
    return strangers;
  }

private:
  std::string folder, file;
};

class NumberedState {
public:
  explicit NumberedState(const StatefulModel &of) : model(of.model()) {
    if (nacre_state_create(model, nullptr, &state) != NACRE_OK ||
        nacre_state_create(model, nullptr, &expected) != NACRE_OK)
      std::abort();
  }
  NumberedState(const NumberedState &) = delete;
  NumberedState &operator=(const NumberedState &) = delete;
  ~NumberedState() {
    nacre_state_destroy(state);
    nacre_state_destroy(expected);
  }

  void make(int64_t number) { make(state, number); }
  bool save(const char *path) { return nacre_state_save(state, path, NACRE_STATE_ALL) == NACRE_OK; }
  /// The number that the file was saved with; -1 if it cannot be loaded, or is not what that number makes.
  int64_t load(const char *path) {
    if (nacre_state_load(state, path, NACRE_STATE_ALL) != NACRE_OK)
      return -1;
    int64_t number = -1;
    uint32_t index = 0;
    nacre_state_find(state, "#step", &index);
    nacre_state_read(state, index, &number, sizeof number);
    make(expected, number);
    return contents(model, state) == contents(model, expected) ? number : -1;
  }
  const char *reason() const { return nacre_state_reason(state); }

private:
  void make(nacre_state *of, int64_t number) {
    uint32_t index = 0;
    fill(model, of, static_cast<unsigned>(number));
    nacre_state_find(of, "#step", &index);
    nacre_state_write(of, index, &number, sizeof number);
  }

  const nacre_model *model;
  nacre_state *state = nullptr, *expected = nullptr;
};

} // namespace nacre::test

#endif // NACRE_TEST_RUNTIME_STATE_NUMBEREDSTATE_H
