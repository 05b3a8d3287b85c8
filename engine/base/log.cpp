#include "engine/base/log.h"

#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <memory>

namespace commonweight {

static constexpr std::size_t kFileBytes = 4u << 20;
static constexpr std::size_t kFilesKept = 3;

void startLog(const LogOptions& options)
{
    auto logger = std::make_shared<spdlog::logger>(
        options.program, std::make_shared<spdlog::sinks::stderr_sink_mt>());
    std::string failure;
    try {
        if (!options.file.empty())
            logger->sinks().push_back(std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
                options.file.string(), kFileBytes, kFilesKept));
    } catch (const std::exception& exception) {
        failure = exception.what();
    }
    logger->set_pattern("%Y-%m-%d %H:%M:%S.%e %n %l: %v");
    logger->set_level(options.verbose ? spdlog::level::debug : spdlog::level::info);
    // Every line reaches the file at once, so that a killed process still tells what it did last.
    logger->flush_on(spdlog::level::trace);
    spdlog::set_default_logger(logger);
    if (!failure.empty())
        spdlog::warn("The log cannot be kept in a file, only shown here: {}", failure);
}

} // namespace commonweight
