// gui_test NAME runs one test, gui_test lists them.
#include "gui_support.h"

#include <imgui.h>
#include <imgui_te_engine.h>

#include <cfloat>

#include "app/live/edited_compile.h"
#include "app/live/kernel_worker.h"
#include "kernels/cpu/reference.h"

#if defined(__SANITIZE_ADDRESS__)

// The OpenGL driver keeps some bytes at exit. It must remain loaded for LeakSanitizer to attribute them to it.
extern "C" int dlclose(void*) noexcept {
  return 0;
}
extern "C" const char* __lsan_default_suppressions() {
  return "leak:swrast_dri\nleak:libgallium\nleak:libGLX\nleak:libX11\nleak:libxcb\n";
}
#endif

namespace conv {

App* app = nullptr;
std::filesystem::path folder;
std::string dropped;
bool stays_open = false;

namespace {

std::optional<Command> requested;
std::function<void()> reads_drawing;

// What a frame showed. The main loop reads the next one if it is wanted.
struct Seen {
  ImGuiTestContext* test = nullptr;
  long frames = 0, read_at = -1;
  bool wanted = false, every_frame = false;
  Picture screen;
  std::optional<HostImage> results[2];
} seen;

void see_this_frame() {
  if (seen.read_at == seen.frames) return;
  seen.wanted = true;
  seen.test->Yield(2);  // a test runs within a frame: the next one is read at its end
}

std::vector<const GuiTest*>& tests() {
  static std::vector<const GuiTest*> list;
  return list;
}

}  // namespace

GuiTest::GuiTest(const char* test_name, void (*test)(ImGuiTestContext*)) : name(test_name), run(test) {
  tests().push_back(this);
}

const Picture& screen() {
  see_this_frame();
  return seen.screen;
}
const std::optional<HostImage>& result(int index) {
  see_this_frame();
  return seen.results[index];
}

void draw_every_frame() {
  seen.every_frame = true;
}

bool screen_shows(ImVec4 colour, Point2 at) {
  const auto levels = levels_at(screen(), at);
  return std::fabs(levels[0] - 255 * colour.x) + std::fabs(levels[1] - 255 * colour.y) +
             std::fabs(levels[2] - 255 * colour.z) <
         6;
}

std::string words_of_frame(ImGuiTestContext* ctx) {
  ImGui::LogToBuffer();
  ImGuiContext& context = *ImGui::GetCurrentContext();
  context.LogWindow = nullptr;  // of all windows
  ctx->Yield();
  const std::string log = context.LogBuffer.c_str();
  ImGui::LogFinish();
  std::string words;
  for (const char c : log)
    if (!std::isspace(static_cast<unsigned char>(c)))
      words += c;
    else if (!words.ends_with(' '))
      words += ' ';
  return words;
}

LaneStatus lane(int index) {
  return app->status().lanes[index];
}
Settings& settings() {
  return app->settings();
}

void settle(ImGuiTestContext* ctx) {
  ctx->Yield(3);
  IM_CHECK(until(ctx, [] { return app->settled(); }));
  ctx->Yield();
  IM_CHECK(app->settled());
}

std::array<unsigned char, 3> result_at(int index, Point2 pixel) {
  const HostImage& shown = *result(index);
  const Rgba8 value = shown.pixels<Rgba8>()[pixel.y * shown.size.width + pixel.x];
  return {value.r, value.g, value.b};
}

bool shows_reference(int index) {
  const std::optional<HostImage>& shown = result(index);
  if (!shown || shown->size != app->picture()->size) return false;
  const HostImage source = to_format(*app->picture(), shown->type);
  const Settings& s = settings();
  return compare(*shown, reference_of(source, s.filter, s.border, s.border_value)).pass;
}

void choose_variant(ImGuiTestContext* ctx, char lane, const std::string& id) {
  ctx->ItemClick(fmt::format("//##toolbar/##variant {}", lane).c_str());
  ctx->SetRef("//$FOCUSED");
  ctx->ItemClick(fmt::format("**/###{}", id).c_str());
}

int run_on_own_display(std::string_view script, std::string_view program, std::string_view arguments) {
  if (!save_picture(make_pattern(PatternKind::gradient, {61, 47}), folder / "named.png")) return -1;
  const std::string command = fmt::format(
      "cd '{}' && rm -f display || exit; Xvfb -displayfd 3 -screen 0 1280x800x24 3>display 2>server & server=$!; "
      "for i in $(seq 100); do [ -s display ] && break; sleep 0.1; done; "
      "export ASAN_OPTIONS=detect_leaks=0 XDG_CONFIG_HOME=$PWD DISPLAY=:$(cat display); "
      "timeout -k 15 60 {} {} 2>said & program=$!; {}; wait $program; status=$?; date +%s%3N >ended; "
      "kill $server 2>/dev/null; exit $status",
      folder.string(), program, arguments, script);
  return WEXITSTATUS(std::system(command.c_str()));
}

void start_over(ImGuiTestContext* ctx) {
  settings() = {};
  settings().lanes[0].variant = "cpu_separable";
  settings().lanes[1].variant = "tile_linear";
  settings().source = {.pattern = PatternKind::noise, .pattern_size = {96, 64}};
  app->preferences().theme = Theme::dark;
  app->ui().matrix.editing = false;
  app->ui().view.fitted = true;
  settle(ctx);
}

PanelContext panel_context(UiState& ui, const AppStatus& status) {
  static std::vector<Command> none;
  static Fonts fonts;
  fonts = {.words = ImGui::GetFont(), .numbers = ImGui::GetFont()};
  return {settings(), app->preferences(), ui, status, {palette(app->preferences().theme), fonts}, none};
}

void execute(ImGuiTestContext* ctx, const Command& command) {
  requested = command;
  until(ctx, [] { return !requested; });
}

void after_frame(ImGuiTestContext* ctx, std::function<void()> read) {
  reads_drawing = std::move(read);
  until(ctx, [] { return !reads_drawing; });
}

}  // namespace conv

