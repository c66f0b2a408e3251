// Host variant: all taps are equal, so sums are made of sums; on all cores, in vectors along x.
#include <bit>

#include "kernels/core/variant.h"
#include "kernels/variants/support/cpu_rows.h"

namespace conv {

namespace {

// Floats from one row to the next, for at least `least` of them. Rows are not a power of two apart: they would compete
// for the same places of the cache.
std::size_t pitch_of(int least) {
  return static_cast<std::size_t>(ceil_div(least, 32)) * 32 + 16;
}

// Sums of levels over a window that moves down: the row that enters is added, the one that leaves is subtracted. They
// are whole numbers and therefore exact.
class MovingSums {
 public:
  static constexpr int most_floats = 64 * 1024;  // kept at a time: part of an L2 cache

  // terms: rows of the window, an odd number. Rows have at most `floats` numbers.
  MovingSums(int terms, int floats)
      : terms_(terms), pitch_(pitch_of(floats)), rows_((terms + 1) * pitch_), sums_(floats), nothing_(floats) {}

  void start() {
    added_ = 0;
    std::fill(sums_.begin(), sums_.end(), 0);
  }
  // Memory for the next row to add.
  float* next() { return row(added_); }
  // Adds a row below the others.
  void add(const float* entering, int count) {
    const float* leaving = added_ < terms_ ? nothing_.data() : row(added_ - terms_);
    cpu_rows::move_sums(entering, leaving, sums_.data(), count);
    ++added_;
  }
  // The sums of the rows in the window, summed along x.
  void along_row(int step, int terms, float factor, float* to, int count) {
    cpu_rows::moving_row(sums_.data(), step, terms, factor, to, count);
  }

 private:
  float* row(int i) { return rows_.data() + i % (terms_ + 1) * pitch_; }

  const int terms_;
  const std::size_t pitch_;
  int added_ = 0;
  std::vector<float> rows_;
  std::vector<int> sums_;
  const std::vector<float> nothing_;  // zeros, subtracted until the first window is full
};

// The same for floats: by doubling, because a sum of floats that moves would collect errors, and keep a NaN forever.
// Stage k keeps sums of 2^k rows, one for each of the last rows: the sum ends with that row. Stage 0 is the rows
// themselves.
class DoublingSums {
 public:
  static constexpr int most_floats = 16 * 1024;  // little more than an L1 cache, because each is used several times

  DoublingSums(int terms, int floats)
      : pitch_(pitch_of(floats)), added_(terms), copies_(2 * pitch_), sums_(floats), scratch_(floats) {
    std::size_t rows = 0;
    for (int length = 2; length <= terms; length *= 2) {
      const int part_ago = terms & length ? terms & (length - 1) : 0;
      stages_.push_back({length, part_ago, 1 + std::max(part_ago, 2 * length <= terms ? length : 0), rows});
      rows += stages_.back().rows;
    }
    memory_.resize(rows * pitch_);
    steps_.resize(stages_.size());
  }

  void start() { previous_ = nullptr; }
  float* next() { return copies_.data() + added_ % 2 * pitch_; }
  void add(const float* entering, int count) {
    // The first row has none before it. Its sums are not used, so any row will do.
    const float* other = previous_ ? previous_ : entering;
    for (std::size_t k = 0; k < stages_.size(); ++k) {
      const Stage& stage = stages_[k];
      steps_[k] = {other, stage.part_ago > 0 ? row(stage, stage.part_ago) : nullptr, row(stage, 0)};
      other = row(stage, stage.length);
    }
    cpu_rows::doubling_columns(entering, steps_, sums_.data(), count);
    previous_ = entering;
    ++added_;
  }
  void along_row(int step, int terms, float factor, float* to, int count) {
    cpu_rows::doubling_row(sums_.data(), step, terms, factor, scratch_.data(), to, count);
  }

