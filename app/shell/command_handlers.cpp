// Executes what panels request from the application.
#include <imgui.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "app/cli/settings_text.h"
#include "app/shell/app.h"

namespace conv {

struct App::CommandHandlers {
  App& app;

  void say_failure(const Result<void>& done) const {
    if (!done) app.state_.warn(done.error().text);
  }
  DeviceChoice device() const {
    return app.state_.status.device.no_gpu.empty() ? DeviceChoice::gpu : DeviceChoice::cpu;
  }

  // Where the desktop has no file dialog. Begins in the folder of the last time, of the picture, or of the user.
  void choose_in_window(std::optional<command::What> saves) const {
    FileChooser& chooser = app.state_.ui.file_chooser;
    std::error_code error;
    const char* home = std::getenv("HOME");
    const std::string& picture = app.state_.settings.source.path;
    const std::filesystem::path of_picture =
        picture.empty() ? std::filesystem::path() : std::filesystem::absolute(picture, error).parent_path();
    for (const std::filesystem::path& folder : {of_picture, std::filesystem::path(home ? home : "/")})
      if (chooser.folder.empty() && std::filesystem::is_directory(folder, error)) chooser.folder = folder.string();
    if (chooser.folder.empty()) chooser.folder = "/";
    if (saves && chooser.named != *saves) chooser.typed.clear();
    chooser.named = saves.value_or(chooser.named);
    chooser.saves = saves;
    chooser.open = true;
  }

  // Sources
  void operator()(const command::ChooseFile& c) const {
    if (!FileDialogs::available()) return choose_in_window(std::nullopt);
    say_failure(app.dialogs_.choose_file(c.results));
  }
  void operator()(const command::OpenFile& c) const { app.open(c.path, c.percent); }
  void operator()(const command::OpenSession& c) const { app.source_->open_session(c); }
  void operator()(const command::Reload&) const { app.source_->reload(); }
  // Shows what a link says, or the step of a lesson. What belongs to the user and not to the experiment stays.
  void show(Scene scene) const {
    Settings& now = app.state_.settings;
    keep_own(now, scene.settings);
    now = std::move(scene.settings);
    UiState& ui = app.state_.ui;
    ui.show_only(scene.panels);
    ui.view.fitted = true;
    ui.probe.forget_pixels();
    ui.compare = {};
  }
  void open_link(std::string_view link) const {
    Result<Scene> scene = parse_link(link);
    if (!scene) return app.state_.warn("The link cannot be opened: " + scene.error().text);
    if (!scene->has_source) scene->settings.source = app.state_.settings.source;
    show(std::move(*scene));
    app.state_.say("Opened the link");
  }
  void operator()(const command::Paste&) const {
    const char* text = ImGui::GetClipboardText();
    std::string_view pasted = text ? text : "";
    while (!pasted.empty() && std::isspace(static_cast<unsigned char>(pasted.back()))) pasted.remove_suffix(1);
    if (is_link(pasted)) return open_link(pasted);
    app.source_->paste();
  }
  void operator()(const command::CancelOpening&) const { app.source_->give_up_opening(); }
  void operator()(const command::Pause& c) const {
    if (Feed* feed = app.source_->feed()) feed->pause(c.on);
  }
  void operator()(const command::Step& c) const {
    if (Feed* feed = app.source_->feed()) feed->step(c.frames);
  }
  void operator()(const command::Seek& c) const {
    if (Feed* feed = app.source_->feed()) feed->seek(c.seconds);
  }

