// What a panel may ask the application to do. Panels change settings themselves.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "app/check/lab.h"
#include "app/measure/presets.h"

namespace conv {

namespace command {
struct ChooseFile {
  bool results = false;  // benchmark results come first in the dialog
};
struct OpenFile {
  std::string path;
  int percent = 100;
};
struct Reload {};
struct Paste {};  // a picture, or a link
// The result of lane A, the view as drawn, everything needed to see the same again, results as they arrive, the window,
// a plot, the kernel in the editor, or the lesson that is being written.
enum class What { result, view, session, recording, window, plot, kernel, lesson };
struct ChooseSaveFile {
  What what = What::result;
};
struct CopyView {};
// As the text of a session, as a command that filters the same picture, or as a link that opens the same state.
struct CopyState {
  enum class As { session, command, link };
  As as = As::session;
};
struct SaveSession {
  std::string path;
};
// A session may name a picture outside its own folder: the user is asked before it is opened.
struct OpenSession {
  enum class OutsidePicture { ask, open, leave };
  std::string path;
  OutsidePicture outside = OutsidePicture::ask;
  std::string agreed;  // with `open`: the picture that the user agreed to
};
// For a moving source.
struct Pause {
  bool on = true;
};
struct Step {
  int frames = 1;
};
struct Seek {
  double seconds = 0;
};
struct CancelOpening {};
// Records the results of lane A, frame by frame, until it is stopped.
struct Record {
  std::string path;
};
// The same of the whole window.
struct RecordWindow {
  std::string path;
};
struct StopRecording {};
struct Undo {};
struct Redo {};
struct ResetLayout {};
struct ResetSettings {};
struct RetryInterop {};
// What a step of a lesson shows, as options; the panels of the step before close.
struct ShowScene {
  std::string options;
  std::filesystem::path pictures;  // of the lesson
};
// The step of the lesson that is being written shows what the window shows now; reveal: behind its question.
struct TakeScene {
  bool reveal = false;
};
// Lanes run this text of a kernel file once it has passed its check; without a text, that on disk.
struct RunKernel {
  std::string file;
  std::optional<std::string> text;
  bool unchecked = false;  // on a GPU, also if it cannot be checked
};
struct SaveView {
  std::string path;
};
struct SaveResult {
  std::string path;
};
struct SavePlot {
  std::string path;
};
// The kernel in the editor as the two files of a variant.
struct SaveKernel {
  std::string path;
};
// That which is being written.
struct SaveLesson {
  std::string path;
};
struct CancelSaving {};
struct RunLab {
  LabJob job;
  bool only_failing = false;
};
struct CancelLab {};
struct RunBench {
  std::vector<BenchJob> jobs;
  BenchProtocol protocol;
};
struct CancelBench {};
struct MeasureCeilings {};
struct CopyText {
  std::string text;
};
struct ToggleFullScreen {};
struct Quit {};
}  // namespace command

using Command =
    std::variant<command::ChooseFile, command::OpenFile, command::Reload, command::Paste, command::ChooseSaveFile,
                 command::Pause, command::Step, command::Seek, command::CancelOpening, command::Record,
                 command::RecordWindow, command::StopRecording, command::Undo, command::Redo, command::ResetLayout,
                 command::ResetSettings, command::RetryInterop, command::ShowScene, command::RunKernel,
                 command::SaveKernel, command::SaveView, command::SaveResult, command::SavePlot, command::TakeScene,
                 command::SaveLesson, command::CancelSaving, command::CopyView, command::CopyState,
                 command::SaveSession, command::OpenSession, command::RunLab, command::CancelLab, command::RunBench,
                 command::CancelBench, command::MeasureCeilings, command::CopyText, command::ToggleFullScreen,
                 command::Quit>;

}  // namespace conv
