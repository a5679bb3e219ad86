// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A format of our own, as small as one can be: it shows what another format needs.
//
// A model is text: `toy`, then a line for each fact.
//
//   input x 2 3          an input of floats, with its shape; `?` leaves a dimension open
//   constant c 1.5 2     a constant of so many numbers
//   y = add x c          a node: its result, its operator, its operands
//   output y

#ifndef NACRE_TEST_UNIT_COMPILER_IMPORT_TOYFORMAT_H
#define NACRE_TEST_UNIT_COMPILER_IMPORT_TOYFORMAT_H

#include "compiler/import/model/Format.h"

namespace nacre::importer::toy_format {

extern const Format format;

} // namespace nacre::importer::toy_format

#endif // NACRE_TEST_UNIT_COMPILER_IMPORT_TOYFORMAT_H
