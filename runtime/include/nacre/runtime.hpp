// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * Nacre runtime for C++17: nacre/runtime.h with owners that clean up.
 *
 *   nacre::Session session;
 *   if (session.create(nacre_model_squeezenet) != NACRE_OK)
 *     return fail(session.reason());
 *   std::copy(pixels.begin(), pixels.end(), session.input<float>("image").begin());
 *   if (session.run() != NACRE_OK)
 *     return fail(session.reason());
 *   for (float score : session.output<float>("scores"))
 *     use(score);
 *
 * It throws no exceptions, allocates nothing itself and does not use the standard library; in C++20, it includes <span> if there is
 * one. Memory, threads, errors and units are as in nacre/runtime.h.
 */
#ifndef NACRE_RUNTIME_HPP
#define NACRE_RUNTIME_HPP

#include "runtime.h"

#include <stddef.h>
#include <stdio.h>

#if __cplusplus >= 202002L && defined(__has_include)
#if __has_include(<span>)
#include <span>
#define NACRE_HAS_SPAN 1
#endif
#endif

namespace nacre {

/// The elements of an input or output, in the session's memory; none if the call that returned it failed. Converts to
/// a pointer, which is NULL then, and in C++20 to std::span.
template <typename T> class Span {
public:
  using value_type = T;
  using iterator = T *;
  using const_iterator = const T *;

  constexpr Span() = default;
  constexpr Span(T *data, size_t size) : first(data), count(size) {}

  constexpr T *data() const { return first; }
  /// Returns the number of elements; for types of less than a byte, that of the bytes that hold them.
  constexpr size_t size() const { return count; }
  constexpr bool empty() const { return count == 0; }
  constexpr T *begin() const { return first; }
  constexpr T *end() const { return first + count; }
  /// Also makes `elements[i]`, `if (elements)` and `memcpy(elements, ...)` work.
  constexpr operator T *() const { return first; }

private:
  T *first = nullptr;
  size_t count = 0;
};

/// Maps a C++ type to its nacre_element_type. Floats of 16 bits or fewer are accessed as integers of their bits, and packed
/// elements as bytes.
template <typename T> constexpr bool holds(nacre_element_type type) = delete;
template <> constexpr bool holds<float>(nacre_element_type type) { return type == NACRE_F32; }
template <> constexpr bool holds<double>(nacre_element_type type) { return type == NACRE_F64; }
template <> constexpr bool holds<int8_t>(nacre_element_type type) { return type == NACRE_I8; }
template <> constexpr bool holds<int16_t>(nacre_element_type type) { return type == NACRE_I16; }
template <> constexpr bool holds<int32_t>(nacre_element_type type) { return type == NACRE_I32; }
template <> constexpr bool holds<int64_t>(nacre_element_type type) { return type == NACRE_I64; }
template <> constexpr bool holds<uint8_t>(nacre_element_type type) {
  return type == NACRE_U8 || type == NACRE_BOOL || type >= NACRE_F8E4M3FN;
}
template <> constexpr bool holds<uint16_t>(nacre_element_type type) {
  return type == NACRE_U16 || type == NACRE_F16 || type == NACRE_BF16;
}
template <> constexpr bool holds<uint32_t>(nacre_element_type type) { return type == NACRE_U32; }
template <> constexpr bool holds<uint64_t>(nacre_element_type type) { return type == NACRE_U64; }
template <> constexpr bool holds<bool>(nacre_element_type type) { return type == NACRE_BOOL; }

/// Returns a C++ type's own name, for messages.
template <typename T> constexpr const char *name_of_cpp() = delete;
template <> constexpr const char *name_of_cpp<float>() { return "float"; }
template <> constexpr const char *name_of_cpp<double>() { return "double"; }
template <> constexpr const char *name_of_cpp<int8_t>() { return "int8_t"; }
template <> constexpr const char *name_of_cpp<int16_t>() { return "int16_t"; }
template <> constexpr const char *name_of_cpp<int32_t>() { return "int32_t"; }
template <> constexpr const char *name_of_cpp<int64_t>() { return "int64_t"; }
template <> constexpr const char *name_of_cpp<uint8_t>() { return "uint8_t"; }
template <> constexpr const char *name_of_cpp<uint16_t>() { return "uint16_t"; }
template <> constexpr const char *name_of_cpp<uint32_t>() { return "uint32_t"; }
template <> constexpr const char *name_of_cpp<uint64_t>() { return "uint64_t"; }
template <> constexpr const char *name_of_cpp<bool>() { return "bool"; }

/// Returns the name of the C++ type whose elements a tensor holds.
constexpr const char *cpp_name_of(nacre_element_type type) {
  switch (type) {
  case NACRE_F32:
    return name_of_cpp<float>();
  case NACRE_F64:
    return name_of_cpp<double>();
  case NACRE_I8:
    return name_of_cpp<int8_t>();
  case NACRE_I16:
    return name_of_cpp<int16_t>();
  case NACRE_I32:
    return name_of_cpp<int32_t>();
  case NACRE_I64:
    return name_of_cpp<int64_t>();
  case NACRE_U16:
  case NACRE_F16:
  case NACRE_BF16:
    return name_of_cpp<uint16_t>();
  case NACRE_U32:
    return name_of_cpp<uint32_t>();
  case NACRE_U64:
    return name_of_cpp<uint64_t>();
  case NACRE_BOOL:
    return name_of_cpp<bool>();
  default:
    return name_of_cpp<uint8_t>();
  }
}

/// Owns the weights file of a model compiled with --weights-in=file; it must outlive the sessions and states that use it.
class Weights {
public:
  Weights() = default;
  Weights(const Weights &) = delete;
  Weights &operator=(const Weights &) = delete;
  ~Weights() { close(); }

