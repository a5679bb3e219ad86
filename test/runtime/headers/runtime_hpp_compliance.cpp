/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * nacre/runtime.hpp alone, compiled without exceptions, RTTI and the standard library's headers, as it promises. Every
 * template is used once: one that is not is never checked.
 */
#include "nacre/runtime.hpp"

template <typename T> static bool has_both(nacre::Session &session) {
  return session.input<T>(0u) && session.input<T>("x") && session.output<T>(0u) && session.output<T>("y");
}

bool use_everything(const nacre_model &model, float *data);
bool use_everything(const nacre_model &model, float *data) {
  nacre::Executor executor;
  nacre_session_options options = nacre_session_options_default();
  if (executor.create(model, 2) != NACRE_OK)
    return false;
  options.executor = executor.get();
  nacre::Weights weights;
  if (weights.open(model, "toy.weights") != NACRE_OK || !weights || weights.hash() == 0)
    return weights.reason()[0] != 0;
  weights.add_to(options);
  nacre::Session session, other;
  if (session.create(model, options) != NACRE_OK || session.bind_input(0, data) != NACRE_OK ||
      session.bind_output(0, data) != NACRE_OK || session.run() != NACRE_OK || session.cancel() != NACRE_BAD_ARGUMENT)
    return session.reason()[0] != 0;
  int64_t dims[8];
  if (session.output_dims(0, dims) != NACRE_OK)
    return false;
  other = static_cast<nacre::Session &&>(session);
  return other && other.get() && has_both<float>(other) && has_both<double>(other) && has_both<bool>(other) &&
         has_both<int8_t>(other) && has_both<int16_t>(other) && has_both<int32_t>(other) && has_both<int64_t>(other) &&
         has_both<uint8_t>(other) && has_both<uint16_t>(other) && has_both<uint32_t>(other) &&
         has_both<uint64_t>(other);
}
