<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE">
<context>
    <name>Main</name>
    <message>
        <source>Commonweight is already running</source>
        <translation>Commonweight läuft bereits</translation>
    </message>
    <message>
        <source>It does not answer at the moment</source>
        <translation>Es antwortet im Augenblick nicht</translation>
    </message>
    <message>
        <source>Commonweight could not start</source>
        <translation>Commonweight konnte nicht starten</translation>
    </message>
</context>
<context>
    <name>ProjectAddress</name>
    <message>
        <source>Please enter the address of a project.</source>
        <translation>Bitte geben Sie die Adresse eines Projekts ein.</translation>
    </message>
    <message>
        <source>This is too long for an address.</source>
        <translation>Das ist zu lang für eine Adresse.</translation>
    </message>
    <message>
        <source>An address has no spaces in it.</source>
        <translation>Eine Adresse enthält keine Leerzeichen.</translation>
    </message>
    <message>
        <source>This does not look like an address. One looks like https://train.example.org.</source>
        <translation>Das sieht nicht wie eine Adresse aus. Ein Beispiel: https://train.example.org.</translation>
    </message>
    <message>
        <source>An address starts with https:// or http://.</source>
        <translation>Eine Adresse beginnt mit https:// oder http://.</translation>
    </message>
    <message>
        <source>An address must not hold a name or a password.</source>
        <translation>Eine Adresse darf weder Namen noch Passwort enthalten.</translation>
    </message>
