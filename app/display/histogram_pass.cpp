#include "app/display/histogram_pass.h"

namespace conv {

Result<HistogramPass> HistogramPass::create() {
  SpreadPass<HistogramJob> pass = CONV_TRY(SpreadPass<HistogramJob>::create("histogram.comp"));
  HistogramPass histogram;
  histogram.pass_ = std::move(pass);
  return histogram;
}

void HistogramPass::advance(const HistogramJob& job, int groups) {
  constexpr std::size_t stride = Histogram::bin_count + 2;  // including the counts below and above
  const Size2 size = job.picture.tiling.size;
  const bool arrived = pass_.advance(job, groups_of_windows(size), 3 * stride * sizeof(GLuint), groups, [&] {
    glUniform2i(0, size.width, size.height);
    glUniform1i(1, job.channels);
    glUniform2f(2, job.low, job.high);
    job.picture.set_tiles();
    job.picture.bind(0);
  });
  if (!arrived) return;
  const HistogramJob& done = pass_.job();
  const auto counts = pass_.read<GLuint>(3 * stride);
  Histogram& to = finished_.emplace();
  to.channels = done.channels;
  to.low = done.low;
  to.high = done.high;
  for (int c = 0; c < done.channels; ++c) {
    const GLuint* of_channel = counts.data() + static_cast<std::size_t>(c) * stride;
    to.below[c] = of_channel[0];
    to.above[c] = of_channel[stride - 1];
    for (std::size_t i = 0; i < Histogram::bin_count; ++i) to.bins[c][i] = of_channel[i + 1];
  }
}

}  // namespace conv
