#pragma once
/// What the plots are drawn with: an SVG picture as text, element by element.

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tamis::cli::svg {

/// A number as printf's %g writes it, in every locale.
std::string number(double value, int digits = 8);

/// At most one decimal, which is as fine as a picture needs; never -0.
std::string coordinate(double value);

/// About the pixels that text takes in a wide sans-serif face.
double extent(std::string_view text, double size = 11);

/// The name, ended by an ellipsis where it would be wider than `most` pixels.
std::string shorten(std::string name, double most, double size = 11);

using Colour = std::array<int, 3>;  // red, green, blue
inline constexpr Colour blue{0, 114, 178}, vermilion{213, 94, 0}, navy{0, 63, 107};
inline constexpr const char* palette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};
inline constexpr const char* halo = R"( paint-order="stroke" stroke="white" stroke-width="3")";
inline constexpr const char* to_the_left = R"( text-anchor="end")";
inline constexpr const char* centred = R"( text-anchor="middle")";

/// The colour on the way from white to `full`.
std::string shade(Colour full, double share);

std::string attribute(const std::string& name, const std::string& value);
std::string turned(double degrees, double x, double y);

struct Point {
  double x, y;
};

/// Writes a picture element by element; `more` are further attributes, `tip` is what a pointer on the element shows.
class Svg {
 public:
  Svg(double least_width, double height, const std::string& title, const std::string& description);

  void element(const std::string& tag, const std::string& more, const std::string& content);
  void shape(const std::string& tag, const std::string& more, const std::string& tip = "");
  void text(double x, double y, const std::string& content, const std::string& more = "");
  void line(Point from, Point to, const std::string& more = R"( stroke="#ddd")");
  void rectangle(double x, double y, double wide, double high, const std::string& more, const std::string& tip = "");
  void circle(Point centre, const std::string& more);
  /// A polyline or polygon.
  void through(const char* tag, const std::vector<Point>& points, const std::string& more, const std::string& tip = "");
  std::string finish() const;

 private:
  std::string out_;
};

}  // namespace tamis::cli::svg
