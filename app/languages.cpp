#include "app/languages.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QTranslator>

static void initResources()
{
    Q_INIT_RESOURCE(commonweight);
}

namespace commonweight::app {

namespace {

bool install(QCoreApplication& application, const QLocale& locale, const QString& name,
             const QString& folder)
{
    auto* translator = new QTranslator(&application);
    return translator->load(locale, name, QStringLiteral("_"), folder) &&
           application.installTranslator(translator);
}

} // namespace

void loadResources()
{
    initResources();
}

bool installLanguage(QCoreApplication& application, const QLocale& locale)
{
    QLocale::setDefault(locale);
    install(application, locale, QStringLiteral("qtbase"),
            QLibraryInfo::path(QLibraryInfo::TranslationsPath));
    const auto ours = QStringLiteral("commonweight");
    const auto folder = QStringLiteral(":/i18n");
    if (install(application, locale, ours, folder))
        return true;
    // English has plural forms to look up as well: "1 unit", "2 units".
    install(application, QLocale(QLocale::English), ours, folder);
    return false;
}

} // namespace commonweight::app
