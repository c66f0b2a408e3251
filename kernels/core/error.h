// Failures the user can cause or see are values with readable text: what, where, and what to change.
#pragma once
#include <exception>
#include <new>
#include <string>
#include <tl/expected.hpp>
#include <utility>

struct Error {
  std::string text;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(std::string text) {
  return tl::unexpected<Error>(Error{std::move(text)});
}

// Runs work that returns a Result; what it throws becomes an error in words, running out of memory too. For work that
// nobody else would catch: of a thread, or of a file that somebody else made.
template <class Work>
auto in_words(Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return failure("Not enough memory for it. Use a smaller picture, or close other programs");
  } catch (const std::exception& error) {
    return failure(error.what());
  }
}
