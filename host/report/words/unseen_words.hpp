// Code that nobody saw, in words: what it is, and what to do about it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/symbols/images/unseen_code.hpp"

namespace raddle {

// Sentences without full stop, joined by "; ". Empty if there is none. The program itself is named
// as far as parts of it are unseen: that all of it is, the caller says.
std::string unseen_text(const std::vector<UnseenCode>& unseen);

// The program itself has no hooks.
bool is_unmodified(const std::vector<UnseenCode>& unseen);

// The images that synchronise by themselves, the program excluded: "liba.so.1 and libb.so.2".
std::string synchronising_text(const std::vector<std::string>& names);

// What a race or a lockset may come from; empty if nothing synchronises unseen.
std::string ordered_unseen_text(const std::vector<std::string>& names);

nlohmann::ordered_json unseen_json(const UnseenCode& code);

}  // namespace raddle