</context>
<context>
    <name>Reason</name>
    <message>
        <source>tomorrow, %1</source>
        <translation>morgen, %1</translation>
    </message>
    <message>
        <source>you paused it, until you resume</source>
        <translation>Sie haben pausiert, bis Sie fortsetzen</translation>
    </message>
    <message>
        <source>you paused it, until %1 (%2)</source>
        <translation>Sie haben pausiert, bis %1 (%2)</translation>
    </message>
    <message>
        <source>; and </source>
        <translation>; und </translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Training läuft</translation>
    </message>
    <message>
        <source>Training – %1 left</source>
        <translation>Training läuft – noch %1</translation>
    </message>
    <message>
        <source>Needs your attention: %1</source>
        <translation>Braucht Ihre Aufmerksamkeit: %1</translation>
    </message>
    <message>
        <source>Needs your attention: %1 – %2</source>
        <translation>Braucht Ihre Aufmerksamkeit: %1 – %2</translation>
    </message>
    <message>
        <source>Needs your attention</source>
        <translation>Braucht Ihre Aufmerksamkeit</translation>
    </message>
    <message>
        <source>less than a minute</source>
        <translation>weniger als eine Minute</translation>
    </message>
    <message>
        <source>about a minute</source>
        <translation>etwa eine Minute</translation>
    </message>
    <message numerus="yes">
        <source>about %n minutes</source>
        <translation>
            <numerusform>etwa %n Minute</numerusform>
            <numerusform>etwa %n Minuten</numerusform>
        </translation>
    </message>
    <message>
        <source>about an hour</source>
        <translation>etwa eine Stunde</translation>
    </message>
    <message numerus="yes">
        <source>%n hours</source>
        <translation>
            <numerusform>%n Stunde</numerusform>
            <numerusform>%n Stunden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n days</source>
        <translation>
            <numerusform>%n Tag</numerusform>
            <numerusform>%n Tage</numerusform>
        </translation>
    </message>
    <message>
        <source>no project has been chosen yet</source>
        <translation>es ist noch kein Projekt gewählt</translation>
    </message>
    <message>
        <source>the computer runs on its battery</source>
        <translation>der Computer läuft auf Akku</translation>
    </message>
    <message>
        <source>there is too little free memory</source>
        <translation>es ist zu wenig Arbeitsspeicher frei</translation>
    </message>
    <message>
        <source>less than %1 GB of disk space are free</source>
        <translation>weniger als %1 GB sind auf der Festplatte frei</translation>
    </message>
    <message>
        <source>you are using the computer, until a minute without input</source>
        <translation>Sie benutzen den Computer, bis eine Minute lang nichts geschieht</translation>
    </message>
    <message numerus="yes">
        <source>you are using the computer, until %n minutes without input</source>
        <translation>
            <numerusform>Sie benutzen den Computer, bis %n Minute lang nichts geschieht</numerusform>
            <numerusform>Sie benutzen den Computer, bis %n Minuten lang nichts geschieht</numerusform>
        </translation>
    </message>
    <message>
        <source>it is switched off in the settings</source>
        <translation>es ist in den Einstellungen ausgeschaltet</translation>
    </message>
    <message>
        <source>the project is being asked for work</source>
        <translation>das Projekt wird nach Arbeit gefragt</translation>
    </message>
    <message>
        <source>the project has no work at the moment, asking again in %1</source>
        <translation>das Projekt hat gerade keine Arbeit, nächste Frage in %1</translation>
    </message>
    <message>
        <source>the project&apos;s server cannot be reached, trying again now</source>
        <translation>der Server des Projekts ist nicht erreichbar, neuer Versuch läuft</translation>
    </message>
    <message>
        <source>the project&apos;s server cannot be reached, trying again in %1</source>
        <translation>der Server des Projekts ist nicht erreichbar, neuer Versuch in %1</translation>
    </message>
    <message>
        <source>it failed three times in a row, resume to test it again</source>
        <translation>es ist dreimal hintereinander gescheitert, zum erneuten Testen fortsetzen</translation>
    </message>
    <message>
        <source>what is needed is being prepared</source>
        <translation>was gebraucht wird, wird vorbereitet</translation>
    </message>
    <message>
        <source>Commonweight is ending</source>
        <translation>Commonweight wird beendet</translation>
    </message>
    <message>
        <source>Not training: choose a project to join</source>
        <translation>Kein Training: Wählen Sie ein Projekt</translation>
    </message>
    <message>
        <source>Paused because %1</source>
        <translation>Pausiert: %1</translation>
    </message>
    <message>
        <source>Transferring: %1</source>
        <translation>Übertragung: %1</translation>
    </message>
    <message>
        <source>Waiting: %1</source>
        <translation>Wartet: %1</translation>
    </message>
    <message>
        <source>the battery is charged to %1 % first</source>
        <translation>der Akku wird zuerst auf %1 % geladen</translation>
    </message>
    <message>
        <source>the computer saves power</source>
        <translation>der Computer spart Strom</translation>
    </message>
    <message>
        <source>the computer is too hot, until it has cooled down</source>
        <translation>der Computer ist zu heiß, bis er abgekühlt ist</translation>
    </message>
    <message>
        <source>a game is running, until it closes</source>
        <translation>ein Spiel läuft, bis es geschlossen wird</translation>
    </message>
    <message>
        <source>%1 is running, until it closes</source>
        <translation>%1 läuft, bis es geschlossen wird</translation>
    </message>
    <message>
        <source>other programs need the processor</source>
        <translation>andere Programme brauchen den Prozessor</translation>
    </message>
    <message>
        <source>your schedule has no training now, until %1</source>
        <translation>Ihr Zeitplan sieht jetzt kein Training vor, bis %1</translation>
    </message>
    <message>
        <source>your schedule has no hours for training</source>
        <translation>Ihr Zeitplan enthält keine Stunden für das Training</translation>
    </message>
    <message>
        <source>a program keeps the screen awake, for example for a video</source>
        <translation>ein Programm hält den Bildschirm wach, zum Beispiel für ein Video</translation>
    </message>
    <message>
        <source>this system cannot confine the training program; the settings can allow training without that</source>
        <translation>dieses System kann das Trainingsprogramm nicht abschirmen; in den Einstellungen lässt sich das Training auch ohne Abschirmung erlauben</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>When nobody uses the computer</source>
        <translation>Wenn niemand den Computer benutzt</translation>
    </message>
    <message>
        <source>Always</source>
        <translation>Immer</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nie</translation>
    </message>
    <message>
        <source>none</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>When to run</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Trainieren</translation>
    </message>
    <message>
        <source>“Always” does not wait for you to leave. Battery, memory and disk are respected all the same.</source>
        <translation>„Immer“ wartet nicht, bis Sie gehen. Akku, Arbeitsspeicher und Festplatte werden trotzdem geschont.</translation>
    </message>
    <message>
        <source>Wait after the last key or mouse movement</source>
        <translation>Wartezeit nach der letzten Taste oder Mausbewegung</translation>
    </message>
    <message>
        <source>Shorter starts sooner; longer leaves pauses for reading alone.</source>
        <translation>Kürzer beginnt früher; länger lässt Lesepausen in Ruhe.</translation>
    </message>
    <message>
        <source> minutes</source>
        <translation> Minuten</translation>
    </message>
    <message>
        <source>Pause on battery</source>
        <translation>Im Akkubetrieb pausieren</translation>
    </message>
    <message>
        <source>Training goes on when the computer is plugged in again.</source>
        <translation>Das Training geht weiter, sobald der Computer wieder am Netz ist.</translation>
    </message>
    <message>
        <source>How your presence is noticed</source>
        <translation>Woran Ihre Anwesenheit erkannt wird</translation>
    </message>
    <message>
        <source>At present by: %1</source>
        <translation>Zurzeit durch: %1</translation>
    </message>
    <message>
        <source>Share of the time to compute</source>
        <translation>Anteil der Zeit, in der gerechnet wird</translation>
    </message>
    <message>
        <source>Less makes the computer cooler and quieter: it rests between two small steps.</source>
        <translation>Weniger hält den Computer kühler und leiser: Er ruht zwischen zwei kleinen Schritten.</translation>
    </message>
    <message>
        <source> %</source>
        <translation> %</translation>
    </message>
    <message>
        <source>Train on %1</source>
        <translation>Mit %1 trainieren</translation>
    </message>
    <message>
        <source>When to use %1</source>
        <translation>Wann %1 benutzt wird</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>No device yet</source>
        <translation>Noch kein Gerät</translation>
    </message>
    <message>
        <source>No device that can train has been found so far.</source>
        <translation>Bisher wurde kein Gerät gefunden, das trainieren kann.</translation>
    </message>
    <message>
        <source>Processor threads</source>
        <translation>Prozessor-Threads</translation>
    </message>
    <message>
        <source>How many the processor may use for training.</source>
        <translation>Wie viele der Prozessor für das Training benutzen darf.</translation>
    </message>
    <message>
        <source>Disk and memory</source>
        <translation>Festplatte und Speicher</translation>
    </message>
    <message>
        <source>Training pauses by itself when one of these would be exceeded.</source>
        <translation>Das Training pausiert von selbst, wenn eine dieser Grenzen überschritten würde.</translation>
    </message>
    <message>
        <source>Disk space at most</source>
        <translation>Speicherplatz höchstens</translation>
    </message>
    <message>
        <source>For the model, the text and unfinished units.</source>
        <translation>Für das Modell, den Text und unfertige Einheiten.</translation>
    </message>
    <message>
        <source> GB</source>
        <translation> GB</translation>
    </message>
    <message>
        <source>Leave free on the disk</source>
        <translation>Auf der Festplatte frei lassen</translation>
    </message>
    <message>
        <source>Memory while you use the computer</source>
        <translation>Arbeitsspeicher, während Sie den Computer benutzen</translation>
    </message>
    <message>
        <source>Memory while you are away</source>
        <translation>Arbeitsspeicher, während Sie weg sind</translation>
    </message>
    <message>
        <source>Save the work every</source>
        <translation>Arbeit sichern alle</translation>
    </message>
    <message>
        <source>After a power failure, at most so much is computed again. Every stop saves as well.</source>
        <translation>Nach einem Stromausfall wird höchstens so viel noch einmal gerechnet. Auch jedes Anhalten sichert.</translation>
    </message>
    <message>
        <source> seconds</source>
        <translation> Sekunden</translation>
    </message>
    <message>
        <source> MB per second</source>
        <translation> MB pro Sekunde</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>keine Grenze</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>All connections go out from this computer; none comes in.</source>
        <translation>Alle Verbindungen gehen von diesem Computer aus; keine kommt herein.</translation>
    </message>
    <message>
        <source>Fetch at most</source>
        <translation>Holen höchstens</translation>
    </message>
    <message>
        <source>Send at most</source>
        <translation>Senden höchstens</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>Proxy</translation>
    </message>
    <message>
        <source>Empty: none. For example http://proxy.example.org:3128</source>
        <translation>Leer: keiner. Zum Beispiel http://proxy.example.org:3128</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Sie</translation>
    </message>
    <message>
        <source>Commonweight needs no account.</source>
        <translation>Commonweight braucht kein Konto.</translation>
    </message>
    <message>
        <source>Name to show</source>
        <translation>Angezeigter Name</translation>
    </message>
    <message>
        <source>Projects list it beside your contribution, for everybody to see. It may stay empty.</source>
        <translation>Projekte zeigen ihn neben Ihrem Beitrag, für alle sichtbar. Er darf leer bleiben.</translation>
    </message>
    <message>
        <source>Start Commonweight when I log in</source>
        <translation>Commonweight beim Anmelden starten</translation>
    </message>
    <message>
        <source>It starts in the tray, without a window.</source>
        <translation>Es startet im Infobereich, ohne Fenster.</translation>
    </message>
    <message>
        <source>General</source>
        <translation>Allgemein</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Commonweight speaks your system&apos;s language where it can: %1</source>
        <translation>Commonweight spricht die Sprache Ihres Systems, wo es kann: %1</translation>
    </message>
    <message>
        <source>Please say which kind of proxy it is, for example http://%1</source>
        <translation>Bitte sagen Sie, welche Art von Proxy es ist, zum Beispiel http://%1</translation>
    </message>
    <message>
        <source>A proxy looks like http://proxy.example.org:3128 or socks5://127.0.0.1:1080</source>
        <translation>Ein Proxy sieht aus wie http://proxy.example.org:3128 oder socks5://127.0.0.1:1080</translation>
    </message>
    <message>
        <source>This is too long for a name.</source>
        <translation>Das ist zu lang für einen Namen.</translation>
    </message>
    <message>
        <source>A name is one line of letters, digits and signs.</source>
        <translation>Ein Name ist eine Zeile aus Buchstaben, Ziffern und Zeichen.</translation>
    </message>
    <message>
        <source>Commonweight stays out of your way: it stops as soon as you come back.</source>
        <translation>Commonweight steht Ihnen nicht im Weg: Es hält an, sobald Sie zurückkommen.</translation>
    </message>
    <message>
        <source>As on the page “When to run”</source>
        <translation>Wie auf der Seite „Wann“</translation>
    </message>
    <message>
        <source>Only when nobody uses the computer</source>
        <translation>Nur wenn niemand den Computer benutzt</translation>
    </message>
    <message>
        <source>What may be used for training. A device can be stricter than the page “When to run”.</source>
        <translation>Was für das Training benutzt werden darf. Ein Gerät kann strenger sein als die Seite „Wann“.</translation>
    </message>
    <message>
        <source>Pause while one of these programs runs</source>
        <translation>Pause, solange eines dieser Programme läuft</translation>
    </message>
    <message>
        <source>Names with commas between them, for example blender, kdenlive</source>
        <translation>Namen mit Kommas dazwischen, zum Beispiel blender, kdenlive</translation>
    </message>
    <message>
        <source>Please give the names without folders.</source>
        <translation>Bitte die Namen ohne Ordner angeben.</translation>
    </message>
    <message>
        <source>Charge the battery first, to</source>
        <translation>Zuerst den Akku laden, auf</translation>
    </message>
    <message>
        <source>any charge</source>
        <translation>egal</translation>
    </message>
    <message>
        <source>Pause while the computer saves power</source>
        <translation>Pause, solange der Computer Strom spart</translation>
    </message>
    <message>
        <source>Pause during games</source>
        <translation>Pause während Spielen</translation>
    </message>
    <message>
        <source>Games that use GameMode are noticed.</source>
        <translation>Spiele, die GameMode benutzen, werden bemerkt.</translation>
    </message>
    <message>
        <source>Videos count as use</source>
        <translation>Videos zählen als Benutzung</translation>
    </message>
    <message>
        <source>Any program that keeps the screen awake does.</source>
        <translation>Jedes Programm, das den Bildschirm wach hält, ebenso.</translation>
    </message>
    <message>
        <source>Pause when other programs use the processor for</source>
        <translation>Pause, wenn andere Programme den Prozessor auslasten zu</translation>
    </message>
    <message>
        <source>The mean of a minute counts.</source>
        <translation>Das Mittel einer Minute zählt.</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>Pace</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Quiet takes a quarter of the cores and rests half of the time; balanced takes half of the cores; full takes all of them.</source>
        <translation>Leise nimmt ein Viertel der Kerne und ruht die Hälfte der Zeit; ausgewogen nimmt die Hälfte der Kerne; voll nimmt alle.</translation>
    </message>
    <message>
        <source>Quiet</source>
        <translation>Leise</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>Ausgewogen</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>Voll</translation>
    </message>
    <message>
        <source>as the pace says</source>
        <translation>nach dem Tempo</translation>
    </message>
    <message>
        <source>Processor at most</source>
        <translation>Prozessor höchstens</translation>
    </message>
    <message>
        <source>Training goes on when it is 10 degrees cooler.</source>
        <translation>Das Training geht weiter, wenn er 10 Grad kühler ist.</translation>
    </message>
    <message>
        <source> °C</source>
        <translation> °C</translation>
    </message>
    <message>
        <source>Graphics card at most</source>
        <translation>Grafikkarte höchstens</translation>
    </message>
    <message>
        <source>Wait while the network is paid by volume</source>
        <translation>Warten, solange das Netz nach Volumen bezahlt wird</translation>
    </message>
    <message>
        <source>Models, text and results wait; a few kilobytes to ask for work do not.</source>
        <translation>Modelle, Text und Ergebnisse warten; ein paar Kilobyte, um nach Arbeit zu fragen, nicht.</translation>
    </message>
    <message>
        <source>Train even without confinement</source>
        <translation>Auch ohne Abschirmung trainieren</translation>
    </message>
    <message>
        <source>Normally the training program is cut off from your files and the network by the system, and does not start where that is not possible.</source>
        <translation>Normalerweise schirmt das System das Trainingsprogramm von Ihren Dateien und vom Netzwerk ab; wo das nicht möglich ist, startet es nicht.</translation>
    </message>
