// Work in the background for panels: the correctness lab, sweeps, a recorded block, compiled code, the thumbnails in
// the filter list, the search for cameras. Each has a worker, which owns its thread.
#pragma once
#include <memory>

#include "app/jobs/bench_runner.h"
#include "app/jobs/code_reader.h"
#include "app/jobs/explainer.h"
#include "app/jobs/filter_wall.h"
#include "app/jobs/lab_runner.h"
#include "app/jobs/text_writer.h"
#include "app/jobs/worker.h"
#include "app/shell/app_state.h"

namespace conv {

class BackgroundJobs {
 public:
  BackgroundJobs();
  // Returns once what was typed is on disk.
  void keep_texts(AppState& state);

  // Starts what panels request and reports results. picture: the source; null before the first.
  void update(AppState& state, const std::shared_ptr<const Picture>& picture);
  // New rankings for `auto` since the last call, otherwise null.
  std::shared_ptr<const std::vector<Ranking>> take_new_rankings() { return std::exchange(new_rankings_, nullptr); }
  // Thumbnails of each filter, as OpenGL names; 0 if there is none yet.
  std::array<unsigned, filters.size()> thumbnails() const { return wall_.textures(); }

  // Lab and sweep would disturb each other: the second one is refused.
  Result<void> run(const command::RunLab& asked, DeviceChoice device);
  Result<void> run(const command::RunBench& asked, DeviceChoice device);
  // Cancels both and waits until they have ended.
  void stop_measuring();
  // Whether an answer that a panel waits for is being made.
  bool answers() const {
    return code_.busy() || code_of_b_.busy() || blocks_.busy() || traces_.busy() || threads_.busy() || shapes_.busy() ||
           heat_.busy() || explained_.busy() || explained_b_.busy() || cameras_.busy() || folder_.busy() ||
           shipped_.busy() || results_.busy() || what_if_.busy() || puzzle_folder_.busy() || puzzle_checks_.busy() ||
           own_kernels_.busy() || lesson_.busy() || opened_lesson_.busy() || own_lessons_.busy();
  }
  LabRunner& lab() { return lab_; }
  BenchRunner& bench() { return bench_; }

 private:
  void update_bench(AppStatus& status);
  void take_texts(AppState& state);
  void update_opened_results(AppState& state);
  static void warn_once(AppState& state, const auto& worker, std::string& said);
  void update_puzzles(AppState& state);
  void update_own_kernels(AppState& state);
  void update_lessons(AppState& state);
  void update_wall(bool wanted, const std::shared_ptr<const Picture>& picture, const FilterSpec& filter);

  LabRunner lab_;
  BenchRunner bench_;
  FilterWall wall_;
  std::shared_ptr<const Picture> wall_picture_;  // while the list of filters is open
  Worker<CodeQuestion, CodeAnswer> code_, code_of_b_;
  Worker<BlockQuestion, RecordedBlock> blocks_;
  Worker<BlockQuestion, TracedBlock> traces_;
  Worker<ThreadQuestion, FollowedThread> threads_;
  Worker<ShapesQuestion, BlockShapes> shapes_;
  Worker<HeatQuestion, HeatAnswer> heat_;
  Worker<ExplainQuestion, ExplainAnswer> explained_, explained_b_;
  Worker<int, CameraList> cameras_;
  int cameras_asked_ = 0;
  Worker<FolderQuestion, FolderListing> folder_;
  std::optional<FolderQuestion> folder_asked_;
  // The user's kernels for the puzzles.
  std::filesystem::path puzzle_files_;
  Worker<int, PuzzleFolder> puzzle_folder_;
  TextWriter<int> puzzle_writer_;
  Worker<PuzzleKernel, CheckedPuzzle> puzzle_checks_;
  Worker<LessonPlans, LessonCounts> lesson_;
  Worker<LessonFileQuestion, ReadLesson> opened_lesson_;
  int lessons_opened_ = 0;
  std::string lesson_error_;  // of the last file, which has been said
  // The lessons that the user writes.
  std::filesystem::path lesson_files_;
  Worker<int, OwnLessons> own_lessons_;
  TextWriter<std::string> lesson_writer_;
  // The user's texts of the program's kernel files.
  std::filesystem::path own_files_;
  Worker<int, OwnKernels> own_kernels_;
  TextWriter<std::string> own_writer_;
  Worker<int, ShippedResults> shipped_;
  Worker<ResultsQuestion, ReadResults> results_;
  int results_asked_ = 0;
  std::string results_error_;  // the last one that was reported
  Worker<WhatIfQuestion, WhatIfAnswer> what_if_;
  std::shared_ptr<const std::vector<Ranking>> new_rankings_;
};

}  // namespace conv
