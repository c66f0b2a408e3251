// The editor of the code panel, by mouse and keyboard.
#include <fmt/format.h>
#include <imgui.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "app/live/kernel_twin.h"
#include "app/live/live_kernels.h"
#include "app/live/own_kernels.h"
#include "app/sources/pattern.h"
#include "app/ui/panels/kernel_editor.h"
#include "gui_support.h"
#include "kernels/core/file.h"
#include "kernels/core/registry.h"
#include "kernels/gpu/kernel_sources.h"

namespace conv {

namespace {

const EditView& view() {
  return app->ui().panels.code.edit;
}

std::string read_proc(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string file_of(const char* variant) {
  return kernel_file_of(*find_variant(variant));
}

void open_editor(ImGuiTestContext* ctx, const char* variant) {
  start_over(ctx);
  settings().lanes[0].variant = variant;
  settle(ctx);
  ctx->SetRef("Viewport");
  ctx->MouseMove("picture A");
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_E);
  ctx->SetRef("Code");
  ctx->ItemClick("##code/Edit");
  IM_CHECK(until(ctx, [&] { return view().kernel.file == file_of(variant); }));
}

// Writes the program's kernel with one change, as one would type it.
void write(ImGuiTestContext* ctx, const std::string& from, const std::string& to) {
  std::string text(built_in_kernel(view().kernel.file));
  IM_CHECK(text.find(from) != std::string::npos);
  view().editor->replace_text(text.replace(text.find(from), from.size(), to));
  IM_CHECK(until(ctx, [&] { return view().kernel.text == text; }));
}

// What was found in the text in the editor.
std::shared_ptr<const LiveReport> run(ImGuiTestContext* ctx) {
  ctx->ItemClick("**/Run");
  const auto is_checked = [] { return lane(0).edited && lane(0).edited->text == view().kernel.text; };
  return until(ctx, is_checked) ? lane(0).edited : nullptr;
}

GUI_TEST(a_kernel_is_edited_checked_and_run) {
  open_editor(ctx, "mine_direct");
  const std::string built(built_in_kernel(view().kernel.file));
  IM_CHECK(view().kernel.text == built);
  write(ctx, "x + dx, y + dy", "x + dx + 1, y + dy");
  const auto wrong = run(ctx);
  IM_CHECK(wrong && !wrong->report.flaws.empty());
  IM_CHECK_EQ(static_cast<int>(wrong->report.flaws[0].flaw), static_cast<int>(Flaw::wrong));
  settle(ctx);
  IM_CHECK(shows_reference(0));  // the kernel as it was built still runs
  IM_CHECK(lane(0).shown.find("edited") == std::string::npos);

  write(ctx, "sum{};", "sum{}");
  const auto broken = run(ctx);
  IM_CHECK(broken && broken->report.errors.find("mine_direct.cu:") != std::string::npos);
  IM_CHECK(view().marked == lane(0).edited || until(ctx, [] { return view().marked == lane(0).edited; }));

  write(ctx, "  target.store", "\n  target.store");
  const auto right = run(ctx);
  IM_CHECK(right && right->report.passed());
  IM_CHECK(until(ctx, [] { return lane(0).shown.find("edited, checked") != std::string::npos; }));
  settle(ctx);
  IM_CHECK(shows_reference(0));
  const std::filesystem::path kept = config_folder() / "kernels" / "mine_direct.cu";
  IM_CHECK(until(ctx, [&] { return read_file(kept).value_or("") == view().kernel.text; }));
  ctx->ItemClick("**/Compare");
  ctx->Yield(3);
  IM_CHECK(view().diff != nullptr);
  ctx->ItemClick("**/Compare");

  ctx->ItemClick("**/Revert");
  IM_CHECK(until(ctx, [] { return lane(0).shown.find("edited") == std::string::npos; }));
  IM_CHECK(view().kernel.text == built);
  IM_CHECK(until(ctx, [&] { return !file_exists(kept); }));
}

// Each variant has its own text. One without a kernel file is named.
GUI_TEST(the_editor_follows_the_variant) {
  open_editor(ctx, "global");
  write(ctx, "sum{};", "sum{}");
  settings().lanes[0].variant = "tile_linear";
  IM_CHECK(until(ctx, [] { return view().kernel.file == file_of("tile_linear"); }));
  IM_CHECK(view().kernel.text == built_in_kernel(view().kernel.file));
  settings().lanes[0].variant = "cpu_separable";
  settle(ctx);
  IM_CHECK(!ctx->ItemExists("**/Run"));
  settings().lanes[0].variant = "global";
  IM_CHECK(until(ctx, [] { return view().kernel.file == file_of("global"); }));
  IM_CHECK(view().kernel.text != built_in_kernel(view().kernel.file));
  ctx->ItemClick("**/Revert");
  ctx->Yield(2);
  IM_CHECK(view().kernel.text == built_in_kernel(view().kernel.file));
}

// A kernel of somebody else is text until the user runs it.
GUI_TEST(a_bundle_brings_a_kernel_that_does_not_run_by_itself) {
  open_editor(ctx, "global");
  const Picture picture = make_pattern(PatternKind::noise, {120, 90});
  IM_CHECK(save_picture(picture, folder / "noise.png").has_value());
  execute(ctx, command::OpenFile{(folder / "noise.png").string()});
  write(ctx, "sum{};", "sum{} ;");
  IM_CHECK(run(ctx) != nullptr);
  IM_CHECK(until(ctx, [] { return app->status().code.edited_here.contains(file_of("global")); }));
  const std::string edited = view().kernel.text;
  const std::filesystem::path bundle = folder / "class.zip";
  execute(ctx, command::SaveSession{bundle.string()});
  IM_CHECK(until(ctx, [&] { return file_exists(bundle); }));
  ctx->ItemClick("**/Revert");
  IM_CHECK(until(ctx, [] { return lane(0).shown.find("edited") == std::string::npos; }));

  std::filesystem::remove(folder / "noise.png");
  start_over(ctx);
  app->ui().shown.code = false;
  execute(ctx, command::OpenFile{bundle.string()});
  IM_CHECK(until(ctx, [] { return app->status().source.size == (Size2{120, 90}); }));
  settle(ctx);
  ctx->SetRef("Code");
  IM_CHECK(until(ctx, [&] { return ctx->ItemExists("**/Put it into the editor"); }));
  const auto is_own = [] { return view().kernel.text == built_in_kernel(view().kernel.file); };
  IM_CHECK(is_own() && lane(0).shown.find("edited") == std::string::npos);
  ctx->ItemClick("**/Put it into the editor");
  ctx->Yield(3);
  IM_CHECK(view().kernel.text == edited && !ctx->ItemExists("**/Put it into the editor"));
  IM_CHECK(lane(0).shown.find("edited") == std::string::npos);
  const auto checked = run(ctx);
  IM_CHECK(checked && checked->report.passed());
  ctx->ItemClick("**/Revert");
  IM_CHECK(until(ctx, [] { return lane(0).shown.find("edited") == std::string::npos; }));
  start_over(ctx);
}

// A text is checked although its plan is refused, and undone although another variant was shown.
GUI_TEST(a_kernel_is_checked_while_its_lane_cannot_run) {
  open_editor(ctx, "mine_two_pass");
  settings().filter = {.kind = FilterKind::custom, .matrix = *parse_matrix("1 2 3; 0 1 0; 3 1 0")};
  IM_CHECK(until(ctx, [] { return !lane(0).refusal.empty(); }));
  write(ctx, "sum{};", "sum{}");
  const std::string mine = view().kernel.text;
  const auto broken = run(ctx);
  IM_CHECK(broken && broken->report.errors.find("mine_two_pass.cu:") != std::string::npos);
  ctx->ItemClick("**/Revert");
  ctx->Yield(2);
  settings().lanes[0].variant = "global";
  IM_CHECK(until(ctx, [] { return view().kernel.file == file_of("global"); }));
  settings().lanes[0].variant = "mine_two_pass";
  IM_CHECK(until(ctx, [] { return view().kernel.file == file_of("mine_two_pass"); }));
  view().editor->focus();
  ctx->Yield(3);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
  IM_CHECK(until(ctx, [&] { return view().kernel.text == mine; }));
  ctx->ItemClick("**/Revert");
}

GUI_TEST(the_editor_opens_in_a_window_and_exports_a_variant) {
  open_editor(ctx, "mine_tiled");
  ctx->ItemClick("**/Larger");
  ctx->Yield(3);
  ctx->SetRef("Edit kernel");
  IM_CHECK(ctx->ItemExists("**/Run"));
  // Letters and Ctrl+Z belong to the editor while it has the keyboard.
  const Settings settings_before = settings();
  const std::string before = view().kernel.text;
  view().editor->focus();
  ctx->Yield(3);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Home);
  ctx->KeyChars("k");
  IM_CHECK(until(ctx, [&] { return view().kernel.text == "k" + before; }));
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
  IM_CHECK(until(ctx, [&] { return view().kernel.text == before; }));
  IM_CHECK(settings() == settings_before);

