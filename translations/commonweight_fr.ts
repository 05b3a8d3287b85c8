<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="fr_FR">
<context>
    <name>Main</name>
    <message>
        <source>Commonweight is already running</source>
        <translation>Commonweight est déjà ouvert</translation>
    </message>
    <message>
        <source>It does not answer at the moment</source>
        <translation>Il ne répond pas pour le moment</translation>
    </message>
    <message>
        <source>Commonweight could not start</source>
        <translation>Commonweight n&apos;a pas pu démarrer</translation>
    </message>
</context>
<context>
    <name>ProjectAddress</name>
    <message>
        <source>Please enter the address of a project.</source>
        <translation>Veuillez saisir l&apos;adresse d&apos;un projet.</translation>
    </message>
    <message>
        <source>This is too long for an address.</source>
        <translation>C&apos;est trop long pour une adresse.</translation>
    </message>
    <message>
        <source>An address has no spaces in it.</source>
        <translation>Une adresse ne contient pas d&apos;espaces.</translation>
    </message>
    <message>
        <source>This does not look like an address. One looks like https://train.example.org.</source>
        <translation>Cela ne ressemble pas à une adresse. Exemple : https://train.example.org.</translation>
    </message>
    <message>
        <source>An address starts with https:// or http://.</source>
        <translation>Une adresse commence par https:// ou http://.</translation>
    </message>
    <message>
        <source>An address must not hold a name or a password.</source>
        <translation>Une adresse ne doit contenir ni nom ni mot de passe.</translation>
    </message>
