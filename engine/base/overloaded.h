#pragma once
// std::visit with one lambda for each alternative: std::visit(Overloaded{[](A) {…}, [](B) {…}},
// variant).

namespace commonweight {

template <class... Cases> struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases> Overloaded(Cases...) -> Overloaded<Cases...>;

} // namespace commonweight