</context>
<context>
    <name>Text</name>
    <message>
        <source>%1 million</source>
        <translation>%1 Millionen</translation>
    </message>
    <message>
        <source>%1 billion</source>
        <comment>10 to the 9th</comment>
        <translation>%1 Milliarden</translation>
    </message>
    <message>
        <source>%1 trillion</source>
        <comment>10 to the 12th</comment>
        <translation>%1 Billionen</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>%1 tokens per second</source>
        <translation>%1 Token pro Sekunde</translation>
    </message>
    <message>
        <source>less than %1 %</source>
        <translation>weniger als %1 %</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 hours</source>
        <translation>%1 Stunden</translation>
    </message>
    <message>
        <source>reserved for this computer</source>
        <translation>für diesen Computer reserviert</translation>
    </message>
    <message>
        <source>ready to start</source>
        <translation>bereit zum Start</translation>
    </message>
    <message>
        <source>training</source>
        <translation>im Training</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>pausiert</translation>
    </message>
    <message>
        <source>finished, not sent yet</source>
        <translation>fertig, noch nicht gesendet</translation>
    </message>
    <message>
        <source>being handed in</source>
        <translation>wird abgegeben</translation>
    </message>
    <message>
        <source>handed in</source>
        <translation>abgegeben</translation>
    </message>
    <message>
        <source>did not work out</source>
        <translation>hat nicht geklappt</translation>
    </message>
    <message>
        <source>no longer needed</source>
        <translation>wird nicht mehr gebraucht</translation>
    </message>
    <message>
        <source>being fetched</source>
        <translation>wird geholt</translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s)</source>
        <translation>
            <numerusform>%n Minute</numerusform>
            <numerusform>%n Minuten</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 trillion tokens</source>
        <comment>10 to the 12th</comment>
        <translation>%1 Billionen Token</translation>
    </message>
    <message>
        <source>%1 billion tokens</source>
        <comment>10 to the 9th</comment>
        <translation>%1 Milliarden Token</translation>
    </message>
    <message>
        <source>%1 million tokens</source>
        <translation>%1 Millionen Token</translation>
    </message>