</context>
<context>
    <name>Reason</name>
    <message>
        <source>tomorrow, %1</source>
        <translation>demain, %1</translation>
    </message>
    <message>
        <source>you paused it, until you resume</source>
        <translation>vous l&apos;avez mis en pause, jusqu&apos;à ce que vous repreniez</translation>
    </message>
    <message>
        <source>you paused it, until %1 (%2)</source>
        <translation>vous l&apos;avez mis en pause, jusqu&apos;à %1 (%2)</translation>
    </message>
    <message>
        <source>; and </source>
        <translation> ; et </translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Entraînement en cours</translation>
    </message>
    <message>
        <source>Training – %1 left</source>
        <translation>Entraînement en cours – encore %1</translation>
    </message>
    <message>
        <source>Needs your attention: %1</source>
        <translation>Demande votre attention : %1</translation>
    </message>
    <message>
        <source>Needs your attention: %1 – %2</source>
        <translation>Demande votre attention : %1 – %2</translation>
    </message>
    <message>
        <source>Needs your attention</source>
        <translation>Demande votre attention</translation>
    </message>
    <message>
        <source>less than a minute</source>
        <translation>moins d&apos;une minute</translation>
    </message>
    <message>
        <source>about a minute</source>
        <translation>environ une minute</translation>
    </message>
    <message numerus="yes">
        <source>about %n minutes</source>
        <translation>
            <numerusform>environ %n minute</numerusform>
            <numerusform>environ %n minutes</numerusform>
        </translation>
    </message>
    <message>
        <source>about an hour</source>
        <translation>environ une heure</translation>
    </message>
    <message numerus="yes">
        <source>%n hours</source>
        <translation>
            <numerusform>%n heure</numerusform>
            <numerusform>%n heures</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n days</source>
        <translation>
            <numerusform>%n jour</numerusform>
            <numerusform>%n jours</numerusform>
        </translation>
    </message>
    <message>
        <source>no project has been chosen yet</source>
        <translation>aucun projet n&apos;a encore été choisi</translation>
    </message>
    <message>
        <source>the computer runs on its battery</source>
        <translation>l&apos;ordinateur fonctionne sur batterie</translation>
    </message>
    <message>
        <source>there is too little free memory</source>
        <translation>il y a trop peu de mémoire libre</translation>
    </message>
    <message>
        <source>less than %1 GB of disk space are free</source>
        <translation>moins de %1 Go sont libres sur le disque</translation>
    </message>
    <message>
        <source>you are using the computer, until a minute without input</source>
        <translation>vous utilisez l&apos;ordinateur, jusqu&apos;à une minute sans activité</translation>
    </message>
    <message numerus="yes">
        <source>you are using the computer, until %n minutes without input</source>
        <translation>
            <numerusform>vous utilisez l&apos;ordinateur, jusqu&apos;à %n minute sans activité</numerusform>
            <numerusform>vous utilisez l&apos;ordinateur, jusqu&apos;à %n minutes sans activité</numerusform>
        </translation>
    </message>
    <message>
        <source>it is switched off in the settings</source>
        <translation>c&apos;est désactivé dans les paramètres</translation>
    </message>
    <message>
        <source>the project is being asked for work</source>
        <translation>une demande de travail est envoyée au projet</translation>
    </message>
    <message>
        <source>the project has no work at the moment, asking again in %1</source>
        <translation>le projet n&apos;a pas de travail pour le moment, nouvelle demande dans %1</translation>
    </message>
    <message>
        <source>the project&apos;s server cannot be reached, trying again now</source>
        <translation>le serveur du projet est injoignable, nouvel essai en cours</translation>
    </message>
    <message>
        <source>the project&apos;s server cannot be reached, trying again in %1</source>
        <translation>le serveur du projet est injoignable, nouvel essai dans %1</translation>
    </message>
    <message>
        <source>it failed three times in a row, resume to test it again</source>
        <translation>il a échoué trois fois de suite, reprenez pour le tester à nouveau</translation>
    </message>
    <message>
        <source>what is needed is being prepared</source>
        <translation>préparation de ce qui est nécessaire</translation>
    </message>
    <message>
        <source>Commonweight is ending</source>
        <translation>Commonweight se termine</translation>
    </message>
    <message>
        <source>Not training: choose a project to join</source>
        <translation>Pas d&apos;entraînement : choisissez un projet à rejoindre</translation>
    </message>
    <message>
        <source>Paused because %1</source>
        <translation>En pause : %1</translation>
    </message>
    <message>
        <source>Transferring: %1</source>
        <translation>Transfert : %1</translation>
    </message>
    <message>
        <source>Waiting: %1</source>
        <translation>En attente : %1</translation>
    </message>
    <message>
        <source>the battery is charged to %1 % first</source>
        <translation>la batterie est d&apos;abord chargée à %1 %</translation>
    </message>
    <message>
        <source>the computer saves power</source>
        <translation>l&apos;ordinateur économise l&apos;énergie</translation>
    </message>
    <message>
        <source>the computer is too hot, until it has cooled down</source>
        <translation>l&apos;ordinateur est trop chaud, jusqu&apos;à ce qu&apos;il ait refroidi</translation>
    </message>
    <message>
        <source>a game is running, until it closes</source>
        <translation>un jeu est en cours, jusqu&apos;à sa fermeture</translation>
    </message>
    <message>
        <source>%1 is running, until it closes</source>
        <translation>%1 est en cours, jusqu&apos;à sa fermeture</translation>
    </message>
    <message>
        <source>other programs need the processor</source>
        <translation>d&apos;autres programmes ont besoin du processeur</translation>
    </message>
    <message>
        <source>your schedule has no training now, until %1</source>
        <translation>votre horaire ne prévoit pas d&apos;entraînement maintenant, jusqu&apos;à %1</translation>
    </message>
    <message>
        <source>your schedule has no hours for training</source>
        <translation>votre horaire ne prévoit aucune heure d&apos;entraînement</translation>
    </message>
    <message>
        <source>a program keeps the screen awake, for example for a video</source>
        <translation>un programme garde l&apos;écran allumé, par exemple pour une vidéo</translation>
    </message>
    <message>
        <source>this system cannot confine the training program; the settings can allow training without that</source>
        <translation>ce système ne peut pas isoler le programme d&apos;entraînement ; les réglages permettent de s&apos;entraîner quand même</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>When nobody uses the computer</source>
        <translation>Quand personne n&apos;utilise l&apos;ordinateur</translation>
    </message>
    <message>
        <source>Always</source>
        <translation>Toujours</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Jamais</translation>
    </message>
    <message>
        <source>none</source>
        <translation>aucun</translation>
    </message>
    <message>
        <source>When to run</source>
        <translation>Quand entraîner</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Entraîner</translation>
    </message>
    <message>
        <source>“Always” does not wait for you to leave. Battery, memory and disk are respected all the same.</source>
        <translation>« Toujours » n&apos;attend pas que vous partiez. La batterie, la mémoire et le disque sont respectés malgré tout.</translation>
    </message>
    <message>
        <source>Wait after the last key or mouse movement</source>
        <translation>Attente après la dernière touche ou le dernier mouvement de souris</translation>
    </message>
    <message>
        <source>Shorter starts sooner; longer leaves pauses for reading alone.</source>
        <translation>Plus court : démarre plus tôt. Plus long : ne dérange pas une pause de lecture.</translation>
    </message>
    <message>
        <source> minutes</source>
        <translation> minutes</translation>
    </message>
    <message>
        <source>Pause on battery</source>
        <translation>Pause sur batterie</translation>
    </message>
    <message>
        <source>Training goes on when the computer is plugged in again.</source>
        <translation>L&apos;entraînement continue quand l&apos;ordinateur est rebranché.</translation>
    </message>
    <message>
        <source>How your presence is noticed</source>
        <translation>Comment votre présence est détectée</translation>
    </message>
    <message>
        <source>At present by: %1</source>
        <translation>Actuellement par : %1</translation>
    </message>
    <message>
        <source>Share of the time to compute</source>
        <translation>Part du temps consacrée au calcul</translation>
    </message>
    <message>
        <source>Less makes the computer cooler and quieter: it rests between two small steps.</source>
        <translation>Moins rend l&apos;ordinateur plus frais et plus silencieux : il se repose entre deux petites étapes.</translation>
    </message>
    <message>
        <source> %</source>
        <translation> %</translation>
    </message>
    <message>
        <source>Train on %1</source>
        <translation>Entraîner avec %1</translation>
    </message>
    <message>
        <source>When to use %1</source>
        <translation>Quand utiliser %1</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Appareils</translation>
    </message>
    <message>
        <source>No device yet</source>
        <translation>Pas encore d&apos;appareil</translation>
    </message>
    <message>
        <source>No device that can train has been found so far.</source>
        <translation>Aucun appareil capable d&apos;entraîner n&apos;a été trouvé jusqu&apos;ici.</translation>
    </message>
    <message>
        <source>Processor threads</source>
        <translation>Fils du processeur</translation>
    </message>
    <message>
        <source>How many the processor may use for training.</source>
        <translation>Combien le processeur peut en utiliser pour l&apos;entraînement.</translation>
    </message>
    <message>
        <source>Disk and memory</source>
        <translation>Disque et mémoire</translation>
    </message>
    <message>
        <source>Training pauses by itself when one of these would be exceeded.</source>
        <translation>L&apos;entraînement se met en pause de lui-même si l&apos;une de ces limites allait être dépassée.</translation>
    </message>
    <message>
        <source>Disk space at most</source>
        <translation>Espace disque au plus</translation>
    </message>
    <message>
        <source>For the model, the text and unfinished units.</source>
        <translation>Pour le modèle, le texte et les unités inachevées.</translation>
    </message>
    <message>
        <source> GB</source>
        <translation> Go</translation>
    </message>
    <message>
        <source>Leave free on the disk</source>
        <translation>Laisser libre sur le disque</translation>
    </message>
    <message>
        <source>Memory while you use the computer</source>
        <translation>Mémoire pendant que vous utilisez l&apos;ordinateur</translation>
    </message>
    <message>
        <source>Memory while you are away</source>
        <translation>Mémoire en votre absence</translation>
    </message>
    <message>
        <source>Save the work every</source>
        <translation>Enregistrer le travail toutes les</translation>
    </message>
    <message>
        <source>After a power failure, at most so much is computed again. Every stop saves as well.</source>
        <translation>Après une coupure de courant, on ne recalcule pas plus que cela. Chaque arrêt enregistre aussi.</translation>
    </message>
    <message>
        <source> seconds</source>
        <translation> secondes</translation>
    </message>
    <message>
        <source> MB per second</source>
        <translation> Mo par seconde</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>sans limite</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Réseau</translation>
    </message>
    <message>
        <source>All connections go out from this computer; none comes in.</source>
        <translation>Toutes les connexions partent de cet ordinateur ; aucune ne vient de l&apos;extérieur.</translation>
    </message>
    <message>
        <source>Fetch at most</source>
        <translation>Télécharger au plus</translation>
    </message>
    <message>
        <source>Send at most</source>
        <translation>Envoyer au plus</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>Serveur mandataire</translation>
    </message>
    <message>
        <source>Empty: none. For example http://proxy.example.org:3128</source>
        <translation>Vide : aucun. Par exemple http://proxy.example.org:3128</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Vous</translation>
    </message>
    <message>
        <source>Commonweight needs no account.</source>
        <translation>Commonweight n&apos;a pas besoin de compte.</translation>
    </message>
    <message>
        <source>Name to show</source>
        <translation>Nom à afficher</translation>
    </message>
    <message>
        <source>Projects list it beside your contribution, for everybody to see. It may stay empty.</source>
        <translation>Les projets l&apos;affichent à côté de votre contribution, visible par tous. Il peut rester vide.</translation>
    </message>
    <message>
        <source>Start Commonweight when I log in</source>
        <translation>Démarrer Commonweight à l&apos;ouverture de ma session</translation>
    </message>
    <message>
        <source>It starts in the tray, without a window.</source>
        <translation>Il démarre dans la zone de notification, sans fenêtre.</translation>
    </message>
    <message>
        <source>General</source>
        <translation>Général</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Langue</translation>
    </message>
    <message>
        <source>Commonweight speaks your system&apos;s language where it can: %1</source>
        <translation>Commonweight parle la langue de votre système quand il le peut : %1</translation>
    </message>
    <message>
        <source>Please say which kind of proxy it is, for example http://%1</source>
        <translation>Veuillez préciser le type de serveur mandataire, par exemple http://%1</translation>
    </message>
    <message>
        <source>A proxy looks like http://proxy.example.org:3128 or socks5://127.0.0.1:1080</source>
        <translation>Un serveur mandataire ressemble à http://proxy.example.org:3128 ou socks5://127.0.0.1:1080</translation>
    </message>
    <message>
        <source>This is too long for a name.</source>
        <translation>C&apos;est trop long pour un nom.</translation>
    </message>
    <message>
        <source>A name is one line of letters, digits and signs.</source>
        <translation>Un nom est une ligne de lettres, de chiffres et de signes.</translation>
    </message>
    <message>
        <source>Commonweight stays out of your way: it stops as soon as you come back.</source>
        <translation>Commonweight ne vous gêne pas : il s&apos;arrête dès que vous revenez.</translation>
    </message>
    <message>
        <source>As on the page “When to run”</source>
        <translation>Comme sur la page « Quand entraîner »</translation>
    </message>
    <message>
        <source>Only when nobody uses the computer</source>
        <translation>Seulement quand personne n&apos;utilise l&apos;ordinateur</translation>
    </message>
    <message>
        <source>What may be used for training. A device can be stricter than the page “When to run”.</source>
        <translation>Ce qui peut servir à l&apos;entraînement. Un appareil peut être plus strict que la page « Quand entraîner ».</translation>
    </message>
    <message>
        <source>Pause while one of these programs runs</source>
        <translation>Pause tant qu&apos;un de ces programmes est ouvert</translation>
    </message>
    <message>
        <source>Names with commas between them, for example blender, kdenlive</source>
        <translation>Noms séparés par des virgules, par exemple blender, kdenlive</translation>
    </message>
    <message>
        <source>Please give the names without folders.</source>
        <translation>Veuillez donner les noms sans dossier.</translation>
    </message>
    <message>
        <source>Charge the battery first, to</source>
        <translation>Charger d&apos;abord la batterie, à</translation>
    </message>
    <message>
        <source>any charge</source>
        <translation>toute charge</translation>
    </message>
    <message>
        <source>Pause while the computer saves power</source>
        <translation>Pause quand l&apos;ordinateur économise l&apos;énergie</translation>
    </message>
    <message>
        <source>Pause during games</source>
        <translation>Pause pendant les jeux</translation>
    </message>
    <message>
        <source>Games that use GameMode are noticed.</source>
        <translation>Les jeux qui utilisent GameMode sont reconnus.</translation>
    </message>
    <message>
        <source>Videos count as use</source>
        <translation>Une vidéo compte comme utilisation</translation>
    </message>
    <message>
        <source>Any program that keeps the screen awake does.</source>
        <translation>Tout programme qui garde l&apos;écran allumé aussi.</translation>
    </message>
    <message>
        <source>Pause when other programs use the processor for</source>
        <translation>Pause quand d&apos;autres programmes occupent le processeur à</translation>
    </message>
    <message>
        <source>The mean of a minute counts.</source>
        <translation>La moyenne d&apos;une minute compte.</translation>
    </message>
    <message>
        <source>never</source>
        <translation>jamais</translation>
    </message>
    <message>
        <source>Pace</source>
        <translation>Allure</translation>
    </message>
    <message>
        <source>Quiet takes a quarter of the cores and rests half of the time; balanced takes half of the cores; full takes all of them.</source>
        <translation>Calme prend un quart des cœurs et se repose la moitié du temps ; équilibré prend la moitié des cœurs ; plein les prend tous.</translation>
    </message>
    <message>
        <source>Quiet</source>
        <translation>Calme</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>Équilibré</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>Plein</translation>
    </message>
    <message>
        <source>as the pace says</source>
        <translation>selon l&apos;allure</translation>
    </message>
    <message>
        <source>Processor at most</source>
        <translation>Processeur au plus</translation>
    </message>
    <message>
        <source>Training goes on when it is 10 degrees cooler.</source>
        <translation>L&apos;entraînement reprend quand il est 10 degrés plus froid.</translation>
    </message>
    <message>
        <source> °C</source>
        <translation> °C</translation>
    </message>
    <message>
        <source>Graphics card at most</source>
        <translation>Carte graphique au plus</translation>
    </message>
    <message>
        <source>Wait while the network is paid by volume</source>
        <translation>Attendre quand le réseau est facturé au volume</translation>
    </message>
    <message>
        <source>Models, text and results wait; a few kilobytes to ask for work do not.</source>
        <translation>Modèles, texte et résultats attendent ; quelques kilo-octets pour demander du travail, non.</translation>
    </message>
    <message>
        <source>Train even without confinement</source>
        <translation>Entraîner même sans isolement</translation>
    </message>
    <message>
        <source>Normally the training program is cut off from your files and the network by the system, and does not start where that is not possible.</source>
        <translation>Normalement, le système coupe le programme d&apos;entraînement de vos fichiers et du réseau ; là où ce n&apos;est pas possible, il ne démarre pas.</translation>
    </message>
