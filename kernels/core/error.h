// Failures that the user can cause or see are values with readable text: what, where, and what to change.
#pragma once
#include <exception>
#include <new>
#include <string>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

namespace conv {

struct Error {
  std::string text;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(std::string text) {
  return tl::unexpected<Error>(Error{std::move(text)});
}

// Extracts the value of a successful Result, for CONV_TRY.
template <class T>
T taken_from(Result<T> result) {
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// The value of a Result. If it is an error, the enclosing function returns this error. Not to be nested,
// and not inside a list in braces: GCC then never destroys the list's elements.
//   const Taps taps = CONV_TRY(taps_of(filter));
#define CONV_TRY(...)                                              \
  ({                                                               \
    auto&& tried_ = (__VA_ARGS__);                                 \
    if (!tried_) return tl::unexpected(std::move(tried_).error()); \
    taken_from(std::forward<decltype(tried_)>(tried_));            \
  })

// Runs work that returns a Result and turns exceptions into errors with text, including out of memory. For work whose
// exceptions nobody else catches: threads, and files from somebody else.
template <class Work>
auto in_words(Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return failure("Not enough memory. Use a smaller picture, or close other programs");
  } catch (const std::exception& error) {
    return failure(error.what());
  }
}

}  // namespace conv