</context>
<context>
    <name>commonweight::app::DeviceCard</name>
    <message>
        <source>Waiting for work</source>
        <translation>Wartet auf Arbeit</translation>
    </message>
    <message>
        <source>Waiting: %1</source>
        <translation>Wartet: %1</translation>
    </message>
    <message>
        <source>Getting ready</source>
        <translation>Macht sich bereit</translation>
    </message>
    <message>
        <source>Working on a unit</source>
        <translation>Arbeitet an einer Einheit</translation>
    </message>
    <message>
        <source>Progress of %1</source>
        <translation>Fortschritt von %1</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Done in %1</source>
        <translation>Fertig in %1</translation>
    </message>
</context>
<context>
    <name>commonweight::app::HistoryChart</name>
    <message>
        <source>Units handed in, by day</source>
        <translation>Abgegebene Einheiten, nach Tagen</translation>
    </message>
    <message numerus="yes">
        <source>%n unit(s) in %1 days</source>
        <translation>
            <numerusform>%n Einheit in %1 Tagen</numerusform>
            <numerusform>%n Einheiten in %1 Tagen</numerusform>
        </translation>
    </message>
    <message>
        <source>today</source>
        <translation>heute</translation>
    </message>
</context>
<context>
    <name>commonweight::app::LogPage</name>
    <message>
        <source>Copy all</source>
        <translation>Alles kopieren</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Copy the whole log</source>
        <translation>Das ganze Protokoll kopieren</translation>
    </message>
    <message>
        <source>Nothing has happened yet</source>
        <translation>Noch ist nichts geschehen</translation>
    </message>
    <message>
        <source>What Commonweight does is written down here, in plain words.</source>
        <translation>Was Commonweight tut, steht hier in einfachen Worten.</translation>
    </message>
