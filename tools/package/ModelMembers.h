// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: The names that a model's inputs and outputs have in Java.
// Why:  The class file, its source and its documentation must agree.

#ifndef NACRE_TOOLS_PACKAGE_MODELMEMBERS_H
#define NACRE_TOOLS_PACKAGE_MODELMEMBERS_H

#include "tools/package/ModelFile.h"

namespace nacre::tools {

/// `mobilenet_v2` as the name of a class, MobilenetV2, or, with a lower first letter, the beginning of a method's.
std::string camelCase(llvm::StringRef name);

/// An input or output as a method of its model's class.
struct Member {
  const TensorOfFile *tensor;
  unsigned index;         ///< Of the inputs or the outputs.
  std::string what;       ///< `input` or `output`.
  std::string method;     ///< inputImage
  std::string constant;   ///< INPUT_IMAGE; empty if the tensor's name cannot be a text of Java.
  llvm::StringRef buffer; ///< The beginning of its buffer's class: Float of FloatBuffer.
};

/// The inputs, then the outputs.
std::vector<Member> membersOf(const EntryOfFile &entry);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PACKAGE_MODELMEMBERS_H
