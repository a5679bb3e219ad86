// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of a file are read in order. If a word is a response file, it is read before the next word. The files that are
// being read are listed, so that a file that reads itself is an error.

#include "tools/ResponseFile.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace nacre::tools {
namespace {

constexpr std::string_view kSpaces = " \t\r\n\f\v";

/// Returns 0, or the system's error number.
int readFile(const std::string &path, std::string &text) {
  FILE *file = std::fopen(path.c_str(), "re");
  if (!file)
    return errno;
  char buffer[4096];
  while (size_t bytes = std::fread(buffer, 1, sizeof buffer, file))
    text.append(buffer, bytes);
  const int error = std::ferror(file) ? errno : 0;
  std::fclose(file);
  return error;
}

/// Adds `word`, or the words of the response file that it names, to `words`. Adds the files that were read to `files`.
/// Returns the problem, or "".
std::string addWord(const std::string &word, std::vector<std::string> &words, std::vector<std::string> &files,
                    std::vector<std::string> &reading) {
  if (word.size() < 2 || word[0] != '@') {
    words.push_back(word);
    return "";
  }
  const std::string path = word.substr(1);
  const std::string subject = "the options in '" + path + "'";
  if (std::find(reading.begin(), reading.end(), path) != reading.end())
    return subject + " must not name that file again";
  std::string text;
  if (const int error = readFile(path, text))
    return "cannot read " + subject + ": " + std::strerror(error) + "; a file whose name begins with @ is ./" + word;
  std::vector<std::string> found;
  if (!splitWords(text, found))
    return subject + " must end each quote that they begin, but one has no end";
  files.push_back(path);
  reading.push_back(path);
  for (const std::string &each : found)
    if (std::string problem = addWord(each, words, files, reading); !problem.empty())
      return problem;
  reading.pop_back();
  return "";
}

} // namespace

bool splitWords(std::string_view text, std::vector<std::string> &words) {
  std::string word;
  bool isWord = false; // needed for '', which is an empty word
  char quote = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (!quote && kSpaces.find(c) != kSpaces.npos) {
      if (isWord)
        words.push_back(std::move(word));
      word.clear();
      isWord = false;
      continue;
    }
    isWord = true;
    if (c == '\\' && at + 1 < text.size())
      word += text[++at];
    else if (quote ? c == quote : c == '\'' || c == '"')
      quote = quote ? 0 : c;
    else
      word += c;
  }
  if (isWord)
    words.push_back(std::move(word));
  return quote == 0;
}

Arguments::Arguments(int count, char **arguments, std::string &problem) {
  std::vector<std::string> reading;
  for (int i = 0; i < count && problem.empty(); ++i)
    if (i == 0)
      words.push_back(arguments[i]); // the name of a program may begin with @
    else
      problem = addWord(arguments[i], words, files, reading);
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
}

} // namespace nacre::tools
