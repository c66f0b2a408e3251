// Questions that are answered by a drawn curve: a value of the lesson over the radius.
#pragma once
#include "app/lessons/lesson_facts.h"

namespace conv {

// A number for each radius of the question, the smallest first; nothing where there is none (yet).
using Curve = std::vector<std::optional<double>>;

// The right one, from the plans that the lanes of `facts` would have at each radius. A radius that a lane cannot have
// has no value.
Curve curve_of(const LessonQuestion& question, const LessonFacts& facts, const DeviceLimits& limits);
// The top of a scale on which the curve can be drawn: a round number; 1 if the curve has no value.
double top_of(const Curve& right);
// How far the drawn curve is from the right one: the mean distance, relative to the largest right value. Nothing if
// they have no radius in common.
std::optional<double> distance(const Curve& drawn, const Curve& right);
// "R 1: 9, R 2: 25"
std::string text_of(const LessonQuestion& question, const Curve& curve);

}  // namespace conv
