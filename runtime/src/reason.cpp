// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the functions of Reason.
// Why:   most files build such a text; compiled once, its functions are not in each of their objects.
// How:   an explicit instantiation, which text.h declares.

#include "runtime/src/text.h"

template class nacre::runtime::Text<256>;
