// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/package/ClassFile.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace nacre::tools {
namespace {

constexpr unsigned kMagic = 0xCAFEBABE;
constexpr unsigned kJava8 = 52;
constexpr unsigned kNoExceptions = 0, kNoAttributes = 0, kNoElements = 0, kNoInterfaces = 0;

/// Kinds of rows in the constant pool.
enum Row : unsigned { Utf8 = 1, Class = 7, String = 8, Methodref = 10, NameAndType = 12 };

} // namespace

BigEndianBytes &BigEndianBytes::u1(unsigned value) {
  bytes += char(value);
  return *this;
}

BigEndianBytes &BigEndianBytes::u2(unsigned value) { return u1(value >> 8).u1(value); }

BigEndianBytes &BigEndianBytes::u4(unsigned value) { return u2(value >> 16).u2(value); }

BigEndianBytes &BigEndianBytes::append(StringRef more) {
  bytes += more;
  return *this;
}

ClassFile::ClassFile(StringRef name, StringRef super) : self(classIndex(name)), super(classIndex(super)) {}

unsigned ClassFile::index(const BigEndianBytes &row) {
  auto [known, isNew] = pool.try_emplace(row.str(), poolCount);
  if (isNew) {
    poolBytes.append(row.str());
    ++poolCount;
  }
  return known->second;
}

unsigned ClassFile::utf8Index(StringRef text) {
  return index(BigEndianBytes().u1(Utf8).u2(unsigned(text.size())).append(text));
}

unsigned ClassFile::classIndex(StringRef name) { return index(BigEndianBytes().u1(Class).u2(utf8Index(name))); }

unsigned ClassFile::textIndex(StringRef text) { return index(BigEndianBytes().u1(String).u2(utf8Index(text))); }

unsigned ClassFile::methodIndex(StringRef owner, StringRef name, StringRef descriptor) {
  const unsigned named = utf8Index(name), typed = utf8Index(descriptor);
  const unsigned nameAndType = index(BigEndianBytes().u1(NameAndType).u2(named).u2(typed));
  return index(BigEndianBytes().u1(Methodref).u2(classIndex(owner)).u2(nameAndType));
}

void ClassFile::addTextConstant(StringRef name, StringRef value) {
  fields.u2(Public | Static | Final).u2(utf8Index(name)).u2(utf8Index("Ljava/lang/String;"));
  fields.u2(1).u2(utf8Index("ConstantValue")).u4(2).u2(textIndex(value));
  ++fieldCount;
}

void ClassFile::addMethod(StringRef name, StringRef descriptor, const BigEndianBytes &code, unsigned maxStack,
                          unsigned maxLocals, ArrayRef<StringRef> resultAnnotations) {
  methods.u2(Public).u2(utf8Index(name)).u2(utf8Index(descriptor)).u2(resultAnnotations.empty() ? 1 : 2);
  methods.u2(utf8Index("Code")).u4(unsigned(12 + code.size())).u2(maxStack).u2(maxLocals);
  methods.u4(unsigned(code.size())).append(code.str()).u2(kNoExceptions).u2(kNoAttributes);
  if (!resultAnnotations.empty()) {
    methods.u2(utf8Index("RuntimeInvisibleAnnotations")).u4(unsigned(2 + 4 * resultAnnotations.size()));
    methods.u2(unsigned(resultAnnotations.size()));
    for (StringRef annotation : resultAnnotations)
      methods.u2(utf8Index(("L" + Twine(annotation) + ";").str())).u2(kNoElements);
  }
  ++methodCount;
}

std::string ClassFile::bytes() const {
  BigEndianBytes result;
  result.u4(kMagic).u2(0).u2(kJava8).u2(poolCount).append(poolBytes.str());
  result.u2(Public | Final | Super).u2(self).u2(super).u2(kNoInterfaces);
  result.u2(fieldCount).append(fields.str()).u2(methodCount).append(methods.str()).u2(kNoAttributes);
  return result.str();
}

} // namespace nacre::tools
