// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  Ctrl-C while a network is trained.
// Why:   whoever ends a long training wants to know what is left of it, and a step that is half done is worth nothing.
// How:   the first one, or SIGTERM, is noted, and whoever trains asks between two steps; the second one ends the process at once.

#ifndef NACRE_TOOLS_RUN_TRAINING_INTERRUPTION_H
#define NACRE_TOOLS_RUN_TRAINING_INTERRUPTION_H

#include <csignal>

namespace nacre::run {

/// Listens for as long as it lives; one at a time.
class Interruption {
public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption &) = delete;
  Interruption &operator=(const Interruption &) = delete;

  bool isAsked() const;

private:
  struct sigaction before[2];
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TRAINING_INTERRUPTION_H
