// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text classification in C++: reads a text, prints its sentences, one a line.
//
// The network is NNSplit's, compiled into libsentence_net.so. It reads the bytes of UTF-8, so there is no vocabulary,
// and tells for each byte whether a sentence ends with it. It reads as many bytes as it was compiled for. A longer text
// is read in pieces, each from the beginning of a sentence. The rest of a piece after its last sentence belongs to the
// next piece.

#include "nacre/runtime.hpp"
#include "sentence_net.h"

#include <algorithm>
#include <cstdio>
#include <string>

namespace {

constexpr size_t kMargin = 5; // Zeros before and after a text, as in its training.

int explain(const char *reason) {
  fprintf(stderr, "sentences: %s\n", reason);
  return 1;
}

bool readText(FILE *file, std::string &text) {
  char part[4096];
  while (const size_t count = fread(part, 1, sizeof part, file))
    text.append(part, count);
  return ferror(file) == 0;
}

/// Prints a sentence without surrounding white space, or nothing if it is empty.
void print(const std::string &sentence) {
  const char *space = " \t\r\n";
  const size_t first = sentence.find_first_not_of(space);
  if (first != std::string::npos)
    printf("%s\n", sentence.substr(first, sentence.find_last_not_of(space) - first + 1).c_str());
}

/// Returns where to cut a piece in which no sentence ends: after its last word, or at least between two characters.
size_t lastBreak(const std::string &text, size_t begin, size_t count) {
  const size_t space = text.find_last_of(" \t\r\n", begin + count - 1);
  if (space != std::string::npos && space > begin)
    return space + 1 - begin;
  while (count > 1 && (uint8_t(text[begin + count]) & 0xc0) == 0x80)
    --count;
  return count;
}

int split(const std::string &text) {
  nacre::Session session;
  if (session.create(nacre_model_sentence_net) != NACRE_OK)
    return explain(session.reason());
  nacre_tensor_info input, output;
  uint8_t *bytes = session.input<uint8_t>(0u);
  const float *logits = session.output<float>(0u);
  if (!bytes || !logits || nacre_input_describe(&nacre_model_sentence_net, 0, 0, &input) != NACRE_OK ||
      nacre_output_describe(&nacre_model_sentence_net, 0, 0, &output) != NACRE_OK || input.bytes <= 2 * kMargin ||
      output.bytes != 2 * input.bytes * sizeof(float))
    return explain("the network must take more than ten bytes and return two floats for each");

  const size_t room = input.bytes - 2 * kMargin;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t count = std::min(room, text.size() - begin);
    std::fill_n(bytes, input.bytes, uint8_t(0));
    std::copy_n(text.data() + begin, count, bytes + kMargin);
    if (session.run() != NACRE_OK)
      return explain(session.reason());

    // The first of a byte's two numbers is for a sentence, the other for a word. The network finds an end wherever a
    // text breaks off.
    const bool is_last = begin + count == text.size();
    size_t done = 0;
    for (size_t i = 0; i < (is_last ? count : count - count / 8); ++i)
      if (logits[2 * (kMargin + i)] > 0) {
        print(text.substr(begin + done, i + 1 - done));
        done = i + 1;
      }
    if (is_last) {
      print(text.substr(begin + done));
      done = count;
    } else if (done == 0) {
      done = lastBreak(text, begin, count);
      print(text.substr(begin, done));
    }
    begin += done;
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s text.txt\n", argv[0]);
    return 2;
  }
  std::string text;
  FILE *file = fopen(argv[1], "rb");
  const bool is_read = file && readText(file, text);
  if (file)
    fclose(file);
  if (!is_read) {
    fprintf(stderr, "sentences: %s cannot be read\n", argv[1]);
    return 1;
  }
  return split(text);
}