  /// Maps and checks a file, and replaces the one this one owned.
  nacre_status open(const nacre_model &of, const char *path) {
    nacre_weights opened = {};
    open_reason[0] = 0;
    const nacre_status status = nacre_weights_open(&of, path, &opened, open_reason, sizeof open_reason);
    if (status != NACRE_OK)
      return status;
    close();
    model = &of;
    weights = opened;
    return NACRE_OK;
  }

  /// Gives the weights to a session or state that is created with these options.
  void add_to(nacre_session_options &options) const {
    options.weights = weights.data;
    options.weights_bytes = weights.bytes;
  }

  /// Differs between files with other contents.
  uint64_t hash() const { return weights.hash; }

  /// Returns the cause of the latest failure of open.
  const char *reason() const { return open_reason; }

  explicit operator bool() const { return weights.data != nullptr; }

private:
  void close() {
    if (model)
      nacre_weights_close(model, &weights);
  }

  const nacre_model *model = nullptr;
  nacre_weights weights = {};
  char open_reason[256] = "";
};

/// Owns a state that sessions share through their option `state`; it must outlive them.
class State {
public:
  State() = default;
  State(const State &) = delete;
  State &operator=(const State &) = delete;
  ~State() { nacre_state_destroy(state); }

  /// Replaces the state this one owned.
  nacre_status create(const nacre_model &model,
                      const nacre_session_options &options = nacre_session_options_default()) {
    nacre_state *made = nullptr;
    const nacre_status status = nacre_state_create(&model, &options, &made);
    if (status != NACRE_OK)
      return status;
    nacre_state_destroy(state);
    state = made;
    return NACRE_OK;
  }

  nacre_status save(const char *path, uint32_t roles = NACRE_STATE_ALL) { return nacre_state_save(state, path, roles); }
  nacre_status load(const char *path, uint32_t roles = NACRE_STATE_ALL) { return nacre_state_load(state, path, roles); }

  /// Returns the cause of the latest failure; a failing create writes it to the option `reason` instead.
  const char *reason() const { return state ? nacre_state_reason(state) : ""; }

