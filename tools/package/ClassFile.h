// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: writes a class of Java, as bytes: chapter 4 of The Java Virtual Machine Specification, of which it has what a class
//       needs whose methods only pass their arguments on.
// Why:  models are compiled where there is no JDK.
// How:  names and texts become rows of the constant pool when they are first used. No method branches, so none needs a table
//       of stack frames.

#ifndef NACRE_TOOLS_PACKAGE_CLASSFILE_H
#define NACRE_TOOLS_PACKAGE_CLASSFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace nacre::tools {

/// Bytes, the highest of a number first.
class BigEndianBytes {
public:
  BigEndianBytes &u1(unsigned value);
  BigEndianBytes &u2(unsigned value);
  BigEndianBytes &u4(unsigned value);
  BigEndianBytes &append(llvm::StringRef more);
  size_t size() const { return bytes.size(); }
  const std::string &str() const { return bytes; }

private:
  std::string bytes;
};

/// Names of classes are as in class files: dev/nacre/Model. Texts are UTF-8 without a 0; what is beyond the Basic
/// Multilingual Plane, or is no UTF-8, the caller has replaced.
class ClassFile {
public:
  enum Access : unsigned { Public = 1, Static = 8, Final = 16, Super = 32 };

  ClassFile(llvm::StringRef name, llvm::StringRef super);

  void addTextConstant(llvm::StringRef name, llvm::StringRef value);
  /// `code` pushes no more than `maxStack` slots, and the method has `maxLocals`, `this` and arguments included.
  void addMethod(llvm::StringRef name, llvm::StringRef descriptor, const BigEndianBytes &code, unsigned maxStack,
                 unsigned maxLocals, llvm::ArrayRef<llvm::StringRef> resultAnnotations = {});

  unsigned classIndex(llvm::StringRef name);
  unsigned textIndex(llvm::StringRef text);
  unsigned methodIndex(llvm::StringRef owner, llvm::StringRef name, llvm::StringRef descriptor);

  std::string bytes() const;

private:
  unsigned utf8Index(llvm::StringRef text);
  unsigned index(const BigEndianBytes &row);

  llvm::StringMap<unsigned> pool; // rows as bytes
  BigEndianBytes poolBytes, fields, methods;
  unsigned poolCount = 1, fieldCount = 0, methodCount = 0;
  unsigned self, super;
};

} // namespace nacre::tools

#endif // NACRE_TOOLS_PACKAGE_CLASSFILE_H
