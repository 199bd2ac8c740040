#include "text/template/syntax.hpp"

namespace cadre::text::tpl {

Expr::Expr(Kind what, std::size_t where) : kind(what), at(static_cast<std::uint32_t>(where))
{}
Expr::Expr(Expr&&) noexcept = default;
Expr& Expr::operator=(Expr&&) noexcept = default;
Expr::~Expr() = default;

}  // namespace cadre::text::tpl
