// A picture in tiles, one per layer of an array texture, row by row. The start of every shader that reads one.
// ONE_TILE: there is only one, which saves a tenth of a frame where a CPU draws.
layout(location = 10) uniform ivec3 tiles;  // width and height of a tile, tiles per row

vec4 pixel_of(sampler2DArray picture, ivec2 at) {
#ifdef ONE_TILE
  return texelFetch(picture, ivec3(at, 0), 0);
#else
  ivec2 tile = at / tiles.xy;
  return texelFetch(picture, ivec3(at - tile * tiles.xy, tile.y * tiles.z + tile.x), 0);
#endif
}
