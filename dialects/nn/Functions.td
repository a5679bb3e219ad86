// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the elementwise functions of one and of two values, a row each: their names, their types and the facts that
//        passes may use. Rows of one value also have the formula and its gradient.
// Why:   only the kernels' bodies (compiler/kernels/bodies/UnaryBodies.cpp) know more about a function.
// How:   the rows are the cases of the enums and, as C++, those of getFacts (FunctionFacts.h, which has the words for
//        types and facts). Floats of every width are computed in double from `x` and `alpha`, integers in 64 bits from
//        `x` and `isUnsigned`; the caller rounds or wraps once. An expression is empty where the function is not
//        defined. Functions of two values are computed by ScalarFunctions.h. A slope is dy times the derivative as a
//        Writer `w` of compiler/train/rules writes it, in terms of dy, x, the result y and alpha; it is empty where
//        that is zero everywhere. If it follows from y, it uses y: then x need not be kept.

#ifndef NACRE_DIALECTS_NN_FUNCTIONS
#define NACRE_DIALECTS_NN_FUNCTIONS

include "mlir/IR/EnumAttr.td"

class Nn_Function<string name, int value, string mnemonic, string types, list<string> facts>
    : I32EnumAttrCase<name, value, mnemonic> {
  string cppFacts = "{FunctionFacts::" # types # ", " # !interleave(!foreach(fact, facts, "FunctionFacts::" # fact), " | ") #
                    !if(!empty(facts), "0}", "}");
}

