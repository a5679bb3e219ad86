// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the functions and constants that fill slots, in the order of runtime/features.def.
// Why: the compiler refers to them by symbols, so their names must not depend on the name mangling of a C++ compiler.
//      Also, a linker does not compare the type of a symbol with the type of its slot.
// How: each function is declared only here, with the type of its slot and the name of its symbol. A definition with
//      other parameters is a different function. The symbol is then missing, and linking a model fails.

#ifndef NACRE_RUNTIME_SRC_SLOT_FUNCTIONS_H
#define NACRE_RUNTIME_SRC_SLOT_FUNCTIONS_H

#include "runtime/src/slots.h"

namespace nacre::runtime {

template <typename Pointer> struct PointedTo;
template <typename T> struct PointedTo<T *> {
  using Type = T;
};

#define NACRE_SLOT(slot, name)                                                                                         \
  extern PointedTo<decltype(static_cast<Slots *>(nullptr)->slot)>::Type name __asm__(NACRE_SLOT_PREFIX #name);
#include "runtime/features.def"

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_SLOT_FUNCTIONS_H
