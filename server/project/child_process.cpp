#include "server/project/child_process.h"

#include "engine/base/descriptor.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace commonweight::server {

namespace {

constexpr int kNotStarted = 127;

[[noreturn]] void becomeProgram(const std::string& program, std::vector<char*> arguments,
                                int output)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(output, STDOUT_FILENO);
    arguments.push_back(nullptr);
    execv(program.c_str(), arguments.data());
    _exit(kNotStarted);
}

void readLines(int input, const std::function<void(const std::string&)>& onLine)
{
    std::string line;
    std::array<char, 4096> piece{};
    for (;;) {
        const auto count = ::read(input, piece.data(), piece.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        for (const char c : std::string_view(piece.data(), static_cast<std::size_t>(count))) {
            if (c == '\n')
                onLine(std::exchange(line, {}));
            else
                line += c;
        }
    }
    if (!line.empty())
        onLine(line);
}

Result<int> waitFor(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return errnoError("waiting for a program");
    constexpr int kSignalBase = 128;
    return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
}

} // namespace

Result<int> runProgram(const std::filesystem::path& program,
                       const std::vector<std::string>& arguments,
                       const std::function<void(const std::string&)>& onLine)
{
    if (access(program.c_str(), X_OK) != 0)
        return Error{ErrorKind::NotFound, "there is no program " + program.string()};
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        return errnoError("starting " + program.string());
    Descriptor input(ends[0]);
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (auto& word : words)
        pointers.push_back(word.data());
    pid_t child = -1;
    {
        const Descriptor output(ends[1]);
        child = fork();
        if (child == 0)
            becomeProgram(words.front(), std::move(pointers), output.get());
    } // closed on this side, so that the child's end is the end of the lines
    if (child < 0)
        return errnoError("starting " + program.string());
    readLines(input.get(), onLine);
    CW_TRY(const int code, waitFor(child));
    if (code == kNotStarted)
        return Error{ErrorKind::Io, program.string() + " could not be started"};
    return code;
}

std::filesystem::path besideThisProgram(const std::string& name)
{
    std::error_code failure;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
    return failure ? std::filesystem::path(name) : self.parent_path() / name;
}

} // namespace commonweight::server