</context>
<context>
    <name>Text</name>
    <message>
        <source>%1 million</source>
        <translation>%1 millions</translation>
    </message>
    <message>
        <source>%1 billion</source>
        <comment>10 to the 9th</comment>
        <translation>%1 milliards</translation>
    </message>
    <message>
        <source>%1 trillion</source>
        <comment>10 to the 12th</comment>
        <translation>%1 billions</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 tokens</translation>
    </message>
    <message>
        <source>%1 tokens per second</source>
        <translation>%1 tokens par seconde</translation>
    </message>
    <message>
        <source>less than %1 %</source>
        <translation>moins de %1 %</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 hours</source>
        <translation>%1 heures</translation>
    </message>
    <message>
        <source>reserved for this computer</source>
        <translation>réservée à cet ordinateur</translation>
    </message>
    <message>
        <source>ready to start</source>
        <translation>prête à commencer</translation>
    </message>
    <message>
        <source>training</source>
        <translation>en entraînement</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>en pause</translation>
    </message>
    <message>
        <source>finished, not sent yet</source>
        <translation>terminée, pas encore envoyée</translation>
    </message>
    <message>
        <source>being handed in</source>
        <translation>en cours de remise</translation>
    </message>
    <message>
        <source>handed in</source>
        <translation>remise</translation>
    </message>
    <message>
        <source>did not work out</source>
        <translation>n&apos;a pas abouti</translation>
    </message>
    <message>
        <source>no longer needed</source>
        <translation>n&apos;est plus nécessaire</translation>
    </message>
    <message>
        <source>being fetched</source>
        <translation>en téléchargement</translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s)</source>
        <translation>
            <numerusform>%n minute</numerusform>
            <numerusform>%n minutes</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 trillion tokens</source>
        <comment>10 to the 12th</comment>
        <translation>%1 billions de tokens</translation>
    </message>
    <message>
        <source>%1 billion tokens</source>
        <comment>10 to the 9th</comment>
        <translation>%1 milliards de tokens</translation>
    </message>
    <message>
        <source>%1 million tokens</source>
        <translation>%1 millions de tokens</translation>
    </message>
