#include "app/shell/background_jobs.h"

#include <algorithm>
#include <utility>

#include "app/cli/lesson_file.h"
#include "app/jobs/folder_reader.h"
#include "app/jobs/results_reader.h"
#include "app/measure/bench_json.h"
#include "app/measure/rankings.h"
#include "app/measure/shipped.h"
#include "app/pipeline/what_if.h"
#include "kernels/core/file.h"
#include "kernels/cpu/cpu_executor.h"

namespace conv {

BackgroundJobs::BackgroundJobs()
    : bench_(results_folder()),
      code_([](const CodeQuestion& question, const std::stop_token&) { return read_code(question); }),
      code_of_b_([](const CodeQuestion& question, const std::stop_token&) { return read_code(question); }),
      blocks_([](const BlockQuestion& question, const std::stop_token&) {
        return RecordedBlock{question, CpuExecutor::record(*question.plan, *question.step, question.block)};
      }),
      traces_([](const BlockQuestion& question, const std::stop_token&) { return traced_block(question); }),
      threads_([](const ThreadQuestion& question, const std::stop_token&) { return followed_thread(question); }),
      shapes_([](const ShapesQuestion& question, const std::stop_token& stop) { return block_shapes(question, stop); }),
      heat_([](const HeatQuestion& question, const std::stop_token& stop) { return memory_heat(question, stop); }),
      explained_(
          [explainer = std::make_shared<Explainer>()](const ExplainQuestion& question, const std::stop_token& stop) {
            return explainer->count(question, stop);
          }),
      explained_b_(
          [explainer = std::make_shared<Explainer>()](const ExplainQuestion& question, const std::stop_token& stop) {
            return explainer->count(question, stop);
          }),
      cameras_([](int, const std::stop_token&) { return list_cameras(); }),
      folder_([](const FolderQuestion& question, const std::stop_token& stop) { return read_folder(question, stop); }),
      puzzle_files_(config_folder().empty() ? "" : config_folder() / "puzzles"),
      puzzle_folder_([files = puzzle_files_](int, const std::stop_token&) { return read_puzzles(files); }),
      puzzle_writer_([files = puzzle_files_](int number, const std::string& text) {
        return write_puzzle(files, {number, text});
      }),
      puzzle_checks_([files = puzzle_files_](const PuzzleKernel& kernel, const std::stop_token& stop) {
        return check_puzzle(files, kernel, stop);
      }),
      lesson_([](const LessonPlans& plans, const std::stop_token&) { return count_for_lesson(plans); }),
      opened_lesson_([](const LessonFileQuestion& question, const std::stop_token&) -> Result<ReadLesson> {
        Lesson lesson = CONV_TRY(read_lesson_file(question.path));
        return ReadLesson{question, std::move(lesson)};
      }),
      lesson_files_(config_folder().empty() ? "" : config_folder() / "lessons"),
      own_lessons_([files = lesson_files_](int, const std::stop_token&) { return read_own_lessons(files); }),
      lesson_writer_([files = lesson_files_](const std::string& file, const std::string& text) {
        return write_own_lesson(files, {file, text});
      }),
      own_files_(config_folder().empty() ? "" : config_folder() / "kernels"),
      own_kernels_([files = own_files_](int, const std::stop_token&) { return read_own_kernels(files); }),
      own_writer_([files = own_files_](const std::string& file, const std::string& text) {
        return write_own_kernel(files, {file, text});
      }),
      shipped_([](int, const std::stop_token&) { return load_shipped_results(); }),
      results_([](const ResultsQuestion& question, const std::stop_token&) { return read_opened_results(question); }),
      what_if_([](const WhatIfQuestion& question, const std::stop_token& stop) { return what_if(question, stop); }) {}

// Says why the last file that was opened cannot be shown. said: the error that has been said.
void BackgroundJobs::warn_once(AppState& state, const auto& worker, std::string& said) {
  if (worker.busy()) return;  // the error is still that of the file before
  const std::string error = worker.error();
  if (error != said && !error.empty()) state.say_unopened(error);
  said = error;
}

void BackgroundJobs::take_texts(AppState& state) {
  if (const auto changed = std::exchange(state.ui.panels.puzzle.changed, std::nullopt))
    puzzle_writer_.keep(changed->number, changed->text);
  EditView& edit = state.ui.panels.code.edit;
  for (std::optional<OwnKernel>* text : {&edit.changed, &edit.set_aside})
    if (const auto kept = std::exchange(*text, std::nullopt)) own_writer_.keep(kept->file, kept->text);
  if (const auto changed = std::exchange(state.ui.panels.lesson.changed, std::nullopt))
    lesson_writer_.keep(changed->file, changed->text);
}

void BackgroundJobs::keep_texts(AppState& state) {
  take_texts(state);
  puzzle_writer_.flush();
  own_writer_.flush();
  lesson_writer_.flush();
}

void BackgroundJobs::update(AppState& state, const std::shared_ptr<const Picture>& picture) {
  AppStatus& status = state.status;
  Wants& wants = state.ui.wants;
  if (state.ui.shown.lab || status.lab.running) status.lab = lab_.status();
  update_bench(status);
  update_wall(std::exchange(wants.thumbnails, false), picture, state.settings.filter);
  if (const auto wanted = std::exchange(state.ui.panels.block.wanted, std::nullopt)) blocks_.start(*wanted);
  status.block = blocks_.answer();
  if (const auto wanted = std::exchange(state.ui.panels.trace.wanted, std::nullopt)) traces_.start(*wanted);
  status.trace = traces_.answer();
  if (const auto wanted = std::exchange(state.ui.panels.thread.wanted, std::nullopt)) threads_.start(*wanted);
  status.thread = threads_.answer();
  if (const auto wanted = std::exchange(wants.shapes, std::nullopt)) shapes_.start(*wanted);
  status.shapes = shapes_.answer();
  if (const HeatQuestion wanted = std::exchange(wants.heat, {}); wanted != HeatQuestion{}) heat_.start(wanted);
  status.heat = heat_.answer();
  for (std::size_t lane = 0; lane < 2; ++lane) {
    auto& worker = lane == 0 ? code_ : code_of_b_;
    if (const auto wanted = std::exchange(wants.code[lane], std::nullopt)) worker.start(*wanted);
    status.code.answers[lane] = worker.answer();
  }
  for (std::size_t lane = 0; lane < 2; ++lane) {
    auto& worker = lane == 0 ? explained_ : explained_b_;
    if (const auto wanted = std::exchange(wants.explanation[lane], std::nullopt)) worker.start(*wanted);
    status.explained[lane] = worker.answer();
  }
  take_texts(state);
  update_puzzles(state);
  update_own_kernels(state);
  update_lessons(state);
  if (std::exchange(wants.cameras, false)) cameras_.start(++cameras_asked_);
  status.source.cameras = cameras_.answer();
  if (const auto wanted = std::exchange(wants.folder, std::nullopt); wanted && wanted != folder_asked_) {
    folder_.cancel();  // one that is left need not be read to its end
    folder_.start(*wanted);
    folder_asked_ = wanted;
  }
  status.folder = folder_.answer();
  if (std::exchange(wants.shipped, false)) shipped_.start(1);
  status.shipped = shipped_.answer();
  update_opened_results(state);
  if (const auto wanted = std::exchange(wants.what_if, std::nullopt)) what_if_.start(*wanted);
  status.what_if = what_if_.answer();
}

void BackgroundJobs::update_lessons(AppState& state) {
  AppStatus& status = state.status;
  Wants& wants = state.ui.wants;
  if (const auto wanted = std::exchange(wants.lesson, std::nullopt)) lesson_.start(*wanted);
  status.lesson = lesson_.answer();
  if (std::exchange(wants.own_lessons, false)) own_lessons_.start(1);
  status.own_lessons = own_lessons_.answer();
  status.own_lesson_error = own_lessons_.error().empty() ? lesson_writer_.error() : own_lessons_.error();
  if (auto wanted = std::exchange(wants.lesson_file, std::nullopt)) {
    wanted->visit = ++lessons_opened_;
    lesson_error_.clear();
    opened_lesson_.start(*wanted);
  }
  status.opened_lesson = opened_lesson_.answer();
  warn_once(state, opened_lesson_, lesson_error_);
}

void BackgroundJobs::update_opened_results(AppState& state) {
  if (auto wanted = std::exchange(state.ui.wants.results, std::nullopt)) {
    wanted->visit = ++results_asked_;
    results_error_.clear();
    results_.start(*wanted);
  }
  state.status.opened_results = results_.answer();
  warn_once(state, results_, results_error_);
}

void BackgroundJobs::update_puzzles(AppState& state) {
  PuzzleView& view = state.ui.panels.puzzle;
  PuzzleStatus& status = state.status.puzzles;
  if (std::exchange(state.ui.wants.puzzles, false)) puzzle_folder_.start(1);
  if (const auto wanted = std::exchange(view.wanted, std::nullopt)) {
    if (!puzzle_checks_.error().empty()) puzzle_checks_.cancel();  // try once more
    puzzle_checks_.start(*wanted);
  }
  status.folder = puzzle_folder_.answer();
  status.checked = puzzle_checks_.answer();
  status.checking = puzzle_checks_.busy();
  if (status.checked && status.checked->report.passed()) status.passed.insert(status.checked->kernel.number);
  status.error.clear();
  for (const std::string& error : {puzzle_folder_.error(), puzzle_writer_.error(), puzzle_checks_.error()})
    if (status.error.empty()) status.error = error;
}

void BackgroundJobs::update_own_kernels(AppState& state) {
  CodeStatus& status = state.status.code;
  if (std::exchange(state.ui.wants.own_kernels, false)) own_kernels_.start(1);
  status.own = own_kernels_.answer();
  status.own_error = own_kernels_.error().empty() ? own_writer_.error() : own_kernels_.error();
}

void BackgroundJobs::update_bench(AppStatus& status) {
  bench_.load(status.device.name);
  const auto before = std::exchange(status.bench, bench_.status()).results;
  if (before == status.bench.results) return;
  // Lanes that use them start again: only if there are new rankings.
  const auto old_rows = rows_of(before->rows, auto_id), rows = rows_of(status.bench.results->rows, auto_id);
  const bool same = std::equal(rows.begin(), rows.end(), old_rows.begin(), old_rows.end(),
                               [](const auto& a, const auto& b) { return a.ms == b.ms; });
  if (!same) new_rankings_ = rankings_of(rows);
}

void BackgroundJobs::update_wall(bool wanted, const std::shared_ptr<const Picture>& picture, const FilterSpec& filter) {
  if (!wanted) return wall_picture_.reset();
  if (!wall_picture_) wall_picture_ = picture;  // a moving source is frozen there
  wall_.update(wall_picture_, filter);
}

Result<void> BackgroundJobs::run(const command::RunLab& asked, DeviceChoice device) {
  if (bench_.status().running) return failure("A sweep is running: the lab would disturb it.");
  lab_.start(asked.job, device, asked.only_failing);
  return {};
}

Result<void> BackgroundJobs::run(const command::RunBench& asked, DeviceChoice device) {
  if (lab_.status().running) return failure("The correctness lab is running: it would disturb the sweep.");
  bench_.start(asked.jobs, device, asked.protocol);
  return {};
}

void BackgroundJobs::stop_measuring() {
  lab_.cancel();
  bench_.cancel_and_wait();
}

}  // namespace conv