  const std::filesystem::path path = folder / "my_kernel.cu";
  execute(ctx, command::SaveKernel{path.string()});
  IM_CHECK(app->ui().toast.text == "no kernel was chosen for the export");
  app->ui().panels.code.edit.to_export = view().kernel;
  execute(ctx, command::SaveKernel{path.string()});
  IM_CHECK(read_file(path).value_or("").find("void my_kernel(") != std::string::npos);
  const std::string plan = read_file(folder / "my_kernel.cpp").value_or("");
  IM_CHECK(plan.find("\"kernels/variants/my_kernel.cu\"") != std::string::npos);
  IM_CHECK(plan.find("VariantGroup::shared_memory") != std::string::npos);
  execute(ctx, command::SaveKernel{path.string()});
  IM_CHECK(app->ui().toast.text.find("exists already") != std::string::npos);
  execute(ctx, command::SaveKernel{(folder / "My Kernel.cu").string()});
  IM_CHECK(app->ui().toast.text.find("a variant's name begins with") != std::string::npos);
  ctx->WindowClose("//Edit kernel");
  ctx->SetRef("Code");
  IM_CHECK(ctx->ItemExists("**/Run"));
}

// The processes that this one has started, and theirs.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> list;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    const std::string stat = pid > 0 ? read_proc(entry.path() / "stat") : "";
    int of = 0;
    if (stat.empty() || std::sscanf(stat.c_str() + stat.rfind(')') + 2, "%*c %d", &of) != 1 || of != parent) continue;
    list.push_back(pid);
    for (const pid_t child : children_of(pid)) list.push_back(child);
  }
  return list;
}

