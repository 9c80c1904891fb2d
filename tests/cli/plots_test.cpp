// The plots as a reader of the SVG meets them: well-formed text, and everything where the data say.
#include "plots.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>

#include "reliability_plot.hpp"

namespace {

using namespace tamis::cli;

struct Element {
  std::string tag, text;  // with entities as they stand
  std::map<std::string, std::string> attributes;
  const std::string& at(const std::string& name) const { return attributes.at(name); }
  double number(const std::string& name) const { return std::stod(attributes.at(name)); }
  bool is(const std::string& wanted, const std::string& of_class = "") const {
    const auto found = attributes.find("class");
    return tag == wanted && (of_class.empty() || (found != attributes.end() && found->second == of_class));
  }
};

/// Text between elements. Throws at an & that starts no entity and at bytes that are no UTF-8 or control characters.
std::string content(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '&' && text.compare(i, 5, "&amp;") && text.compare(i, 4, "&lt;") && text.compare(i, 4, "&gt;"))
      throw std::runtime_error("bare &: " + text);
    if (c < 0x20 && c != '\n' && c != '\t') throw std::runtime_error("control character");
    if (c < 0x80) continue;
    const std::size_t more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC2 ? 1 : 0;
    if (more == 0) throw std::runtime_error("not UTF-8");
    for (std::size_t k = 1; k <= more; ++k)
      if (i + k >= text.size() || (text[i + k] & 0xC0) != 0x80) throw std::runtime_error("not UTF-8");
    i += more;
  }
  return text;
}

/// The elements in the order of their starts. Throws where the text is not well-formed.
std::vector<Element> parse(const std::string& svg) {
  std::vector<Element> out;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < svg.size();) {
    if (svg[i] != '<') {
      const auto end = std::min(svg.find('<', i), svg.size());
      const std::string text = content(svg.substr(i, end - i));
      if (!open.empty()) out[open.back()].text += text;
      else if (text != "\n") throw std::runtime_error("text outside");
      i = end;
      continue;
    }
    const auto end = svg.find('>', i);
    if (end == std::string::npos) throw std::runtime_error("open tag");
    std::string inside = svg.substr(i + 1, end - i - 1);
    i = end + 1;
    if (inside.find('<') != std::string::npos) throw std::runtime_error("bare < in " + inside);
    if (inside[0] == '/') {
      if (open.empty() || out[open.back()].tag != inside.substr(1)) throw std::runtime_error("unbalanced " + inside);
      open.pop_back();
      continue;
    }
    const bool closed = inside.back() == '/';
    if (closed) inside.pop_back();
    Element element;
    std::istringstream in(inside);
    in >> element.tag;
    for (std::string name; std::getline(in >> std::ws, name, '=');) {
      std::string value;
      if (in.get() != '"' || !std::getline(in, value, '"')) throw std::runtime_error("attribute " + name);
      if (!element.attributes.emplace(name, content(value)).second) throw std::runtime_error("twice: " + name);
    }
    if (open.empty() && !out.empty()) throw std::runtime_error("two roots");
    if (!closed) open.push_back(out.size());
    out.push_back(element);
  }
  if (!open.empty()) throw std::runtime_error("unclosed " + out[open.back()].tag);
  return out;
}

std::vector<Element> all(const std::string& svg, const std::string& tag, const std::string& of_class = "") {
  std::vector<Element> out;
  for (const Element& element : parse(svg))
    if (element.is(tag, of_class)) out.push_back(element);
  return out;
}

Element text(const std::string& svg, const std::string& wanted) {
  for (const Element& element : all(svg, "text"))
    if (element.text == wanted) return element;
  throw std::runtime_error("no text " + wanted);
}

std::vector<std::pair<double, double>> points(const Element& element) {
  std::vector<std::pair<double, double>> out;
  std::istringstream in(element.at("points"));
  char comma;
  for (double x, y; in >> x >> comma >> y;) out.emplace_back(x, y);
  return out;
}

/// The lines that are no leaders to labels.
std::vector<Element> curves(const std::string& svg) {
  auto out = all(svg, "polyline");
  std::erase_if(out, [](const Element& element) { return element.is("polyline", "leader"); });
  return out;
}