  // Exports
  void operator()(const command::ChooseSaveFile& c) const {
    if (!FileDialogs::available()) return choose_in_window(c.what);
    say_failure(app.dialogs_.choose_save_file(c.what));
  }
  void operator()(const command::SaveResult& c) const { app.exports_->save_result(c.path); }
  void operator()(const command::SavePlot& c) const { app.exports_->save_plot(c.path); }
  void operator()(const command::SaveKernel& c) const { app.exports_->save_kernel(c.path); }
  void operator()(const command::SaveView& c) const { app.exports_->save_view(c.path); }
  void operator()(const command::CancelSaving&) const { app.exports_->cancel_saving(); }
  void operator()(const command::SaveLesson& c) const { app.exports_->save_lesson(c.path); }
  void operator()(const command::SaveSession& c) const { app.exports_->save_session(c.path); }
  void operator()(const command::CopyView&) const { app.exports_->copy_view(); }
  void operator()(const command::CopyState& c) const { app.exports_->copy_state(c.as); }
  void operator()(const command::CopyText& c) const { ImGui::SetClipboardText(c.text.c_str()); }
  void operator()(const command::Record& c) const { app.exports_->record(c.path); }
  void operator()(const command::RecordWindow& c) const { app.exports_->record_window(c.path); }
  void operator()(const command::StopRecording&) const { app.exports_->stop_recording(); }

  // Settings
  void operator()(const command::Undo&) const {
    const std::string change = app.state_.history.undo_text();
    if (app.state_.history.undo(app.state_.settings)) app.state_.say(fmt::format("Undone: {}", change));
  }
  void operator()(const command::Redo&) const {
    const std::string change = app.state_.history.redo_text();
    if (app.state_.history.redo(app.state_.settings)) app.state_.say(fmt::format("Redone: {}", change));
  }
  void operator()(const command::ResetSettings&) const {
    app.state_.settings = Settings{.source = app.state_.settings.source};
  }
  void operator()(const command::ShowScene& c) const {
    Result<Scene> scene = parse_scene(c.options, c.pictures);
    if (scene)
      show(std::move(*scene));
    else
      app.state_.warn("The step cannot be shown: " + scene.error().text);
    remember_scene_of_draft();
  }
  void operator()(const command::TakeScene& c) const {
    std::optional<LessonDraft>& draft = app.state_.ui.panels.lesson.draft;
    if (!draft) return;
    Settings shown = app.state_.settings;
    if (!fits_scene(shown.source)) {
      app.state_.warn("A lesson cannot show a video, a camera or a pasted picture: the step shows a pattern instead");
      shown.source = app.state_.settings.source = {};
    }
    (c.reveal ? draft->at().reveal_scene : draft->at().scene) = scene_text(shown, app.state_.ui.scene_panels());
    draft->revealed = c.reveal;
    remember_scene_of_draft();
  }
  void remember_scene_of_draft() const {
    std::optional<LessonDraft>& draft = app.state_.ui.panels.lesson.draft;
    if (!draft) return;
    draft->shown = app.state_.settings;
    draft->shown_panels = app.state_.ui.scene_panels();
  }
  void operator()(const command::ResetLayout&) const {
    UiState& ui = app.state_.ui;
    ui.layout.reset = ui.shown.settings = ui.shown.timing = true;
  }

  // Measurements
  void operator()(const command::RunLab& c) const { say_failure(app.jobs_.run(c, device())); }
  void operator()(const command::CancelLab&) const { app.jobs_.lab().cancel(); }
  void operator()(const command::RunBench& c) const { say_failure(app.jobs_.run(c, device())); }
  void operator()(const command::CancelBench&) const { app.jobs_.bench().cancel(); }
  void operator()(const command::MeasureCeilings&) const { app.jobs_.bench().measure_ceilings(); }
  void operator()(const command::RetryInterop&) const { app.pipeline_->retry_interop(); }
  void operator()(const command::RunKernel& c) const { app.pipeline_->run_kernel(c.file, c.text, c.unchecked); }

  // The window
  void operator()(const command::ToggleFullScreen&) const { app.window_->toggle_full_screen(); }
  void operator()(const command::Quit&) const { app.window_->close(); }
};

void App::execute(const Command& command) {
  std::visit(CommandHandlers{*this}, command);
}

}  // namespace conv
