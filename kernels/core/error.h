// Failures the user can cause or see are values with readable text: what, where, and what to change.
#pragma once
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
