// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same for CNNdroid's networks, which are lines of text.
//
// How:  one to four changes, each of one line: another value, the line of another place, one line more, or one less.

#include "test/fuzz/MutateModel.h"
#include "test/fuzz/RandomChoice.h"

#include <sstream>
#include <vector>

std::string mutateModel(const std::string &bytes, uint32_t seed) {
  static const char *const values[] = {"0",
                                       "1",
                                       "-1",
                                       "2147483647",
                                       "9223372036854775807",
                                       "4",
                                       "0.5",
                                       "1e38",
                                       "\"max\"",
                                       "\"ave\"",
                                       "\"ReLU\"",
                                       "\"LRN\"",
                                       "\"Softmax\"",
                                       "\"FullyConnected\"",
                                       "\"Convolution\"",
                                       "\"Pooling\"",
                                       "\"Accuracy\"",
                                       "\"conv.msg\"",
                                       "\"fc.msg\"",
                                       "\"../fc.msg\""};
  std::vector<std::string> lines;
  std::istringstream text(bytes);
  for (std::string line; std::getline(text, line);)
    lines.push_back(line);
  RandomChoice random(seed);
  for (size_t changes = 1 + random.below(4); changes && !lines.empty(); --changes) {
    const size_t at = random.below(lines.size());
    const std::string other = random.pick(lines);
    const size_t colon = lines[at].find(':');
    switch (random.below(5)) {
    case 0:
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), other);
      break;
    case 1:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 2:
      lines[at] = other;
      break;
    default:
      if (colon != std::string::npos)
        lines[at] = lines[at].substr(0, colon + 1) + " " + random.pick(values);
    }
  }
  std::string result;
  for (const std::string &line : lines)
    result += line + "\n";
  return result;
}
