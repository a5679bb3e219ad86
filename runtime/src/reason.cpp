// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instantiates the functions of Reason once, because most files build such a text. text.h declares the instantiation.

#include "runtime/src/text.h"

template class nacre::runtime::Text<256>;