</context>
<context>
    <name>commonweight::app::LossChart</name>
    <message>
        <source>trillion tokens read by everybody</source>
        <translation>Billionen Token, von allen gelesen</translation>
    </message>
    <message>
        <source>billion tokens read by everybody</source>
        <translation>Milliarden Token, von allen gelesen</translation>
    </message>
    <message>
        <source>million tokens read by everybody</source>
        <translation>Millionen Token, von allen gelesen</translation>
    </message>
    <message>
        <source>thousand tokens read by everybody</source>
        <translation>Tausend Token, von allen gelesen</translation>
    </message>
    <message>
        <source>tokens read by everybody</source>
        <translation>Token, von allen gelesen</translation>
    </message>
    <message>
        <source>Loss of the shared model</source>
        <translation>Verlust des gemeinsamen Modells</translation>
    </message>
    <message>
        <source>It fell from %1 to %2 over %3.</source>
        <translation>Er fiel von %1 auf %2 über %3.</translation>
    </message>
    <message>
        <source>everybody: %1</source>
        <translation>alle: %1</translation>
    </message>
    <message>
        <source>your units</source>
        <translation>Ihre Einheiten</translation>
    </message>
    <message>
        <source>Version %1: loss %2 after %3</source>
        <translation>Version %1: Verlust %2 nach %3</translation>
    </message>
</context>
<context>
    <name>commonweight::app::MainWindow</name>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>Überblick</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>Arbeit</translation>
    </message>
    <message>
        <source>Transfers</source>
        <translation>Übertragungen</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>Statistik</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Join another project…</source>
        <translation>Einem anderen Projekt beitreten…</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Einstellungen…</translation>
    </message>
    <message>
        <source>About Commonweight</source>
        <translation>Über Commonweight</translation>
    </message>
    <message>
        <source>Close this window</source>
        <translation>Dieses Fenster schließen</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Commonweight %1</source>
        <translation>Commonweight %1</translation>
    </message>
    <message>
        <source>Trains language models on the computers of volunteers. Free software under the Apache License 2.0.</source>
        <translation>Trainiert Sprachmodelle auf den Computern von Freiwilligen. Freie Software unter der Apache-Lizenz 2.0.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>commonweight::app::ModelCard</name>
    <message>
        <source>No measurement yet</source>
        <translation>Noch keine Messung</translation>
    </message>
    <message>
        <source>The curve starts when the project has merged its first contributions. Every unit that you finish takes part in it.</source>
        <translation>Die Kurve beginnt, wenn das Projekt die ersten Beiträge vereint hat. Jede Einheit, die Sie fertigstellen, zählt mit.</translation>
    </message>
    <message>
        <source>The shared model</source>
        <translation>Das gemeinsame Modell</translation>
    </message>
    <message>
        <source>Shared model: %1</source>
        <translation>Gemeinsames Modell: %1</translation>
    </message>
    <message>
        <source>loss %1</source>
        <translation>Verlust %1</translation>
    </message>
    <message>
        <source>How surprised the model is by text it has never seen, in nats per byte. Lower is better.</source>
        <translation>Wie sehr das Modell von nie gesehenem Text überrascht ist, in Nat je Byte. Weniger ist besser.</translation>
    </message>
    <message>
        <source>Everybody trains this one model together.</source>
        <translation>Alle trainieren gemeinsam dieses eine Modell.</translation>
    </message>
    <message>
        <source>%1 less surprised by unseen text than at the start</source>
        <translation>%1 weniger überrascht von unbekanntem Text als am Anfang</translation>
    </message>
