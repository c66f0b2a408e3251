#!/usr/bin/env bash
# nvcc compiles one instance of every kernel: nvcc_test.sh NVCC SOURCE_FOLDER KERNEL_INSTANCES
set -euo pipefail
nvcc=$1 source=$2 instances=$3
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
"$instances" | while read -r file instance; do
  name=$(basename "$file")
  echo "#include \"$file\"" >>"$folder/$name"
  echo "template __global__ void $instance(ConvArgs);" >>"$folder/$name"
done
for file in "$folder"/*.cu; do
  sort -u "$file" | grep '^#include' >"$folder/one.cu"; grep -v '^#include' "$file" >>"$folder/one.cu"
  "$nvcc" -std=c++20 -arch=sm_90 -I "$source" -cubin -o "$folder/out.cubin" "$folder/one.cu"
done
echo "$(ls "$folder"/*.cu | wc -l) files compiled"
