// Values as bytes: numbers as they are in memory, lists after their length, structures field by field, as a function
// `fields` lists them.
#pragma once
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace conv {

// Lists of such items are copied as a whole.
template <class T>
inline constexpr bool is_plain = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

class MessageWriter {
 public:
  template <class... T>
  void operator()(T&... values) {
    (one(values), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  template <class T>
  void one(T& value) {
    if constexpr (requires { fields(*this, value); }) {
      fields(*this, value);
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  void length_of(const auto& list) {
    std::size_t length = list.size();
    one(length);
  }
  void one(std::string_view& text) {
    length_of(text);
    bytes_ += text;
  }
  void one(std::string& text) {
    std::string_view view = text;
    one(view);
  }
  template <class T>
  void one(std::vector<T>& list) {
    length_of(list);
    if constexpr (is_plain<T>) {
      bytes_.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
      return;
    }
    for (auto&& item : list) {
      T copy = item;  // an item of a list of bools is no reference
      one(copy);
    }
  }
  template <class T>
  void one(std::optional<T>& value) {
    bool is_there = value.has_value();
    one(is_there);
    if (is_there) one(*value);
  }
  template <class Key, class T>
  void one(std::map<Key, T>& map) {
    length_of(map);
    for (auto& [key, value] : map) {
      Key copy = key;
      (*this)(copy, value);
    }
  }

  std::string bytes_;
};

// The bytes may come from a kernel of somebody else. Once they do not fit, every further value is 0 or empty.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : rest_(bytes) {}
  template <class... T>
  void operator()(T&... values) {
    (one(values), ...);
  }
  // Whether all values were there, and nothing else.
  bool fits() const { return fits_ && rest_.empty(); }

 private:
  static constexpr std::size_t most_items = std::size_t{1} << 20;  // of a list; texts may be longer

  std::string_view next(std::size_t count) {
    if (count > rest_.size()) {
      fits_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  template <class T>
  void one(T& value) {
    if constexpr (requires { fields(*this, value); }) {
      fields(*this, value);
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      const std::string_view bytes = next(sizeof value);
      if (!bytes.empty()) std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof value);
    }
  }
  void one(bool& value) {
    char byte = 0;
    one(byte);
    value = byte != 0;
  }
  std::size_t length() {
    std::size_t length = 0;
    one(length);
    if (length <= rest_.size() && length <= most_items) return length;  // each item has at least one byte
    fits_ = false;
    return 0;
  }
  void one(std::string_view& text) {
    std::size_t length = 0;
    one(length);
    text = next(length);
  }
  void one(std::string& text) {
    std::string_view view;
    one(view);
    text = view;
  }
  template <class T>
  void one(std::vector<T>& list) {
    list.clear();
    if constexpr (is_plain<T>) {
      const std::size_t count = length();
      fits_ = fits_ && count <= rest_.size() / sizeof(T);
      if (!fits_) return;
      list.resize(count);
      const std::string_view bytes = next(count * sizeof(T));
      if (count > 0) std::memcpy(static_cast<void*>(list.data()), bytes.data(), bytes.size());
      return;
    }
    for (std::size_t left = length(); left > 0 && fits_; --left) {
      T item{};
      one(item);
      list.push_back(std::move(item));
    }
  }
  template <class T>
  void one(std::optional<T>& value) {
    bool is_there = false;
    one(is_there);
    value.reset();
    if (is_there && fits_) one(value.emplace());
  }
  template <class Key, class T>
  void one(std::map<Key, T>& map) {
    for (std::size_t left = length(); left > 0 && fits_; --left) {
      Key key{};
      one(key);
      one(map[key]);
    }
  }

  std::string_view rest_;
  bool fits_ = true;
};

}  // namespace conv