PathPlot path() {
  return {.title = "A path",
          .lambdas = {1, 0.1, 0.01, 0.001},
          .values = {{0, 0, 0}, {0, 0, 1}, {0, 2, 3}, {0, 4, 1}},
          .feature_names = {"never", "second", "third"},
          .markers = {{0.1, "lambda_1se"}}};
}

CurvePlot curve() {
  return {.title = "A curve",
          .y_label = "held-out error",
          .lambdas = {1, 0.1, 0.01, 0.001},
          .means = {0.8, 0.4, 0.2, 0.3},
          .standard_errors = {0.1, 0.05, 0.05, 0.1},
          .kept = {0, 17, 23, 42},
          .lambda_min = 0.01,
          .lambda_1se = 0.1};
}

ConfusionPlot confusion() {
  return {.title = "A confusion matrix", .classes = {"no", "yes"}, .counts = {{9, 1}, {0, 50}}};
}

MapsPlot maps() {
  return {.title = "Maps",
          .classes = {"left", "right"},
          .rows = 2,
          .columns = 3,
          .weights = {{0, 2, 2, 0, 0, 0}, {0, 0, 0, -1, 0, 0}}};
}

ReliabilityPlot reliability() {
  return {.title = "Reliability",
          .bins = {{0, 0, 0}, {0.25, 0.3, 0.5}, {0, 0, 0}, {0.75, 0.9, 1}},  // weight, confidence, accuracy
          .calibration_error = 0.125};
}

const double nan = std::numeric_limits<double>::quiet_NaN();

// ---- all of them

TEST(Plots, AreWellFormedAndAccessible) {
  for (const std::string& svg :
       {coefficient_path(path()), cross_validation_curve(curve()), confusion_matrix(confusion()), weight_maps(maps()),
        reliability_diagram(reliability())}) {
    const auto elements = parse(svg);
    EXPECT_EQ(elements[0].tag, "svg");
    EXPECT_EQ(elements[0].at("role"), "img");
    EXPECT_EQ(elements[0].at("viewBox"), "0 0 " + elements[0].at("width") + " " + elements[0].at("height"));
    EXPECT_EQ(elements[1].tag, "title");
    EXPECT_EQ(elements[2].tag, "desc");
    EXPECT_FALSE(elements[2].text.empty());
    EXPECT_EQ(elements[3].at("fill"), "white");
    EXPECT_EQ(elements[3].at("width"), elements[0].at("width"));
    EXPECT_EQ(svg.find("nan"), svg.npos);
    EXPECT_EQ(svg.find("inf"), svg.npos);
  }
  EXPECT_EQ(coefficient_path(path()), coefficient_path(path()));
}

TEST(Plots, TakeDataWithNothingInThem) {
  EXPECT_NO_THROW(parse(coefficient_path({})));
  EXPECT_NO_THROW(parse(cross_validation_curve({})));
  EXPECT_NO_THROW(parse(confusion_matrix({})));
  EXPECT_NO_THROW(parse(weight_maps({})));
  EXPECT_NO_THROW(parse(reliability_diagram({})));
}

TEST(Plots, EscapeNames) {
  for (const std::string& name :
       {std::string("<b> & \"c\" ]]>"), std::string("\xff\xc3\xa9\xe2\x82"),
        std::string("\xed\xa0\x80 \x01 \xc0\xaf \xf5\x80\x80\x80"), std::string("\xef\xbf\xbf")}) {
    PathPlot a = path();
    a.title = a.feature_names[1] = a.markers[0].label = name;
    CurvePlot b = curve();
    b.title = b.y_label = name;
    ConfusionPlot c = confusion();
    c.title = c.classes[1] = name;
    MapsPlot d = maps();
    d.title = d.classes[1] = name;
    for (const std::string& svg : {coefficient_path(a), cross_validation_curve(b), confusion_matrix(c), weight_maps(d)})
      EXPECT_NO_THROW(parse(svg)) << svg;
  }
  PathPlot plot = path();
  plot.feature_names[1] = "a<b&c";
  EXPECT_NO_THROW(text(coefficient_path(plot), "a&lt;b&amp;c"));
  plot.feature_names[1] = "caf\xe9";
  EXPECT_NO_THROW(text(coefficient_path(plot), "caf\uFFFD"));
  for (const char* none : {"\xe0\x80\xaf", "\xed\xa0\x80", "\xef\xbf\xbf"}) {  // overlong, a surrogate, U+FFFF
    plot.feature_names[1] = none;
    EXPECT_NO_THROW(text(coefficient_path(plot), "\uFFFD\uFFFD\uFFFD")) << none;
  }
}