</context>
<context>
    <name>commonweight::app::DeviceCard</name>
    <message>
        <source>Waiting for work</source>
        <translation>En attente de travail</translation>
    </message>
    <message>
        <source>Waiting: %1</source>
        <translation>En attente : %1</translation>
    </message>
    <message>
        <source>Getting ready</source>
        <translation>Préparation</translation>
    </message>
    <message>
        <source>Working on a unit</source>
        <translation>Travaille sur une unité</translation>
    </message>
    <message>
        <source>Progress of %1</source>
        <translation>Avancement de %1</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Arrêté</translation>
    </message>
    <message>
        <source>Done in %1</source>
        <translation>Terminée dans %1</translation>
    </message>
</context>
<context>
    <name>commonweight::app::HistoryChart</name>
    <message>
        <source>Units handed in, by day</source>
        <translation>Unités remises, par jour</translation>
    </message>
    <message numerus="yes">
        <source>%n unit(s) in %1 days</source>
        <translation>
            <numerusform>%n unité en %1 jours</numerusform>
            <numerusform>%n unités en %1 jours</numerusform>
        </translation>
    </message>
    <message>
        <source>today</source>
        <translation>auj.</translation>
    </message>
</context>
<context>
    <name>commonweight::app::LogPage</name>
    <message>
        <source>Copy all</source>
        <translation>Tout copier</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Journal</translation>
    </message>
    <message>
        <source>Copy the whole log</source>
        <translation>Copier tout le journal</translation>
    </message>
    <message>
        <source>Nothing has happened yet</source>
        <translation>Rien ne s&apos;est encore passé</translation>
    </message>
    <message>
        <source>What Commonweight does is written down here, in plain words.</source>
        <translation>Ce que fait Commonweight est noté ici, en mots simples.</translation>
    </message>
