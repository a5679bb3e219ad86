// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces of runs. test/e2e/driver/profile_test.py tests that viewers can read them.

#include "tools/run/Trace.h"

#include <gtest/gtest.h>

namespace nacre::run {
namespace {

TEST(Trace, NamesItsThreadAndHasAnEventForEachLaunch) {
  const TracedLaunch launch = {{"relu_1", "nest_0", "nest"}, {1500, 2250, 3, 2250, 0, 1, 0, 1}};
  const std::string json = traceJson("toy", 4, {launch, launch});
  EXPECT_NE(json.find(R"("name": "process_name", "args": {"name": "toy"})"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("name": "thread_name", "args": {"name": "calling thread, with 3 more in each launch"})"),
            std::string::npos);
  const std::string event =
      R"({"ph": "X", "pid": 0, "tid": 0, "ts": 1.500, "dur": 2.250, "name": "relu_1", "cat": "nest", )"
      R"("args": {"kernel": "nest_0", "engine": "cpu", "executions": 3}})";
  EXPECT_NE(json.find(event + ",\n" + event + "\n]}"), std::string::npos) << json;
}

} // namespace
} // namespace nacre::run
