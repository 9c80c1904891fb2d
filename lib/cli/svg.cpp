#include "svg.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace tamis::cli::svg {

using namespace std::string_view_literals;

std::string number(double value, int digits) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr};
}

std::string coordinate(double value) { return number(std::round(10 * value) / 10 + 0.0); }

namespace {

/// How many bytes the first character of UTF-8 text has; 0 where it is none that XML can hold.
std::size_t character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return lead >= 0x20 || lead == '\t' || lead == '\n' || lead == '\r';
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length > text.size()) return 0;
  std::uint32_t point = lead & (0x7Fu >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((text[k] & 0xC0) != 0x80) return 0;
    point = point << 6 | (text[k] & 0x3Fu);
  }
  const bool allowed = length == 2   ? lead >= 0xC2
                       : length == 3 ? point >= 0x800 && (point < 0xD800 || point > 0xDFFF) && point < 0xFFFE
                                     : lead < 0xF8 && point >= 0x10000 && point <= 0x10FFFF;
  return allowed ? length : 0;
}

/// Text as XML holds it; bytes that are no character become U+FFFD.
std::string escape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0, length = 0; i < text.size(); i += std::max<std::size_t>(length, 1)) {
    length = character(text.substr(i));
    const auto c = text.substr(i, length);
    out += length == 0 ? "\uFFFD" : c == "&" ? "&amp;" : c == "<" ? "&lt;" : c == ">" ? "&gt;" : c;
  }
  return out;
}

}  // namespace

double extent(std::string_view text, double size) {
  double ems = 0;
  for (const char c : text) {
    if ((c & 0xC0) == 0x80) continue;
    const auto lead = static_cast<unsigned char>(c);
    ems += lead > 0xE2 || "MW@%mw"sv.find(c) != std::string_view::npos  ? 1.1
           : "ijltfr.,:;'|!()[]-/ "sv.find(c) != std::string_view::npos ? 0.42
           : c >= 'A' && c <= 'Z'                                       ? 0.75
                                                                        : 0.64;
  }
  return size * ems;
}

std::string shorten(std::string name, double most, double size) {
  if (extent(name, size) <= most) return name;
  while (!name.empty() && extent(name, size) > most - size) {
    while ((name.back() & 0xC0) == 0x80 && name.size() > 1) name.pop_back();
    name.pop_back();
  }
  return name + "\u2026";
}

std::string shade(Colour full, double share) {
  std::string out = "#";
  for (const int channel : full) {
    const auto value = static_cast<unsigned>(std::lround(255 + share * (channel - 255)));
    for (const unsigned digit : {value / 16, value % 16}) out += "0123456789abcdef"[digit];
  }
  return out;
}

std::string attribute(const std::string& name, const std::string& value) { return " " + name + "=\"" + value + "\""; }

std::string turned(double degrees, double x, double y) {
  const std::string turn = "rotate(" + coordinate(degrees) + " " + coordinate(x) + " " + coordinate(y) + ")";
  return attribute("transform", turn);
}

namespace {

std::string attributes(std::initializer_list<std::pair<const char*, double>> numbers) {
  std::string out;
  for (const auto& [name, value] : numbers) out += attribute(name, coordinate(value));
  return out;
}

}  // namespace

Svg::Svg(double least_width, double height, const std::string& title, const std::string& description) {
  const double width = std::max({360.0, least_width, std::min(640.0, 24 + extent(title, 15))});
  const std::string size = "0 0 " + coordinate(width) + " " + coordinate(height);
  out_ = R"(<svg xmlns="http://www.w3.org/2000/svg" role="img")" + attribute("viewBox", size) +
         attributes({{"width", width}, {"height", height}}) +
         R"( font-family="sans-serif" font-size="11" fill="#222">)" + "\n";
  element("title", "", title);
  element("desc", "", description);
  rectangle(0, 0, width, height, R"( fill="white")");
  text(12, 22, shorten(title, width - 24, 15), R"( font-size="15")");
}

void Svg::element(const std::string& tag, const std::string& more, const std::string& content) {
  out_ += "<" + tag + more + ">" + escape(content) + "</" + tag + ">\n";
}

void Svg::shape(const std::string& tag, const std::string& more, const std::string& tip) {
  out_ += "<" + tag + more + (tip.empty() ? "/>\n" : "><title>" + escape(tip) + "</title></" + tag + ">\n");
}

void Svg::text(double x, double y, const std::string& content, const std::string& more) {
  element("text", attributes({{"x", x}, {"y", y}}) + more, content);
}

void Svg::line(Point from, Point to, const std::string& more) {
  shape("line", attributes({{"x1", from.x}, {"y1", from.y}, {"x2", to.x}, {"y2", to.y}}) + more);
}

void Svg::rectangle(double x, double y, double wide, double high, const std::string& more, const std::string& tip) {
  shape("rect", attributes({{"x", x}, {"y", y}, {"width", wide}, {"height", high}}) + more, tip);
}

void Svg::circle(Point centre, const std::string& more) {
  shape("circle", attributes({{"cx", centre.x}, {"cy", centre.y}, {"r", 2.2}}) + more);
}

void Svg::through(const char* tag, const std::vector<Point>& points, const std::string& more, const std::string& tip) {
  std::string list;
  for (const auto& [x, y] : points) list += (list.empty() ? "" : " ") + coordinate(x) + "," + coordinate(y);
  shape(tag, attribute("points", list) + more, tip);
}

std::string Svg::finish() const { return out_ + "</svg>\n"; }

}  // namespace tamis::cli::svg
