// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/process/Process.h"
#include "tools/process/Interruption.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace nacre::tools {
namespace {

std::string readAll(int file) {
  std::string text;
  char part[4096];
  for (ssize_t bytes; (bytes = read(file, part, sizeof part)) != 0;)
    if (bytes > 0)
      text.append(part, size_t(bytes));
    else if (errno != EINTR)
      break;
  return text;
}

int waitFor(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return 127;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

std::string Finished::lastLine() const {
  const size_t last = said.find_last_not_of("\r\n");
  const std::string text = said.substr(0, last == said.npos ? 0 : last + 1);
  const size_t end = text.find_last_of('\n');
  return end == text.npos ? text : text.substr(end + 1);
}

Finished runProgram(const std::vector<std::string> &words, Says says) {
  const bool keepsOutput = says == Says::Kept;
  Finished finished;
  int ends[2] = {-1, -1};
  if (keepsOutput && pipe2(ends, O_CLOEXEC) != 0)
    return finished;
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (int stream : {STDOUT_FILENO, STDERR_FILENO})
    if (keepsOutput)
      posix_spawn_file_actions_adddup2(&actions, ends[1], stream);
  if (says == Says::ShownAsMessages)
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child;
  const int error = posix_spawn(&child, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (keepsOutput)
    close(ends[1]);
  if (error == 0) {
    endOnInterruption(child);
    if (keepsOutput)
      finished.said = readAll(ends[0]);
    finished.status = waitFor(child);
    endOnInterruption(0);
  } else {
    finished.said = std::strerror(error);
  }
  if (keepsOutput)
    close(ends[0]);
  return finished;
}

bool isExecutable(const std::string &path) {
  struct stat file{};
  return stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::string findInPath(const std::string &name) {
  const char *variable = std::getenv("PATH");
  const std::string folders = variable ? variable : "";
  for (size_t begin = 0; begin <= folders.size();) {
    const size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string path = folders.substr(begin, end - begin) + "/" + name;
    if (end > begin && isExecutable(path))
      return path;
    begin = end + 1;
  }
  return "";
}

std::string programFolder() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  const std::string program(path, length > 0 ? size_t(length) : 0);
  return program.substr(0, program.find_last_of('/'));
}

} // namespace nacre::tools
