// What panels ask of the application.
#include <fmt/format.h>
#include <imgui.h>
#include <portable_file_dialogs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/model/session_source.h"
#include "app/model/settings_file.h"
#include "app/shell/app.h"
#include "app/shell/restart_state.h"
#include "kernels/core/file.h"

struct App::Dialog {
  std::unique_ptr<pfd::open_file> open;
  std::unique_ptr<pfd::save_file> save;
  command::What what = command::What::result;
};

namespace {

constexpr std::size_t max_session_bytes = std::size_t{16} << 20;

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
      const Result<void> free = check_output(c.path, files_of(app.settings_.source), true);
      if (!free) return app.say(free.error().text);
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
    void operator()(const command::CopySettings&) const { ImGui::SetClipboardText(app.session_text({}).c_str()); }
    void operator()(const command::SaveSession& c) const {
      Result<void> written = check_output(c.path, files_of(app.settings_.source), true);
      if (written) written = write_file(c.path, app.session_text(c.path));
      app.say(written ? fmt::format("Saved {}", c.path) : written.error().text);
    }
    void operator()(const command::OpenSession& c) const { app.open_session(c); }
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
    if (dialog_->what == command::What::result) return save_result(path);
    Result<void> saved = check_output(path, files_of(settings_.source), true);
    if (saved) saved = save_plot(ui_.bench.plot_to_save, path);
    say(saved ? fmt::format("Saved {}", path) : saved.error().text);
  }
}

// Only what was asked for is saved: never an older picture that is still shown.
void App::save_result(const std::string& path) {
  const LaneStatus& lane = status_.lanes[0];
  if (!status_.filter_error.empty()) return say(fmt::format("Not saved: {}", status_.filter_error));
  if (!lane.refusal.empty()) return say(fmt::format("Not saved: lane A cannot do this: {}", lane.refusal));
  if (!lane.settled) return say("Not saved: lane A is still computing. Save again when it is done.");
  const std::optional<Picture> result = result_of_a();
  if (!result) return say("Not saved: lane A has no result yet.");
  // Levels of 16 bits are for the pictures of 16 bits alone: they have no values below 0 or beyond 1.
  Picture kept = *result;
  if (kept.storage == FloatStorage::u16 && ending_of(path) != ".png") kept.storage = FloatStorage::f32;
  Result<void> saved = check_output(path, files_of(settings_.source), true);
  if (saved) saved = save_picture(kept, path);
  say(saved ? fmt::format("Saved {}", path) : saved.error().text);
}

// file: where it goes; empty for the clipboard.
std::string App::session_text(const std::filesystem::path& file) const {
  Settings settings = settings_;
  if (is_pasted(settings.source.path)) settings.source = {};
  if (!file.empty()) settings.source.path = path_for_session(settings.source.path, file);
  return session_to_json(settings,
                         {.centre = {static_cast<int>(ui_.view.centre.x), static_cast<int>(ui_.view.centre.y)},
                          .zoom = ui_.view.zoom,
                          .fitted = ui_.view.fitted,
                          .wipe_at = ui_.wipe.at,
                          .wipe_level = ui_.wipe.level,
                          .pins = ui_.pins});
}

// What was there stays, also as a step of undo, until all of the session is known to be good.
Result<void> App::open_session(const command::OpenSession& asked) {
  using Outside = command::OpenSession::OutsidePicture;
  using State = SessionPicture::State;
  const std::string file = std::filesystem::path(asked.path).filename().string();
  const auto refuse = [&](const std::string& why) {
    const Error error{fmt::format("{}: {}", file, why)};
    say(error.text);
    return tl::unexpected(error);
  };
  const Result<std::string> text = read_file(asked.path, max_session_bytes);
  if (!text) return refuse(text.error().text);
  Result<Session> session = session_from_json(*text);
  if (!session) return refuse(session.error().text);
  SourceSettings& source = session->settings.source;
  const SessionPicture picture = resolve_picture(source, asked.path);
  const bool leads_out = picture.state == State::leads_out;
  // The file may say something else by now than what the user has agreed to.
  const bool agreed = trusts_ || (asked.outside == Outside::open && asked.agreed == picture.path);
  const bool asks = leads_out && !agreed && asked.outside != Outside::leave;
  if (asks && unattended_)
    return refuse(fmt::format("its picture is outside its folder: {}. Use --trust to open it", picture.path));
  if (asks) {
    ui_.question = {"Open this picture?",
                    fmt::format("{} names a picture outside its own folder:\n{}", file, picture.path),
                    "Open it",
                    "Settings only",
                    command::OpenSession{asked.path, Outside::open, picture.path},
                    command::OpenSession{asked.path, Outside::leave}};
    return {};
  }
  if (!picture.note.empty()) say(fmt::format("{}: {}", file, picture.note));
  for (const std::string& correction : session->corrections) say(fmt::format("{}: {}", file, correction));
  if (picture.state == State::missing)
    say(fmt::format("{}: its picture {} is not there; the settings are used with the picture shown", file,
                    picture.path));
  if (picture.state == State::missing || (leads_out && asked.outside == Outside::leave)) source = settings_.source;
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
  if (restart_failed_) return;
  restart_failed_ = true;
  Preferences preferences = preferences_;
  preferences.window_size = window_->size();
  Settings settings = settings_;
  if (is_pasted(settings.source.path)) settings.source = {};  // it ends with this process
  std::vector<std::string> words = with_restart_state(arguments, to_json(settings, preferences, pipeline_->crashed()));
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv("/proc/self/exe", argv.data());
  say(fmt::format("Convoscope could not start itself again: {}. It goes on without the GPU", std::strerror(errno)));
}