</context>
<context>
    <name>commonweight::app::ModelPage</name>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>newest version</source>
        <translation>neueste Version</translation>
    </message>
    <message>
        <source>loss on unseen text</source>
        <translation>Verlust auf unbekanntem Text</translation>
    </message>
    <message>
        <source>How far the training has come</source>
        <translation>Wie weit das Training gekommen ist</translation>
    </message>
    <message>
        <source>Who trains it</source>
        <translation>Wer es trainiert</translation>
    </message>
    <message>
        <source>Nobody has handed in a unit yet. Yours could be the first.</source>
        <translation>Noch hat niemand eine Einheit abgegeben. Ihre könnte die erste sein.</translation>
    </message>
    <message>
        <source>Contributors</source>
        <translation>Mitwirkende</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>Einheiten</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Leave this project…</source>
        <translation>Dieses Projekt verlassen…</translation>
    </message>
    <message>
        <source>The shared model</source>
        <translation>Das gemeinsame Modell</translation>
    </message>
    <message>
        <source>%1 of %2 planned</source>
        <translation>%1 von %2 geplanten</translation>
    </message>
    <message>
        <source>a volunteer without a name</source>
        <translation>jemand ohne Namen</translation>
    </message>
    <message>
        <source>Leave %1?</source>
        <translation>%1 verlassen?</translation>
    </message>
    <message>
        <source>Unfinished units go back to the project. What you have handed in stays part of the model. You can join again at any time.</source>
        <translation>Unfertige Einheiten gehen an das Projekt zurück. Was Sie abgegeben haben, bleibt Teil des Modells. Sie können jederzeit wieder beitreten.</translation>
    </message>
    <message>
        <source>Leave</source>
        <translation>Verlassen</translation>
    </message>
    <message>
        <source>Stay</source>
        <translation>Bleiben</translation>
    </message>
    <message>
        <source>One language model that all volunteers train together. Each of them trains a copy on its own piece of text for a while and hands in what it has learnt; the project merges this into the next version. Anybody can download the newest version.</source>
        <translation>Ein Sprachmodell, das alle Freiwilligen gemeinsam trainieren. Jeder trainiert eine Weile eine Kopie auf seinem eigenen Stück Text und gibt ab, was sie gelernt hat; das Projekt vereint dies zur nächsten Version. Jeder kann die neueste Version herunterladen.</translation>
    </message>
</context>
<context>
    <name>commonweight::app::OverviewPage</name>
    <message>
        <source>Your part: nothing yet. The first unit counts as soon as it is handed in.</source>
        <translation>Ihr Anteil: noch nichts. Die erste Einheit zählt, sobald sie abgegeben ist.</translation>
    </message>
    <message>
        <source>Your part: %1, %2, %3 of this model</source>
        <translation>Ihr Anteil: %1, %2, %3 dieses Modells</translation>
    </message>
    <message numerus="yes">
        <source>%n unit(s)</source>
        <translation>
            <numerusform>%n Einheit</numerusform>
            <numerusform>%n Einheiten</numerusform>
        </translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>Überblick</translation>
    </message>
    <message>
        <source>No device that can train has been found yet. Commonweight keeps looking.</source>
        <translation>Noch wurde kein Gerät gefunden, das trainieren kann. Commonweight sucht weiter.</translation>
    </message>
</context>
<context>
    <name>commonweight::app::PauseMenu</name>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>For 15 minutes</source>
        <translation>Für 15 Minuten</translation>
    </message>
    <message>
        <source>For 1 hour</source>
        <translation>Für 1 Stunde</translation>
    </message>
    <message>
        <source>For 3 hours</source>
        <translation>Für 3 Stunden</translation>
    </message>
    <message>
        <source>Until I resume</source>
        <translation>Bis ich fortsetze</translation>
    </message>
    <message>
        <source>Until tomorrow morning (%1)</source>
        <translation>Bis morgen früh (%1)</translation>
    </message>
</context>
<context>
    <name>commonweight::app::SavingDialog</name>
    <message>
        <source>Saving the work done so far…</source>
        <translation>Die bisherige Arbeit wird gesichert…</translation>
    </message>
    <message>
        <source>This takes a few seconds. Nothing is lost.</source>
        <translation>Das dauert ein paar Sekunden. Nichts geht verloren.</translation>
    </message>
    <message>
        <source>Saving</source>
        <translation>Sichern</translation>
    </message>
</context>
<context>
    <name>commonweight::app::SettingRow</name>
    <message>
        <source>🔒 Fixed by the administrator of this computer</source>
        <translation>🔒 Vom Administrator dieses Computers festgelegt</translation>
    </message>
</context>
<context>
    <name>commonweight::app::SettingsDialog</name>
    <message>
        <source>Settings – Commonweight</source>
        <translation>Einstellungen – Commonweight</translation>
    </message>
    <message>
        <source>Pages of the settings</source>
        <translation>Seiten der Einstellungen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Restore defaults</source>
        <translation>Vorgaben</translation>
    </message>
    <message>
        <source>The defaults of this page; the other pages stay as they are</source>
        <translation>Die Vorgaben dieser Seite; die anderen Seiten bleiben, wie sie sind</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Takes back the last change</source>
        <translation>Nimmt die letzte Änderung zurück</translation>
    </message>
