// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random choices for the classes that change models. Equal seeds give equal choices.

#ifndef NACRE_TEST_FUZZ_RANDOMCHOICE_H
#define NACRE_TEST_FUZZ_RANDOMCHOICE_H

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>

class RandomChoice {
public:
  explicit RandomChoice(uint32_t seed) : random(seed) {}

  /// Draws a number below `end`.
  size_t below(size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random); }
  /// Draws an element of a list.
  template <typename List> auto &pick(List &&list) { return list[below(std::size(list))]; }

private:
  std::mt19937 random;
};

#endif // NACRE_TEST_FUZZ_RANDOMCHOICE_H
