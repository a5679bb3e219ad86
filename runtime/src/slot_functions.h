// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  declares the functions and constants that fill slots, in the order of runtime/features.def.
// Why:   the compiler refers to them by symbols, whose names must not depend on a C++ compiler's mangling; and nothing checks the
//        type of what a symbol refers to.
// How:   each is declared once, here, with the type of its slot and its symbol's name. A definition with another type is another
//        function: then the symbol is missing, and no model links.

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
