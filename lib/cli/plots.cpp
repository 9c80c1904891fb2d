#include "plots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "svg.hpp"

namespace tamis::cli {

namespace {

using namespace svg;

// ---- curves along lambda

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// Multiples of 1, 2 or 5 times a power of ten: from three to eight.
std::vector<double> round_marks(Range r) {
  const double rough = (r.high - r.low) / 7, unit = std::pow(10, std::floor(std::log10(rough)));
  const double step = unit * (rough <= unit ? 1 : rough <= 2 * unit ? 2 : rough <= 5 * unit ? 5 : 10);
  std::vector<double> out;
  for (int i = 0; i <= 7; ++i)
    if (const double mark = (std::ceil(r.low / step - 1e-9) + i) * step; mark <= r.high + 1e-9 * step)
      out.push_back(mark);
  return out;
}

/// Powers of ten, in a short range their doubles and quintuples too, in a very short one round numbers.
std::vector<double> log_marks(Range r) {
  const int first = static_cast<int>(std::floor(std::log10(r.low)));
  const int last = static_cast<int>(std::ceil(std::log10(r.high)));
  const int apart = 1 + (last - first) / 9;
  std::vector<double> out;
  for (const bool more : {false, true}) {
    out.clear();
    for (int power = first; power <= last; power += apart)
      for (const int factor : {1, 2, 5})
        if (const double mark = factor * std::pow(10, power);
            (more || factor == 1) && mark >= r.low * (1 - 1e-9) && mark <= r.high * (1 + 1e-9))
          out.push_back(mark);
    if (out.size() >= 4) return out;
  }
  return out.size() > 1 ? out : round_marks(r);
}

bool positive(double value) { return std::isfinite(value) && value > 0; }

/// The points with a positive lambda, from the largest lambda to the smallest.
std::vector<std::size_t> decreasing(const std::vector<double>& lambdas) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < lambdas.size(); ++i)
    if (positive(lambdas[i])) out.push_back(i);
  std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) { return lambdas[a] > lambdas[b]; });
  return out;
}

/// A frame over lambda (on a log scale, decreasing to the right) and values, and what stands around it.
class LambdaChart {
 public:
  static constexpr double left = 84, top = 66, right = 624, bottom = 386;
  Svg svg;

  LambdaChart(double width, const std::string& title, const std::string& description, const std::string& y_label,
              const std::vector<double>& lambdas, std::vector<Marker> markers, Range values)
      : svg(width, bottom + 46, title, description), values_(values), markers_(std::move(markers)) {
    std::erase_if(markers_, [](const Marker& m) { return !positive(m.lambda); });
    std::stable_sort(markers_.begin(), markers_.end(), [](auto& a, auto& b) { return a.lambda > b.lambda; });
    for (const double lambda : lambdas)
      if (positive(lambda)) lambdas_.include(lambda);
    for (Marker& marker : markers_) {
      lambdas_.include(marker.lambda);
      marker.label = shorten(marker.label, 200);
    }
    if (lambdas_.low > lambdas_.high) lambdas_ = {0.1, 1};
    if (lambdas_.high < 1.1 * lambdas_.low) lambdas_ = {lambdas_.low / 2, lambdas_.high * 2};
    if (values_.low > values_.high) values_ = {0, 1};
    const double size = std::max(std::abs(values_.low), std::abs(values_.high));
    if (values_.high - values_.low <= 1e-9 * size) values_.high += size > 0 ? size / 2 : 1;

    for (const double mark : log_marks(lambdas_)) {
      svg.line({x(mark), top}, {x(mark), bottom});
      svg.text(x(mark), bottom + 15, number(mark), centred);
    }
    for (const double mark : round_marks(values_)) {
      svg.line({left, y(mark)}, {right, y(mark)});
      svg.text(left - 5, y(mark) + 4, number(mark), to_the_left);
    }
    svg.text((left + right) / 2, bottom + 34, "lambda", centred);
    const double middle = (top + bottom) / 2;
    svg.text(16, middle, shorten(y_label, bottom - top), centred + turned(-90, 16, middle));
  }

  double x(double lambda) const {
    const double high = std::log(lambdas_.high);
    return left + (right - left) * (high - std::log(lambda)) / (high - std::log(lambdas_.low));
  }
  double y(double value) const {
    return bottom - (bottom - top) * (value - values_.low) / (values_.high - values_.low);
  }