 private:
  struct Stage {
    int length;         // rows of a sum
    int part_ago;       // the window contains the sum that ended so many rows ago; 0: none of this length
    int rows;           // how many of its sums are kept
    std::size_t first;  // the first of them in memory_
  };
  float* row(const Stage& stage, int ago) {
    return memory_.data() + (stage.first + static_cast<std::size_t>((added_ - ago) % stage.rows)) * pitch_;
  }

  const std::size_t pitch_;
  int added_;                  // begins high enough to look back from
  std::vector<Stage> stages_;  // from stage 1 on
  std::vector<cpu_rows::DoublingStep> steps_;
  std::vector<float> memory_, copies_, sums_, scratch_;
  const float* previous_ = nullptr;
};

// `count` columns from `left`, in rows [first, last).
template <class Source, class Target>
void filter_tile(const ConvArgs& args, int left, int count, int first, int last, auto& sums, float* result) {
  using namespace cpu_rows;
  constexpr int n = channels<Source>;
  const int wide = count + 2 * args.radius_x, x = left + args.origin_x - args.radius_x;
  sums.start();
  for (int y = first - args.radius_y; y < last + args.radius_y; ++y) {
    const float* row = row_in_memory<Source>(args, y + args.origin_y, x, wide);
    if (!row) {
      float* copy = sums.next();
      padded_row<Source>(args, y + args.origin_y, x, wide, copy);
      row = copy;
    }
    sums.add(row, wide * n);
    if (y < first + args.radius_y) continue;
    sums.along_row(n, 2 * args.radius_x + 1, args.taps[0], result, count * n);
    finish_row<Source, Target>(args, y - args.radius_y, left, count, result);
  }
}

void filter_rows(const ConvArgs& args, PixelType source, PixelType target, int first, int last) {
  cpu_rows::for_pair(source, target, [&]<class Source, class Target> {
    constexpr bool levels = std::is_same_v<typename PixelTraits<Source>::Channel, unsigned char>;
    using Sums = std::conditional_t<levels, MovingSums, DoublingSums>;
    constexpr int n = cpu_rows::channels<Source>;
    const int width = args.target.width, terms = 2 * args.radius_y + 1;
    // At least four times the columns that neighbouring tiles convert again.
    const int tile = std::min(width, std::max({64, Sums::most_floats / (terms * n), 8 * args.radius_x}));
    Sums sums(terms, (tile + 2 * args.radius_x) * n);
    std::vector<float> result(static_cast<std::size_t>(tile) * n);
    for (int left = 0; left < width; left += tile)
      filter_tile<Source, Target>(args, left, std::min(tile, width - left), first, last, sums, result.data());
  });
}

// The additions for a sum of so many numbers, by doubling.
int additions(int terms) {
  const auto n = static_cast<unsigned>(terms);
  return std::bit_width(n) + std::popcount(n) - 2;
}

Result<LaunchPlan> plan_cpu_box(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  LaunchPlan plan = host_plan(image, settings, filter_rows);
  const Size2 window = settings.taps->size;
  const bool moves = info(settings.format).bytes == info(settings.format).channels;
  const int sums = moves ? 4 : additions(window.width) + additions(window.height);
  std::get<HostStep>(plan.steps.front()).multiply_adds = sums + 1;
  return plan;
}

}  // namespace

CONV_DEFINE_VARIANT(cpu_box){
    .id = "cpu_box",
    .title = "CPU, box",
    .idea = "Equal taps need only sums, and sums can be reused: the time hardly grows with the radius.",
    .group = VariantGroup::cpu,
    .notice =
        "For 8-bit pixels, the next sum is the last one plus the pixel that enters minus the pixel that leaves. For "
        "floats, subtracting would leave rounding errors. There, two sums of n numbers are added to get a sum of 2n.",
    .needs_equal_taps = true,
    .instead = "cpu_separable",
    .plan = plan_cpu_box,
};

}  // namespace conv
