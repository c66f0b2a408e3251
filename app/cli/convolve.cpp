#include <fmt/format.h>
#include <fmt/printf.h>

#include <cmath>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress.h"
#include "app/cli/still_picture.h"
#include "app/headless/processor.h"
#include "app/measure/engine.h"
#include "app/measure/rankings.h"
#include "app/model/session_source.h"
#include "app/model/settings_json.h"
#include "app/sources/frame_writer.h"
#include "kernels/core/cost.h"
#include "kernels/core/file.h"

namespace conv {

namespace fs = std::filesystem;

namespace {

nlohmann::json json_of(const LaunchPlan& plan, const std::vector<StepSpan>& spans) {
  nlohmann::json steps = nlohmann::json::array();
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const StepBase& base = base_of(plan.steps[i]);
    nlohmann::json step{{"title", base.title}, {"ms", spans[i].ms()}};
    if (plan.spread()) step.update({{"begin_ms", spans[i].begin_ms}, {"stream", base.stream}, {"device", base.device}});
    if (const auto* kernel = std::get_if<KernelStep>(&plan.steps[i]))
      step.update({{"kernel", kernel->kernel.exact.text()},
                   {"grid", json_of(kernel->grid)},
                   {"block", json_of(kernel->block)},
                   {"tile", json_of(kernel->tile)},
                   {"apron", json_of(kernel->apron)},
                   {"shared_bytes", kernel->shared_bytes},
                   {"threads",
                    {{"writing", kernel->threads.writing},
                     {"loading_only", kernel->threads.loading_only},
                     {"idle", kernel->threads.idle}}}});
    steps.push_back(std::move(step));
  }
  return steps;
}

// Convolves one picture after the other.
class Convolver {
 public:
  static Result<Convolver> create(const Options& options) {
    Taps taps = CONV_TRY(taps_of(options.settings.filter));
    Processor processor = CONV_TRY(Processor::create(options.device));
    if (find_variant(options.settings.lanes[0].variant)->chooses)
      use_kept_rankings(processor, BenchEngine(processor).environment());
    return Convolver(options, std::move(taps), std::move(processor));
  }

  struct Done {
    Picture picture;
    LaunchPlan plan;
    std::vector<StepSpan> times;
  };
  // The chosen lane. If no format was given, the format that keeps the picture's numbers.
  LaneSettings lane_for(const Picture& picture) const {
    LaneSettings lane = settings_.lanes[0];
    if (!chooses_format_ || !picture.is_float) return lane;
    const bool one_channel = picture.channels == 1 || info(lane.format).channels == 1;
    lane.format = in_layout(one_channel ? PixelType::f32 : PixelType::rgba32f, is_planar(lane.format));
    return lane;
  }

  // Can be called from any thread; the calls take turns on the processor.
  Result<Done> run(const Picture& picture) {
    return in_words([&] { return filtered(picture); });
  }

  const Taps& taps() const { return *taps_; }
  const Processor& processor() const { return processor_; }

 private:
  Convolver(const Options& options, Taps taps, Processor processor)
      : settings_(options.settings),
        chooses_format_(options.chooses_format),
        checks_(options.check),
        taps_(std::make_shared<const Taps>(std::move(taps))),
        processor_(std::move(processor)) {}

  Result<Done> filtered(const Picture& picture) {
    const LaneSettings lane = lane_for(picture);
    ConvSettings job = conv_settings(lane, settings_, taps_);
    job.largest = picture.largest;
    LaunchPlan plan = CONV_TRY(plan_job(*find_variant(lane.variant), picture.size, job, processor_.limits()));
    const HostImage source = to_format(picture, lane.format);
    HostImage result;
    Result<std::vector<StepSpan>> times;
    {
      const std::lock_guard lock(*turn_);
      if (checks_)
        if (const auto faults = CONV_TRY(processor_.watch(plan, source)); !faults.empty())
          return failure(faults.front().text);
      times = processor_.run(plan, source, result);
    }
    if (!times) return tl::unexpected(times.error());
    if (checks_) CONV_TRY(compared(job, lane, source, result));
    // A requested float format is saved as it is: 16-bit levels have no values below 0 or above 1.
    const bool keeps = chooses_format_ || picture.storage == FloatStorage::f16;
    return Done{to_picture(result, picture.channels, keeps ? picture.storage : FloatStorage::f32), std::move(plan),
                std::move(*times)};
  }