// Kills the compiler of the check that runs, once it has begun.
bool kill_compiler(ImGuiTestContext* ctx) {
  return until(ctx, [] {
    for (const pid_t child : children_of(::getpid()))
      if (read_proc(fmt::format("/proc/{}/comm", child)) == "cc1plus\n") return ::kill(child, SIGKILL) == 0;
    return false;
  });
}

// Whatever a kernel does, the window says what happened, shows the picture of before, and leaves nothing running.
GUI_TEST(a_hostile_kernel_ends_in_words) {
  open_editor(ctx, "mine_direct");
  const auto said = [](const std::shared_ptr<const LiveReport>& report) {
    std::string text = report ? report->cannot + report->report.errors : "no report";
    if (report)
      for (const FoundFlaw& flaw : report->report.flaws) text += std::string(info(flaw.flaw).id) + ": " + flaw.text;
    return text;
  };
  const auto expect = [&](const std::string& words, bool kills = false) {
    ctx->ItemClick("**/Run");
    if (kills) IM_CHECK(kill_compiler(ctx));
    float slowest = 0;
    const auto is_checked = [&] {
      slowest = std::max(slowest, ImGui::GetIO().DeltaTime);
      return lane(0).edited && lane(0).edited->text == view().kernel.text;
    };
    const auto start = std::chrono::steady_clock::now();
    IM_CHECK(until(ctx, is_checked));
    IM_CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(3));
    IM_CHECK(slowest < 0.1f);  // no frame waits for the check
    IM_CHECK_STR_EQ((said(lane(0).edited).find(words) != std::string::npos ? words : said(lane(0).edited)).c_str(),
                    words.c_str());
    IM_CHECK(until(ctx, [] { return children_of(::getpid()).empty(); }));
    settle(ctx);
    IM_CHECK(shows_reference(0));
  };
  const std::string start = "typename PixelTraits<";
  write(ctx, start, "for (volatile int i = 0;; i = i + 1) {}\n" + start);
  expect("endless: ");
  write(ctx, start, "*reinterpret_cast<volatile int*>(64) = 1;\n" + start);
  expect("memory: ");
  write(ctx, start,
        "static volatile char* lot = new char[10000000000u];\n"
        "for (long i = 0; i < 10000000000; i += 4096) lot[i] = 1;\n" +
            start);
  expect("did it ask for too much memory?");
  write(ctx, start, "/*" + std::string(std::size_t{1} << 20, 'x') + "*/" + start);
  expect("the kernel file has more than 1 MiB");
  write(ctx, start, "/* to be compiled */" + start);
  expect("Killed signal terminated program cc1plus", true);
  ctx->ItemClick("**/Run");  // once more, as it is
  IM_CHECK(until(ctx, [] { return lane(0).edited && lane(0).edited->report.passed(); }));
  ctx->ItemClick("**/Revert");
}

