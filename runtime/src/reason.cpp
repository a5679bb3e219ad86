// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instantiates the functions of Reason, which most files use, only once. text.h declares the instantiation.

#include "runtime/src/text.h"

template class nacre::runtime::Text<256>;