  /// The numbers of kept features, as many as have room, along the top.
  void kept(const std::vector<double>& lambdas, const std::vector<std::size_t>& features) {
    svg.text(left, top - 24, "kept features");
    double free = 0;
    for (const std::size_t i : decreasing(lambdas)) {
      if (const double at = x(lambdas[i]); at >= free) {
        svg.line({at, top - 4}, {at, top}, R"( stroke="#555")");
        svg.text(at, top - 8, std::to_string(features[i]), centred);
        free = at + 58;
      }
    }
  }

  /// The frame and the markers, each label a line lower than the one before.
  std::string finish() {
    svg.rectangle(left, top, right - left, bottom - top, R"( fill="none" stroke="#555")");
    const std::string dashed = R"( class="marker" stroke="#222" stroke-dasharray="4 3")";
    for (const Marker& m : markers_) svg.line({x(m.lambda), top}, {x(m.lambda), bottom}, dashed);
    double line = top + 14;
    for (const Marker& m : markers_) {
      const double at = x(m.lambda), wide = extent(m.label) + 5;
      const bool before = at + wide > right || (&m != &markers_.back() && at - wide > left);
      svg.text(at + (before ? -5 : 5), line, m.label,
               R"( class="marker")" + std::string(before ? to_the_left : "") + halo);
      line += 15;
    }
    return svg.finish();
  }

 private:
  Range lambdas_, values_;
  std::vector<Marker> markers_;
};

/// Tops of labels near `wanted` (increasing), at least `apart` from each other and within the range.
std::vector<double> spread(std::vector<double> wanted, double apart, Range r) {
  double least = r.low, most = r.high;
  for (double& y : wanted) least = (y = std::max(y, least)) + apart;
  for (auto y = wanted.rbegin(); y != wanted.rend(); ++y) most = (*y = std::min(*y, most)) - apart;
  return wanted;
}

}  // namespace

std::string coefficient_path(const PathPlot& plot) {
  const auto order = decreasing(plot.lambdas);
  const std::size_t features = plot.values.empty() ? 0 : plot.values.front().size();
  std::vector<std::size_t> kept(plot.lambdas.size());
  std::vector<std::size_t> alive, named;
  Range values{0, 0};
  for (std::size_t j = 0; j < features; ++j) {
    bool nonzero = false;
    for (const std::size_t i : order) {
      const double value = plot.values[i][j];
      values.include(1.04 * value);
      if (!positive(value)) continue;
      ++kept[i];
      nonzero = true;
    }
    if (nonzero) alive.push_back(j);
  }
  const auto last = [&](std::size_t j) { return plot.values[order.back()][j]; };
  std::copy_if(alive.begin(), alive.end(), std::back_inserter(named), [&](std::size_t j) { return positive(last(j)); });
  std::stable_sort(named.begin(), named.end(), [&](std::size_t a, std::size_t b) { return last(a) > last(b); });
  named.resize(std::min<std::size_t>(named.size(), 12));

  LambdaChart chart(802, plot.title,
                    "Norm of each feature's coefficients as lambda decreases from left to right; " +
                        std::to_string(alive.size()) + " of " + std::to_string(features) + " features are ever kept.",
                    "norm of the coefficients", plot.lambdas, plot.markers, values);
  const auto name = [&](std::size_t j) {
    return plot.feature_names.empty() ? "x" + std::to_string(j) : plot.feature_names[j];
  };
  const auto draw = [&](std::size_t j, const std::string& more) {
    std::vector<Point> points;
    for (std::size_t p = 0; p < order.size(); ++p) {
      const auto at = [&](std::size_t q) { return q < order.size() ? plot.values[order[q]][j] : 0; };
      const double value = at(p);
      if (!std::isfinite(value) || (value == 0 && at(p - 1) == 0 && at(p + 1) == 0)) continue;
      points.push_back({chart.x(plot.lambdas[order[p]]), chart.y(value)});
    }
    if (points.size() == 1) points.push_back(points[0]);  // with round ends it is a dot
    chart.svg.through("polyline", points, more, name(j));
  };
  for (const std::size_t j : alive)
    if (std::find(named.begin(), named.end(), j) == named.end())
      draw(j, R"( fill="none" stroke="#bbb" stroke-linecap="round")");

  std::vector<double> wanted;
  wanted.reserve(named.size());
  for (const std::size_t j : named) wanted.push_back(chart.y(last(j)));
  const auto heights = spread(wanted, 14, {LambdaChart::top, LambdaChart::bottom});
  for (std::size_t k = named.size(); k-- > 0;) {
    const std::string stroke = attribute("stroke", palette[k % std::size(palette)]);
    const std::string dashes = k < std::size(palette) ? "" : R"( stroke-dasharray="7 3")";
    draw(named[k], R"( fill="none" stroke-width="1.8" stroke-linejoin="round")" + stroke + dashes);
    const Point end{chart.x(plot.lambdas[order.back()]), wanted[k]};
    chart.svg.circle(end, attribute("fill", palette[k % std::size(palette)]));
    chart.svg.through("polyline", {end, {LambdaChart::right + 14, heights[k]}, {LambdaChart::right + 24, heights[k]}},
                      R"( class="leader" fill="none")" + stroke);
    chart.svg.text(LambdaChart::right + 28, heights[k] + 4, shorten(name(named[k]), 140), R"( class="name")");
  }
  if (alive.empty()) chart.svg.text((LambdaChart::left + LambdaChart::right) / 2, 226, "no feature is kept", centred);
  chart.kept(plot.lambdas, kept);
  return chart.finish();
}

std::string cross_validation_curve(const CurvePlot& plot) {
  auto order = decreasing(plot.lambdas);
  std::erase_if(order, [&](std::size_t i) { return !std::isfinite(plot.means[i]); });
  const auto error = [&](std::size_t i) {
    return plot.standard_errors.empty() || !std::isfinite(plot.standard_errors[i]) ? 0 : plot.standard_errors[i];
  };
  Range values;
  for (const std::size_t i : order)
    for (const int sign : {-1, 1}) values.include(plot.means[i] + sign * error(i));
  if (const double room = 0.05 * (values.high - values.low); room > 0) values = {values.low - room, values.high + room};
  std::vector<Marker> markers;
  std::string description = "Mean " + plot.y_label + " as lambda decreases from left to right";
  const auto mark = [&](const char* name, std::optional<double> lambda) {
    if (!lambda) return;
    markers.push_back({*lambda, name + number(*lambda, 3)});
    description += "; " + markers.back().label;
  };
  mark("lambda_1se = ", plot.lambda_1se);
  mark("lambda_min = ", plot.lambda_min);
  LambdaChart chart(650, plot.title, description + ".", plot.y_label, plot.lambdas, markers, values);
  std::vector<Point> points, band;
  for (const std::size_t i : order) {
    points.push_back({chart.x(plot.lambdas[i]), chart.y(plot.means[i])});
    band.push_back({points.back().x, chart.y(plot.means[i] + error(i))});
  }
  for (auto i = order.rbegin(); i != order.rend(); ++i)
    band.push_back({chart.x(plot.lambdas[*i]), chart.y(plot.means[*i] - error(*i))});
  if (!plot.standard_errors.empty()) {
    chart.svg.through("polygon", band,
                      R"( class="band" fill="#0072b2" stroke="#0072b2" opacity="0.2")" +
                          attribute("stroke-width", points.size() == 1 ? "12" : "1"));
    chart.svg.text(LambdaChart::right, LambdaChart::bottom + 34, "band: one standard error", to_the_left);
  }
  chart.svg.through("polyline", points, R"( class="mean" fill="none" stroke="#0072b2" stroke-width="1.8")");
  for (const Point& point : points) chart.svg.circle(point, R"( fill="#0072b2")");
  if (!plot.kept.empty()) chart.kept(plot.lambdas, plot.kept);
  return chart.finish();
}

std::string confusion_matrix(const ConfusionPlot& plot) {
  const std::size_t n = plot.classes.size();
  const double classes = static_cast<double>(n);
  const double cell = n <= 8 ? 48 : n <= 16 ? 36 : n <= 32 ? 28 : std::max(2.0, 896 / classes);
  std::vector<std::string> names;
  double widest = 0;
  for (const auto& name : plot.classes) {
    names.push_back(shorten(name, 180));
    widest = std::max(widest, extent(names.back()));
  }
  const bool level = widest <= cell - 4;
  const double slant = level ? 0 : 0.71 * widest, left = 40 + widest, top = 66 + slant, side = classes * cell;
  Svg svg(std::max(left + side + slant + 16, left + 240), top + side + 44, plot.title,
          "Confusion matrix of " + std::to_string(n) + " classes: a row per true class, a column per predicted class.");
  svg.text(left + side / 2, 44, "predicted class", centred);
  svg.text(16, top + side / 2, "true class", centred + turned(-90, 16, top + side / 2));
  const auto every = static_cast<std::size_t>(std::ceil(13 / cell));
  for (std::size_t k = 0; k < n; k += every) {
    const double middle = (static_cast<double>(k) + 0.5) * cell, x = left + middle + (level ? 0 : 4);
    svg.text(left - 5, top + middle + 4, names[k], to_the_left);
    svg.text(x, top - 5, names[k], level ? centred : turned(-45, x, top - 5));
    svg.line({left, top + middle + cell / 2}, {left + side, top + middle + cell / 2}, R"( stroke="#eee")");
    svg.line({left + middle + cell / 2, top}, {left + middle + cell / 2, top + side}, R"( stroke="#eee")");
  }
  for (std::size_t r = 0; r < n; ++r) {
    const auto& row = plot.counts[r];
    const double total = std::accumulate(row.begin(), row.end(), 0.0);
    for (std::size_t q = 0; q < n; ++q) {
      if (row[q] == 0) continue;
      const double share = static_cast<double>(row[q]) / total;
      const double x = left + static_cast<double>(q) * cell, y = top + static_cast<double>(r) * cell;
      const std::string count = std::to_string(row[q]);
      svg.rectangle(x, y, cell, cell, attribute("fill", shade(navy, share)),
                    plot.classes[r] + " as " + plot.classes[q] + ": " + count + " (" + number(100 * share, 3) + " %)");
      const double size = std::min({12.0, 0.6 * cell, (cell - 4) / extent(count, 1)});
      if (size < 6) continue;
      svg.text(x + cell / 2, y + cell / 2 + 0.36 * size, count,
               centred + attribute("font-size", coordinate(size)) + (share > 0.7 ? R"( fill="white")" : ""));
    }
  }
  svg.rectangle(left, top, side, side, R"( fill="none" stroke="#555")");
  svg.text(left - 5, top + side + 25, "0", to_the_left);
  for (int k = 0; k < 20; ++k)
    svg.rectangle(left + 6 * k, top + side + 16, 6, 10, attribute("fill", shade(navy, k / 19.0)));
  svg.text(left + 125, top + side + 25, "100 % of the row");
  return svg.finish();
}

std::string weight_maps(const MapsPlot& plot) {
  constexpr int levels = 16;
  double most = 0;
  for (const auto& map : plot.weights)
    for (const double weight : map)
      if (std::isfinite(weight)) most = std::max(most, std::abs(weight));
  const auto colour = [](int l) {
    return shade(l < 0 ? blue : vermilion, l == 0 ? 0 : 0.12 + 0.88 * std::abs(l) / levels);
  };
  const auto level = [&](double weight) {
    if (!std::isfinite(weight) || weight == 0) return 0;
    return static_cast<int>(std::copysign(std::ceil(levels * std::abs(weight) / most), weight));
  };

  const double rows = static_cast<double>(plot.rows), columns = static_cast<double>(plot.columns);
  const double pixel = std::floor(std::clamp(140 / std::max({rows, columns, 1.0}), 1.0, 24.0));
  const double wide = pixel * columns, high = std::max(pixel * rows, 12.0), step = std::max(wide, 84.0) + 16;
  const std::size_t n = plot.classes.size(), line = std::max<std::size_t>(1, static_cast<std::size_t>(760 / step));
  Svg svg(8 + step * static_cast<double>(std::min(line, n)),
          76 + (high + 32) * static_cast<double>((n + line - 1) / line), plot.title,
          "Weights of " + std::to_string(n) + " classes as pictures of " + std::to_string(plot.rows) + " rows and " +
              std::to_string(plot.columns) + " columns; white: zero, orange: positive, blue: negative.");
  for (int l = -levels; l <= levels; ++l) svg.rectangle(12 + 6 * (l + levels), 34, 6, 10, attribute("fill", colour(l)));
  svg.rectangle(12, 34, 6 * (2 * levels + 1), 10, R"( fill="none" stroke="#999")");
  svg.text(12, 57, most > 0 ? "\u2212" + number(most, 3) : "all weights are zero");
  if (most > 0) svg.text(111, 57, "0", centred);
  if (most > 0) svg.text(210, 57, number(most, 3), to_the_left);
  for (std::size_t k = 0; k < n; ++k) {
    const double x = 12 + step * static_cast<double>(k % line), y = 88 + (high + 32) * static_cast<double>(k / line);
    std::map<int, std::string> areas;  // of each level, in pixels of the map
    for (std::size_t r = 0; r < plot.rows; ++r)
      for (std::size_t q = 0; q < plot.columns;) {
        const std::size_t from = q;
        const int l = level(plot.weights[k][r * plot.columns + q]);
        while (q < plot.columns && level(plot.weights[k][r * plot.columns + q]) == l) ++q;
        const std::string length = std::to_string(q - from);
        areas[l] += "M" + std::to_string(from) + " " + std::to_string(r) + "h" + length + "v1h-" + length + "z";
      }
    areas.erase(0);
    svg.text(x, y - 6, shorten(plot.classes[k], step - 16));
    const std::string place = "translate(" + coordinate(x) + " " + coordinate(y) + ") scale(" + number(pixel) + " " +
                              number(high / std::max(rows, 1.0)) + ")";
    for (const auto& [l, area] : areas)
      svg.shape("path", attribute("fill", colour(l)) + attribute("transform", place) + attribute("d", area) +
                            R"( shape-rendering="crispEdges")");
    svg.rectangle(x, y, wide, high, R"( fill="none" stroke="#999")");
  }
  return svg.finish();
}

}  // namespace tamis::cli
