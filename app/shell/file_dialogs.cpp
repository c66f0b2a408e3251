#include "app/shell/file_dialogs.h"

#include <fmt/format.h>
#include <portable_file_dialogs.h>

namespace conv {

namespace {

struct SaveDialog {
  const char *title, *name, *patterns;
};
SaveDialog dialog_for(command::What what) {
  switch (what) {
    case command::What::result: return {"Save the result of lane A", "result.png", "*.png *.npy *.hdr *.jpg"};
    case command::What::view: return {"Save the view", "view.png", "*.png *.jpg"};
    case command::What::recording: return {"Record the results of lane A", "results.mp4", "*.mp4 *.mkv *.avi *.png"};
    case command::What::session: return {"Save the session", "session.json", "*.json"};
    case command::What::plot: return {"Save the plot", "plot.svg", "*.svg *.png"};
  }
  return {};
}

Command to_save(command::What what, const std::string& path) {
  switch (what) {
    case command::What::result: return command::SaveResult{path};
    case command::What::view: return command::SaveView{path};
    case command::What::recording: return command::Record{path};
    case command::What::session: return command::SaveSession{path};
    case command::What::plot: return command::SavePlot{path};
  }
  return command::SaveResult{path};
}

}  // namespace

struct FileDialogs::Open {
  std::unique_ptr<pfd::open_file> file;
  std::unique_ptr<pfd::save_file> save;
  command::What what = command::What::result;

  static bool waits(const auto& dialog) { return dialog && !dialog->ready(0); }
  bool is_open() const { return waits(file) || waits(save); }
  ~Open() {
    // The library's destructors wait until the user closes the dialog.
    if (waits(file)) file->kill();
    if (waits(save)) save->kill();
  }
};

// An error if another dialog is still open; missing: what to say if there is no program for dialogs.
static Result<void> can_open(bool other_is_open, std::string_view missing) {
  if (!pfd::settings::available()) return failure(fmt::format("No file dialog found (zenity or kdialog). {}", missing));
  if (other_is_open) return failure("A file dialog is already open. Close it first.");
  return {};
}

FileDialogs::FileDialogs() : open_(std::make_unique<Open>()) {}
FileDialogs::~FileDialogs() = default;
bool FileDialogs::is_open() const {
  return open_->is_open();
}

Result<void> FileDialogs::choose_file() {
  CONV_TRY(can_open(open_->is_open(), "Drop a file on the window, or type its path under Change… in the settings."));
  open_->file = std::make_unique<pfd::open_file>(
      "Open a picture", "",
      std::vector<std::string>{"Pictures", "*.png *.jpg *.jpeg *.bmp *.tga *.hdr *.npy", "Sessions", "*.json", "All",
                               "*"});
  return {};
}

Result<void> FileDialogs::choose_save_file(command::What what) {
  CONV_TRY(can_open(open_->is_open(), "`convoscope convolve` saves results without one."));
  open_->what = what;
  const SaveDialog dialog = dialog_for(what);
  open_->save =
      std::make_unique<pfd::save_file>(dialog.title, dialog.name, std::vector<std::string>{"Files", dialog.patterns});
  return {};
}

std::optional<Command> FileDialogs::poll() {
  if (open_->file && open_->file->ready(0)) {
    const std::vector<std::string> chosen = open_->file->result();
    open_->file.reset();
    if (!chosen.empty()) return command::OpenFile{chosen.front()};
  }
  if (open_->save && open_->save->ready(0)) {
    const std::string path = open_->save->result();
    open_->save.reset();
    if (!path.empty()) return to_save(open_->what, path);
  }
  return std::nullopt;
}

}  // namespace conv
