// Small pictures of what each filter makes of the source, for the filter's list.
#pragma once
#include <array>
#include <future>
#include <memory>
#include <optional>

#include "app/display/gl_object.h"
#include "app/model/settings.h"

namespace conv {

class FilterWall {
 public:
  static constexpr Size2 size{96, 64};
  using Images = std::array<HostImage, filters.size()>;

  // `filter` with each kind in turn, applied to the middle of the picture. Empty where a filter cannot be used.
  static Images computed(const Picture& picture, const FilterSpec& filter);

  // Called while the list is open: computed beside the frames, anew when the picture or the filter has changed.
  void update(const std::shared_ptr<const Picture>& picture, const FilterSpec& filter);
  // GL names, in the order of the table; 0 while there is none.
  std::array<unsigned, filters.size()> textures() const;

 private:
  std::shared_ptr<const Picture> picture_;  // what the last job was about
  std::optional<FilterSpec> filter_;
  std::future<Images> job_;
  std::array<GlTexture, filters.size()> textures_;
};

}  // namespace conv
