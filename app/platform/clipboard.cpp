#include "app/platform/clipboard.h"

#include <cstdlib>

#include "app/platform/process.h"

namespace conv {

namespace {

bool on_wayland() {
  return std::getenv("WAYLAND_DISPLAY") != nullptr;
}

using Words = std::vector<std::string>;

Words paste_program() {
  return on_wayland() ? Words{"wl-paste", "--type", "image/png"}
                      : Words{"xclip", "-selection", "clipboard", "-t", "image/png", "-o"};
}
Words copy_program() {
  return on_wayland() ? Words{"wl-copy", "--type", "image/png"}
                      : Words{"xclip", "-selection", "clipboard", "-t", "image/png", "-i"};
}

}  // namespace

Pasted paste_from_desktop(int ticket) {
  const Result<std::string> bytes = run_process({.arguments = paste_program()});
  if (!bytes && bytes.error().text.find("cannot be started") != std::string::npos)
    return {ticket, nullptr,
            "Pasting a picture needs xclip, or wl-paste under Wayland: install it, or open a file instead."};
  if (!bytes) return {ticket, nullptr, "There is no picture in the clipboard."};
  Result<Picture> picture = in_words([&] { return decode_picture("clipboard.png", *bytes); });
  if (!picture) return {ticket, nullptr, picture.error().text};
  return {ticket, std::make_shared<const Picture>(std::move(*picture)), ""};
}

Result<void> copy_to_desktop(const Picture& picture, const OnProgress& progress) {
  const std::string png = CONV_TRY(encode_picture(picture, ".png", progress));
  // xclip and wl-copy remain running to serve the picture, with their output open.
  if (!run_process({.arguments = copy_program(), .input = png, .captures_output = false}))
    return failure(
        "Copying a picture needs xclip, or wl-copy under Wayland: install it, or save the view instead (Ctrl+S).");
  return {};
}

}  // namespace conv