class Nn_UnaryFunction<string name, int value, string mnemonic, string types, string ofFloat, string ofInteger = "",
                       list<string> facts = [], string slope = ""> : Nn_Function<name, value, mnemonic, types, facts> {
  string gradient = "ROW(" # name # ", " # !if(!empty(slope), "mlir::Value()", slope) # ")";
  string row = "{" # cppFacts # ", UnaryKind::" # name # ",\n" #
    !if(!empty(ofFloat), "nullptr", "[](double x, [[maybe_unused]] double alpha) -> double { return " # ofFloat # "; }") # ",\n" #
    !if(!empty(ofInteger), "nullptr", "[](int64_t x, [[maybe_unused]] bool isUnsigned) -> int64_t { return " # ofInteger # "; }") #
    "},\n";
}

class Nn_BinaryFunction<string name, int value, string mnemonic, string types, list<string> facts = []>
    : Nn_Function<name, value, mnemonic, types, facts> {
  string row = "{" # cppFacts # ", BinaryKind::" # name # "},\n";
}

defvar Nn_UnaryFunctions = [
  Nn_UnaryFunction<"Abs", 0, "abs", "numbers", "std::fabs(x)", "isUnsigned || x >= 0 ? x : int64_t(0 - uint64_t(x))", ["idempotent"],
                   slope = "w.mul(dy, w.unary(nn::UnaryKind::Sign, x))">,
  Nn_UnaryFunction<"Neg", 1, "neg", "numbers", "-x", "int64_t(0 - uint64_t(x))", ["involution"], slope = "w.neg(dy)">,
  Nn_UnaryFunction<"Exp", 2, "exp", "floats", "std::exp(x)", slope = "w.mul(dy, y)">,
  Nn_UnaryFunction<"Log", 3, "log", "floats", "std::log(x)", slope = "w.div(dy, x)">,
  Nn_UnaryFunction<"Sqrt", 4, "sqrt", "floats", "std::sqrt(x)", slope = "w.div(w.mul(dy, 0.5), y)">,
  Nn_UnaryFunction<"Reciprocal", 5, "reciprocal", "floats", "1 / x", slope = "w.neg(w.mul(dy, w.square(y)))">,
  Nn_UnaryFunction<"Floor", 6, "floor", "floats", "std::floor(x)">,
  Nn_UnaryFunction<"Ceil", 7, "ceil", "floats", "std::ceil(x)">,
  Nn_UnaryFunction<"Round", 8, "round", "floats", "std::nearbyint(x)">,
  Nn_UnaryFunction<"Sign", 9, "sign", "numbers", "x > 0 ? 1 : x < 0 ? -1 : x", "x == 0 ? 0 : isUnsigned || x > 0 ? 1 : -1", ["bounded"]>,
  Nn_UnaryFunction<"Relu", 10, "relu", "numbers", "x < 0 ? 0 : x", "isUnsigned || x > 0 ? x : 0", ["idempotent"],
                   slope = "w.where(w.greater(y, 0), dy)">,
  Nn_UnaryFunction<"Sigmoid", 11, "sigmoid", "floats", "1 / (1 + std::exp(-x))", "", ["bounded"],
                   slope = "w.mul(dy, w.mul(y, w.sub(1, y)))">,
  Nn_UnaryFunction<"Tanh", 12, "tanh", "floats", "std::tanh(x)", "", ["bounded"], slope = "w.mul(dy, w.sub(1, w.square(y)))">,
  Nn_UnaryFunction<"Erf", 13, "erf", "floats", "std::erf(x)", "", ["bounded"],
                   slope = "w.mul(dy, w.mul(w.exp(w.neg(w.square(x))), 2 / std::sqrt(llvm::numbers::pi)))">,
  Nn_UnaryFunction<"Sin", 14, "sin", "floats", "std::sin(x)", "", ["bounded"], slope = "w.mul(dy, w.unary(nn::UnaryKind::Cos, x))">,
  Nn_UnaryFunction<"Cos", 15, "cos", "floats", "std::cos(x)", "", ["bounded"],
                   slope = "w.neg(w.mul(dy, w.unary(nn::UnaryKind::Sin, x)))">,
  Nn_UnaryFunction<"Tan", 16, "tan", "floats", "std::tan(x)", slope = "w.mul(dy, w.add(w.square(y), 1))">,
  Nn_UnaryFunction<"Asin", 17, "asin", "floats", "std::asin(x)", slope = "w.div(dy, w.sqrt(w.sub(1, w.square(x))))">,
  Nn_UnaryFunction<"Acos", 18, "acos", "floats", "std::acos(x)", slope = "w.neg(w.div(dy, w.sqrt(w.sub(1, w.square(x)))))">,
  Nn_UnaryFunction<"Atan", 19, "atan", "floats", "std::atan(x)", "", ["bounded"], slope = "w.div(dy, w.add(w.square(x), 1))">,
  Nn_UnaryFunction<"Sinh", 20, "sinh", "floats", "std::sinh(x)", slope = "w.mul(dy, w.unary(nn::UnaryKind::Cosh, x))">,
  Nn_UnaryFunction<"Cosh", 21, "cosh", "floats", "std::cosh(x)", slope = "w.mul(dy, w.unary(nn::UnaryKind::Sinh, x))">,
  Nn_UnaryFunction<"Asinh", 22, "asinh", "floats", "std::asinh(x)", slope = "w.div(dy, w.sqrt(w.add(w.square(x), 1)))">,
  Nn_UnaryFunction<"Acosh", 23, "acosh", "floats", "std::acosh(x)", slope = "w.div(dy, w.sqrt(w.add(w.square(x), -1)))">,
  Nn_UnaryFunction<"Atanh", 24, "atanh", "floats", "std::atanh(x)", slope = "w.div(dy, w.sub(1, w.square(x)))">,
  Nn_UnaryFunction<"Not", 25, "not", "booleans", "", "!x", ["involution"]>,
  Nn_UnaryFunction<"BitNot", 26, "bit_not", "integers", "", "~x", ["involution"]>,
  // log(1 + exp(x)) without overflow.
  Nn_UnaryFunction<"Softplus", 27, "softplus", "floats", "std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)))",
                   slope = "w.mul(dy, w.unary(nn::UnaryKind::Sigmoid, x))">,
  Nn_UnaryFunction<"IsNaN", 28, "is_nan", "floats", "std::isnan(x)", "", ["predicate"]>,
  Nn_UnaryFunction<"IsInf", 29, "is_inf", "floats", "std::isinf(x)", "", ["predicate"]>,
  Nn_UnaryFunction<"LeakyRelu", 30, "leaky_relu", "floats", "x < 0 ? alpha * x : x",
                   slope = "w.select(w.greater(x, 0), dy, w.mul(dy, alpha))">,
  Nn_UnaryFunction<"Elu", 31, "elu", "floats", "x < 0 ? alpha * std::expm1(x) : x",
                   slope = "w.select(w.greater(x, 0), dy, w.mul(dy, w.add(y, alpha)))">,
  Nn_UnaryFunction<"Gelu", 32, "gelu", "floats", "x / 2 * (1 + std::erf(x / std::sqrt(2.0)))",
                   slope = "w.mul(dy, w.add(normalBelow(w, x), w.mul(x, normalDensity(w, x))))">,
];

defvar Nn_BinaryFunctions = [
  Nn_BinaryFunction<"Add", 0, "add", "numbers", ["commutative", "neutralZero"]>,
  Nn_BinaryFunction<"Sub", 1, "sub", "numbers", ["neutralZero"]>,
  Nn_BinaryFunction<"Mul", 2, "mul", "numbers", ["commutative", "neutralOne"]>,
  Nn_BinaryFunction<"Div", 3, "div", "numbers", ["neutralOne"]>,
  Nn_BinaryFunction<"Mod", 4, "mod", "numbers">,
  Nn_BinaryFunction<"Fmod", 5, "fmod", "numbers">,
  Nn_BinaryFunction<"Pow", 6, "pow", "numbers", ["mixed", "neutralOne"]>,
  Nn_BinaryFunction<"Min", 7, "min", "numbers", ["commutative"]>,
  Nn_BinaryFunction<"Max", 8, "max", "numbers", ["commutative"]>,
  Nn_BinaryFunction<"And", 9, "and", "discrete", ["commutative"]>,
  Nn_BinaryFunction<"Or", 10, "or", "discrete", ["commutative"]>,
  Nn_BinaryFunction<"Xor", 11, "xor", "discrete", ["commutative"]>,
  Nn_BinaryFunction<"ShiftLeft", 12, "shift_left", "integers">,
  Nn_BinaryFunction<"ShiftRight", 13, "shift_right", "integers">,
  Nn_BinaryFunction<"Equal", 14, "equal", "any", ["commutative", "predicate"]>,
  Nn_BinaryFunction<"Less", 15, "less", "numbers", ["predicate"]>,
  Nn_BinaryFunction<"LessEqual", 16, "less_equal", "numbers", ["predicate"]>,
  Nn_BinaryFunction<"Greater", 17, "greater", "numbers", ["predicate"]>,
  Nn_BinaryFunction<"GreaterEqual", 18, "greater_equal", "numbers", ["predicate"]>,
];

#endif // NACRE_DIALECTS_NN_FUNCTIONS
