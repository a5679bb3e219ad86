// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. compute differences of similar instructions; 2. find the cheapest sequence of literals and copies; 3. write
//        its tokens. The code only uses the standard library, because tests of the runtime, which are built without a
//        compiler, also pack shaders.

#include "codegen/package/PackGpuCode.h"
#include "runtime/include/nacre/model_format.h"

#include <algorithm>

namespace nacre::package {
namespace {

using Words = std::vector<uint32_t>;

//===----------------------------------------------------------------------===//
// 1. Differences
//===----------------------------------------------------------------------===//

/// Returns the differences between similar instructions. Words after the last valid instruction stay unchanged, because
/// the reader does not decode them as instructions.
Words differences(const uint32_t *words, size_t count) {
  Words result(words, words + count);
  size_t latest[NACRE_GPU_CODE_SLOTS] = {};
  uint32_t before = 0;
  for (size_t at = NACRE_GPU_CODE_HEAD; at < count;) {
    const size_t length = words[at] >> 16;
    if (length == 0 || length > count - at)
      break;
    size_t &like = latest[NACRE_GPU_CODE_SLOT(words[at], before)];
    for (size_t i = 1; like && i < length; ++i)
      result[at + i] -= words[like + i];
    before = words[at];
    like = at;
    at += length;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// 2. The cheapest way
//===----------------------------------------------------------------------===//

uint32_t withSignLast(uint32_t word) { return word << 1 ^ (word >> 31 ? UINT32_MAX : 0); }

uint32_t bytesOf(uint32_t number) {
  uint32_t bytes = 1;
  while (number >>= 7)
    ++bytes;
  return bytes;
}

/// Cost of an encoding of the first words up to some position, and the copy with which it ends.
struct Way {
  uint32_t bytes = UINT32_MAX / 2; ///< Size of all tokens so far, in bytes
  uint32_t length = 0;             ///< Length of the copy that ends here; 0 at the beginning
  uint32_t distance = 0;
};

/// Cheapest encodings that end with a copy and with a literal. Successive literals share a token, so a further literal
/// costs less.
struct Ways {
  Way copy, literal;
  bool literalIsFirst = false; ///< True if `literal` begins a run of literals
  uint32_t bytes() const { return std::min(copy.bytes, literal.bytes); }
};

/// Earlier positions at which the same two words begin, the latest first.
class Places {
public:
  explicit Places(const Words &words) : words(words), before(words.size(), kNone) {}

  template <typename Visitor> void visit(size_t at, Visitor visitor) {
    constexpr unsigned most = 8; // More positions save less than 1 %.
    uint32_t place = heads[slot(at)];
    for (unsigned i = 0; i < most && place != kNone && visitor(place); ++i)
      place = before[place];
  }
  void add(size_t at) {
    before[at] = heads[slot(at)];
    heads[slot(at)] = uint32_t(at);
  }

private:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr unsigned kSlotBits = 13;

  size_t slot(size_t at) const {
    return ((words[at] * 0x9E3779B1u) ^ (words[at + 1] * 0x85EBCA6Bu)) >> (32 - kSlotBits);
  }

  const Words &words;
  std::vector<uint32_t> before;
  std::vector<uint32_t> heads = std::vector<uint32_t>(size_t(1) << kSlotBits, kNone);
};

constexpr uint32_t kLongestCopy = 256; // A longer copy is divided.

/// Returns the cheapest encodings up to every position between words, including the beginning and the end.
std::vector<Ways> findWays(const Words &words) {
  std::vector<Ways> ways(words.size() + 1);
  ways[0].copy.bytes = 0;
  Places places(words);
  for (size_t at = 0; at < words.size(); ++at) {
    const uint32_t literal = bytesOf(withSignLast(words[at]));
    const bool isFirst = ways[at].copy.bytes + 1 <= ways[at].literal.bytes;
    ways[at + 1].literal.bytes = (isFirst ? ways[at].copy.bytes + 1 : ways[at].literal.bytes) + literal;
    ways[at + 1].literalIsFirst = isFirst;
    if (at + 1 == words.size())
      break;
    uint32_t longest = 1;
    const uint32_t most = uint32_t(std::min<size_t>(kLongestCopy, words.size() - at));
    places.visit(at, [&](uint32_t from) {
      uint32_t length = 0;
      while (length < most && words[from + length] == words[at + length])
        ++length;
      const uint32_t distance = uint32_t(at - from);
      const uint32_t bytes = ways[at].bytes() + bytesOf(distance - 1);
      for (; longest < length; ++longest) {
        Way &way = ways[at + longest + 1].copy;
        if (bytes + bytesOf(2 * longest + 1) < way.bytes)
          way = {bytes + bytesOf(2 * longest + 1), longest + 1, distance};
      }
      return longest < most;
    });
    places.add(at);
  }
  return ways;
}

//===----------------------------------------------------------------------===//
// 3. Tokens
//===----------------------------------------------------------------------===//

void append(std::vector<uint8_t> &bytes, uint32_t number) {
  for (uint32_t rest = bytesOf(number); rest-- > 0;)
    bytes.push_back(uint8_t((number >> 7 * rest & 127) | (rest ? 128 : 0)));
}

struct Run {
  size_t length;
  size_t distance; ///< Distance to the copied words; 0 for literals
};

std::vector<Run> runsOf(const std::vector<Ways> &ways) {
  std::vector<Run> runs;
  for (size_t at = ways.size() - 1; at > 0;) {
    if (const Way &copy = ways[at].copy; copy.bytes <= ways[at].literal.bytes) {
      runs.push_back({copy.length, copy.distance});
      at -= copy.length;
      continue;
    }
    const size_t end = at;
    while (!ways[at].literalIsFirst)
      --at;
    runs.push_back({end - --at, 0});
  }
  std::reverse(runs.begin(), runs.end());
  return runs;
}

} // namespace

std::vector<uint8_t> packGpuCode(const uint32_t *words, size_t count) {
  const Words different = differences(words, count);
  std::vector<uint8_t> bytes;
  size_t at = 0;
  for (const Run &run : runsOf(findWays(different))) {
    append(bytes, uint32_t(2 * (run.length - 1) + (run.distance ? 1 : 0)));
    if (run.distance)
      append(bytes, uint32_t(run.distance - 1));
    else
      for (size_t i = 0; i < run.length; ++i)
        append(bytes, withSignLast(different[at + i]));
    at += run.length;
  }
  return bytes;
}

} // namespace nacre::package
