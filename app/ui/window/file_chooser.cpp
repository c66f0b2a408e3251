// The chooser for files inside the window, where the desktop has none.
#include <fmt/format.h>
#include <misc/cpp/imgui_stdlib.h>

#include <filesystem>

#include "app/model/save_choice.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/file.h"
#include "kernels/core/units.h"

namespace conv {

namespace fs = std::filesystem;

namespace {

void enter(FileChooser& chooser, const fs::path& folder) {
  const fs::path plain = folder.lexically_normal();
  // "a/b/.." becomes "a/".
  chooser.folder = (plain.has_filename() || !plain.has_relative_path() ? plain : plain.parent_path()).string();
  chooser.search.clear();
  ++chooser.visits;
}

// A chosen or typed path: a folder is entered, a file is opened or saved. An existing file is replaced only when the
// user has said so.
void choose(PanelContext& context, const std::string& name) {
  FileChooser& chooser = context.ui.file_chooser;
  const fs::path path = fs::path(chooser.folder) / name;
  std::error_code error;
  if (name.empty()) return;
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

// A button for each folder of the path.
void draw_path(FileChooser& chooser) {
  const fs::path folder = chooser.folder;
  fs::path at;
  int number = 0;
  for (const fs::path& part : folder) {
    at /= part;
    if (part.empty()) continue;
    const std::string title = fmt::format("{}##{}", part.string(), number);
    if (number++ > 0) flow(part.c_str());
    if (ImGui::Button(title.c_str())) return enter(chooser, at);
  }
}

// Returns the name of the entry that was chosen.
std::string draw_entries(PanelContext& context, const std::vector<const FolderEntry*>& entries) {
  FileChooser& chooser = context.ui.file_chooser;
  std::string chosen;
  for (int i = 0; i < static_cast<int>(entries.size()); ++i) {
    const FolderEntry& entry = *entries[i];
    const std::string title = fmt::format("{}{}##{}", entry.name, entry.is_folder ? "/" : "", i);
    if (ImGui::Selectable(title.c_str(), !chooser.saves && i == chooser.search.chosen)) {
      if (chooser.saves && !entry.is_folder)
        chooser.typed = entry.name;
      else
        chosen = entry.name;
    }
    if (chooser.search.moved && i == chooser.search.chosen) ImGui::SetScrollHereY(0.5f);
    if (entry.is_folder) continue;
    const std::string size = bytes_text(entry.bytes);
    ImGui::SameLine(ImGui::GetContentRegionMax().x -
                    width_of(context.look.fonts.numbers, text_size::caption * ImGui::GetStyle().FontScaleMain, size));
    number(context.look.fonts, size, context.look.colours.quiet, text_size::caption);
  }
  return chosen;
}

// The name of the file to save, or letters that narrow the list.
void draw_field(FileChooser& chooser) {
  if (!chooser.saves) {
    search_field(chooser.search, "type a few letters of a name, or a whole path");
    return;
  }
  close_on_escape();
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-FLT_MIN);
  ImGui::InputText("##name", &chooser.typed);
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
  ImGui::TextUnformatted(chooser.saves ? save_choice(*chooser.saves).title : "Open a picture, a video or a session");
  draw_path(chooser);
  draw_field(chooser);
  const auto& listing = context.status.folder;
  std::vector<const FolderEntry*> entries;
  const bool known = listing && listing->question == *context.ui.wants.folder;
  if (known)
    for (const FolderEntry& entry : listing->entries)
      if (chooser.saves || matches(chooser.search, entry.name)) entries.push_back(&entry);
  std::string chosen;
  const float buttons = ImGui::GetFrameHeightWithSpacing();
  if (ImGui::BeginChild("##entries", {0, -buttons}, ImGuiChildFlags_Borders)) {
    chosen = draw_entries(context, entries);
    if (!known) caption("Reading this folder…", context.look.colours.quiet);
    if (known && !listing->note.empty()) caption(listing->note, context.look.colours.quiet);
  }
  ImGui::EndChild();
  if (chooser.saves) {
    const bool enter_key = ImGui::IsKeyPressed(ImGuiKey_Enter) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter);
    if (ImGui::Button("Save") || enter_key) chosen = chooser.typed;
    ImGui::SameLine();
    caption(fmt::format("Its ending chooses the format: {}", save_choice(*chooser.saves).patterns),
            context.look.colours.quiet);
  } else {
    const bool above = chooser.search.typed.empty() && ImGui::IsKeyPressed(ImGuiKey_Backspace);
    if (search_keys(chooser.search, std::max(1, static_cast<int>(entries.size())))) {
      const bool is_path = chooser.search.typed.find('/') != std::string::npos;
      chosen = is_path || entries.empty() ? chooser.search.typed : entries[chooser.search.chosen]->name;
    } else if (above) {
      chosen = "..";
    }
    ImGui::AlignTextToFramePadding();
    caption("Enter opens the marked line. Backspace: the folder above.", context.look.colours.quiet);
  }
  ImGui::SameLine(ImGui::GetContentRegionMax().x - control_width("Cancel"));
  if (ImGui::Button("Cancel")) ImGui::CloseCurrentPopup();
  choose(context, chosen);
  ImGui::EndPopup();
}

}  // namespace conv