TEST(Plots, ShortenLongNames) {
  PathPlot plot = path();
  for (const std::string letter : {"a", "W", "é", "語"}) {
    plot.feature_names[1].clear();
    for (int i = 0; i < 200; ++i) plot.feature_names[1] += letter;
    const std::string svg = coefficient_path(plot);
    const auto name = all(svg, "text", "name").back().text;
    EXPECT_LT(name.size(), 80u);
    EXPECT_EQ(name.substr(0, letter.size()), letter);
    EXPECT_EQ(name.substr(name.size() - 3), "…");
  }
}

// ---- the path

TEST(CoefficientPath, PutsPointsWhereTheAxesSay) {
  const std::string svg = coefficient_path(path());
  const auto lines = curves(svg);
  ASSERT_EQ(lines.size(), 2u);           // "never" is left out
  const auto second = points(lines[1]);  // the largest is drawn last
  EXPECT_EQ(second.size(), 3u);          // from its last zero on
  EXPECT_NEAR(second.back().first, text(svg, "0.001").number("x"), 0.1);
  EXPECT_NEAR(second.back().second, text(svg, "4").number("y") - 4, 0.1);
  EXPECT_NEAR(second[1].first, text(svg, "0.01").number("x"), 0.1);
  EXPECT_NEAR(second[1].second, text(svg, "2").number("y") - 4, 0.1);
  const double decade = text(svg, "0.1").number("x") - text(svg, "1").number("x");
  EXPECT_NEAR(text(svg, "0.001").number("x") - text(svg, "0.1").number("x"), 2 * decade, 0.2);
}

TEST(CoefficientPath, DecreasesToTheRightWhateverTheOrder) {
  PathPlot plot = path();
  std::swap(plot.lambdas[0], plot.lambdas[2]);
  std::swap(plot.values[0], plot.values[2]);
  EXPECT_EQ(coefficient_path(plot), coefficient_path(path()));
  for (const auto& line : curves(coefficient_path(plot))) {
    const auto at = points(line);
    for (std::size_t i = 1; i < at.size(); ++i) EXPECT_LT(at[i - 1].first, at[i].first);
  }
}

TEST(CoefficientPath, MarksLambdasAndCountsKeptFeatures) {
  const std::string svg = coefficient_path(path());
  const auto line = all(svg, "line", "marker").at(0);
  EXPECT_EQ(line.at("x1"), line.at("x2"));
  EXPECT_EQ(line.at("x1"), text(svg, "0.1").at("x"));
  EXPECT_TRUE(line.attributes.contains("stroke-dasharray"));
  EXPECT_EQ(all(svg, "text", "marker").at(0).text, "lambda_1se");
  std::string counts;
  for (const auto& element : all(svg, "text"))
    if (element.at("y") == "58") counts += element.text + " ";
  EXPECT_EQ(counts, "0 1 2 2 ");
}

TEST(CoefficientPath, LabelsOfTheLargestFeaturesDoNotOverlap) {
  PathPlot plot{.title = "Many", .lambdas = {1, 0.5}, .values = {{}, {}}};
  for (int j = 0; j < 3000; ++j) {
    plot.values[0].push_back(0);
    plot.values[1].push_back(j % 100 == 7 ? 1 + 1e-4 * j : 0);
  }
  for (const double largest : {0.0, 100.0}) {  // near the top, near the bottom
    plot.values[1][0] = largest;
    const std::string svg = coefficient_path(plot);
    EXPECT_EQ(curves(svg).size(), largest > 0 ? 31u : 30u);
    const auto names = all(svg, "text", "name");
    ASSERT_EQ(names.size(), 12u);
    std::map<double, std::string> at;
    for (const auto& name : names) at[name.number("y")] = name.text;
    EXPECT_EQ(at.begin()->second, largest > 0 ? "x0" : "x2907");
    double before = 0;
    for (const auto& [y, name] : at) {
      EXPECT_GE(y - before, 14) << name;
      before = y;
    }
    EXPECT_LT(before, text(svg, "0.5").number("y"));
  }
}