  explicit operator bool() const { return state != nullptr; }
  nacre_state *get() const { return state; }

private:
  nacre_state *state = nullptr;
};

/// Owns a session.
class Session {
public:
  Session() = default;
  Session(Session &&other) noexcept { swap(other); }
  Session &operator=(Session &&other) noexcept {
    swap(other);
    return *this;
  }
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;
  ~Session() { nacre_session_destroy(session); }

  /// Creates a session and replaces the owned one; both exist for a moment. Sets the option `reason` itself.
  nacre_status create(const nacre_model &from, nacre_session_options options = nacre_session_options_default()) {
    options.reason = own_reason;
    options.reason_capacity = sizeof own_reason;
    nacre_session *made = nullptr;
    const nacre_status status = nacre_session_create(&from, &options, &made);
    if (status != NACRE_OK)
      return status;
    nacre_session_destroy(session);
    own_reason[0] = 0;
    session = made;
    model = &from;
    entry = 0;
    nacre_entry_find(model, options.entry, &entry); // The first one, if the options name none.
    return NACRE_OK;
  }

  nacre_status run() { return reported(nacre_session_run(session)); }

  /// Lets later calls concern another entry of the model, by number or name. Requires the option all_entries.
  nacre_status use(uint32_t number) {
    const nacre_status status = reported(nacre_session_use(session, number));
    if (status == NACRE_OK)
      entry = number;
    return status;
  }
  nacre_status use(const char *name) {
    uint32_t number = 0;
    const bool is_found = session && nacre_entry_find(model, name, &number) == NACRE_OK;
    return is_found ? use(number) : refuse("the model has no entry", name);
  }

  /// Lets later calls concern the smallest entry for an input of these sizes (nacre_entry_for), among those that differ
  /// from the current one only in their sizes. Requires the option all_entries.
  nacre_status use_for(const char *input, const int64_t *dims, uint32_t rank) {
    nacre_entry_info info;
    uint32_t number = 0;
    if (session && nacre_entry_describe(model, entry, &info) == NACRE_OK &&
        nacre_entry_for(model, info.name, input, rank, dims, &number) == NACRE_OK)
      return use(number);
    if (session)
      snprintf(own_reason, sizeof own_reason, "no entry is large enough for '%.99s'",
               input ? input : "the first input");
    else
      snprintf(own_reason, sizeof own_reason, "there is no session; call create first");
    return NACRE_BAD_ARGUMENT;
  }

  /// Cancels the run of another thread; signal handlers may call this, too.
  nacre_status cancel() { return session ? nacre_session_cancel(session) : NACRE_BAD_ARGUMENT; }

  /// Returns the elements of an input or output, by number or name. Returns none if it does not exist or its elements
  /// are not of type T; reason() says which.
  template <typename T> Span<T> input(uint32_t index) {
    return locate<T>("input", index, nacre_input_describe, nacre_session_input);
  }
  template <typename T> Span<T> output(uint32_t index) {
    return locate<T>("output", index, nacre_output_describe, nacre_session_output);
  }
  template <typename T> Span<T> input(const char *name) {
    uint32_t index = 0;
    const bool is_found = session && nacre_session_find_input(session, name, &index) == NACRE_OK;
    return is_found ? input<T>(index) : (refuse("the entry has no input", name), Span<T>());
  }
  template <typename T> Span<T> output(const char *name) {
    uint32_t index = 0;
    const bool is_found = session && nacre_session_find_output(session, name, &index) == NACRE_OK;
    return is_found ? output<T>(index) : (refuse("the entry has no output", name), Span<T>());
  }

  /// Copies the dimensions of an output after a run to `dims`, which has room for its rank.
  nacre_status output_dims(uint32_t index, int64_t *dims) {
    return reported(nacre_session_output_dims(session, index, dims));
  }