// A kernel file that somebody has changed never comes to an end. Closing the window, or a signal, still ends the
// program soon.
GUI_TEST(the_program_ends_while_a_kernel_does_not) {
  // Another program beside other kernel files.
  std::filesystem::copy(KernelSources::default_folder() / "kernels", folder / "kernels",
                        std::filesystem::copy_options::recursive);
  const auto program = folder / "program";
  std::filesystem::copy_file(CONV_PROGRAM, program);
  const auto file = folder / "kernels/variants/global.cu";
  std::string text = *read_file(file);
  const std::string begin = "  const Target";
  text.insert(text.find(begin), "  for (volatile int i = 0;; i = i + 1) {}\n");
  IM_CHECK(write_file(file, text).has_value());
  // The kernel runs in a process that the program has started. It is stopped after three seconds; the program is asked
  // to end before.
  const std::string until_it_runs = R"sh(
      for i in $(seq 100); do
        convoscope=$(cat /proc/$program/task/$program/children); [ -n "$convoscope" ] && break; sleep 0.1
      done
      for i in $(seq 300); do
        for worker in $(cat /proc/${convoscope% }/task/*/children); do
          [ "$(cat /proc/$worker/comm)" = exe ] || continue
          ticks=$(cut -d' ' -f14 /proc/$worker/stat)
          [ ${ticks:-0} -gt 50 ] && touch runs && break 2
        done
        sleep 0.1
      done
      date +%s%3N >told
      )sh";
  for (const char* const end : {"kill $program", "xdotool mousemove 640 400 sleep 0.2 key ctrl+q"}) {
    std::filesystem::remove(folder / "runs");
    IM_CHECK_EQ(run_on_own_display(until_it_runs + end, program.string(), "named.png --variant global"), 0);
    IM_CHECK(std::filesystem::exists(folder / "runs"));
    // The kernel would be stopped some 2.5 s later.
    IM_CHECK_LT(std::stoll(*read_file(folder / "ended")) - std::stoll(*read_file(folder / "told")), 2000);
  }
}

}  // namespace

}  // namespace conv