TEST(CoefficientPath, TakesOnePointAndAllZeroAndWhatIsNotANumber) {
  PathPlot one{.title = "One", .lambdas = {0.1}, .values = {{1, 0}}, .markers = {{0.1, "here"}, {0.1, "and here"}}};
  const std::string svg = coefficient_path(one);
  EXPECT_EQ(curves(svg).size(), 1u);
  EXPECT_EQ(all(svg, "line", "marker").at(0).at("x1"), text(svg, "0.1").at("x"));
  const auto labels = all(svg, "text", "marker");
  EXPECT_GE(std::abs(labels.at(0).number("y") - labels.at(1).number("y")), 12);
  one.values = {{0, 0}};
  EXPECT_NO_THROW(text(coefficient_path(one), "no feature is kept"));
  PathPlot odd = path();
  odd.lambdas[3] = 0;
  odd.values[2][1] = nan;
  odd.values[1][2] = std::numeric_limits<double>::infinity();
  odd.markers.push_back({nan, "nowhere"});
  const std::string text = coefficient_path(odd);
  EXPECT_NO_THROW(parse(text));
  EXPECT_EQ(text.find("nan"), text.npos);
  EXPECT_EQ(text.find("inf"), text.npos);
}

// ---- cross-validation

TEST(CrossValidationCurve, IsTheMeanWithinItsBand) {
  const std::string svg = cross_validation_curve(curve());
  const auto mean = points(all(svg, "polyline", "mean").at(0)), band = points(all(svg, "polygon", "band").at(0));
  ASSERT_EQ(mean.size(), 4u);
  ASSERT_EQ(band.size(), 8u);
  EXPECT_NEAR(mean[2].first, text(svg, "0.01").number("x"), 0.1);
  EXPECT_NEAR(mean[2].second, text(svg, "0.2").number("y") - 4, 0.1);
  const double unit = (text(svg, "0.2").number("y") - text(svg, "0.4").number("y")) / 0.2;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(mean[i].second - band[i].second, unit * curve().standard_errors[i], 0.2);
    EXPECT_NEAR(band[7 - i].second - mean[i].second, unit * curve().standard_errors[i], 0.2);
    EXPECT_EQ(band[i].first, mean[i].first);
  }
  EXPECT_NO_THROW(text(svg, "held-out error"));
  EXPECT_NO_THROW(text(svg, "42"));
}

TEST(CrossValidationCurve, MarksBothLambdas) {
  const std::string svg = cross_validation_curve(curve());
  const auto lines = all(svg, "line", "marker"), labels = all(svg, "text", "marker");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].at("x1"), text(svg, "0.1").at("x"));
  EXPECT_EQ(labels.at(0).text, "lambda_1se = 0.1");
  EXPECT_EQ(lines[1].at("x1"), text(svg, "0.01").at("x"));
  EXPECT_EQ(labels.at(1).text, "lambda_min = 0.01");
  CurvePlot plain = curve();
  plain.lambda_min = plain.lambda_1se = std::nullopt;
  EXPECT_TRUE(all(cross_validation_curve(plain), "line", "marker").empty());
}

TEST(CrossValidationCurve, TakesOnePointAFlatCurveAndGaps) {
  CurvePlot plot{.title = "One", .y_label = "error", .lambdas = {0.3}, .means = {0}};
  EXPECT_EQ(points(all(cross_validation_curve(plot), "polyline", "mean").at(0)).size(), 1u);
  plot = curve();
  plot.means[1] = nan;
  plot.standard_errors[2] = nan;
  const std::string svg = cross_validation_curve(plot);
  EXPECT_EQ(points(all(svg, "polyline", "mean").at(0)).size(), 3u);
  EXPECT_EQ(svg.find("nan"), svg.npos);
}

// ---- pictures of cells

