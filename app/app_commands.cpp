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
  command::What what = command::What::result;
};

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

}  // namespace

App::App() = default;

App::~App() {
  if (window_ && contexts_ && remember_) save_settings();
  std::error_code ignored;
  for (const std::string& file : pasted_files_) std::filesystem::remove(file, ignored);
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
          std::vector<std::string>{"Pictures", "*.png *.jpg *.jpeg *.bmp *.tga *.hdr *.npy", "Sessions", "*.json",
                                   "All", "*"});
    }
    void operator()(const command::OpenFile& c) const { app.open(c.path, c.percent); }
    void operator()(const command::Reload&) const {
      if (!app.settings_.source.path.empty()) app.loader_.open(app.settings_.source);
    }
    void operator()(const command::Paste&) const { app.paste_.ask(++app.pastes_); }
    void operator()(const command::ChooseSaveFile& c) const {
      if (!pfd::settings::available())
        return app.say("No file dialog found (zenity or kdialog). `convoscope convolve` saves results without one.");
      app.dialog_->what = c.what;
      const SaveDialog dialog = dialog_for(c.what);
      app.dialog_->save = std::make_unique<pfd::save_file>(dialog.title, dialog.name,
                                                           std::vector<std::string>{"Files", dialog.patterns});
    }
    void operator()(const command::Pause& c) const {
      if (Feed* feed = app.loader_.feed()) feed->pause(c.on);
    }
    void operator()(const command::Step& c) const {
      if (Feed* feed = app.loader_.feed()) feed->step(c.frames);
    }
    void operator()(const command::Seek& c) const {
      if (Feed* feed = app.loader_.feed()) feed->seek(c.seconds);
    }
    void operator()(const command::CancelOpening&) const { app.give_up_opening(); }
    void operator()(const command::Record& c) const {
      app.recording_ = std::make_unique<Recording>(c.path, app.status_.feed ? app.status_.feed->info.rate : 0);
    }
    void operator()(const command::StopRecording&) const {
      if (app.recording_) app.recording_->finish();
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
    void operator()(const command::CopyView&) const { app.copies_view_ = true; }
    void operator()(const command::CopySettings&) const { ImGui::SetClipboardText(app.session_text().c_str()); }
    void operator()(const command::SaveSession& c) const {
      const Result<void> written = write_file(c.path, app.session_text());
      app.say(written ? fmt::format("Saved {}", c.path) : written.error().text);
    }
    void operator()(const command::RunLab& c) const {
      if (app.bench_.status().running) return app.say("A sweep is running: the lab would disturb it.");
      const bool gpu = app.status_.no_gpu.empty();
      app.lab_.start(c.job, gpu ? DeviceChoice::gpu : DeviceChoice::cpu, c.only_failing);
    }
    void operator()(const command::CancelLab&) const { app.lab_.cancel(); }
    void operator()(const command::RunBench& c) const {
      if (app.lab_.status().running) return app.say("The correctness lab is running: it would disturb the sweep.");
      app.bench_.start(c.jobs, app.status_.no_gpu.empty() ? DeviceChoice::gpu : DeviceChoice::cpu, c.protocol);
    }
    void operator()(const command::CancelBench&) const { app.bench_.cancel(); }
    void operator()(const command::MeasureCeilings&) const { app.bench_.measure_ceilings(); }
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
    if (path.empty()) return;
    if (dialog_->what == command::What::view) return execute(command::SaveView{path});
    if (dialog_->what == command::What::recording) return execute(command::Record{path});
    if (dialog_->what == command::What::session) return execute(command::SaveSession{path});
    Result<void> saved;
    if (dialog_->what == command::What::plot) {
      saved = save_plot(ui_.bench.plot_to_save, path);
    } else {
      const std::optional<Picture> result = result_of_a();
      if (!result) return;
      saved = save_picture(*result, path);
    }
    say(saved ? fmt::format("Saved {}", path) : saved.error().text);
  }
}

std::string App::session_text() const {
  return session_to_json(settings_,
                         {.centre = {static_cast<int>(ui_.view.centre.x), static_cast<int>(ui_.view.centre.y)},
                          .zoom = ui_.view.zoom,
                          .fitted = ui_.view.fitted,
                          .wipe_at = ui_.wipe.at,
                          .wipe_level = ui_.wipe.level,
                          .pins = ui_.pins});
}

// What was there stays, also as a step of undo, until all of the session is known to be good.
Result<void> App::open_session(const std::string& path) {
  const std::optional<std::string> text = read_file(path);
  Result<Session> session = text ? session_from_json(*text) : failure("cannot be read");
  const std::string file = std::filesystem::path(path).filename().string();
  if (!session) {
    const Error error{fmt::format("{}: {}", file, session.error().text)};
    say(error.text);
    return tl::unexpected(error);
  }
  loader_.open(settings_.source, NamedSession{file, std::move(*session)});
  return {};
}

void App::take_view(const SessionView& view) {
  ui_.view.fitted = view.fitted;
  if (!view.fitted) go_to(ui_, view.centre, view.zoom);
  ui_.picked.reset();
  ui_.wipe = {view.wipe_at, view.wipe_level};
  ui_.pins.clear();
  for (const Point2 pin : view.pins)
    if (pin.x >= 0 && pin.y >= 0 && pin.x < picture_->size.width && pin.y < picture_->size.height &&
        ui_.pins.size() < most_pins)
      ui_.pins.push_back(pin);
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