using namespace conv;

int main(int argc, char** argv) {
  if (are_worker_arguments(argc, argv)) return run_kernel_worker(argv);
  compile_edited_kernels_in_a_process();
  if (argc < 2) {
    for (const GuiTest* test : tests()) fmt::print("{}\n", test->name);
    return 0;
  }
  folder = std::filesystem::temp_directory_path() / fmt::format("convoscope-gui-{}", argv[1]);
  std::filesystem::create_directories(folder);
  setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
  Options options;
  options.settings_given = true;
  options.window.frames = 1;  // nothing is remembered
  options.window.no_vsync = true;
  options.device = DeviceChoice::cpu;
  auto created = App::create(options);
  if (!created) {
    fmt::print(stderr, "{}\n", created.error().text);
    return 2;
  }
  app = created->get();

  ImGuiTestEngine* engine = ImGuiTestEngine_CreateContext();
  ImGuiTestEngineIO& io = ImGuiTestEngine_GetIO(engine);
  io.ConfigRunSpeed = ImGuiTestRunSpeed_Fast;
  io.ConfigVerboseLevel = ImGuiTestVerboseLevel_Error;
  io.ConfigLogToTTY = true;
  io.ConfigWatchdogWarning = io.ConfigWatchdogKillTest = io.ConfigWatchdogKillApp = FLT_MAX;  // ctest has a limit
  for (const GuiTest* test : tests()) {
    if (std::string_view(argv[1]) != test->name) continue;
    ImGuiTest* registered = IM_REGISTER_TEST(engine, "gui", test->name);
    registered->TestFunc = [test](ImGuiTestContext* ctx) {
      seen.test = ctx;
      test->run(ctx);
    };
  }
  ImGuiTestEngine_Start(engine, ImGui::GetCurrentContext());
  ImGuiTestEngine_QueueTests(engine, ImGuiTestGroup_Unknown);
  while (!ImGuiTestEngine_IsTestQueueEmpty(engine) && app->running()) {
    if (!dropped.empty()) static_cast<void>(app->open(std::exchange(dropped, {})));
    if (const auto command = std::exchange(requested, std::nullopt)) app->execute(*command);
    const bool wanted = std::exchange(seen.wanted, false);
    (wanted || seen.every_frame ? glDisable : glEnable)(GL_RASTERIZER_DISCARD);
    app->frame(wanted ? &seen.screen : nullptr);
    if (stays_open) app->window().stay();
    ++seen.frames;
    if (const auto read = std::exchange(reads_drawing, {})) read();
    if (wanted) {
      for (int i = 0; i < 2; ++i) seen.results[i] = app->pipeline().result(i);
      seen.read_at = seen.frames;
    }
    ImGuiTestEngine_PostSwap(engine);
  }
  ImGuiTestEngineResultSummary summary;
  ImGuiTestEngine_GetResultSummary(engine, &summary);
  ImGuiTestEngine_Stop(engine);
  created->reset();
  ImGuiTestEngine_DestroyContext(engine);
  std::filesystem::remove_all(folder);
  fmt::print("{} of {} passed\n", summary.CountSuccess, summary.CountTested);
  return summary.CountTested == 1 && summary.CountSuccess == 1 ? 0 : 1;
}
