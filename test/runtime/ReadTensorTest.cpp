// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  nacre-run's readers of .npy and TensorProto, its comparison, its samples.
// Why:   every verdict of the conformance tests rests on them, and their files may be hostile.
// How:   small files as literals; every truncation of a good file must be refused, never read beyond its end (asan).

#include "test/runtime/TempFolder.h"
#include "tools/measure/Samples.h"
#include "tools/run/session/Answers.h"
#include "tools/run/tensors/Npy.h"
#include "tools/run/tensors/OnnxTensor.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>

namespace nacre::run {
namespace {

template <typename T> TensorView view(nacre_element_type type, Dims dims, const std::vector<T> &values) {
  return {type, std::move(dims), values.data(), values.size()};
}

template <typename T> std::string bytesOf(std::initializer_list<T> values) {
  std::string bytes;
  for (T value : values)
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  return bytes;
}

std::string npy(const std::string &header, const std::string &data) {
  const auto length = static_cast<uint16_t>(header.size());
  return std::string("\x93NUMPY\x01\x00", 8) + bytesOf<uint16_t>({length}) + header + data;
}

TEST(Npy, ReadsBackWhatItWrites) {
  const std::vector<float> values = {1.5f, -2, 3, 4, 5, 6};
  const test::TempFolder folder;
  const std::string path = folder.path("tensor.npy");
  ASSERT_FALSE(writeNpy(path, view(NACRE_F32, {2, 3}, values)));
  EXPECT_EQ((std::filesystem::file_size(path) - sizeof(float) * 6) % 64, 0u); // numpy's own rule
  FileTensor tensor;
  ASSERT_FALSE(readTensor(path, tensor));
  EXPECT_EQ(describe(tensor.view.type, tensor.view.dims), "f32[2,3]");
  const auto *read = reinterpret_cast<const float *>(tensor.view.data);
  EXPECT_EQ(std::vector<float>(read, read + values.size()), values);
}

TEST(Npy, ReadsScalarsAndEveryOrderOfKeys) {
  const std::string file = npy("{'shape': (), 'fortran_order': False, 'descr': '<i8'}\n", bytesOf<int64_t>({-7}));
  TensorView tensor;
  ASSERT_EQ(parseNpy(file, tensor), "");
  EXPECT_TRUE(tensor.dims.empty());
  EXPECT_EQ(readElement(tensor.type, tensor.data, 0), -7);
}

TEST(Npy, RefusesWhatItCannotMean) {
  TensorView tensor;
  const std::string data = bytesOf<float>({1, 2, 3, 4});
  EXPECT_NE(parseNpy(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (4,), }", data), tensor), "");
  EXPECT_NE(parseNpy(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2,2), }", data), tensor), "");
  EXPECT_EQ(parseNpy(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (4,), }", data), tensor), "");
  EXPECT_NE(parseNpy(npy("{'descr': '<c8', 'fortran_order': False, 'shape': (2,), }", data), tensor), "");
  EXPECT_NE(parseNpy(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,), }", data), tensor), "");
  EXPECT_NE(parseNpy(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }", data), tensor), "");
  EXPECT_NE(parseNpy(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-4,), }", data), tensor), "");
  EXPECT_NE(
      parseNpy(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296,4294967296,), }", data), tensor), "");
}

TEST(Npy, RefusesEveryTruncation) {
  const std::string file =
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n", bytesOf<float>({1, 2, 3, 4}));
  for (size_t length = 0; length < file.size(); ++length) {
    const std::vector<char> exact(file.begin(), file.begin() + length); // on the heap, so that asan sees its end
    TensorView tensor;
    EXPECT_NE(parseNpy({exact.data(), exact.size()}, tensor), "") << length;
  }
}

// dims 2, 2; data_type 1; raw_data
const std::string kRaw = std::string("\x08\x02\x08\x02\x10\x01\x4a\x10", 8) + bytesOf<float>({1, 2, 3, 4});

TEST(OnnxTensor, ReadsRawData) {
  FileTensor tensor;
  ASSERT_EQ(parseOnnxTensor(kRaw, tensor), "");
  EXPECT_EQ(describe(tensor.view.type, tensor.view.dims), "f32[2,2]");
  EXPECT_EQ(readElement(NACRE_F32, tensor.view.data, 3), 4);
}

TEST(OnnxTensor, RefusesEveryTruncation) {
  for (size_t length = 0; length < kRaw.size(); ++length) {
    const std::vector<char> exact(kRaw.begin(), kRaw.begin() + length);
    FileTensor tensor;
    EXPECT_NE(parseOnnxTensor({exact.data(), exact.size()}, tensor), "") << length;
  }
}

TEST(OnnxTensor, ReadsTypedFieldsPackedOrNot) {
  FileTensor tensor;
  // packed dims (3); type i64; int64_data 1, -1 packed, then 5 alone
  const std::string mixed("\x0a\x01\x03\x10\x07\x3a\x0b\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x38\x05", 20);
  ASSERT_EQ(parseOnnxTensor(mixed, tensor), "");
  EXPECT_EQ(readElement(NACRE_I64, tensor.view.data, 1), -1);
  EXPECT_EQ(readElement(NACRE_I64, tensor.view.data, 2), 5);
  // a scalar f16, whose bits are in int32_data: 0x3c00 is 1
  ASSERT_EQ(parseOnnxTensor(std::string("\x10\x0a\x2a\x02\x80\x78", 6), tensor), "");
  EXPECT_EQ(readElement(NACRE_F16, tensor.view.data, 0), 1);
  // float_data, packed
  ASSERT_EQ(parseOnnxTensor(std::string("\x08\x01\x10\x01\x22\x04", 6) + bytesOf<float>({2.5f}), tensor), "");
  EXPECT_EQ(readElement(NACRE_F32, tensor.view.data, 0), 2.5);
}

TEST(OnnxTensor, RefusesWhatIsNoTensor) {
  FileTensor tensor;
  EXPECT_NE(parseOnnxTensor("hello", tensor), "");
  EXPECT_NE(parseOnnxTensor(std::string("\x10\x08\x32\x01\x61", 5), tensor), ""); // a string tensor
  // dims 2^62, 4, 4: the product overflows
  EXPECT_NE(
      parseOnnxTensor(std::string("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x40\x08\x04\x08\x04\x10\x01", 16), tensor), "");
}

TEST(Elements, WidenSixteenBitFloats) {
  const uint16_t halves[] = {0x3c00, 0xc000, 0x0001, 0x7bff, 0x7c00, 0x7e00};
  EXPECT_EQ(readElement(NACRE_F16, halves, 0), 1);
  EXPECT_EQ(readElement(NACRE_F16, halves, 1), -2);
  EXPECT_EQ(readElement(NACRE_F16, halves, 2), std::ldexp(1, -24));
  EXPECT_EQ(readElement(NACRE_F16, halves, 3), 65504);
  EXPECT_TRUE(std::isinf(readElement(NACRE_F16, halves, 4)));
  EXPECT_TRUE(std::isnan(readElement(NACRE_F16, halves, 5)));
  const uint16_t bfloat = 0xbfc0;
  EXPECT_EQ(readElement(NACRE_BF16, &bfloat, 0), -1.5);
}

Comparison compare(const std::vector<float> &actual, const std::vector<float> &expected, Tolerance tolerance) {
  const Dims dims = {static_cast<int64_t>(expected.size())};
  return compareTensors(view(NACRE_F32, dims, actual), view(NACRE_F32, dims, expected), tolerance);
}

TEST(Compare, AllowsAShareOfTheElementAndOfTheLargest) {
  // Allowed at 0: 1e-2 * 100 = 1. At 100: 1e-1 * 100 + 1 = 11.
  const Tolerance tolerance = {1e-1, 1e-2};
  EXPECT_EQ(compare({0.9f, 110}, {0, 100}, tolerance).differing, 0u);
  const Comparison result = compare({2, 90}, {0, 100}, tolerance);
  EXPECT_EQ(result.differing, 1u);
  EXPECT_EQ(result.worst, 0u) << "10 of 11 allowed is nearer than 2 of 1";
  EXPECT_EQ(result.largestDifference, 10);
}

TEST(Compare, TakesNanForNanAndInfinityForItself) {
  EXPECT_EQ(compare({NAN, INFINITY, 1}, {NAN, INFINITY, 1}, {}).differing, 0u);
  EXPECT_EQ(compare({1, -INFINITY, NAN}, {NAN, INFINITY, 1}, {}).differing, 3u);
  EXPECT_EQ(compare({1}, {INFINITY}, {}).differing, 1u) << "an infinity allows nothing but itself";
}

/// Kernels do so, too.
TEST(Compare, TakesSubnormalNumbersForZero) {
  const Tolerance relative = {1e-3, 1e-4};
  EXPECT_EQ(compare({0, 0}, {1e-39f, 1e-40f}, relative).differing, 0u);
  EXPECT_EQ(compare({0}, {2e-38f}, relative).differing, 1u) << "a normal number";
  EXPECT_EQ(compare({0}, {1e-39f}, {0, 0}).differing, 1u) << "exactly is exactly";
  const std::vector<double> zero = {0}, tiny = {1e-309}, small = {1e-307};
  EXPECT_EQ(compareTensors(view(NACRE_F64, {1}, zero), view(NACRE_F64, {1}, tiny), relative).differing, 0u);
  EXPECT_EQ(compareTensors(view(NACRE_F64, {1}, zero), view(NACRE_F64, {1}, small), relative).differing, 1u);
  const std::vector<uint16_t> none = {0}, half = {1};
  EXPECT_EQ(compareTensors(view(NACRE_F16, {1}, none), view(NACRE_F16, {1}, half), relative).differing, 1u)
      << "f16 keeps all it has";
}

TEST(Compare, SeesIntegersThatDoublesCannot) {
  const std::vector<int64_t> actual = {(int64_t(1) << 60) + 1}, expected = {int64_t(1) << 60};
  const Tolerance exact = {0, 0};
  EXPECT_EQ(compareTensors(view(NACRE_I64, {1}, actual), view(NACRE_I64, {1}, expected), exact).differing, 1u);
  EXPECT_EQ(compareTensors(view(NACRE_I64, {1}, expected), view(NACRE_I64, {1}, expected), exact).differing, 0u);
}

TEST(Compare, NamesThePosition) {
  EXPECT_EQ(positionOf(17, {2, 3, 4}), "[1,1,1]");
  EXPECT_EQ(positionOf(0, {}), "[]");
}

TEST(Summary, CountsNansApart) {
  const auto summaryOf = [](const std::vector<float> &values) {
    return summarise(view(NACRE_F32, {static_cast<int64_t>(values.size())}, values));
  };
  EXPECT_EQ(summaryOf({1, 2, 6}), "smallest 1, largest 6, mean 3");
  EXPECT_EQ(summaryOf({NAN, 1, 3}), "1 of 3 NaN; of the others: smallest 1, largest 3, mean 2");
  EXPECT_EQ(summaryOf({NAN, NAN}), "2 of 2 NaN");
  EXPECT_EQ(summaryOf({}), "");
}

TEST(Samples, KeepQuantilesOfMoreThanTheyHold) {
  measure::Samples samples;
  for (uint64_t i = 1; i <= 100000; ++i)
    samples.add(i);
  EXPECT_EQ(samples.count(), 100000u);
  EXPECT_EQ(samples.smallest(), 1u);
  EXPECT_NEAR(samples.quantile(0.5), 50000, 100);
  EXPECT_NEAR(samples.quantile(0.9), 90000, 100);
}

} // namespace
} // namespace nacre::run