</context>
<context>
    <name>commonweight::app::Shell</name>
    <message>
        <source>Commonweight keeps running</source>
        <translation>Commonweight läuft weiter</translation>
    </message>
    <message>
        <source>The window closes, but Commonweight stays in the tray, beside the clock, and goes on helping while you are away. To open it again, click its icon. To end it, choose Quit in the icon&apos;s menu.</source>
        <translation>Das Fenster schließt sich, aber Commonweight bleibt im Infobereich neben der Uhr und hilft weiter, während Sie weg sind. Zum Öffnen klicken Sie auf das Symbol. Zum Beenden wählen Sie im Menü des Symbols „Beenden“.</translation>
    </message>
    <message>
        <source>All right</source>
        <translation>In Ordnung</translation>
    </message>
    <message>
        <source>Quit instead</source>
        <translation>Lieber beenden</translation>
    </message>
    <message>
        <source>Keep helping in the background?</source>
        <translation>Im Hintergrund weiterhelfen?</translation>
    </message>
    <message>
        <source>This desktop has no tray, so Commonweight would stay as a minimised window. If you quit, training goes on from where it was at the next start.</source>
        <translation>Diese Oberfläche hat keinen Infobereich, daher bliebe Commonweight als minimiertes Fenster. Wenn Sie beenden, geht das Training beim nächsten Start dort weiter, wo es war.</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Keep it minimised</source>
        <translation>Minimiert lassen</translation>
    </message>
    <message>
        <source>Commonweight will not start by itself</source>
        <translation>Commonweight wird nicht von selbst starten</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>commonweight::app::StatisticsPage</name>
    <message>
        <source>What everybody did together appears here when the project can be reached.</source>
        <translation>Was alle zusammen geleistet haben, steht hier, sobald das Projekt erreichbar ist.</translation>
    </message>
    <message numerus="yes">
        <source>%n computer(s)</source>
        <translation>
            <numerusform>%n Computer</numerusform>
            <numerusform>%n Computer</numerusform>
        </translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>Statistik</translation>
    </message>
    <message>
        <source>units handed in</source>
        <translation>abgegebene Einheiten</translation>
    </message>
    <message>
        <source>tokens trained on</source>
        <translation>trainierte Token</translation>
    </message>
    <message>
        <source>of computing</source>
        <translation>gerechnet</translation>
    </message>
    <message>
        <source>of the shared model</source>
        <translation>des gemeinsamen Modells</translation>
    </message>
    <message>
        <source>Your days</source>
        <translation>Ihre Tage</translation>
    </message>
    <message numerus="yes">
        <source>The newest %n unit(s), by the day they were handed in</source>
        <translation>
            <numerusform>Die neueste Einheit nach dem Tag ihrer Abgabe</numerusform>
            <numerusform>Die neuesten %n Einheiten nach dem Tag ihrer Abgabe</numerusform>
        </translation>
    </message>
    <message>
        <source>Units by the day they were handed in</source>
        <translation>Einheiten nach dem Tag ihrer Abgabe</translation>
    </message>
    <message>
        <source>Everybody together: %1 in %2 contributions. Taking part at present: %3.</source>
        <translation>Alle zusammen: %1 in %2 Beiträgen. Zurzeit dabei: %3.</translation>
    </message>
</context>
<context>
    <name>commonweight::app::StatusHeader</name>
    <message>
        <source>Using %1 while you are away</source>
        <translation>Benutzt %1, während Sie weg sind</translation>
    </message>
    <message>
        <source>Using %1</source>
        <translation>Benutzt %1</translation>
    </message>
    <message>
        <source>Lasts until you press Resume</source>
        <translation>Dauert, bis Sie auf „Fortsetzen“ klicken</translation>
    </message>
    <message>
        <source>Goes on by itself in %1</source>
        <translation>Geht von selbst weiter in %1</translation>
    </message>
    <message>
        <source>Nothing to do for you – training starts by itself</source>
        <translation>Sie müssen nichts tun – das Training beginnt von selbst</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Pause training</source>
        <translation>Training pausieren</translation>
    </message>
    <message>
        <source>Resume training</source>
        <translation>Training fortsetzen</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
</context>
<context>
    <name>commonweight::app::TaskModel</name>
    <message>
        <source>Unit</source>
        <translation>Einheit</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>Restzeit</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>Seit</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>commonweight::app::TransferRow</name>
    <message>
        <source>Sending</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Fetching</source>
        <translation>Holen</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
</context>
<context>
    <name>commonweight::app::TransfersPage</name>
    <message>
        <source>Transfers</source>
        <translation>Übertragungen</translation>
    </message>
    <message>
        <source>Nothing is on its way</source>
        <translation>Nichts ist unterwegs</translation>
    </message>
    <message>
        <source>The model and the text of a unit are fetched before training, and what was learnt is sent afterwards. You can watch it here.</source>
        <translation>Modell und Text einer Einheit werden vor dem Training geholt, und das Gelernte wird danach gesendet. Hier können Sie zusehen.</translation>
    </message>
</context>
<context>
    <name>commonweight::app::TrayIcon</name>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Open Commonweight</source>
        <translation>Commonweight öffnen</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Einstellungen…</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
