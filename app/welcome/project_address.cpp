#include "app/welcome/project_address.h"

#include <QCoreApplication>
#include <QHostAddress>
#include <QRegularExpression>
#include <QUrl>

namespace commonweight::app {

namespace {

constexpr int kLongest = 2000;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ProjectAddress)
};

Error refused(const QString& sentence)
{
    return {ErrorKind::Protocol, sentence.toStdString()};
}

QString withoutLinkScheme(QString text)
{
    const auto link = QStringLiteral("commonweight:");
    if (!text.startsWith(link, Qt::CaseInsensitive))
        return text;
    text = text.mid(link.size());
    return text.startsWith(QStringLiteral("//")) ? QStringLiteral("https:") + text : text;
}

bool isThisComputer(const QString& host)
{
    return host.compare(QStringLiteral("localhost"), Qt::CaseInsensitive) == 0 ||
           QHostAddress(host).isLoopback();
}

QUrl withScheme(const QString& text)
{
    if (text.contains(QStringLiteral("://")))
        return QUrl(text, QUrl::StrictMode);
    QUrl url(QStringLiteral("https://") + text, QUrl::StrictMode);
    if (isThisComputer(url.host()))
        url.setScheme(QStringLiteral("http"));
    return url;
}

} // namespace

Result<QString> projectAddress(const QString& typed)
{
    const auto text = withoutLinkScheme(typed.trimmed());
    if (text.isEmpty())
        return refused(Words::tr("Please enter the address of a project."));
    if (text.size() > kLongest)
        return refused(Words::tr("This is too long for an address."));
    if (text.contains(QRegularExpression(QStringLiteral("\\s"))))
        return refused(Words::tr("An address has no spaces in it."));
    const auto url = withScheme(text);
    if (!url.isValid() || url.host().isEmpty())
        return refused(Words::tr("This does not look like an address. One looks like "
                                 "https://train.example.org."));
    if (url.scheme() != QStringLiteral("https") && url.scheme() != QStringLiteral("http"))
        return refused(Words::tr("An address starts with https:// or http://."));
    if (!url.userInfo().isEmpty())
        return refused(Words::tr("An address must not hold a name or a password."));
    auto address = url.toString(QUrl::FullyEncoded | QUrl::RemoveFragment | QUrl::RemoveQuery);
    while (address.endsWith(u'/'))
        address.chop(1);
    return address;
}

} // namespace commonweight::app