</context>
<context>
    <name>commonweight::app::LossChart</name>
    <message>
        <source>trillion tokens read by everybody</source>
        <translation>billions de tokens lus par tous</translation>
    </message>
    <message>
        <source>billion tokens read by everybody</source>
        <translation>milliards de tokens lus par tous</translation>
    </message>
    <message>
        <source>million tokens read by everybody</source>
        <translation>millions de tokens lus par tous</translation>
    </message>
    <message>
        <source>thousand tokens read by everybody</source>
        <translation>milliers de tokens lus par tous</translation>
    </message>
    <message>
        <source>tokens read by everybody</source>
        <translation>tokens lus par tous</translation>
    </message>
    <message>
        <source>Loss of the shared model</source>
        <translation>Perte du modèle commun</translation>
    </message>
    <message>
        <source>It fell from %1 to %2 over %3.</source>
        <translation>Elle est passée de %1 à %2 en %3.</translation>
    </message>
    <message>
        <source>everybody: %1</source>
        <translation>tous : %1</translation>
    </message>
    <message>
        <source>your units</source>
        <translation>vos unités</translation>
    </message>
    <message>
        <source>Version %1: loss %2 after %3</source>
        <translation>Version %1 : perte %2 après %3</translation>
    </message>
</context>
<context>
    <name>commonweight::app::MainWindow</name>
    <message>
        <source>Pages</source>
        <translation>Pages</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Paramètres</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>Vue d&apos;ensemble</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>Travail</translation>
    </message>
    <message>
        <source>Transfers</source>
        <translation>Transferts</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>Statistiques</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modèle</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Journal</translation>
    </message>
    <message>
        <source>Join another project…</source>
        <translation>Rejoindre un autre projet…</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Paramètres…</translation>
    </message>
    <message>
        <source>About Commonweight</source>
        <translation>À propos de Commonweight</translation>
    </message>
    <message>
        <source>Close this window</source>
        <translation>Fermer cette fenêtre</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Quitter</translation>
    </message>
    <message>
        <source>Commonweight %1</source>
        <translation>Commonweight %1</translation>
    </message>
    <message>
        <source>Trains language models on the computers of volunteers. Free software under the Apache License 2.0.</source>
        <translation>Entraîne des modèles de langue sur les ordinateurs de bénévoles. Logiciel libre sous licence Apache 2.0.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Fermer</translation>
    </message>
</context>
<context>
    <name>commonweight::app::ModelCard</name>
    <message>
        <source>No measurement yet</source>
        <translation>Pas encore de mesure</translation>
    </message>
    <message>
        <source>The curve starts when the project has merged its first contributions. Every unit that you finish takes part in it.</source>
        <translation>La courbe commence quand le projet a fusionné ses premières contributions. Chaque unité que vous terminez y participe.</translation>
    </message>
    <message>
        <source>The shared model</source>
        <translation>Le modèle commun</translation>
    </message>
    <message>
        <source>Shared model: %1</source>
        <translation>Modèle commun : %1</translation>
    </message>
    <message>
        <source>loss %1</source>
        <translation>perte %1</translation>
    </message>
    <message>
        <source>How surprised the model is by text it has never seen, in nats per byte. Lower is better.</source>
        <translation>À quel point un texte jamais vu surprend le modèle, en nats par octet. Plus c&apos;est bas, mieux c&apos;est.</translation>
    </message>
    <message>
        <source>Everybody trains this one model together.</source>
        <translation>Tous entraînent ensemble cet unique modèle.</translation>
    </message>
    <message>
        <source>%1 less surprised by unseen text than at the start</source>
        <translation>%1 moins surpris par un texte inconnu qu&apos;au début</translation>
    </message>
