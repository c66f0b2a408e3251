#include "kernels/gpu/fft.h"

#include <fmt/format.h>

#include <array>

#include "kernels/gpu/cuda_library.h"

namespace conv {

namespace {

// As cuFFT's manual declares them; handles and results are integers, 0 is success.
struct CuFft : CudaLibrary {
  int (*plan_many)(int* plan, int rank, int* n, int* in_embed, int in_stride, int in_distance, int* out_embed,
                   int out_stride, int out_distance, int type, int batch) = nullptr;
  int (*set_stream)(int plan, cudaStream_t stream) = nullptr;
  int (*real_to_complex)(int plan, float* from, void* to) = nullptr;
  int (*complex_to_real)(int plan, void* from, float* to) = nullptr;
  int (*destroy)(int plan) = nullptr;
  CuFft() : CudaLibrary("libcufft", {"libcufft.so.12", "libcufft.so.11", "libcufft.so"}) {
    find("cufftPlanMany", plan_many);
    find("cufftSetStream", set_stream);
    find("cufftExecR2C", real_to_complex);
    find("cufftExecC2R", complex_to_real);
    find("cufftDestroy", destroy);
  }
};
constexpr int type_real_to_complex = 0x2a, type_complex_to_real = 0x2c;

const CuFft& library() {
  static const CuFft loaded;
  return loaded;
}

Result<void> checked(int status, const char* call) {
  if (status == 0) return {};
  constexpr int out_of_memory = 2;
  return failure(status == out_of_memory ? std::string("Out of GPU memory: cuFFT's plan does not fit")
                                         : fmt::format("{} failed with cuFFT's error {}", call, status));
}

}  // namespace

std::string why_no_fft() {
  return library().error();
}

Fft::~Fft() {
  for (const Planned& planned : planned_) library().destroy(planned.handle);
}

Result<void> Fft::run(const FftStep& step, const PixelBuffer& from, const PixelBuffer& to, cudaStream_t stream) {
  const PixelBuffer &real = step.forward ? from : to, &spectrum = step.forward ? to : from;
  const Key key{step.forward, step.transform, step.planes, real.stride_px, spectrum.stride_px / 2};
  auto found = std::find_if(planned_.begin(), planned_.end(), [&](const Planned& p) { return p.key == key; });
  if (found == planned_.end()) {
    std::array<int, 2> size{step.transform.height, step.transform.width};
    std::array<int, 2> real_rows{size[0], key.real_stride}, spectrum_rows{size[0], key.spectrum_stride};
    const int real_plane = size[0] * key.real_stride, spectrum_plane = size[0] * key.spectrum_stride;
    int handle = 0;
    const int status =
        step.forward ? library().plan_many(&handle, 2, size.data(), real_rows.data(), 1, real_plane,
                                           spectrum_rows.data(), 1, spectrum_plane, type_real_to_complex, step.planes)
                     : library().plan_many(&handle, 2, size.data(), spectrum_rows.data(), 1, spectrum_plane,
                                           real_rows.data(), 1, real_plane, type_complex_to_real, step.planes);
    CONV_TRY(checked(status, "cufftPlanMany"));
    planned_.push_front({key, handle});
    found = planned_.begin();
    if (planned_.size() > 8) {
      library().destroy(planned_.back().handle);
      planned_.pop_back();
    }
  }
  planned_.splice(planned_.begin(), planned_, found);
  const int handle = planned_.front().handle;
  CONV_TRY(checked(library().set_stream(handle, stream), "cufftSetStream"));
  return step.forward
             ? checked(library().real_to_complex(handle, static_cast<float*>(from.data), to.data), "cufftExecR2C")
             : checked(library().complex_to_real(handle, from.data, static_cast<float*>(to.data)), "cufftExecC2R");
}

}  // namespace conv
