#include "app/cli/option_types.h"

#include <charconv>
#include <numeric>
#include <sstream>

#include "kernels/core/registry.h"

namespace conv {

std::string variant_ids() {
  std::string text;
  for (const Variant* variant : variants()) text += (text.empty() ? "" : ", ") + std::string(variant->id);
  return text;
}

void check_variant_id(const std::string& name, const std::string& id) {
  if (!find_variant(id))
    throw CLI::ValidationError(name, fmt::format("there is no {}; use one of {}", id, variant_ids()));
}

static Size2 size_in(const std::string& name, const std::string& text) {
  const std::optional<Size2> size = parse_size(text);
  if (!size) throw CLI::ValidationError(name, fmt::format("invalid size \"{}\": expected WxH, such as 32x8", text));
  return *size;
}

CLI::Option* add_size(CLI::App& app, const std::string& name, const std::string& help,
                      const std::function<void(Size2)>& store) {
  return app.add_option_function<std::string>(
      name, [name, store](const std::string& text) { store(size_in(name, text)); }, help);
}

void add_variant(CLI::App& app, const std::string& name, const std::string& help, std::string& into) {
  app.add_option_function<std::string>(
         name,
         [name, &into](const std::string& id) {
           check_variant_id(name, id);
           into = id;
         },
         fmt::format("{}: {}", help, variant_ids()))
      ->default_str(into);
}

std::string text_of(Size2 size) {
  return fmt::format("{}x{}", size.width, size.height);
}

int edit_distance(std::string_view from, std::string_view to) {
  std::vector<int> row(to.size() + 1);  // distances of the part of `from` so far to each beginning of `to`
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    int diagonal = std::exchange(row[0], static_cast<int>(i) + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const int replaced = diagonal + (from[i] != to[j] ? 1 : 0);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

void add_device(CLI::App& app, Options& options) {
  struct Device {
    std::string_view id;
    DeviceChoice choice;
  };
  static constexpr std::array devices{Device{"auto", DeviceChoice::automatic}, Device{"gpu", DeviceChoice::gpu},
                                      Device{"cpu", DeviceChoice::cpu}};
  add_choice(app, "--device", devices, "Where kernels run; cpu runs the same kernels thread by thread",
             [&options](const Device& d) { options.device = d.choice; });
}

void add_shard(CLI::App& app, const std::string& name, Shard& shard) {
  app.add_option_function<std::string>(
      name,
      [&shard, name](const std::string& text) {
        const char* end = text.data() + text.size();
        const auto index = std::from_chars(text.data(), end, shard.index);
        const bool has_count = index.ec == std::errc{} && index.ptr != end && *index.ptr == '/';
        const auto count = has_count ? std::from_chars(index.ptr + 1, end, shard.count) : index;
        if (!has_count || count.ec != std::errc{} || count.ptr != end || shard.index < 1 || shard.count < shard.index)
          throw CLI::ValidationError(name, fmt::format("invalid part \"{}\": expected I/N, such as 2/4", text));
      },
      "Run part i of n, i/n");
}

namespace {

// The numbers of FIRST, FIRST:LAST or FIRST:LAST:STEP; empty if the text is not one of these.
std::vector<int> parts_of(const std::string& text) {
  std::vector<int> parts;
  const char* end = text.data() + text.size();
  for (const char* at = text.data(); parts.size() < 3; ++at) {
    const auto number = std::from_chars(at, end, parts.emplace_back());
    if (number.ec != std::errc{}) return {};
    if (number.ptr == end) return parts;
    if (*number.ptr != ':') return {};
    at = number.ptr;
  }
  return {};
}

}  // namespace

std::vector<int> numbers_in(const std::string& name, const std::string& text) {
  const auto refuse = [&](const std::string& why) { throw CLI::ValidationError(name, why); };
  const std::vector<int> parts = parts_of(text);
  if (parts.empty())
    refuse(fmt::format("invalid range \"{}\": expected a number or a range, such as 5, 1:16 or 2:16:2", text));
  const int first = parts[0], last = parts.size() > 1 ? parts[1] : first, step = parts.size() > 2 ? parts[2] : 1;
  if (first < 0) refuse(text + " begins below 0");
  if (step < 1 || last < first) refuse(text + " is empty");
  if (last > max_radius) refuse(fmt::format("{} is beyond {}", text, max_radius));
  std::vector<int> numbers;
  for (int number = first; number <= last; number += step) numbers.push_back(number);
  return numbers;
}

std::vector<Size2> sizes_in(const std::string& name, const std::vector<std::string>& words) {
  std::vector<Size2> sizes;
  for (const std::string& word : words) {
    const Size2 size = sizes.emplace_back(size_in(name, word));
    if (size.area() > max_pixels)
      throw CLI::ValidationError(name, fmt::format("{} is more than {} Mpx", word, max_pixels / 1'000'000));
  }
  return sizes;
}

std::vector<SwitchValues> switches_in(const std::string& name, const std::vector<std::string>& texts) {
  std::vector<SwitchValues> all{SwitchValues{}};
  for (const std::string& text : texts) {
    std::vector<SwitchValues> more;
    std::istringstream values(text.substr(std::min(text.size(), text.find('=') + 1)));
    for (std::string value; std::getline(values, value, ',');)
      for (SwitchValues chosen : all) {
        if (const auto set = set_from_text(chosen, text.substr(0, text.find('=') + 1) + value); !set)
          throw CLI::ValidationError(name, set.error().text);
        more.push_back(std::move(chosen));
      }
    if (more.empty()) throw CLI::ValidationError(name, text + " is not a switch; write it like streams=1,2,4");
    all = std::move(more);
  }
  return all;
}

}  // namespace conv