</context>
<context>
    <name>commonweight::app::ModelPage</name>
    <message>
        <source>Model</source>
        <translation>Modèle</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>poids</translation>
    </message>
    <message>
        <source>newest version</source>
        <translation>dernière version</translation>
    </message>
    <message>
        <source>loss on unseen text</source>
        <translation>perte sur un texte inconnu</translation>
    </message>
    <message>
        <source>How far the training has come</source>
        <translation>Avancement de l&apos;entraînement</translation>
    </message>
    <message>
        <source>Who trains it</source>
        <translation>Qui l&apos;entraîne</translation>
    </message>
    <message>
        <source>Nobody has handed in a unit yet. Yours could be the first.</source>
        <translation>Personne n&apos;a encore remis d&apos;unité. La vôtre pourrait être la première.</translation>
    </message>
    <message>
        <source>Contributors</source>
        <translation>Contributeurs</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nom</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>Unités</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projet</translation>
    </message>
    <message>
        <source>Leave this project…</source>
        <translation>Quitter ce projet…</translation>
    </message>
    <message>
        <source>The shared model</source>
        <translation>Le modèle commun</translation>
    </message>
    <message>
        <source>%1 of %2 planned</source>
        <translation>%1 sur %2 prévus</translation>
    </message>
    <message>
        <source>a volunteer without a name</source>
        <translation>un bénévole sans nom</translation>
    </message>
    <message>
        <source>Leave %1?</source>
        <translation>Quitter %1 ?</translation>
    </message>
    <message>
        <source>Unfinished units go back to the project. What you have handed in stays part of the model. You can join again at any time.</source>
        <translation>Les unités inachevées retournent au projet. Ce que vous avez remis reste dans le modèle. Vous pouvez revenir à tout moment.</translation>
    </message>
    <message>
        <source>Leave</source>
        <translation>Quitter</translation>
    </message>
    <message>
        <source>Stay</source>
        <translation>Rester</translation>
    </message>
    <message>
        <source>One language model that all volunteers train together. Each of them trains a copy on its own piece of text for a while and hands in what it has learnt; the project merges this into the next version. Anybody can download the newest version.</source>
        <translation>Un modèle de langue que tous les bénévoles entraînent ensemble. Chacun entraîne un moment une copie sur son propre morceau de texte et remet ce qu&apos;elle a appris ; le projet fusionne le tout dans la version suivante. Chacun peut télécharger la dernière version.</translation>
    </message>
</context>
<context>
    <name>commonweight::app::OverviewPage</name>
    <message>
        <source>Your part: nothing yet. The first unit counts as soon as it is handed in.</source>
        <translation>Votre part : rien encore. La première unité compte dès qu&apos;elle est remise.</translation>
    </message>
    <message>
        <source>Your part: %1, %2, %3 of this model</source>
        <translation>Votre part : %1, %2, %3 de ce modèle</translation>
    </message>
    <message numerus="yes">
        <source>%n unit(s)</source>
        <translation>
            <numerusform>%n unité</numerusform>
            <numerusform>%n unités</numerusform>
        </translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>Vue d&apos;ensemble</translation>
    </message>
    <message>
        <source>No device that can train has been found yet. Commonweight keeps looking.</source>
        <translation>Aucun appareil capable d&apos;entraîner n&apos;a encore été trouvé. Commonweight continue de chercher.</translation>
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
        <translation>Pendant 15 minutes</translation>
    </message>
    <message>
        <source>For 1 hour</source>
        <translation>Pendant 1 heure</translation>
    </message>
    <message>
        <source>For 3 hours</source>
        <translation>Pendant 3 heures</translation>
    </message>
    <message>
        <source>Until I resume</source>
        <translation>Jusqu&apos;à ce que je reprenne</translation>
    </message>
    <message>
        <source>Until tomorrow morning (%1)</source>
        <translation>Jusqu&apos;à demain matin (%1)</translation>
    </message>
</context>
<context>
    <name>commonweight::app::SavingDialog</name>
    <message>
        <source>Saving the work done so far…</source>
        <translation>Enregistrement du travail accompli…</translation>
    </message>
    <message>
        <source>This takes a few seconds. Nothing is lost.</source>
        <translation>Cela prend quelques secondes. Rien n&apos;est perdu.</translation>
    </message>
    <message>
        <source>Saving</source>
        <translation>Enregistrement</translation>
    </message>
</context>
<context>
    <name>commonweight::app::SettingRow</name>
    <message>
        <source>🔒 Fixed by the administrator of this computer</source>
        <translation>🔒 Fixé par l&apos;administrateur de cet ordinateur</translation>
    </message>
</context>
<context>
    <name>commonweight::app::SettingsDialog</name>
    <message>
        <source>Settings – Commonweight</source>
        <translation>Paramètres – Commonweight</translation>
    </message>
    <message>
        <source>Pages of the settings</source>
        <translation>Pages des paramètres</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Fermer</translation>
    </message>
    <message>
        <source>Restore defaults</source>
        <translation>Valeurs par défaut</translation>
    </message>
    <message>
        <source>The defaults of this page; the other pages stay as they are</source>
        <translation>Les valeurs par défaut de cette page ; les autres pages ne changent pas</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Takes back the last change</source>
        <translation>Annule le dernier changement</translation>
    </message>
