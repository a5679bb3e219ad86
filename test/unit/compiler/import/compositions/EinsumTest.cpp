// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of products of labelled axes, compared with the definition.

#include "compiler/import/compositions/Einsum.h"

#include "test/unit/compiler/import/compositions/FoldedNumbers.h"
#include <map>

using namespace nacre;
using namespace nacre::importer;
using Shape = llvm::SmallVector<int64_t>;

namespace {

class Einsum : public FoldedNumbers {
protected:
  std::string whyNot(llvm::StringRef equation, llvm::ArrayRef<Ints> shapes) {
    llvm::Expected<EinsumTerms> terms = parseEinsum(equation, shapes);
    return terms ? "" : llvm::toString(terms.takeError());
  }
};

/// Computes by the definition: for all values of all labels, letters each, the product of the operands is added to the
/// result.
Doubles sumByDefinition(const std::vector<std::string> &terms, const std::string &result,
                        const std::map<char, int64_t> &sizes, const std::vector<Doubles> &operands) {
  int64_t total = 1, count = 1;
  for (auto [label, size] : sizes)
    total *= size;
  for (char label : result)
    count *= sizes.at(label);
  Doubles sums(count, 0.0);
  for (int64_t iteration = 0; iteration < total; ++iteration) {
    std::map<char, int64_t> at;
    int64_t rest = iteration;
    for (auto [label, size] : sizes) {
      at[label] = rest % size;
      rest /= size;
    }
    auto indexIn = [&](const std::string &labels) {
      int64_t index = 0;
      for (char label : labels)
        index = index * sizes.at(label) + at[label];
      return index;
    };
    double product = 1;
    for (size_t operand = 0; operand < terms.size(); ++operand)
      product *= operands[operand][indexIn(terms[operand])];
    sums[indexIn(result)] += product;
  }
  return sums;
}

TEST_F(Einsum, IsWhatItsDefinitionSays) {
  const std::map<char, int64_t> all{{'a', 2}, {'b', 3}, {'c', 4}, {'d', 2}, {'A', 5}};
  const std::pair<std::vector<std::string>, std::string> equations[] = {
      {{"ab", "bc"}, "ac"},
      {{"abc", "acb"}, "ba"},
      {{"aab"}, "ab"},
      {{"aba"}, ""},
      {{"a", "b", "c"}, "cab"},
      {{"abc", "b"}, "ca"},
      {{"dab", "dbc"}, "dca"},
      {{"ab", "ab"}, "ab"},
      {{"ab", "bc", "cA"}, "aA"},
      {{"ab", "cb"}, ""},
      {{"a", "bA"}, "b"},
      {{"adad"}, "da"},
      {{"abc", "bd", "ac"}, "db"},
      {{""}, ""},
      {{"aA", "Aa", "A"}, "a"},
  };
  for (auto &[terms, result] : equations) {
    std::string equation;
    std::map<char, int64_t> sizes;
    std::vector<Shape> shapes;
    std::vector<Doubles> numbers;
    llvm::SmallVector<mlir::Value> operands;
    for (const std::string &term : terms) {
      equation += (equation.empty() && shapes.empty() ? "" : ",") + term;
      Shape shape;
      for (char label : term)
        shape.push_back(sizes[label] = all.at(label));
      int64_t count = 1;
      for (int64_t size : shape)
        count *= size;
      numbers.push_back(someNumbers(count, static_cast<double>(numbers.size())));
      operands.push_back(make(shape, numbers.back()));
      shapes.push_back(shape);
    }
    equation += "->" + result;
    SCOPED_TRACE(equation);
    llvm::SmallVector<Ints> views(shapes.begin(), shapes.end());
    llvm::Expected<EinsumTerms> parsed = parseEinsum(equation, views);
    ASSERT_TRUE(static_cast<bool>(parsed)) << llvm::toString(parsed.takeError());
    NnBuilder build = nn();
    expectNear(read(einsum(build, *parsed, operands)), sumByDefinition(terms, result, sizes, numbers));
  }
}

TEST_F(Einsum, WithoutAnArrowHasTheLabelsThatOccurOnceSorted) {
  llvm::Expected<EinsumTerms> terms = parseEinsum(" b c a ... , ... cZ ", {{2, 3, 4, 7}, {7, 3, 5}});
  ASSERT_TRUE(static_cast<bool>(terms));
  EXPECT_EQ(terms->result, (EinsumLabels{-1, 'Z', 'a', 'b'}));
  EXPECT_EQ(terms->shape, (Shape{7, 5, 4, 2}));
}

TEST_F(Einsum, AxesOfOneElementRepeat) {
  llvm::Expected<EinsumTerms> terms = parseEinsum("...ij,...jk->...ik", {{4, 1, 2, 3}, {5, 1, 2}});
  ASSERT_TRUE(static_cast<bool>(terms));
  EXPECT_EQ(terms->shape, (Shape{4, 5, 2, 2}));
  Doubles lhs = someNumbers(24, 1), rhs = someNumbers(10, 2), expected;
  NnBuilder build = nn();
  Doubles actual = read(einsum(build, *terms, {make({4, 1, 2, 3}, lhs), make({5, 1, 2}, rhs)}));
  for (int64_t a = 0; a < 4; ++a)
    for (int64_t b = 0; b < 5; ++b)
      for (int64_t i = 0; i < 2; ++i)
        for (int64_t k = 0; k < 2; ++k)
          expected.push_back((lhs[a * 6 + i * 3] + lhs[a * 6 + i * 3 + 1] + lhs[a * 6 + i * 3 + 2]) * rhs[b * 2 + k]);
  expectNear(actual, expected);
}

TEST_F(Einsum, SaysWhatAnEquationMustBe) {
  EXPECT_EQ(whyNot("ij,jk->ik", {{2, 3}}), "must have one term for each of 1 operands, but has 2");
  EXPECT_EQ(whyNot("ij->i", {{2, 3, 4}}), "must have a label for each axis, but operand 0 has 3 axes and 2 labels");
  EXPECT_EQ(whyNot("ij,jk->ik", {{2, 3}, {4, 5}}), "must use a label only for axes of equal size, but 'j' is 3 and 4");
  EXPECT_EQ(whyNot("ii->i", {{2, 3}}),
            "must repeat a label only for axes of equal size, but 'i' is 2 and 3 in one operand");
  EXPECT_EQ(whyNot("i->ij", {{2}}), "must use only labels of the operands in the result, but 'j' is in none of them");
  EXPECT_EQ(whyNot("ij->ii", {{2, 3}}), "must name each axis of the result once, but repeats one");
  EXPECT_EQ(whyNot("...i->i", {{2, 3}}), "must have the ellipsis of its operands in the result, but does not");
  EXPECT_EQ(whyNot("......->", {{2, 3}}), "must have at most one ellipsis per term, but has two");
  EXPECT_EQ(whyNot("i1", {{2, 3}}), "must consist of letters, commas, '...' and one '->', but has other characters");
  EXPECT_EQ(whyNot("i->i->i", {{2}}), "must consist of letters, commas, '...' and one '->', but has other characters");
}

} // namespace
