// What panels ask of the application.
#include <fmt/format.h>
#include <imgui.h>
#include <linux/close_range.h>
#include <portable_file_dialogs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/app.h"
#include "app/settings_file.h"
#include "kernels/core/file.h"

struct App::Dialog {
  std::unique_ptr<pfd::open_file> open;
  std::unique_ptr<pfd::save_file> save;
  bool saves_view = false;
};

App::App() = default;

App::~App() {
  if (window_ && contexts_ && remember_) save_settings();
}

void App::execute(const Command& any_command) {
  const auto step_back = [this](std::vector<Settings>& from, std::vector<Settings>& to) {
    if (from.empty()) return;
    to.push_back(settings_);
    settings_ = seen_ = from.back();
    from.pop_back();
  };
  struct Visitor {
    App& app;
    decltype(step_back)& step;
    void operator()(const command::ChooseFile&) const {
      if (!pfd::settings::available())
        return app.say(
            "No file dialog found (zenity or kdialog). Drop a file on the window, or type its path under Source.");
      app.dialog_->open = std::make_unique<pfd::open_file>(
          "Open a picture", "",
          std::vector<std::string>{"Pictures", "*.png *.jpg *.jpeg *.bmp *.tga *.hdr *.npy", "All", "*"});
    }
    void operator()(const command::OpenFile& c) const { app.open(c.path, c.percent); }
    void operator()(const command::Reload&) const {
      if (!app.settings_.source.path.empty())
        app.open(std::string(app.settings_.source.path), app.settings_.source.percent);
    }
    void operator()(const command::ChooseSaveFile& c) const {
      if (!pfd::settings::available())
        return app.say("No file dialog found (zenity or kdialog). `convoscope convolve` saves results without one.");
      app.dialog_->saves_view = c.view;
      app.dialog_->save = std::make_unique<pfd::save_file>(
          c.view ? "Save the view" : "Save the result of lane A", c.view ? "view.png" : "result.png",
          std::vector<std::string>{"Pictures", c.view ? "*.png *.jpg" : "*.png *.npy *.hdr *.jpg"});
    }
    void operator()(const command::Undo&) const { step(app.undo_, app.redo_); }
    void operator()(const command::Redo&) const { step(app.redo_, app.undo_); }
    void operator()(const command::ResetLayout&) const {
      app.ui_.reset_layout = app.ui_.show_settings = app.ui_.show_timing = true;
    }
    void operator()(const command::ResetSettings&) const {
      const SourceSettings source = app.settings_.source;
      app.settings_ = {};
      app.settings_.source = source;
    }
    void operator()(const command::SaveView& c) const { app.view_path_ = c.path; }
    void operator()(const command::RunLab& c) const {
      const bool gpu = app.status_.no_gpu.empty();
      app.lab_.start(c.job, gpu ? DeviceChoice::gpu : DeviceChoice::cpu, c.only_failing);
    }
    void operator()(const command::CancelLab&) const { app.lab_.cancel(); }
    void operator()(const command::RetryInterop&) const { app.pipeline_->retry_interop(); }
    void operator()(const command::CopyText& c) const { ImGui::SetClipboardText(c.text.c_str()); }
    void operator()(const command::ToggleFullScreen&) const { app.window_->toggle_full_screen(); }
    void operator()(const command::Quit&) const { app.window_->close(); }
  };
  if (!dialog_) dialog_ = std::make_unique<Dialog>();
  std::visit(Visitor{*this, step_back}, any_command);
}

void App::poll_dialogs() {
  if (!dialog_) return;
  if (dialog_->open && dialog_->open->ready(0)) {
    const std::vector<std::string> chosen = dialog_->open->result();
    dialog_->open.reset();
    if (!chosen.empty()) open(chosen.front());
  }
  if (dialog_->save && dialog_->save->ready(0)) {
    const std::string path = dialog_->save->result();
    dialog_->save.reset();
    if (dialog_->saves_view) return execute(command::SaveView{path});
    const std::optional<HostImage> result = path.empty() ? std::nullopt : pipeline_->result(0);
    if (!result) return;
    const Result<void> saved = save_picture(to_picture(*result, picture_->channels), path);
    say(saved ? fmt::format("Saved {}", path) : saved.error().text);
  }
}

void App::start_again(const std::vector<std::string>& arguments) {
  Preferences preferences = preferences_;
  preferences.window_size = window_->size();
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("convoscope-{}.json", getpid());
  if (const Result<void> written = write_file(file, to_json(settings_, preferences, pipeline_->crashed())); !written)
    return say(written.error().text);
  std::vector<std::string> words = arguments;
  words.insert(words.end(), {"--resume", file.string()});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);  // the device's files too: the new process opens its own
  execv("/proc/self/exe", argv.data());
  say(fmt::format("Convoscope could not start itself again: {}", std::strerror(errno)));
}
