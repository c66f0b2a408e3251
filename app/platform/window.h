// A GLFW window with an OpenGL 4.5 core context.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/core/geometry.h"

struct GLFWwindow;

namespace conv {

class AppWindow {
 public:
  // fits: the window is not larger than the screen, which matters where no window manager limits it. The error says
  // what to do: no display, no OpenGL 4.5.
  static Result<std::unique_ptr<AppWindow>> create(Size2 size, const std::string& title, bool vsync, bool fits = false);
  const std::string& title() const { return title_; }
  void set_title(const std::string& title);
  ~AppWindow();
  AppWindow(const AppWindow&) = delete;  // owns the window and GLFW
  AppWindow& operator=(const AppWindow&) = delete;

  GLFWwindow* handle() const { return window_; }
  bool should_close() const;
  void close();
  // Takes a request to close back.
  void stay();
  // wait_s: the longest time to wait for an event.
  void poll(double wait_s = 0);
  // Whether it can be seen, as far as the desktop tells: it is not minimised or hidden.
  bool visible() const;
  // Whether something besides keys and mouse wants a frame since the last call: the desktop has uncovered the window,
  // or a file was dropped.
  bool take_asked() { return std::exchange(asked_, false); }
  void swap();
  void set_vsync(bool on);
  void toggle_full_screen();
  Size2 framebuffer_size() const;
  Size2 size() const;
  // Of the GPU that draws the window, as NVML writes it: GPU-01234567-89ab-... Empty if OpenGL does not tell.
  std::string gpu_uuid() const;
  // Scale of the monitor the window is on; 1 at 96 DPI.
  float content_scale() const;
  // act: called once if the display server ends or closes the connection, from within any call of this class or of
  // OpenGL. The program ends when it returns. It must not use the window or OpenGL.
  static void on_lost_display(std::function<void()> act);
  // Files dropped on the window since the last call.
  std::vector<std::string> take_dropped();
  // Whether its size has changed since the last call.
  bool take_resized() { return std::exchange(resized_, false); }

 private:
  AppWindow() = default;
  GLFWwindow* window_ = nullptr;
  std::string title_;
  std::vector<std::string> dropped_;
  bool resized_ = false, asked_ = false;
  Size2 windowed_size_;
  Point2 windowed_at_;
};

}  // namespace conv
