// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures that nacre-try writes on a phone are read again, and none is taken from a text that is damaged.

#include "tools/tune/FigureReader.h"

#include "gtest/gtest.h"

#include <cstdio>

using namespace nacre::measure;
using nacre::tune::readFigures;

namespace {

DeviceFigures someFigures() {
  DeviceFigures figures;
  figures.cpu.clusterCount = 2;
  figures.cpu.clusters[0] = {7, 1, 2.9, 46.5, 93, 186};
  figures.cpu.clusters[1] = {0, 4, 1.8, 7.25, 14.5, 29};
  figures.cpu.threads = 4;
  figures.cpu.cacheBytes = 4 << 20;
  double value = 1.5;
  for (const CpuField &field : kCpuFields)
    figures.cpu.*field.value = value += 1;
  for (const GpuField &field : kGpuFields)
    figures.gpu.*field.value = value += 1;
  std::snprintf(figures.gpu.device, sizeof figures.gpu.device, "Mali-G78 r1");
  figures.gpu.isUnified = true;
  return figures;
}

std::string textOf(const DeviceFigures &figures, const char *why = "") {
  Reason reason;
  std::snprintf(reason.text, sizeof reason.text, "%s", why);
  std::string text;
  putFigures({[](void *user, const char *part, size_t bytes) { static_cast<std::string *>(user)->append(part, bytes); },
              &text},
             figures, reason);
  return text;
}

} // namespace

TEST(FigureReader, ReadsWhatIsWritten) {
  const DeviceFigures written = someFigures();
  DeviceFigures read;
  std::string reason;
  ASSERT_TRUE(readFigures(textOf(written), read, reason));
  EXPECT_EQ(textOf(read), textOf(written));
  EXPECT_STREQ(read.gpu.device, "Mali-G78 r1");
  EXPECT_TRUE(read.gpu.isUnified);
  EXPECT_FALSE(read.gpu.isPlayed);
  EXPECT_EQ(read.cpu.clusters[1].cores, 4u);
  EXPECT_EQ(read.cpu.clusters[1].halfGigaflops, 14.5);
  EXPECT_EQ(reason, "");
}

TEST(FigureReader, ReadsWhyThereIsNoGpu) {
  DeviceFigures written = someFigures(), read;
  written.gpu = GpuFigures();
  std::string reason;
  ASSERT_TRUE(readFigures(textOf(written, "there is\nno Vulkan"), read, reason));
  EXPECT_EQ(reason, "there is no Vulkan");
  EXPECT_STREQ(read.gpu.device, "");
}

TEST(FigureReader, RefusesTextsWithoutALine) {
  const std::string whole = textOf(someFigures());
  DeviceFigures read;
  std::string reason;
  for (size_t begin = 0, end; begin < whole.size(); begin = end) {
    end = whole.find('\n', begin) + 1;
    const std::string line = whole.substr(begin, end - begin);
    // One cluster is as good as two, and without a device nothing is read of a GPU.
    if (line.rfind("cluster", 0) != 0 && line.rfind("gpu_device", 0) != 0)
      EXPECT_FALSE(readFigures(whole.substr(0, begin) + whole.substr(end), read, reason)) << line;
    EXPECT_FALSE(readFigures(whole.substr(0, begin), read, reason)) << line;
  }
}

TEST(FigureReader, RefusesFiguresThatAreNone) {
  const std::string whole = textOf(someFigures());
  DeviceFigures read;
  std::string reason;
  for (const char *name : {"cpu_threads", "cpu_bytes", "gpu_product", "gpu_unified", "cluster"})
    for (const char *value : {"", "fast", "-1", "nan", "inf", "1e999", "3 4", "0 1 1 1 1", "0 1 1 1 -1 1"}) {
      const size_t begin = whole.find(std::string(name) + " "), end = whole.find('\n', begin);
      EXPECT_FALSE(readFigures(whole.substr(0, begin) + name + " " + value + whole.substr(end), read, reason))
          << name << " " << value;
    }
}

TEST(FigureReader, RefusesPartsOfThreadsAndBytes) {
  const std::string text = textOf(someFigures());
  DeviceFigures read;
  std::string reason;
  for (const char *name : {"cpu_threads", "cpu_cache_size"})
    for (const char *value : {"4.5", "1e30", "18446744073709551616"}) {
      const size_t begin = text.find(std::string(name) + " "), end = text.find('\n', begin);
      EXPECT_FALSE(readFigures(text.substr(0, begin) + name + " " + value + text.substr(end), read, reason))
          << name << " " << value;
    }
}

TEST(FigureReader, RefusesMoreClustersThanThereCanBe) {
  DeviceFigures read;
  std::string reason, text;
  for (unsigned i = 0; i <= CpuFigures::kMostClusters; ++i)
    text += "cluster 0 1 1 1 1 1\n";
  EXPECT_FALSE(readFigures(text + textOf(someFigures()), read, reason));
}
