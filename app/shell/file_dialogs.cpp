#include "app/shell/file_dialogs.h"

#include <portable_file_dialogs.h>

#include <algorithm>

#include "app/model/save_choice.h"

namespace conv {

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

static Result<void> can_open(bool other_is_open) {
  return other_is_open ? failure("A file dialog is already open. Close it first.") : Result<void>{};
}

bool FileDialogs::available() {
  return pfd::settings::available();
}

FileDialogs::FileDialogs() : open_(std::make_unique<Open>()) {}
FileDialogs::~FileDialogs() = default;
bool FileDialogs::is_open() const {
  return open_->is_open();
}

Result<void> FileDialogs::choose_file(bool results) {
  CONV_TRY(can_open(open_->is_open()));
  std::vector<std::string> endings{"Pictures",
                                   "*.png *.jpg *.jpeg *.bmp *.tga *.hdr *.npy",
                                   "Sessions, results, lessons and bundles",
                                   "*.json *.md *.zip",
                                   "All",
                                   "*"};
  if (results) std::rotate(endings.begin(), endings.begin() + 2, endings.begin() + 4);
  open_->file = std::make_unique<pfd::open_file>(results ? "Open results" : "Open a picture", "", endings);
  return {};
}

Result<void> FileDialogs::choose_save_file(command::What what) {
  CONV_TRY(can_open(open_->is_open()));
  open_->what = what;
  const SaveChoice dialog = save_choice(what);
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
