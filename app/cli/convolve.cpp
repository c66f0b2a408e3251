#include <fmt/format.h>
#include <fmt/printf.h>

#include <cmath>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "app/cli/commands.h"
#include "app/cli/convolver.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress.h"
#include "app/cli/standard_streams.h"
#include "app/cli/still_picture.h"
#include "app/model/session_source.h"
#include "app/sources/frame_writer.h"
#include "kernels/core/file.h"

namespace conv {

namespace fs = std::filesystem;

namespace {

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

// What was converted while reading, and what is lost when writing a file with this ending.
std::string conversion_text(const Picture& from, const Picture& result, const std::string& ending) {
  std::string text = from.note;
  const int bits = bits_of(result, ending);
  if (bits > 0 && (from.is_float || result.is_float))
    text += fmt::format("{}written with {} bits: values outside 0 to 1 are clipped", text.empty() ? "" : "; ", bits);
  return text;
}

struct FileToConvolve {
  std::string from, to;
};

nlohmann::json report_of(const Convolver& convolver, const Picture& picture, const Convolver::Done& done,
                         const FileToConvolve& file) {
  nlohmann::json report = convolver.report(picture, done);
  report.update({{"in", file.from}, {"out", file.to}});
  return report;
}

// A name may have bytes that JSON cannot have.
std::string text_of(const nlohmann::json& report) {
  return report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

Existing existing_files(const Options& options) {
  return options.force ? Existing::replace : Existing::keep;
}

Result<Picture> picture_in(const SourceSettings& source) {
  if (source.path != standard_stream) return still_picture(source);
  return decode_picture("standard input", CONV_TRY(read_standard_input()), source.percent);
}

// The name of one result: in a folder that exists it is that of the input.
std::string name_of_result(const std::string& out, const std::string& in) {
  std::error_code ignored;
  if (!fs::is_directory(out, ignored)) return out;
  const bool has_name = !in.empty() && in != standard_stream;
  return (fs::path(out) / (has_name ? fs::path(in).filename() : "result.png")).string();
}

Result<int> convolve_one(Convolver& convolver, const Options& options) {
  SourceSettings source = options.settings.source;
  if (!options.in.empty()) source.path = options.in;
  const std::string out = name_of_result(options.out, source.path);
  const bool to_stream = out == standard_stream;
  if (!to_stream) CONV_TRY(check_output(out, files_of(source), options.force));
  const Picture picture = CONV_TRY(in_words([&] { return picture_in(source); }));
  const Convolver::Done done = CONV_TRY(convolver.run(picture));
  const std::string ending = to_stream ? ending_for_stream(done.picture) : ending_of(out);
  CONV_TRY(in_words([&] {
    if (!to_stream) return save_picture(done.picture, out, {}, existing_files(options));
    return encode_picture(done.picture, ending).and_then(write_standard_output);
  }));
  if (options.json) {
    fmt::print("{}\n", text_of(report_of(convolver, picture, done, {source.path, out})));
    return 0;
  }
  const std::string conversion = conversion_text(picture, done.picture, ending);
  fmt::print(to_stream ? stderr : stdout, "{}: {}x{}, {}, {}{}{}\n", to_stream ? "standard output" : printable(out),
             done.picture.size.width, done.picture.size.height, filter_text(options.settings.filter),
             info(convolver.lane_for(picture).format).id, conversion.empty() ? "" : "; ", conversion);
  return 0;
}

// What became of many pictures. A failure does not stop the others.
struct Outcome {
  std::size_t done = 0;
  double seconds = 0;
  std::vector<std::string> failures;
  nlohmann::json pictures = nullptr;  // one report each, for --json; null for the frames of a stream
};

int report(const Options& options, const Outcome& all) {
  for (const std::string& failed : all.failures) complain(failed);
  if (options.json) {
    nlohmann::json text{
        {"done", all.done}, {"failed", all.failures.size()}, {"seconds", all.seconds}, {"failures", all.failures}};
    if (!all.pictures.is_null()) text["pictures"] = all.pictures;
    fmt::print("{}\n", text_of(text));
  } else {
    fmt::print("{} done, {} failed, {:.1f} s, {:.1f}/s; {}\n", all.done, all.failures.size(), all.seconds,
               static_cast<double>(all.done) / std::max(1e-9, all.seconds), filter_text(options.settings.filter));
  }
  return all.failures.empty() ? 0 : 1;
}

// The output of a file: in a folder under the same name, or under a number.
std::string target_of(const Options& options, const std::string& file, std::size_t index) {
  if (has_number(options.out)) return fmt::sprintf(options.out, index);
  return (fs::path(options.out) / fs::path(file).filename()).string();
}

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

// Returns the report for --json, without that null.
Result<nlohmann::json> convolve_file(Convolver& convolver, const FileToConvolve& file, const Options& options) {
  const int percent = options.settings.source.percent;
  const Picture picture = CONV_TRY(in_words([&] { return load_picture(file.from, percent); }));
  const Result<Convolver::Done> done = convolver.run(picture);
  if (!done) return failure(fmt::format("{}: {}", file.from, done.error().text));
  CONV_TRY(in_words([&] { return save_picture(done->picture, file.to, {}, existing_files(options)); }));
  return options.json ? report_of(convolver, picture, *done, file) : nlohmann::json();
}

Result<int> convolve_files(Convolver& convolver, const Options& options) {
  const std::vector<FileToConvolve> work = CONV_TRY(work_of(options));
  const Interrupt interrupt;
  Progress progress(work.size());
  Outcome all;
  std::vector<nlohmann::json> reports(work.size());  // in the order of the files
  std::mutex mutex;                                  // protects next, all, reports and progress
  std::size_t next = 0;
  const auto worker = [&] {
    std::unique_lock lock(mutex);
    while (next < work.size() && !interrupt.token().stop_requested()) {
      const std::size_t index = next++;
      lock.unlock();
      Result<nlohmann::json> done = convolve_file(convolver, work[index], options);
      lock.lock();
      if (!done) all.failures.push_back(done.error().text);
      if (done) reports[index] = std::move(*done);
      progress.advance();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < options.jobs; ++i) threads.emplace_back(worker);
  }
  progress.end();
  std::ranges::sort(all.failures);
  all.pictures = nlohmann::json::array();
  for (nlohmann::json& picture : reports)
    if (!picture.is_null()) all.pictures.push_back(std::move(picture));
  all.done = next - all.failures.size();
  all.seconds = progress.seconds();
  const int status = report(options, all);
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
  double last_s = 0;
  for (Frame frame; CONV_TRY(reader->next(frame, {})); ++done) {
    if (interrupt.token().stop_requested()) {
      progress.end();
      fmt::print(stderr, "convoscope: stopped after {} frames; {}\n", done,
                 is_video(options.out) ? "no video was written" : "they are kept");
      return interrupt.status();
    }
    last_s = frame.at_s;
    CONV_TRY(check_size(options.in, frame.picture.size, percent));
    const Convolver::Done convolved = CONV_TRY(convolver.run(scaled(std::move(frame.picture), percent)));
    CONV_TRY(writer->add(convolved.picture));
    progress.advance();
  }
  progress.end();
  if (done == 0) {
    for (const std::string& failed : reader->failures()) complain(failed);
    return failure(options.in + ": no frame of it can be read");
  }
  CONV_TRY(writer->finish());
  // No failure: sound may be longer than the pictures, and the last frame may be meant to stay.
  if (is_video(options.in) && last_s < 0.8 * stream.duration_s - 1)
    complain(fmt::format("warning: {}: its last frame is at {:.1f} of {:.1f} seconds. The file may be cut off",
                         options.in, last_s, stream.duration_s));
  return report(options, {.done = done, .seconds = progress.seconds(), .failures = reader->failures()});
}

// How the input is read: one picture, several pictures, or the frames of a stream.
Result<int> (*way_of(const Options& options, bool one_result))(Convolver&, const Options&) {
  if (ending_of(options.in) == ".gif" && one_result) return convolve_one;
  if (is_video(options.in) || (is_sequence(options.in) && is_video(options.out))) return convolve_frames;
  return is_sequence(options.in) ? convolve_files : convolve_one;
}

Result<int> convolve(const Options& options) {
  if (is_generator(options.in)) CONV_TRY(check_generator(options.in));
  const bool one_result = options.out == standard_stream || (is_picture_name(options.out) && !has_number(options.out));
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
