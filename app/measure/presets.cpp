#include "app/measure/presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/measure/rankings.h"
#include "kernels/core/registry.h"
#include "kernels/variants/support/plan_job.h"

namespace conv {

namespace {

constexpr Size2 video_sizes[] = {{853, 480}, {1280, 720}, {1920, 1080}, {3840, 2160}, {7680, 4320}};
constexpr Size2 hd{1920, 1080};

FilterSpec binomial(int side) {
  return {.kind = FilterKind::gaussian_integer, .radius = side / 2};
}

BenchPoint point_of(std::string variant, Size2 image, const FilterSpec& filter, Border border, PixelType format,
                    Size2 block = {16, 16}) {
  return {.image = image,
          .filter = filter,
          .border = border,
          .lane = {.variant = std::move(variant), .format = format, .block = block}};
}

BenchPoint with(BenchPoint point, std::initializer_list<std::pair<std::string_view, int>> switches) {
  for (const auto& [id, value] : switches) point.lane.switches.set(id, value);
  return point;
}

// The same configuration with several variants.
BenchGroup group_of(std::initializer_list<const char*> variants, const BenchPoint& point) {
  BenchGroup group;
  for (const char* variant : variants) group.emplace_back(point).lane.variant = variant;
  return group;
}

// The kernels of S4's tables, after the CPU's if the table has it.
BenchGroup s4_group(Size2 image, int side, Size2 block, bool with_cpu) {
  const BenchPoint point = point_of("", image, binomial(side), Border::zero, PixelType::f32, block);
  return with_cpu ? group_of({"cpu_sequential", "global", "constant", "tile_nested"}, point)
                  : group_of({"global", "constant", "tile_nested"}, point);
}
std::vector<BenchGroup> s4_sizes() {
  std::vector<BenchGroup> groups;
  for (const int side : {256, 512, 1024, 2048, 4096}) groups.push_back(s4_group({side, side}, 3, {16, 16}, true));
  return groups;
}
std::vector<BenchGroup> s4_filters() {
  std::vector<BenchGroup> groups;
  for (const int side : {3, 5, 7}) groups.push_back(s4_group({1024, 1024}, side, {16, 16}, true));
  return groups;
}
std::vector<BenchGroup> s4_blocks() {
  std::vector<BenchGroup> groups;
  for (const Size2 block : {Size2{8, 8}, {16, 16}, {32, 8}, {32, 16}, {32, 32}})
    groups.push_back(s4_group({2048, 2048}, 5, block, false));
  return groups;
}

BenchGroup s2_group(Size2 image, int side, bool with_cpu) {
  const BenchPoint point = point_of("", image, binomial(side), Border::replicate, PixelType::rgb8);
  return with_cpu ? group_of({"cpu_sequential", "global", "constant", "tile_batched"}, point)
                  : group_of({"global", "constant", "tile_batched"}, point);
}
std::vector<BenchGroup> s2_sizes() {
  std::vector<BenchGroup> groups;
  for (const Size2 image : video_sizes) groups.push_back(s2_group(image, 3, true));
  return groups;
}
std::vector<BenchGroup> s2_filters() {
  std::vector<BenchGroup> groups;
  for (const int side : {3, 5, 7, 9}) groups.push_back(s2_group(hd, side, true));
  return groups;
}
std::vector<BenchGroup> s2_kernels() {
  return {s2_group(hd, 3, false)};
}
std::vector<BenchGroup> s2_layouts() {
  std::vector<BenchGroup> groups;
  for (const Size2 image : video_sizes)
    for (const PixelType format : {PixelType::rgb8, PixelType::rgb8_soa})
      groups.push_back(
          group_of({"cpu_sequential", "global"}, point_of("", image, binomial(3), Border::replicate, format)));
  return groups;
}
std::vector<BenchGroup> s2_streams() {
  std::vector<BenchGroup> groups;
  for (const Size2 image : video_sizes) {
    const BenchPoint point = point_of("streams", image, binomial(3), Border::replicate, PixelType::rgb8);
    groups.push_back({with(point, {{"streams", 1}, {"host_memory", 0}}), with(point, {{"streams", 1}}), point});
  }
  return groups;
}

std::vector<BenchGroup> s1_paddings() {
  std::vector<BenchGroup> groups;
  for (const Border border : {Border::blog_mirror, Border::replicate})
    groups.push_back(group_of({"global", "constant", "tile_linear", "tile_unrolled"},
                              point_of("", {2048, 1024}, binomial(5), border, PixelType::f32)));
  return groups;
}

std::vector<BenchGroup> s3_radii() {
  std::vector<BenchGroup> groups;
  for (const int radius : {3, 5, 7, 10})
    groups.push_back({point_of("separable_tiles", hd, {.sigma = sigma_for(radius), .radius = radius}, Border::replicate,
                               PixelType::f32)});
  return groups;
}

std::vector<BenchGroup> s0_radii() {
  std::vector<BenchGroup> groups;
  for (int radius = 1; radius <= 16; ++radius) {
    const FilterSpec filter{.sigma = sigma_for(radius), .radius = radius};
    const BenchPoint point = point_of("separable_whitepaper", {3072, 3072}, filter, Border::zero, PixelType::f32);
    BenchPoint texture = point;
    texture.lane.variant = "separable_texture";
    groups.push_back({point, with(point, {{"unroll", 0}}), texture});
  }
  return groups;
}

std::vector<BenchGroup> box_peers() {
  std::vector<BenchGroup> groups;
  for (const int radius : {1, 2, 3, 5, 8, 16, 32, 64}) {
    BenchPoint point =
        point_of("", video_sizes[4], {.kind = FilterKind::box, .radius = radius}, Border::replicate, PixelType::f32);
    point.cold = true;
    groups.push_back(group_of({"copy", "copy_kernel", "box_running", "separable_shuffle", "separable_stream",
                               "separable_tensor", "separable_whitepaper"},
                              point));
  }
  return groups;
}
template <std::size_t video_size, PixelType format, bool cold>
std::vector<BenchGroup> peers() {
  std::vector<BenchGroup> groups;
  for (const int radius : {1, 2, 3, 5, 8, 16, 32}) {
    BenchPoint point = point_of("", video_sizes[video_size], {.sigma = sigma_for(radius), .radius = radius},
                                Border::replicate, format);
    point.cold = cold;
    BenchGroup& group =
        groups.emplace_back(group_of({"copy", "copy_kernel", "separable_tensor", "separable_shuffle",
                                      "separable_stream", "direct_shuffle", "direct_stream", "direct_paired",
                                      "separable_whitepaper", "tile_unrolled", "fft", "npp_separable", "npp_direct"},
                                     point));
    group.push_back(with(group[2], {{"products", 1}}));
  }
  return groups;
}

// What a race runs on a GPU, with the window's first formats and radii.
std::vector<BenchGroup> every_variant() {
  std::vector<BenchGroup> groups;
  for (const PixelType format : {PixelType::rgba8, PixelType::f32})
    for (const int radius : {1, 2, 3, 5, 8, 16}) {
      BenchGroup& group = groups.emplace_back();
      for (const Variant* variant : variants())
        if (variant->group != VariantGroup::cpu && variant->group != VariantGroup::mine && variant->exhibit.empty() &&
            !variant->chooses && !variant->single_launch)
          group.push_back(point_of(std::string(variant->id), hd, {.sigma = sigma_for(radius), .radius = radius},
                                   Border::replicate, format));
    }
  return groups;
}

}  // namespace

static constexpr std::string_view beside =
    "The time of filtering relative to a copy of the image: variants, NVIDIA's NPP and cuFFT (fft). Buffers are "
    "rotated.";

std::span<const BenchPreset> bench_presets() {
  static constexpr std::array presets{
      BenchPreset{s4_sizes, "s4-a", "Image size, 3×3", "S4 tables 5.5 and 5.6",
                  "Small images time the launch, not the kernel; a shared tile does not pay for 9 taps.",
                  BenchValue::speedup, false},
      BenchPreset{s4_filters, "s4-b", "Kernel size at 1024×1024", "S4 tables 5.7 and 5.8",
                  "Where the shared tile becomes faster: at nine taps or at twenty-five.", BenchValue::ms, false},
      BenchPreset{s4_blocks, "s4-c", "Block shape at 2048×2048, 5×5", "S4 tables 5.9 and 5.10",
                  "Rows of 32 threads load whole sectors; 32×32 leaves few blocks on a multiprocessor.", BenchValue::ms,
                  false},
      BenchPreset{s2_sizes, "s2-a", "Resolution, 3×3, three channels", "S2, speedup by resolution; sizes [ext]",
                  "A slow baseline makes large speedups: read its ns per multiply-add.", BenchValue::speedup, false},
      BenchPreset{s2_filters, "s2-b", "Kernel size at HD, three channels", "S2, speedup by kernel size",
                  "The shared tile gains with every tap.", BenchValue::speedup, false},
      BenchPreset{s2_kernels, "s2-c", "Memory of image and weights at HD", "S2, levels of memory",
                  "One job, three memories.", BenchValue::ms, false},
      BenchPreset{s2_layouts, "s2-d", "Interleaved channels or planes", "S2, layouts; sizes [ext]",
                  "The published bars are CPU times; these are the times of both processors, separately.",
                  BenchValue::ms, false},
      BenchPreset{s2_streams, "s2-e", "One stream or four, with transfers",
                  "S2, synchronous and asynchronous; sizes [ext]",
                  "The link is the limit: more streams do not help, but overlapping both directions does.",
                  BenchValue::ms, false},
      BenchPreset{s1_paddings, "s1", "The ladder at 2048×1024, 5×5", "S1, RTX 3070",
                  "How much each step gains on this GPU, and how much of it is the mirror's arithmetic, per tap or per "
                  "pixel: the same steps with a clamp are shown too.",
                  BenchValue::ms, false},
      BenchPreset{s3_radii, "s3", "Separable Gaussian at HD", "S3, radius 3, 5, 7 and 10",
                  "With the copies, by the host's clock, and without: which of them was published?", BenchValue::ms,
                  true},
      BenchPreset{s0_radii, "s0", "Shared memory or texture, by radius", "S0 figure 13; 3072×3072 [ext]",
                  "Unrolled, not unrolled, and with the texture cache.", BenchValue::megapixels, false},
      BenchPreset{peers<4, PixelType::f32, true>, "peers", "Beside libraries, 7680×4320", "Convoscope", beside,
                  BenchValue::ms, false, false, true},
      BenchPreset{peers<3, PixelType::f32, true>, "peers-4k", "Beside libraries, 3840×2160", "Convoscope", beside,
                  BenchValue::ms, false, false, true},
      BenchPreset{peers<2, PixelType::f32, true>, "peers-hd", "Beside libraries, 1920×1080", "Convoscope", beside,
                  BenchValue::ms, false, false, true},
      BenchPreset{peers<2, PixelType::f32, false>, "peers-warm", "Beside libraries, 1920×1080 in the cache",
                  "Convoscope",
                  "The image and its result fit the L2 cache: the time is that of the last block to finish.",
                  BenchValue::ms, false, false, true},
      BenchPreset{peers<4, PixelType::rgba8, true>, "peers-rgba8", "Beside libraries, 7680×4320 RGBA8", "Convoscope",
                  beside, BenchValue::ms, false, false, true},
      BenchPreset{box_peers, "peers-box", "Boxes beside copies, 7680×4320", "Convoscope",
                  "A running sum takes the same few additions at any radius; the other variants need more with each.",
                  BenchValue::ms, false, false, true},
      BenchPreset{every_variant, "variants", "Every variant, 1920×1080", "Convoscope",
                  "All variants of the race in RGBA8 and f32, by radius. The image stays in the cache.", BenchValue::ms,
                  false, false},
      BenchPreset{nullptr, auto_id, "What auto chooses from", "Convoscope",
                  "All candidates for the fastest, for typical images, formats and filters. The variant auto uses the "
                  "results from then on.",
                  BenchValue::ms, false, false},
  };
  return presets;
}

std::string with_title(std::string_view source) {
  for (const DocumentInfo& document : documents) {
    if (!source.starts_with(document.id)) continue;
    const std::string_view place = source.substr(document.id.size());
    return fmt::format("{}{}{}", document.title, place.starts_with(' ') ? "," : "", place);
  }
  return std::string(source);
}

std::string BenchPreset::plot_title() const {
  return fmt::format("{}: {}", with_title(source), title);
}

const BenchPreset* find_preset(std::string_view id) {
  const auto all = bench_presets();
  const auto found = std::find_if(all.begin(), all.end(), [&](const BenchPreset& preset) { return preset.id == id; });
  return found == all.end() ? nullptr : &*found;
}

BenchJob job_of(const BenchPreset& preset, bool on_gpu) {
  BenchJob job{std::string(preset.id), preset.groups ? preset.groups() : std::vector<BenchGroup>{}, preset.copies};
  if (preset.id == auto_id) return {.id = job.id, .groups = auto_table(on_gpu), .adds = true};
  if (on_gpu) return job;
  for (BenchGroup& group : job.groups) {
    BenchPoint point = group.front();
    point.lane.switches = {};
    point.cold = false;
    group.clear();
    const Result<Taps> taps = taps_of(point.filter);
    for (const Variant* variant : variants()) {
      if (variant->group != VariantGroup::cpu || (variant->needs_equal_taps && !(taps && taps->equal()))) continue;
      point.lane.variant = variant->id;
      group.push_back(point);
    }
  }
  // Block shapes have no effect on the host.
  for (std::size_t i = 1; i < job.groups.size(); ++i) {
    for (BenchPoint& point : job.groups[i]) point.lane.block = job.groups[0][0].lane.block;
    if (job.groups[i] == job.groups[i - 1]) job.groups.erase(job.groups.begin() + static_cast<std::ptrdiff_t>(i--));
  }
  return job;
}

BenchJob job_of(const FreeSweep& sweep) {
  BenchJob job{"sweep", {}};
  for (const PixelType format : sweep.formats)
    for (const Border border : sweep.borders)
      for (const FilterSpec& filter : sweep.filters)
        for (const Size2 image : sweep.sizes) {
          BenchGroup group;
          std::set<std::string> seen;
          for (const std::string& variant : sweep.variants)
            for (const Size2 block : sweep.blocks)
              for (const SwitchValues& chosen : sweep.switches) {
                BenchPoint point = point_of(variant, image, filter, border, format, block);
                point.lane.switches = chosen;
                point.cold = sweep.cold;
                if (const auto taps = taps_of(filter)) {
                  ConvSettings settings = conv_settings(point.lane, {.border = border}, std::make_shared<Taps>(*taps));
                  point.lane.switches = applicable(*find_variant(variant), std::move(settings)).switches;
                }
                if (seen.insert(key_of(point)).second) group.push_back(std::move(point));
              }
          // All kernels of a group stay loaded at the same time: large groups are divided, each part with the baseline.
          constexpr std::size_t largest = 32;
          for (std::size_t first = 0; first < group.size(); first += largest) {
            BenchGroup& part = job.groups.emplace_back();
            if (first > 0) part.push_back(group.front());
            part.insert(part.end(), group.begin() + static_cast<std::ptrdiff_t>(first),
                        group.begin() + static_cast<std::ptrdiff_t>(std::min(group.size(), first + largest)));
          }
        }
  return job;
}

}  // namespace conv