</context>
<context>
    <name>commonweight::app::Shell</name>
    <message>
        <source>Commonweight keeps running</source>
        <translation>Commonweight reste actif</translation>
    </message>
    <message>
        <source>The window closes, but Commonweight stays in the tray, beside the clock, and goes on helping while you are away. To open it again, click its icon. To end it, choose Quit in the icon&apos;s menu.</source>
        <translation>La fenêtre se ferme, mais Commonweight reste dans la zone de notification, près de l&apos;horloge, et continue d&apos;aider en votre absence. Pour le rouvrir, cliquez sur son icône. Pour l&apos;arrêter, choisissez Quitter dans le menu de l&apos;icône.</translation>
    </message>
    <message>
        <source>All right</source>
        <translation>D&apos;accord</translation>
    </message>
    <message>
        <source>Quit instead</source>
        <translation>Plutôt quitter</translation>
    </message>
    <message>
        <source>Keep helping in the background?</source>
        <translation>Continuer d&apos;aider en arrière-plan ?</translation>
    </message>
    <message>
        <source>This desktop has no tray, so Commonweight would stay as a minimised window. If you quit, training goes on from where it was at the next start.</source>
        <translation>Ce bureau n&apos;a pas de zone de notification ; Commonweight resterait donc en fenêtre réduite. Si vous quittez, l&apos;entraînement reprendra où il en était au prochain démarrage.</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Quitter</translation>
    </message>
    <message>
        <source>Keep it minimised</source>
        <translation>Garder réduite</translation>
    </message>
    <message>
        <source>Commonweight will not start by itself</source>
        <translation>Commonweight ne démarrera pas tout seul</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Fermer</translation>
    </message>
</context>
<context>
    <name>commonweight::app::StatisticsPage</name>
    <message>
        <source>What everybody did together appears here when the project can be reached.</source>
        <translation>Ce que tous ont fait ensemble apparaît ici quand le projet est joignable.</translation>
    </message>
    <message numerus="yes">
        <source>%n computer(s)</source>
        <translation>
            <numerusform>%n ordinateur</numerusform>
            <numerusform>%n ordinateurs</numerusform>
        </translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>Statistiques</translation>
    </message>
    <message>
        <source>units handed in</source>
        <translation>unités remises</translation>
    </message>
    <message>
        <source>tokens trained on</source>
        <translation>tokens entraînés</translation>
    </message>
    <message>
        <source>of computing</source>
        <translation>de calcul</translation>
    </message>
    <message>
        <source>of the shared model</source>
        <translation>du modèle commun</translation>
    </message>
    <message>
        <source>Your days</source>
        <translation>Vos journées</translation>
    </message>
    <message numerus="yes">
        <source>The newest %n unit(s), by the day they were handed in</source>
        <translation>
            <numerusform>La dernière unité, selon son jour de remise</numerusform>
            <numerusform>Les %n dernières unités, selon leur jour de remise</numerusform>
        </translation>
    </message>
    <message>
        <source>Units by the day they were handed in</source>
        <translation>Unités selon leur jour de remise</translation>
    </message>
    <message>
        <source>Everybody together: %1 in %2 contributions. Taking part at present: %3.</source>
        <translation>Tous ensemble : %1 en %2 contributions. Participants actuels : %3.</translation>
    </message>
</context>
<context>
    <name>commonweight::app::StatusHeader</name>
    <message>
        <source>Using %1 while you are away</source>
        <translation>Utilise %1 en votre absence</translation>
    </message>
    <message>
        <source>Using %1</source>
        <translation>Utilise %1</translation>
    </message>
    <message>
        <source>Lasts until you press Resume</source>
        <translation>Dure jusqu&apos;à ce que vous cliquiez sur Reprendre</translation>
    </message>
    <message>
        <source>Goes on by itself in %1</source>
        <translation>Reprend tout seul dans %1</translation>
    </message>
    <message>
        <source>Nothing to do for you – training starts by itself</source>
        <translation>Vous n&apos;avez rien à faire – l&apos;entraînement démarre tout seul</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Reprendre</translation>
    </message>
    <message>
        <source>Pause training</source>
        <translation>Mettre l&apos;entraînement en pause</translation>
    </message>
    <message>
        <source>Resume training</source>
        <translation>Reprendre l&apos;entraînement</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Plus</translation>
    </message>
</context>
<context>
    <name>commonweight::app::TaskModel</name>
    <message>
        <source>Unit</source>
        <translation>Unité</translation>
    </message>
    <message>
        <source>State</source>
        <translation>État</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Avancement</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>Temps restant</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Appareil</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>Depuis</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1 : %2</translation>
    </message>
</context>
<context>
    <name>commonweight::app::TransferRow</name>
    <message>
        <source>Sending</source>
        <translation>Envoi</translation>
    </message>
    <message>
        <source>Fetching</source>
        <translation>Téléchargement</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1 : %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 sur %2</translation>
    </message>
</context>
<context>
    <name>commonweight::app::TransfersPage</name>
    <message>
        <source>Transfers</source>
        <translation>Transferts</translation>
    </message>
    <message>
        <source>Nothing is on its way</source>
        <translation>Rien en route</translation>
    </message>
    <message>
        <source>The model and the text of a unit are fetched before training, and what was learnt is sent afterwards. You can watch it here.</source>
        <translation>Le modèle et le texte d&apos;une unité sont téléchargés avant l&apos;entraînement, et ce qui a été appris est envoyé ensuite. Vous pouvez le suivre ici.</translation>
    </message>
</context>
<context>
    <name>commonweight::app::TrayIcon</name>
    <message>
        <source>Resume</source>
        <translation>Reprendre</translation>
    </message>
    <message>
        <source>Open Commonweight</source>
        <translation>Ouvrir Commonweight</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Paramètres…</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Quitter</translation>
    </message>
