// Kinds of options that CLI11 lacks: words of a table, sizes, ranges, switches. A bad value throws CLI::ValidationError
// with a text that says what is expected.
#pragma once
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "app/cli/options.h"
#include "kernels/core/switches.h"

namespace conv {

template <class Infos>
std::string ids_of(const Infos& infos) {
  std::string text;
  for (const auto& info : infos) text += (text.empty() ? "" : ", ") + std::string(info.id);
  return text;
}

// The row of the table whose id is `word`; throws if there is none. name: of the option.
template <class Infos>
const auto& row_of(const Infos& infos, const std::string& name, const std::string& word) {
  const auto row = std::find_if(infos.begin(), infos.end(), [&](const auto& r) { return r.id == word; });
  if (row == infos.end())
    throw CLI::ValidationError(name, fmt::format("there is no {}; use one of {}", word, ids_of(infos)));
  return *row;
}

std::string variant_ids();
// Throws if there is no such variant.
void check_variant_id(const std::string& name, const std::string& id);

// Adds an option whose word must be an id of the table; store receives the table's row.
template <class Infos, class Store>
CLI::Option* add_choice(CLI::App& app, const std::string& name, const Infos& infos, const std::string& help,
                        Store store) {
  return app.add_option_function<std::string>(
      name, [&infos, name, store](const std::string& word) { store(row_of(infos, name, word)); },
      fmt::format("{}: {}", help, ids_of(infos)));
}

CLI::Option* add_size(CLI::App& app, const std::string& name, const std::string& help,
                      const std::function<void(Size2)>& store);
// `into` holds the standard variant; empty: there is none.
void add_variant(CLI::App& app, const std::string& name, const std::string& help, std::string& into);
void add_device(CLI::App& app, Options& options);
// "16x16".
std::string text_of(Size2 size);
// How many letters must be inserted, removed or replaced to make one word the other (Levenshtein).
int edit_distance(std::string_view from, std::string_view to);
// "2/4": the second of four parts.
void add_shard(CLI::App& app, const std::string& name, Shard& shard);

// Adds an option that takes several words separated by commas; `read` converts each.
template <class Read>
void add_list(CLI::App& app, const std::string& name, const std::string& help, Read read) {
  app.add_option_function<std::vector<std::string>>(
         name, [read](const std::vector<std::string>& words) { read(words); }, help)
      ->delimiter(',');
}

// The same for ids of a table; `into` receives what `get` returns for each row.
template <class Infos, class Value, class Get>
void add_choices(CLI::App& app, const std::string& name, const Infos& infos, const std::string& help,
                 std::vector<Value>& into, Get get) {
  add_list(app, name, fmt::format("{}, separated by commas: {}", help, ids_of(infos)),
           [&infos, name, &into, get](const std::vector<std::string>& words) {
             into.clear();
             for (const std::string& word : words) into.push_back(get(row_of(infos, name, word)));
           });
}

// "3", "1:16", "2:16:2": all whole numbers of the range, 0 to max_radius.
std::vector<int> numbers_in(const std::string& name, const std::string& text);
std::vector<Size2> sizes_in(const std::string& name, const std::vector<std::string>& words);
// All combinations of "NAME=V1,V2" and similar options.
std::vector<SwitchValues> switches_in(const std::string& name, const std::vector<std::string>& texts);

}  // namespace conv
