#include "reliability_plot.hpp"

#include <algorithm>

#include "svg.hpp"

namespace tamis::cli {

using namespace svg;

std::string reliability_diagram(const ReliabilityPlot& plot) {
  constexpr double left = 64, right = 384, top = 44, bottom = 364, base = 424;  // the shares stand on `base`
  const double bins = static_cast<double>(plot.bins.size());
  const auto x = [=](double confidence) { return left + (right - left) * confidence; };
  const auto y = [=](double accuracy) { return bottom - (bottom - top) * accuracy; };
  Svg svg(400, base + 44, plot.title,
          "Reliability diagram: accuracy of the predictions by their probability in " + number(bins) +
              " bins; expected calibration error " + number(plot.calibration_error, 3) + ".");
  for (const double mark : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) {
    svg.line({x(mark), top}, {x(mark), bottom});
    svg.line({left, y(mark)}, {right, y(mark)});
    svg.text(x(mark), base + 15, number(mark), centred);
    svg.text(left - 5, y(mark) + 4, number(mark), to_the_left);
  }
  double most = 0;
  for (const auto& bin : plot.bins) most = std::max(most, bin.weight);
  const double wide = (right - left) / bins;
  for (std::size_t b = 0; b < plot.bins.size(); ++b) {
    const auto& [weight, confidence, accuracy] = plot.bins[b];
    if (!(weight > 0)) continue;
    const double from = left + wide * static_cast<double>(b);
    const std::string tip = number(100 * weight, 3) + " % of the samples: probability " + number(confidence, 3) +
                            " on average, " + number(100 * accuracy, 3) + " % right";
    svg.rectangle(from + 1, y(accuracy), wide - 2, bottom - y(accuracy),
                  R"( class="bin")" + attribute("fill", shade(blue, 0.55)), tip);
    const double high = (base - bottom - 16) * weight / most;
    svg.rectangle(from + 1, base - high, wide - 2, high, R"( class="share" fill="#999")", tip);
  }
  svg.line({x(0), y(0)}, {x(1), y(1)}, R"( stroke="#222" stroke-dasharray="4 3")");
  std::vector<Point> points;
  for (const auto& bin : plot.bins)
    if (bin.weight > 0) points.push_back({x(bin.confidence), y(bin.accuracy)});
  const std::string colour = attribute("stroke", palette[1]);
  if (points.size() > 1) svg.through("polyline", points, R"( fill="none" stroke-width="1.8")" + colour);
  for (const Point& point : points) svg.circle(point, attribute("fill", palette[1]));
  svg.rectangle(left, top, right - left, bottom - top, R"( fill="none" stroke="#555")");
  svg.line({left, base}, {right, base}, R"( stroke="#555")");
  svg.text(left + 8, top + 16, "expected calibration error " + number(plot.calibration_error, 3), halo);
  svg.text(left - 5, base, "samples", to_the_left);
  svg.text((left + right) / 2, base + 34, "probability of the predicted class", centred);
  const double middle = (top + bottom) / 2;
  svg.text(16, middle, "share of right predictions", centred + turned(-90, 16, middle));
  return svg.finish();
}

}  // namespace tamis::cli
