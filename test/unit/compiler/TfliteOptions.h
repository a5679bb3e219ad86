// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of TensorFlow Lite's operators, drawn at random.
//
// How:  flatc's tables of types lead to the fields that an operator's options have, so that a new one is drawn as soon
//       as the schema has it.

#ifndef NACRE_TEST_UNIT_COMPILER_TFLITEOPTIONS_H
#define NACRE_TEST_UNIT_COMPILER_TFLITEOPTIONS_H

#include "test/unit/compiler/Draw.h"

#include "compiler/import/tflite/Schema.h"

namespace nacre {

struct DrawnOptions {
  importer::tflite_format::schema::BuiltinOptions kind;
  flatbuffers::Offset<void> table;
};

/// Options of the kind that the operator has. `rank` is its first operand's.
DrawnOptions drawOptions(Draw &draw, flatbuffers::FlatBufferBuilder &builder, llvm::StringRef op, size_t rank);

/// The bytes of options as custom operators have them, those of TFLite_Detection_PostProcess.
std::vector<uint8_t> drawCustomOptions(Draw &draw);

} // namespace nacre

#endif // NACRE_TEST_UNIT_COMPILER_TFLITEOPTIONS_H