  // For --check, with the double-precision reference. That does not round between iterations as 8 and 16 bits do.
  Result<void> compared(const ConvSettings& job, const LaneSettings& lane, const HostImage& source,
                        const HostImage& result) {
    if (job.iterations > 1 && (is_8_bit(job.format) || is_half(job.format))) return {};
    ThreadPool pool;
    const Reference reference = reference_of(source, settings_.filter, settings_.border, settings_.border_value,
                                             {.iterations = settings_.iterations, .pool = &pool});
    const Variant& variant = *find_variant(lane.variant);
    const Verdict verdict = compare(result, reference, tolerance_of(variant, job) * std::max(1.0f, job.largest));
    if (verdict.pass) return {};
    return failure(fmt::format("{} is wrong by {:.3g} at ({}, {}), compared with the double-precision reference",
                               lane.variant, verdict.max_error, verdict.where.x, verdict.where.y));
  }

  Settings settings_;
  bool chooses_format_, checks_;
  std::shared_ptr<const Taps> taps_;
  Processor processor_;
  std::unique_ptr<std::mutex> turn_ = std::make_unique<std::mutex>();
};

void print_json(const Convolver& convolver, const Convolver::Done& done, const LaneSettings& lane,
                const FilterSpec& filter) {
  const Cost cost = cost_of(done.plan);
  const bool gpu = convolver.processor().on_gpu() && !done.plan.on_host();
  fmt::print("{}\n", nlohmann::json{{"variant", lane.variant},
                                    {"chosen", done.plan.chosen},
                                    {"reason", done.plan.reason},
                                    {"device", gpu ? convolver.processor().name() : "cpu"},
                                    {"image", json_of(done.plan.image)},
                                    {"format", info(lane.format).id},
                                    {"filter", json_of(filter)},
                                    {"taps", json_of(convolver.taps().size)},
                                    {"rank", convolver.taps().rank},
                                    {"kernel_ms", total_ms(done.times)},
                                    {"clock", gpu ? "one cold launch, GPU events" : "one cold run, steady clock"},
                                    {"includes_transfers", done.plan.transfers()},
                                    {"transfer_bytes", cost.transfer_bytes},
                                    {"compulsory_bytes", cost.compulsory_bytes},
                                    {"multiply_adds", cost.multiply_adds},
                                    {"loads_per_pixel", cost.loads_per_pixel},
                                    {"steps", json_of(done.plan, done.times)}}
                         .dump(2));
}

// "gaussian, sigma 8 px, radius 24 px": what was applied, including a radius derived from sigma.
std::string filter_text(const FilterSpec& filter) {
  std::string text(info(filter.kind).id);
  if (has_sigma(filter.kind)) text += fmt::format(", sigma {} px", filter.sigma);
  if (info(filter.kind).size != FilterSize::fixed) text += fmt::format(", radius {} px", filter.radius);
  return text;
}

// Bits per channel of a result in a file with this ending; 0: floats.
int bits_of(const Picture& result, const std::string& ending) {
  if (ending == ".hdr") return 0;
  if (!result.is_float) return 8;
  if (result.storage == FloatStorage::u16 && (ending == ".npy" || ending == ".png")) return 16;
  return ending == ".npy" ? 0 : 8;
}

// What was converted while reading, and what is lost when writing.
std::string conversion_text(const Picture& from, const Picture& result, const std::string& to) {
  std::string text = from.note;
  const int bits = bits_of(result, ending_of(to));
  if (bits > 0 && (from.is_float || result.is_float))
    text += fmt::format("{}written with {} bits: values outside 0 to 1 are clipped", text.empty() ? "" : "; ", bits);
  return text;
}

Result<int> convolve_one(Convolver& convolver, const Options& options) {
  SourceSettings source = options.settings.source;
  if (!options.in.empty()) source.path = options.in;
  const fs::path name = source.path.empty() ? fs::path("result.png") : fs::path(source.path).filename();
  std::string out = options.out;
  std::error_code ignored;
  if (fs::is_directory(out, ignored)) out = (out / name).string();
  CONV_TRY(check_output(out, files_of(source), options.force));
  const Picture picture = CONV_TRY(in_words([&] { return still_picture(source); }));
  const Convolver::Done done = CONV_TRY(convolver.run(picture));
  CONV_TRY(in_words([&] { return save_picture(done.picture, out); }));
  const LaneSettings lane = convolver.lane_for(picture);
  if (options.json) {
    print_json(convolver, done, lane, options.settings.filter);
    return 0;
  }
  const std::string conversion = conversion_text(picture, done.picture, out);
  fmt::print("{}: {}x{}, {}, {}{}{}\n", out, done.picture.size.width, done.picture.size.height,
             filter_text(options.settings.filter), info(lane.format).id, conversion.empty() ? "" : "; ", conversion);
  return 0;
}

// Failures are listed at the end and do not stop the batch.
int report(const std::vector<std::string>& failures, std::size_t done, double seconds, const FilterSpec& filter) {
  for (const std::string& failed : failures) complain(failed);
  fmt::print("{} done, {} failed, {:.1f} s, {:.1f}/s; {}\n", done, failures.size(), seconds,
             static_cast<double>(done) / std::max(1e-9, seconds), filter_text(filter));
  return failures.empty() ? 0 : 1;
}

// The output of a file: in a folder under the same name, or under a number.
std::string target_of(const Options& options, const std::string& file, std::size_t index) {
  if (has_number(options.out)) return fmt::sprintf(options.out, index);
  return (fs::path(options.out) / fs::path(file).filename()).string();
}

struct FileToConvolve {
  std::string from, to;
};

// Checked before the first file is read: all outputs have different names, and none replaces a file.
Result<void> check_targets(const std::vector<FileToConvolve>& work, const std::vector<std::string>& all_files,
                           bool force) {
  std::set<std::string> targets;
  const InputFiles inputs(
      std::vector<fs::path>(all_files.begin(), all_files.end()));  // including the inputs of the other parts
  std::size_t existing = 0;
  std::string first;
  for (const auto& [from, to] : work) {
    if (!targets.insert(to).second)
      return failure(fmt::format("{}: several pictures have this name; number them: out%04d.png", to));
    if (!file_exists(to)) continue;
    CONV_TRY(check_output(to, inputs, true));
    if (existing++ == 0) first = to;
  }
  if (existing == 0 || force) return {};
  return failure(fmt::format("{} of the results exist already, for example {}. Choose another folder, or use --force",
                             existing, first));
}

// The files of this part, each with its output; creates the output folder.
Result<std::vector<FileToConvolve>> work_of(const Options& options) {
  const std::vector<std::string> files = CONV_TRY(readable_sequence(options.in));
  if (!has_number(options.out)) {
    std::error_code error;
    fs::create_directories(options.out, error);
    if (error) return failure(fmt::format("{}: cannot be made: {}", options.out, error.message()));
  }
  std::vector<FileToConvolve> work;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (static_cast<int>(i) % options.shard.count == options.shard.index - 1)
      work.push_back({files[i], target_of(options, files[i], i)});
  CONV_TRY(check_targets(work, files, options.force));
  return work;
}

Result<void> convolve_file(Convolver& convolver, const FileToConvolve& file, int percent) {
  const Picture picture = CONV_TRY(in_words([&] { return load_picture(file.from, percent); }));
  const Result<Convolver::Done> done = convolver.run(picture);
  if (!done) return failure(fmt::format("{}: {}", file.from, done.error().text));
  return in_words([&] { return save_picture(done->picture, file.to); });
}

Result<int> convolve_files(Convolver& convolver, const Options& options) {
  const std::vector<FileToConvolve> work = CONV_TRY(work_of(options));
  const Interrupt interrupt;
  Progress progress(work.size());
  std::vector<std::string> failures;
  std::mutex mutex;  // protects next, failures and progress
  std::size_t next = 0;
  const auto worker = [&] {
    std::unique_lock lock(mutex);
    while (next < work.size() && !interrupt.token().stop_requested()) {
      const FileToConvolve& file = work[next++];
      lock.unlock();
      const Result<void> done = convolve_file(convolver, file, options.settings.source.percent);
      lock.lock();
      if (!done) failures.push_back(done.error().text);
      progress.advance();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < options.jobs; ++i) threads.emplace_back(worker);
  }
  progress.end();
  std::sort(failures.begin(), failures.end());
  const int status = report(failures, next - failures.size(), progress.seconds(), options.settings.filter);
  if (next == work.size()) return status;
  fmt::print(stderr, "convoscope: stopped; {} of {} files were not started\n", work.size() - next, work.size());
  return interrupt.status();
}

// Every frame in order, from a video or pictures, to a video or pictures.
Result<int> convolve_frames(Convolver& convolver, const Options& options) {
  CONV_TRY(check_output(options.out, {options.in}, true));
  const std::unique_ptr<FrameReader> reader = CONV_TRY(stream_of(options.in)({}));
  const StreamInfo stream = reader->info();
  const int percent = options.settings.source.percent;
  const std::unique_ptr<FrameWriter> writer = CONV_TRY(frame_writer(options.out, stream.rate, options.force));
  const Interrupt interrupt;
  Progress progress(static_cast<std::size_t>(std::llround(stream.duration_s * stream.rate)));
  std::size_t done = 0;
  for (Frame frame; CONV_TRY(reader->next(frame, {})); ++done) {
    if (interrupt.token().stop_requested()) {
      progress.end();
      fmt::print(stderr, "convoscope: stopped after {} frames; {}\n", done,
                 is_video(options.out) ? "no video was written" : "they are kept");
      return interrupt.status();
    }
    CONV_TRY(check_size(options.in, frame.picture.size, percent));
    const Convolver::Done convolved = CONV_TRY(convolver.run(scaled(std::move(frame.picture), percent)));
    CONV_TRY(writer->add(convolved.picture));
    progress.advance();
  }
  progress.end();
  CONV_TRY(writer->finish());
  return report(reader->failures(), done, progress.seconds(), options.settings.filter);
}

// How the input is read: one picture, several pictures, or the frames of a stream.
Result<int> (*way_of(const Options& options, bool one_result))(Convolver&, const Options&) {
  if (ending_of(options.in) == ".gif" && one_result) return convolve_one;
  if (is_video(options.in) || (is_sequence(options.in) && is_video(options.out))) return convolve_frames;
  return is_sequence(options.in) ? convolve_files : convolve_one;
}

Result<int> convolve(const Options& options) {
  if (is_generator(options.in)) CONV_TRY(check_generator(options.in));
  const bool one_result = is_picture_name(options.out) && !has_number(options.out);
  const auto way = way_of(options, one_result);
  if (way != convolve_one && one_result)
    return failure(options.out + ": many results need a folder, a number in the name (out%04d.png), or a video");
  if (way == convolve_frames && options.shard.count > 1) return failure("--part: a video cannot be divided into parts");
  Convolver convolver = CONV_TRY(Convolver::create(options));
  const LaneSettings& lane = options.settings.lanes[0];
  if (const std::string_view wrong = exhibit_of(*find_variant(lane.variant), lane.switches); !wrong.empty())
    complain(fmt::format("warning: {}: {}", lane.variant, wrong));
  return way(convolver, options);
}

}  // namespace

int run_convolve(const Options& options) {
  return status_of(convolve(options));
}

}  // namespace conv
