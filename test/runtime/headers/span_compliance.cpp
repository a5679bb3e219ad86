/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* nacre/runtime.hpp in C++20: elements convert to std::span, which standard algorithms take. */
#include "nacre/runtime.hpp"

#include <algorithm>

float use_spans(nacre::Session &session);
float use_spans(nacre::Session &session) {
  std::span<float> x = session.input<float>(0u);
  const nacre::Span<float> y = session.output<float>("y");
  nacre::Span<float> z = session.output<float>(1u);
  const std::span<float> of_const = y, of_other = z;
  const std::span<const float> read_only = z;
  std::ranges::fill(session.input<float>("x").begin(), x.data() + x.size(), 0.5f);
  return std::ranges::max(y) + x[0] + of_const.back() + of_other.front() + read_only[0];
}
