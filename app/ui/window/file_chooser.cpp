// The chooser for files inside the window, where the desktop has none.
#include <fmt/format.h>
#include <misc/cpp/imgui_stdlib.h>

#include <cstdlib>
#include <filesystem>

#include "app/model/save_choice.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/units.h"

namespace conv {

namespace fs = std::filesystem;

namespace {

// "a/b/.." becomes "a", without asking the disk.
fs::path plain(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return normal.has_filename() || !normal.has_relative_path() ? normal : normal.parent_path();
}

void enter(FileChooser& chooser, const fs::path& folder) {
  chooser.folder = plain(folder).string();
  chooser.search.clear();
  chooser.takes_keyboard = true;
  ++chooser.visits;
}

// What was typed: a name in the folder, a whole path, or one that begins in the user's own folder.
fs::path path_of(const FileChooser& chooser, const std::string& name) {
  const char* home = std::getenv("HOME");
  if (home && (name == "~" || name.starts_with("~/"))) return plain(home + name.substr(1));
  return plain(fs::path(chooser.folder) / name);
}

// A chosen or typed path: a folder is entered, a file is opened or saved. An existing file is replaced only when the
// user has said so.
void choose(PanelContext& context, const std::string& name) {
  if (name.empty()) return;
  FileChooser& chooser = context.ui.file_chooser;
  const fs::path path = path_of(chooser, name);
  std::error_code error;
  if (fs::is_directory(path, error)) return enter(chooser, path);
  ImGui::CloseCurrentPopup();
  if (!chooser.saves) return context.commands.push_back(command::OpenFile{path.string()});
  const Command save = to_save(*chooser.saves, path.string());
  if (!fs::exists(path, error)) return context.commands.push_back(save);
  context.ui.question = Question{.title = "Replace this file?",
                                 .text = fmt::format("{} exists. It would be replaced.", path.string()),
                                 .yes = "Replace",
                                 .no = "Choose another name",
                                 .on_yes = save,
                                 .on_no = command::ChooseSaveFile{*chooser.saves}};
}

// A button for each folder of the path. Returns the clicked one, or nothing.
std::optional<fs::path> draw_path(const FileChooser& chooser) {
  std::optional<fs::path> clicked;
  fs::path at;
  int number = 0;
  for (const fs::path& part : fs::path(chooser.folder)) {
    at /= part;
    if (part.empty()) continue;
    if (number > 0) flow(ImGui::CalcTextSize(part.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x);
    ImGui::PushID(number++);
    // The name of a folder may have the characters that Dear ImGui takes for an identifier.
    const ImVec2 text = ImGui::GetCursorScreenPos() + ImGui::GetStyle().FramePadding;
    if (ImGui::Button("##part",
                      {ImGui::CalcTextSize(part.c_str(), nullptr, false).x + 2 * ImGui::GetStyle().FramePadding.x, 0}))
      clicked = at;
    ImGui::GetWindowDrawList()->AddText(text, ImGui::GetColorU32(ImGuiCol_Text), part.c_str());
    ImGui::PopID();
  }
  return clicked;
}

// Returns whether the line was clicked.
bool draw_entry(const PanelContext& context, const FolderEntry& entry, bool marked) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + ImGui::GetContentRegionAvail().x;
  const bool clicked = ImGui::Selectable("##entry", marked);
  const Palette& p = context.look.colours;
  const float size = text_size::caption * ImGui::GetStyle().FontScaleMain;
  ImGui::GetWindowDrawList()->AddText(at, ImGui::GetColorU32(p.text),
                                      (entry.name + (entry.is_folder ? "/" : "")).c_str());
  if (entry.is_folder) return clicked;
  const std::string bytes = bytes_text(entry.bytes);
  text_at(context.look.fonts.numbers, size, {right - width_of(context.look.fonts.numbers, size, bytes), at.y}, p.quiet,
          bytes);
  return clicked;
}

// Returns the name of the entry that was chosen.
std::string draw_entries(PanelContext& context, const std::vector<const FolderEntry*>& entries) {
  FileChooser& chooser = context.ui.file_chooser;
  std::string chosen;
  ImGuiListClipper clipper;  // a folder may have thousands
  clipper.Begin(static_cast<int>(entries.size()));
  if (chooser.search.moved) clipper.IncludeItemByIndex(chooser.search.chosen);
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const FolderEntry& entry = *entries[i];
      ImGui::PushID(i);
      if (draw_entry(context, entry, !chooser.saves && i == chooser.search.chosen)) {
        if (chooser.saves && !entry.is_folder)
          chooser.typed = entry.name;
        else
          chosen = entry.name;
      }
      if (chooser.search.moved && i == chooser.search.chosen) ImGui::SetScrollHereY(0.5f);
      ImGui::PopID();
    }
  return chosen;
}

// The name of the file to save, or letters that narrow the list. Returns whether Enter was pressed in it.
bool draw_field(FileChooser& chooser) {
  close_on_escape();
  if (std::exchange(chooser.takes_keyboard, false)) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-FLT_MIN);
  std::string& text = chooser.saves ? chooser.typed : chooser.search.typed;
  const std::string before = text;
  const bool enter_key = ImGui::InputTextWithHint(
      "##name", chooser.saves ? "the name of the file" : "type a few letters of a name, or a whole path", &text,
      ImGuiInputTextFlags_EnterReturnsTrue);
  if (text != before) chooser.search.chosen = 0;
  return enter_key;
}