</context>
<context>
    <name>commonweight::app::WelcomePage</name>
    <message>
        <source>Welcome</source>
        <translation>Willkommen</translation>
    </message>
    <message>
        <source>Many computers train one language model, each a little. What comes out belongs to everybody.</source>
        <translation>Viele Computer trainieren ein Sprachmodell, jeder ein wenig. Das Ergebnis gehört allen.</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>Was es tut</translation>
    </message>
    <message numerus="yes">
        <source>Trains when nobody has used this computer for %n minute(s), and stops as soon as you come back.</source>
        <translation>
            <numerusform>Trainiert, wenn %n Minute lang niemand diesen Computer benutzt hat, und hält an, sobald Sie zurückkommen.</numerusform>
            <numerusform>Trainiert, wenn %n Minuten lang niemand diesen Computer benutzt hat, und hält an, sobald Sie zurückkommen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Uses the graphics card, or half of the processor&apos;s cores.</source>
        <translation>Benutzt die Grafikkarte oder die Hälfte der Prozessorkerne.</translation>
    </message>
    <message>
        <source>Pauses on battery, and whenever you say so – one click in the tray.</source>
        <translation>Pausiert im Akkubetrieb und wann immer Sie wollen – ein Klick im Infobereich.</translation>
    </message>
    <message>
        <source>Keeps at most %1 GB on the disk and leaves %2 GB free.</source>
        <translation>Belegt höchstens %1 GB auf der Festplatte und lässt %2 GB frei.</translation>
    </message>
    <message>
        <source>What it never does</source>
        <translation>Was es nie tut</translation>
    </message>
    <message>
        <source>Starts anything before you press the button below.</source>
        <translation>Etwas starten, bevor Sie unten auf den Knopf drücken.</translation>
    </message>
    <message>
        <source>Runs programs that somebody sends: a project sends data only.</source>
        <translation>Programme ausführen, die jemand schickt: Ein Projekt schickt nur Daten.</translation>
    </message>
    <message>
        <source>Looks at your files or asks for an account. No name is needed.</source>
        <translation>Ihre Dateien ansehen oder ein Konto verlangen. Kein Name ist nötig.</translation>
    </message>
    <message>
        <source>Keeps the computer awake.</source>
        <translation>Den Computer wach halten.</translation>
    </message>
    <message>
        <source>Address of the project</source>
        <translation>Adresse des Projekts</translation>
    </message>
    <message>
        <source>Start Commonweight when I log in</source>
        <translation>Commonweight beim Anmelden starten</translation>
    </message>
    <message>
        <source>Looking for the project</source>
        <translation>Das Projekt wird gesucht</translation>
    </message>
    <message>
        <source>Start helping</source>
        <translation>Jetzt mithelfen</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Everything can be changed later in the settings, and ended with one click.</source>
        <translation>Alles lässt sich später in den Einstellungen ändern und mit einem Klick beenden.</translation>
    </message>
    <message>
        <source>Projects that look for help</source>
        <translation>Projekte, die Hilfe suchen</translation>
    </message>
    <message>
        <source>Another one, by its address</source>
        <translation>Ein anderes, über seine Adresse</translation>
    </message>
    <message>
        <source>Train a language model together</source>
        <translation>Gemeinsam ein Sprachmodell trainieren</translation>
    </message>
    <message>
        <source>Join another project</source>
        <translation>Einem anderen Projekt beitreten</translation>
    </message>
    <message>
        <source>Looking for the project…</source>
        <translation>Das Projekt wird gesucht…</translation>
    </message>
    <message>
        <source>It was not possible to join. Details: %1</source>
        <translation>Der Beitritt war nicht möglich. Einzelheiten: %1</translation>
    </message>
</context>
<context>
    <name>commonweight::app::WorkPage</name>
    <message>
        <source>Hand back…</source>
        <translation>Zurückgeben…</translation>
    </message>
    <message>
        <source>Hand the chosen unit back</source>
        <translation>Die gewählte Einheit zurückgeben</translation>
    </message>
    <message>
        <source>A unit is a piece of text that this computer trains the shared model on.</source>
        <translation>Eine Einheit ist ein Stück Text, auf dem dieser Computer das gemeinsame Modell trainiert.</translation>
    </message>
    <message>
        <source>No work yet</source>
        <translation>Noch keine Arbeit</translation>
    </message>
    <message>
        <source>As soon as this computer may train, it asks the project for a unit and works on it here.</source>
        <translation>Sobald dieser Computer trainieren darf, bittet er das Projekt um eine Einheit und arbeitet hier daran.</translation>
    </message>
    <message>
        <source>Work units</source>
        <translation>Arbeitseinheiten</translation>
    </message>
    <message>
        <source>Hand unit %1 back to its project?</source>
        <translation>Einheit %1 an ihr Projekt zurückgeben?</translation>
    </message>
    <message>
        <source>Somebody else will get it. What this computer has trained in this unit so far will not count.</source>
        <translation>Jemand anderes wird sie bekommen. Was dieser Computer darin bisher trainiert hat, zählt dann nicht.</translation>
    </message>
    <message>
        <source>Hand it back</source>
        <translation>Zurückgeben</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Behalten</translation>
    </message>
</context>
</TS>