TEST(ConfusionMatrix, HasTrueRowsAndPredictedColumns) {
  const std::string svg = confusion_matrix(confusion());
  const auto nine = text(svg, "9"), one = text(svg, "1"), fifty = text(svg, "50");
  EXPECT_EQ(nine.at("y"), one.at("y"));
  EXPECT_EQ(one.at("x"), fifty.at("x"));
  EXPECT_LT(nine.number("x"), one.number("x"));
  EXPECT_LT(one.number("y"), fifty.number("y"));
  EXPECT_EQ(fifty.at("fill"), "white");
  EXPECT_EQ(svg.find("yes as no"), svg.npos);  // none of them
  const auto wrong = svg.find("no as yes: 1 (10 %)"), right = svg.find("yes as yes: 50 (100 %)");
  ASSERT_NE(wrong, svg.npos);
  ASSERT_NE(right, svg.npos);
  const auto fill = [&](std::size_t tip) { return svg.substr(svg.rfind("fill=", tip) + 6, 7); };
  EXPECT_EQ(fill(right), "#003f6b");
  EXPECT_EQ(fill(wrong), "#e6ecf0");
}

TEST(ConfusionMatrix, TakesOneClassAndThousands) {
  EXPECT_NO_THROW(text(confusion_matrix({.title = "", .classes = {"only"}, .counts = {{7}}}), "7"));
  ConfusionPlot plot{.title = "Many", .classes = {}, .counts = {}};
  for (std::size_t k = 0; k < 1000; ++k) {
    plot.classes.push_back("class " + std::to_string(k));
    plot.counts.emplace_back(1000)[k] = 1;
  }
  const std::string svg = confusion_matrix(plot);
  EXPECT_NO_THROW(parse(svg));
  EXPECT_LT(svg.size(), 300'000u);
}

TEST(WeightMaps, PutEachPixelInItsPlace) {
  const std::string svg = weight_maps(maps());
  const auto areas = all(svg, "path");
  ASSERT_EQ(areas.size(), 2u);
  EXPECT_EQ(areas[0].at("d"), "M1 0h2v1h-2z");  // the first row's second and third pixel
  EXPECT_EQ(areas[1].at("d"), "M0 1h1v1h-1z");
  EXPECT_EQ(areas[0].at("fill"), "#d55e00");
  EXPECT_NE(areas[1].at("fill"), areas[0].at("fill"));
  EXPECT_NE(areas[0].at("transform"), areas[1].at("transform"));
  EXPECT_NO_THROW(text(svg, "−2"));
  EXPECT_NO_THROW(text(svg, "2"));
  MapsPlot zero = maps();
  zero.weights = {{0, 0, 0, 0, 0, 0}, {0, 0, nan, 0, 0, 0}};
  EXPECT_TRUE(all(weight_maps(zero), "path").empty());
  EXPECT_NO_THROW(text(weight_maps(zero), "all weights are zero"));
}

TEST(ReliabilityDiagram, HasBarsOfTheAccuraciesAndALineThroughTheConfidences) {
  const std::string svg = reliability_diagram(reliability());
  const auto bars = all(svg, "rect", "bin"), shares = all(svg, "rect", "share");
  ASSERT_EQ(bars.size(), 2u);  // bins without samples have none
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_NEAR(bars[0].number("height"), 160, 0.1);  // half of 320
  EXPECT_NEAR(bars[1].number("height"), 320, 0.1);
  EXPECT_NEAR(bars[1].number("x") - bars[0].number("x"), 160, 0.1);
  EXPECT_NEAR(bars[0].number("y") + bars[0].number("height"), bars[1].number("y") + bars[1].number("height"), 0.1);
  EXPECT_NEAR(shares[1].number("height"), 3 * shares[0].number("height"), 0.2);
  const auto line = points(all(svg, "polyline").at(0));
  ASSERT_EQ(line.size(), 2u);
  EXPECT_NEAR(line[1].first - line[0].first, 0.6 * 320, 0.11);
  EXPECT_NEAR(line[0].second, bars[0].number("y"), 0.1);
  EXPECT_NO_THROW(text(svg, "expected calibration error 0.125"));
  EXPECT_NE(svg.find("25 % of the samples: probability 0.3 on average, 50 % right"), svg.npos);
}

}  // namespace
