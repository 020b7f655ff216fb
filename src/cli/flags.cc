#include "cli/flags.h"

#include <CLI/CLI.hpp>
#include <cstdio>

namespace lattice::cli {

struct Flags::Impl {
  CLI::App app;
};

Flags::Flags(std::string_view command, std::string_view summary) : impl_(new Impl) {
  impl_->app.name(std::string(command));
  impl_->app.description(std::string(summary));
  impl_->app.get_formatter()->column_width(34);
}
Flags::~Flags() = default;

void Flags::positional(std::string_view name, std::string_view help, std::string& target) {
  impl_->app.add_option(std::string(name), target, std::string(help))
      ->required()
      ->type_name("");
}

void Flags::option(std::string_view name, std::string_view value, std::string_view help,
                   std::string& target, bool is_required) {
  impl_->app.add_option(std::string(name), target, std::string(help))
      ->type_name(std::string(value))
      ->required(is_required);
}

void Flags::option(std::string_view name, std::string_view value, std::string_view help,
                   std::vector<std::string>& target) {
  impl_->app.add_option(std::string(name), target, std::string(help))
      ->type_name(std::string(value))
      ->expected(1)
      ->take_all();
}

void Flags::option(std::string_view name, std::string_view value, std::string_view help,
                   uint32_t& target) {
  impl_->app.add_option(std::string(name), target, std::string(help))
      ->type_name(std::string(value));
}

void Flags::flag(std::string_view name, std::string_view help, bool& target) {
  impl_->app.add_flag(std::string(name), target, std::string(help));
}

void Flags::footer(std::string_view text) { impl_->app.footer(std::string(text)); }

std::optional<int> Flags::parse(const std::vector<std::string>& arguments) {
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    impl_->app.parse(std::move(reversed));
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    std::fputs(impl_->app.help().c_str(), stdout);
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "%s: %s (see %s --help)\n", impl_->app.get_name().c_str(), error.what(),
                 impl_->app.get_name().c_str());
    return kExitUsage;
  }
}

}  // namespace lattice::cli
