// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One graph of a TensorFlow Lite model, whose tables are verified, as a view that can be trusted.
//
// What: every index leads to something, a constant has as many bytes as its shape says, each tensor has a name of its own and is
//       computed once, before it is read.
// Why:  the verifier bounds tables, but not their sense.
// How:  tables may share what they refer to, so that a small file can seem huge: how many tensors there are, and how many
//       operands are read, is counted against the file's size.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_CHECKEDGRAPH_H
#define NACRE_COMPILER_IMPORT_TFLITE_CHECKEDGRAPH_H

#include "compiler/import/tflite/Schema.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/StringSaver.h"

namespace nacre::importer::tflite_format {

struct CheckedTensor {
  const schema::Tensor *table;
  llvm::ArrayRef<char> bytes; ///< of a constant
  llvm::StringRef name;       ///< no other tensor of the graph has it; empty where nobody uses the tensor
  enum State : uint8_t {
    Unknown, ///< nothing gives it a value
    Constant,
    Variable, ///< keeps its value between runs
    Input,
    Handle,   ///< of a variable, and no value
    ItsShape, ///< an input that is none: it must be the shape of what is computed with it, which is known
    Computed
  } state = Unknown;

  /// As the file has it; its sizes are checked.
  llvm::SmallVector<int64_t> getShape() const { return llvm::to_vector_of<int64_t>(toArray(table->shape())); }
  /// The same with -1 where whoever runs the model decides.
  llvm::SmallVector<int64_t> getOpenShape() const;
};

/// What a handle names: a container, which is seldom any, and the name of a variable in it.
using VariableKey = std::pair<llvm::StringRef, llvm::StringRef>;

/// A tensor, or a variable that has a handle, that keeps its value between runs. Operators that assign it compute a value with a
/// name of its own, which those behind them read.
struct KeptVariable {
  size_t tensor;               ///< itself, or what the first operator reads of it or assigns
  llvm::StringRef name;        ///< different from those of other graphs' variables, but of one key
  llvm::StringRef first, last; ///< what its value is called before the operators, and behind them
  VariableKey key;             ///< of one that has a handle; empty otherwise

  bool hasHandle() const { return !key.second.empty(); }
  bool isAssigned() const { return first != last; }
};

/// An input or an output.
struct GraphPort {
  llvm::StringRef name, source; ///< as whoever runs the model calls it, and as operators do
  size_t tensor;
};

class CheckedGraph {
public:
  /// What a graph is in the model.
  struct Role {
    const schema::SignatureDef *signature = nullptr; ///< by which its inputs and outputs are called; may be null
    bool isBody = false;                             ///< of a branch or a loop: its inputs are all given
    bool runsOnce = false;                           ///< to say what variables are at first: it needs no outputs
    std::string suffix = {};                         ///< of the names of its variables
  };

  /// Checks a graph of the model whose file is `file`. Errors are emitted at the value they concern, inside of `loc`.
  static mlir::FailureOr<std::unique_ptr<CheckedGraph>> read(const schema::Model &model, const schema::SubGraph &graph,
                                                             const Role &role, llvm::StringRef file,
                                                             mlir::Location loc);

  const CheckedTensor &getTensor(size_t index) const { return tensors[index]; }
  llvm::ArrayRef<const schema::Operator *> getOperators() const { return operators; }
  llvm::ArrayRef<KeptVariable> getVariables() const { return variables; }
  /// The graphs that must run once, before the operators.
  llvm::ArrayRef<int32_t> getInitializers() const { return initializers; }
  /// What an operator reads, by name; an operand that is left out has none.
  llvm::SmallVector<llvm::StringRef> getOperands(size_t op) const {
    llvm::SmallVector<llvm::StringRef> result;
    for (auto [place, tensor] : llvm::enumerate(toArray(operators[op]->inputs()))) {
      auto variable = reads.find({op, place});
      result.push_back(variable != reads.end() ? variable->second : tensor < 0 ? "" : tensors[tensor].name);
    }
    return result;
  }
  /// What it computes: its results, then the variables that it assigns.
  llvm::SmallVector<llvm::StringRef> getResults(size_t op) const {
    llvm::SmallVector<llvm::StringRef> result;
    for (int32_t tensor : toArray(operators[op]->outputs()))
      result.push_back(tensors[tensor].name);
    llvm::append_range(result, assigned.lookup(op));
    return result;
  }
  llvm::ArrayRef<GraphPort> getInputs() const { return inputs; }
  llvm::ArrayRef<GraphPort> getOutputs() const { return outputs; }
  /// Whether the model leaves sizes of its inputs open.
  bool isOpen() const { return hasOpenInputs; }
  /// The variable with a handle that the operator reads or assigns.
  VariableKey getKey(size_t op) const { return variables[named.find(op)->second].key; }
  /// The variable with a handle of which that name is a value, or null.
  const KeptVariable *findVariable(llvm::StringRef name) const {
    auto found = valueNames.find(name);
    return found == valueNames.end() ? nullptr : &variables[found->second];
  }
  /// The tensor of that name, or null.
  const CheckedTensor *find(llvm::StringRef name) const {
    auto found = names.find(name);
    return found == names.end() ? nullptr : &tensors[found->second];
  }
  /// The index of one of its tensors.
  size_t numberOf(const CheckedTensor &tensor) const { return &tensor - tensors.data(); }

private:
  friend class GraphReader;

  std::vector<CheckedTensor> tensors;
  llvm::SmallVector<const schema::Operator *, 0> operators;
  llvm::SmallVector<GraphPort> inputs, outputs;
  llvm::SmallVector<KeptVariable> variables;
  llvm::SmallVector<int32_t> initializers;
  llvm::DenseMap<std::pair<size_t, size_t>, llvm::StringRef> reads;    ///< of variables, by operator and operand
  llvm::DenseMap<size_t, llvm::SmallVector<llvm::StringRef>> assigned; ///< by operators
  llvm::DenseMap<size_t, size_t> named;                                ///< variables with handles, by operators
  llvm::DenseMap<llvm::StringRef, size_t> valueNames;                  ///< of these variables
  llvm::DenseMap<llvm::StringRef, size_t> names;
  llvm::BumpPtrAllocator allocator; ///< of names that the file does not have
  bool hasOpenInputs = false;
};

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_CHECKEDGRAPH_H