  nacre_status bind_input(uint32_t index, const void *data) {
    return reported(nacre_session_bind_input(session, index, data));
  }
  nacre_status bind_output(uint32_t index, void *data) {
    return reported(nacre_session_bind_output(session, index, data));
  }

  /// Returns the state that the model keeps between runs, for nacre_state_reset, _read and _write; NULL before create.
  nacre_state *state() {
    nacre_state *found = nullptr;
    if (session)
      nacre_session_state(session, &found);
    return found;
  }

  /// Returns the cause of the latest failure, including that of create.
  const char *reason() const { return own_reason[0] || !session ? own_reason : nacre_session_reason(session); }

  explicit operator bool() const { return session != nullptr; }
  nacre_session *get() const { return session; }

private:
  /// Lets reason() give the runtime's cause of a failure, not an older one of this class.
  nacre_status reported(nacre_status status) {
    if (status != NACRE_OK)
      own_reason[0] = 0;
    return status;
  }

  template <typename T, typename Describe, typename Locate>
  Span<T> locate(const char *what, uint32_t index, Describe describe, Locate find) {
    nacre_tensor_info info;
    void *data = nullptr;
    if (!session)
      snprintf(own_reason, sizeof own_reason, "there is no session; call create first");
    else if (describe(model, entry, index, &info) != NACRE_OK || find(session, index, &data) != NACRE_OK)
      snprintf(own_reason, sizeof own_reason, "the entry has no %s number %u", what, unsigned(index));
    else if (!holds<T>(info.type))
      snprintf(own_reason, sizeof own_reason, "%s '%.99s' holds elements of %s, but %s was asked for", what, info.name,
               cpp_name_of(info.type), name_of_cpp<T>());
    else
      return {static_cast<T *>(data), static_cast<size_t>(info.bytes / sizeof(T))};
    return {};
  }

  /// Fails with `problem` and a name as the reason.
  nacre_status refuse(const char *problem, const char *name) {
    if (session)
      snprintf(own_reason, sizeof own_reason, "%s '%.99s'", problem, name ? name : "");
    else
      snprintf(own_reason, sizeof own_reason, "there is no session; call create first");
    return NACRE_BAD_ARGUMENT;
  }

  template <typename T> static void exchange(T &a, T &b) {
    const T old = a;
    a = b;
    b = old;
  }

  void swap(Session &other) noexcept {
    exchange(session, other.session);
    exchange(model, other.model);
    exchange(entry, other.entry);
    for (unsigned i = 0; i < sizeof own_reason; ++i)
      exchange(own_reason[i], other.own_reason[i]);
  }

  nacre_session *session = nullptr;
  const nacre_model *model = nullptr;
  uint32_t entry = 0;
  char own_reason[256] = "";
};

/// Owns threads that sessions share: options.executor = executor.get(). It must outlive the sessions.
class Executor {
public:
  Executor() = default;
  Executor(const Executor &) = delete;
  Executor &operator=(const Executor &) = delete;
  ~Executor() {
    if (executor)
      nacre_executor_destroy(model, executor);
  }

  /// Starts the threads; call this once. The model's .so must stay loaded as long as this object lives.
  nacre_status create(const nacre_model &from, uint32_t threads = 0, const nacre_allocator *allocator = nullptr) {
    if (executor)
      return NACRE_BAD_ARGUMENT;
    model = &from;
    return nacre_executor_create(model, threads, allocator, &executor);
  }

  nacre_executor *get() const { return executor; }

private:
  nacre_executor *executor = nullptr;
  const nacre_model *model = nullptr;
};

} // namespace nacre

#ifdef NACRE_HAS_SPAN
// Its elements are the session's, so that a std::span may be made of the result of a call.
template <typename T> inline constexpr bool std::ranges::enable_borrowed_range<nacre::Span<T>> = true;
#undef NACRE_HAS_SPAN
#endif

#endif // NACRE_RUNTIME_HPP
