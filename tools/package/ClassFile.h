// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a Java class file (chapter 4 of The Java Virtual Machine Specification). It supports only classes whose
// methods pass their arguments on. So compiling a model for Java needs no JDK. Names and texts become rows of the
// constant pool when they are first used. Methods do not branch, so they need no table of stack frames.

#ifndef NACRE_TOOLS_PACKAGE_CLASSFILE_H
#define NACRE_TOOLS_PACKAGE_CLASSFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace nacre::tools {

/// A sequence of bytes. Numbers are big-endian.
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

/// A class file. Names of classes have slashes: dev/nacre/Model. Texts are UTF-8 without a 0. The caller must replace
/// invalid UTF-8 and characters beyond the Basic Multilingual Plane.
class ClassFile {
public:
  enum Access : unsigned { Public = 1, Static = 8, Final = 16, Super = 32 };

  ClassFile(llvm::StringRef name, llvm::StringRef super);

  void addTextConstant(llvm::StringRef name, llvm::StringRef value);
  /// Adds a method. `code` pushes at most `maxStack` slots; `maxLocals` counts local variables, `this` and arguments.
  void addMethod(llvm::StringRef name, llvm::StringRef descriptor, const BigEndianBytes &code, unsigned maxStack,
                 unsigned maxLocals, llvm::ArrayRef<llvm::StringRef> resultAnnotations = {});

  unsigned classIndex(llvm::StringRef name);
  unsigned textIndex(llvm::StringRef text);
  unsigned methodIndex(llvm::StringRef owner, llvm::StringRef name, llvm::StringRef descriptor);

  std::string bytes() const;

private:
  unsigned utf8Index(llvm::StringRef text);
  unsigned index(const BigEndianBytes &row);

  llvm::StringMap<unsigned> pool; // index of each row, by the bytes of the row
  BigEndianBytes poolBytes, fields, methods;
  unsigned poolCount = 1, fieldCount = 0, methodCount = 0;
  unsigned self, super;
};

} // namespace nacre::tools

#endif // NACRE_TOOLS_PACKAGE_CLASSFILE_H
