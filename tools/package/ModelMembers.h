// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses Java names for a model's inputs and outputs. The class file, its source and its documentation must agree.

#ifndef NACRE_TOOLS_PACKAGE_MODELMEMBERS_H
#define NACRE_TOOLS_PACKAGE_MODELMEMBERS_H

#include "tools/package/ModelFile.h"

namespace nacre::tools {

/// Converts a name such as `mobilenet_v2` to the name of a class, MobilenetV2.
std::string camelCase(llvm::StringRef name);

/// An input or output as a method of its model's class.
struct Member {
  const TensorOfFile *tensor;
  unsigned index;         ///< Index among the inputs or the outputs.
  std::string what;       ///< `input` or `output`.
  std::string method;     ///< Name such as inputImage.
  std::string constant;   ///< Name such as INPUT_IMAGE; empty if the tensor's name cannot be a Java text.
  llvm::StringRef buffer; ///< Prefix of the buffer's class, such as Float of FloatBuffer.
};

/// Returns the inputs, then the outputs.
std::vector<Member> membersOf(const EntryOfFile &entry);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PACKAGE_MODELMEMBERS_H
