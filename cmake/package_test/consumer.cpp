static_assert(__cplusplus >= 202002L, "the package asks for C++20");