// Of the shown folder; null until it has been read.
const FolderListing* shown_listing(const PanelContext& context) {
  const FileChooser& chooser = context.ui.file_chooser;
  const FolderListing* listing = context.status.folder.get();
  return listing && listing->question == FolderQuestion{chooser.folder, chooser.visits} ? listing : nullptr;
}

std::vector<const FolderEntry*> shown_entries(const PanelContext& context) {
  const FileChooser& chooser = context.ui.file_chooser;
  std::vector<const FolderEntry*> entries;
  if (const FolderListing* listing = shown_listing(context))
    for (const FolderEntry& entry : listing->entries)
      if (chooser.saves || matches(chooser.search, entry.name)) entries.push_back(&entry);
  return entries;
}

void draw_list(PanelContext& context, const std::vector<const FolderEntry*>& entries, std::string& chosen) {
  const FolderListing* listing = shown_listing(context);
  const Palette& p = context.look.colours;
  if (listing && !listing->note.empty()) caption(listing->note, p.quiet);
  if (ImGui::BeginChild("##entries", {0, -ImGui::GetFrameHeightWithSpacing()}, ImGuiChildFlags_Borders)) {
    if (const std::string clicked = draw_entries(context, entries); !clicked.empty()) chosen = clicked;
    if (!listing) caption("Reading this folder…", p.quiet);
  }
  ImGui::EndChild();
}

}  // namespace

void draw_file_chooser(PanelContext& context) {
  FileChooser& chooser = context.ui.file_chooser;
  constexpr const char* id = "Choose a file";
  if (std::exchange(chooser.open, false)) {
    if (chooser.saves && chooser.typed.empty()) chooser.typed = save_choice(*chooser.saves).name;
    enter(chooser, chooser.folder);
    ImGui::OpenPopup(id);
  }
  const float scale = ImGui::GetStyle().FontScaleMain;
  const ImVec2 space = ImGui::GetMainViewport()->WorkSize;
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(640 * scale, space.x - 32 * scale), std::min(480 * scale, space.y - 32 * scale)});
  if (!ImGui::BeginPopup(id)) return;
  context.ui.wants.folder = FolderQuestion{chooser.folder, chooser.visits};
  ImGui::TextUnformatted(chooser.saves ? save_choice(*chooser.saves).title
                                       : "Open a picture, a video, a session, results or a lesson");
  const std::optional<fs::path> folder = draw_path(chooser);
  const bool was_empty = chooser.search.typed.empty();
  const bool enter_key = draw_field(chooser);
  const std::vector<const FolderEntry*> entries = shown_entries(context);
  std::string chosen;
  if (enter_key && chooser.saves) {
    chosen = chooser.typed;
  } else if (enter_key) {
    const std::string& typed = chooser.search.typed;
    const bool is_path = typed.find('/') != std::string::npos || typed.starts_with('~');
    const std::size_t marked = static_cast<std::size_t>(chooser.search.chosen);
    chosen = is_path || marked >= entries.size() ? typed : entries[marked]->name;
  } else if (!chooser.saves) {
    search_keys(chooser.search, static_cast<int>(entries.size()));
    if (was_empty && ImGui::IsKeyPressed(ImGuiKey_Backspace, false)) chosen = "..";
  }
  draw_list(context, entries, chosen);
  if (chooser.saves) {
    if (ImGui::Button("Save")) chosen = chooser.typed;
    ImGui::SameLine();
    caption(fmt::format("Its ending chooses the format: {}", save_choice(*chooser.saves).patterns),
            context.look.colours.quiet);
  } else {
    ImGui::AlignTextToFramePadding();
    caption("Enter opens the marked line. Backspace: the folder above.", context.look.colours.quiet);
  }
  ImGui::SameLine(ImGui::GetContentRegionMax().x - control_width("Cancel"));
  if (ImGui::Button("Cancel"))
    ImGui::CloseCurrentPopup();
  else if (folder)
    enter(chooser, *folder);
  else
    choose(context, chosen);
  ImGui::EndPopup();
}

}  // namespace conv
