// Thumbnails of each filter's result, for the list of filters.
#pragma once
#include <array>
#include <memory>
#include <optional>

#include "app/display/gl_object.h"
#include "app/jobs/worker.h"
#include "app/model/settings.h"

namespace conv {

class FilterWall {
 public:
  static constexpr Size2 size{96, 64};
  using Images = std::array<HostImage, filters.size()>;

  // `filter` with each kind, applied to the middle of the picture. Empty if a filter cannot be used.
  static Images computed(const Picture& picture, const FilterSpec& filter);

  // Called while the list is open. Computed in the background, again when the picture or the filter has changed.
  void update(const std::shared_ptr<const Picture>& picture, const FilterSpec& filter);
  // GL names in the order of the table; 0 if there is none yet.
  std::array<unsigned, filters.size()> textures() const;

 private:
  struct Job {
    std::shared_ptr<const Picture> picture;
    FilterSpec filter;
    friend bool operator==(const Job&, const Job&) = default;
  };
  Worker<Job, Images> worker_{
      [](const Job& job, const std::stop_token&) { return computed(*job.picture, job.filter); }};
  std::shared_ptr<const Images> shown_;
  std::array<GlTexture, filters.size()> textures_;
};

}  // namespace conv