</context>
<context>
    <name>commonweight::app::WelcomePage</name>
    <message>
        <source>Welcome</source>
        <translation>Bienvenue</translation>
    </message>
    <message>
        <source>Many computers train one language model, each a little. What comes out belongs to everybody.</source>
        <translation>De nombreux ordinateurs entraînent un même modèle de langue, chacun un peu. Le résultat appartient à tous.</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>Ce qu&apos;il fait</translation>
    </message>
    <message numerus="yes">
        <source>Trains when nobody has used this computer for %n minute(s), and stops as soon as you come back.</source>
        <translation>
            <numerusform>S&apos;entraîne quand personne n&apos;a utilisé cet ordinateur depuis %n minute, et s&apos;arrête dès que vous revenez.</numerusform>
            <numerusform>S&apos;entraîne quand personne n&apos;a utilisé cet ordinateur depuis %n minutes, et s&apos;arrête dès que vous revenez.</numerusform>
        </translation>
    </message>
    <message>
        <source>Uses the graphics card, or half of the processor&apos;s cores.</source>
        <translation>Utilise la carte graphique, ou la moitié des cœurs du processeur.</translation>
    </message>
    <message>
        <source>Pauses on battery, and whenever you say so – one click in the tray.</source>
        <translation>Se met en pause sur batterie, et quand vous le dites – un clic dans la zone de notification.</translation>
    </message>
    <message>
        <source>Keeps at most %1 GB on the disk and leaves %2 GB free.</source>
        <translation>Garde au plus %1 Go sur le disque et en laisse %2 Go libres.</translation>
    </message>
    <message>
        <source>What it never does</source>
        <translation>Ce qu&apos;il ne fait jamais</translation>
    </message>
    <message>
        <source>Starts anything before you press the button below.</source>
        <translation>Démarrer quoi que ce soit avant que vous cliquiez sur le bouton ci-dessous.</translation>
    </message>
    <message>
        <source>Runs programs that somebody sends: a project sends data only.</source>
        <translation>Exécuter des programmes envoyés par quelqu&apos;un : un projet n&apos;envoie que des données.</translation>
    </message>
    <message>
        <source>Looks at your files or asks for an account. No name is needed.</source>
        <translation>Regarder vos fichiers ou demander un compte. Aucun nom n&apos;est nécessaire.</translation>
    </message>
    <message>
        <source>Keeps the computer awake.</source>
        <translation>Empêcher l&apos;ordinateur de se mettre en veille.</translation>
    </message>
    <message>
        <source>Address of the project</source>
        <translation>Adresse du projet</translation>
    </message>
    <message>
        <source>Start Commonweight when I log in</source>
        <translation>Démarrer Commonweight à l&apos;ouverture de ma session</translation>
    </message>
    <message>
        <source>Looking for the project</source>
        <translation>Recherche du projet</translation>
    </message>
    <message>
        <source>Start helping</source>
        <translation>Commencer à aider</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Retour</translation>
    </message>
    <message>
        <source>Everything can be changed later in the settings, and ended with one click.</source>
        <translation>Tout peut être modifié plus tard dans les paramètres, et arrêté d&apos;un clic.</translation>
    </message>
    <message>
        <source>Projects that look for help</source>
        <translation>Projets qui cherchent de l&apos;aide</translation>
    </message>
    <message>
        <source>Another one, by its address</source>
        <translation>Un autre, par son adresse</translation>
    </message>
    <message>
        <source>Train a language model together</source>
        <translation>Entraînons ensemble un modèle de langue</translation>
    </message>
    <message>
        <source>Join another project</source>
        <translation>Rejoindre un autre projet</translation>
    </message>
    <message>
        <source>Looking for the project…</source>
        <translation>Recherche du projet…</translation>
    </message>
    <message>
        <source>It was not possible to join. Details: %1</source>
        <translation>Impossible de rejoindre. Détails : %1</translation>
    </message>
</context>
<context>
    <name>commonweight::app::WorkPage</name>
    <message>
        <source>Hand back…</source>
        <translation>Rendre…</translation>
    </message>
    <message>
        <source>Hand the chosen unit back</source>
        <translation>Rendre l&apos;unité choisie</translation>
    </message>
    <message>
        <source>A unit is a piece of text that this computer trains the shared model on.</source>
        <translation>Une unité est un morceau de texte sur lequel cet ordinateur entraîne le modèle commun.</translation>
    </message>
    <message>
        <source>No work yet</source>
        <translation>Pas encore de travail</translation>
    </message>
    <message>
        <source>As soon as this computer may train, it asks the project for a unit and works on it here.</source>
        <translation>Dès que cet ordinateur peut s&apos;entraîner, il demande une unité au projet et y travaille ici.</translation>
    </message>
    <message>
        <source>Work units</source>
        <translation>Unités de travail</translation>
    </message>
    <message>
        <source>Hand unit %1 back to its project?</source>
        <translation>Rendre l&apos;unité %1 à son projet ?</translation>
    </message>
    <message>
        <source>Somebody else will get it. What this computer has trained in this unit so far will not count.</source>
        <translation>Quelqu&apos;un d&apos;autre la recevra. Ce que cet ordinateur y a entraîné jusqu&apos;ici ne comptera pas.</translation>
    </message>
    <message>
        <source>Hand it back</source>
        <translation>Rendre</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Garder</translation>
    </message>
</context>
</TS>
