#include "app/settings/autostart.h"

#include "engine/base/atomic_file.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QStandardPaths>

namespace commonweight::app {

namespace {

/// Quoted as the Desktop Entry specification asks for the Exec key; a percent sign is doubled.
QString quoted(const QString& program)
{
    QString text;
    for (const QChar letter : program) {
        if (letter == u'\\')
            text += QStringLiteral("\\\\\\");
        else if (QStringLiteral("\"`$").contains(letter))
            text += QStringLiteral("\\\\");
        else if (letter == u'%')
            text += letter;
        text += letter;
    }
    return QStringLiteral("\"%1\"").arg(text);
}

} // namespace

Autostart::Autostart(QString folder, QString program)
    : m_folder(std::move(folder)), m_program(std::move(program))
{}

Autostart Autostart::ofThisUser()
{
    return {QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
                QStringLiteral("/autostart"),
            QCoreApplication::applicationFilePath()};
}

QString Autostart::file() const
{
    return m_folder + QStringLiteral("/commonweight.desktop");
}

bool Autostart::isEnabled() const
{
    const auto text = readTextFile(file().toStdString(), 64 << 10);
    if (!text)
        return false;
    const auto lines = QString::fromStdString(*text).split(u'\n');
    return !lines.contains(QStringLiteral("Hidden=true")) &&
           !lines.contains(QStringLiteral("X-GNOME-Autostart-enabled=false"));
}

Result<void> Autostart::setEnabled(bool enabled)
{
    if (!enabled) {
        if (QFile::exists(file()) && !QFile::remove(file()))
            return Error{ErrorKind::Denied, "cannot remove " + file().toStdString()};
        return {};
    }
    CW_CHECK(makeFolder(m_folder.toStdString(), 0700));
    const auto text = QStringLiteral("[Desktop Entry]\n"
                                     "Type=Application\n"
                                     "Name=Commonweight\n"
                                     "Comment=Trains language models while you are away\n"
                                     "Exec=%1 --minimized\n"
                                     "Icon=commonweight\n"
                                     "Terminal=false\n"
                                     "X-GNOME-Autostart-enabled=true\n")
                          .arg(quoted(m_program))
                          .toUtf8();
    return writeFileAtomically(file().toStdString(),
                               asBytes({text.constData(), std::size_t(text.size())}));
}

} // namespace commonweight::app
