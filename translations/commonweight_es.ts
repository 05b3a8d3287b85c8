<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="es_ES">
<context>
    <name>Main</name>
    <message>
        <source>Commonweight is already running</source>
        <translation>Commonweight ya está abierto</translation>
    </message>
    <message>
        <source>It does not answer at the moment</source>
        <translation>No responde en este momento</translation>
    </message>
    <message>
        <source>Commonweight could not start</source>
        <translation>Commonweight no ha podido iniciarse</translation>
    </message>
</context>
<context>
    <name>ProjectAddress</name>
    <message>
        <source>Please enter the address of a project.</source>
        <translation>Escriba la dirección de un proyecto.</translation>
    </message>
    <message>
        <source>This is too long for an address.</source>
        <translation>Es demasiado largo para ser una dirección.</translation>
    </message>
    <message>
        <source>An address has no spaces in it.</source>
        <translation>Una dirección no contiene espacios.</translation>
    </message>
    <message>
        <source>This does not look like an address. One looks like https://train.example.org.</source>
        <translation>Esto no parece una dirección. Un ejemplo: https://train.example.org.</translation>
    </message>
    <message>
        <source>An address starts with https:// or http://.</source>
        <translation>Una dirección empieza por https:// o http://.</translation>
    </message>
    <message>
        <source>An address must not hold a name or a password.</source>
        <translation>Una dirección no debe contener nombre ni contraseña.</translation>
    </message>
</context>
<context>
    <name>Reason</name>
    <message>
        <source>tomorrow, %1</source>
        <translation>mañana, %1</translation>
    </message>
    <message>
        <source>you paused it, until you resume</source>
        <translation>usted lo puso en pausa, hasta que lo reanude</translation>
    </message>
    <message>
        <source>you paused it, until %1 (%2)</source>
        <translation>usted lo puso en pausa, hasta %1 (%2)</translation>
    </message>
    <message>
        <source>; and </source>
        <translation>; y </translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Entrenando</translation>
    </message>
    <message>
        <source>Training – %1 left</source>
        <translation>Entrenando – quedan %1</translation>
    </message>
    <message>
        <source>Needs your attention: %1</source>
        <translation>Necesita su atención: %1</translation>
    </message>
    <message>
        <source>Needs your attention: %1 – %2</source>
        <translation>Necesita su atención: %1 – %2</translation>
    </message>
    <message>
        <source>Needs your attention</source>
        <translation>Necesita su atención</translation>
    </message>
    <message>
        <source>less than a minute</source>
        <translation>menos de un minuto</translation>
    </message>
    <message>
        <source>about a minute</source>
        <translation>alrededor de un minuto</translation>
    </message>
    <message numerus="yes">
        <source>about %n minutes</source>
        <translation>
            <numerusform>alrededor de %n minuto</numerusform>
            <numerusform>alrededor de %n minutos</numerusform>
        </translation>
    </message>
    <message>
        <source>about an hour</source>
        <translation>alrededor de una hora</translation>
    </message>
    <message numerus="yes">
        <source>%n hours</source>
        <translation>
            <numerusform>%n hora</numerusform>
            <numerusform>%n horas</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n days</source>
        <translation>
            <numerusform>%n día</numerusform>
            <numerusform>%n días</numerusform>
        </translation>
    </message>
    <message>
        <source>no project has been chosen yet</source>
        <translation>aún no se ha elegido ningún proyecto</translation>
    </message>
    <message>
        <source>the computer runs on its battery</source>
        <translation>el ordenador funciona con batería</translation>
    </message>
    <message>
        <source>there is too little free memory</source>
        <translation>hay muy poca memoria libre</translation>
    </message>
    <message>
        <source>less than %1 GB of disk space are free</source>
        <translation>quedan menos de %1 GB libres en el disco</translation>
    </message>
    <message>
        <source>you are using the computer, until a minute without input</source>
        <translation>usted está usando el ordenador, hasta que pase un minuto sin actividad</translation>
    </message>
    <message numerus="yes">
        <source>you are using the computer, until %n minutes without input</source>
        <translation>
            <numerusform>usted está usando el ordenador, hasta que pase %n minuto sin actividad</numerusform>
            <numerusform>usted está usando el ordenador, hasta que pasen %n minutos sin actividad</numerusform>
        </translation>
    </message>
    <message>
        <source>it is switched off in the settings</source>
        <translation>está desactivado en los ajustes</translation>
    </message>
    <message>
        <source>the project is being asked for work</source>
        <translation>se está pidiendo trabajo al proyecto</translation>
    </message>
    <message>
        <source>the project has no work at the moment, asking again in %1</source>
        <translation>el proyecto no tiene trabajo en este momento, se volverá a preguntar en %1</translation>
    </message>
    <message>
        <source>the project&apos;s server cannot be reached, trying again now</source>
        <translation>no se puede conectar con el servidor del proyecto, se intenta de nuevo</translation>
    </message>
    <message>
        <source>the project&apos;s server cannot be reached, trying again in %1</source>
        <translation>no se puede conectar con el servidor del proyecto, nuevo intento en %1</translation>
    </message>
    <message>
        <source>it failed three times in a row, resume to test it again</source>
        <translation>ha fallado tres veces seguidas, reanude para probarlo de nuevo</translation>
    </message>
    <message>
        <source>what is needed is being prepared</source>
        <translation>se está preparando lo necesario</translation>
    </message>
    <message>
        <source>Commonweight is ending</source>
        <translation>Commonweight se está cerrando</translation>
    </message>
    <message>
        <source>Not training: choose a project to join</source>
        <translation>Sin entrenar: elija un proyecto</translation>
    </message>
    <message>
        <source>Paused because %1</source>
        <translation>En pausa: %1</translation>
    </message>
    <message>
        <source>Transferring: %1</source>
        <translation>Transfiriendo: %1</translation>
    </message>
    <message>
        <source>Waiting: %1</source>
        <translation>En espera: %1</translation>
    </message>
    <message>
        <source>the battery is charged to %1 % first</source>
        <translation>primero se carga la batería al %1 %</translation>
    </message>
    <message>
        <source>the computer saves power</source>
        <translation>el ordenador ahorra energía</translation>
    </message>
    <message>
        <source>the computer is too hot, until it has cooled down</source>
        <translation>el ordenador está demasiado caliente, hasta que se enfríe</translation>
    </message>
    <message>
        <source>a game is running, until it closes</source>
        <translation>hay un juego abierto, hasta que se cierre</translation>
    </message>
    <message>
        <source>%1 is running, until it closes</source>
        <translation>%1 está abierto, hasta que se cierre</translation>
    </message>
    <message>
        <source>other programs need the processor</source>
        <translation>otros programas necesitan el procesador</translation>
    </message>
    <message>
        <source>your schedule has no training now, until %1</source>
        <translation>su horario no prevé entrenamiento ahora, hasta %1</translation>
    </message>
    <message>
        <source>your schedule has no hours for training</source>
        <translation>su horario no tiene horas para entrenar</translation>
    </message>
    <message>
        <source>a program keeps the screen awake, for example for a video</source>
        <translation>un programa mantiene la pantalla encendida, por ejemplo por un vídeo</translation>
    </message>
    <message>
        <source>this system cannot confine the training program; the settings can allow training without that</source>
        <translation>este sistema no puede aislar el programa de entrenamiento; en los ajustes se puede permitir entrenar sin ello</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>When nobody uses the computer</source>
        <translation>Cuando nadie usa el ordenador</translation>
    </message>
    <message>
        <source>Always</source>
        <translation>Siempre</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nunca</translation>
    </message>
    <message>
        <source>none</source>
        <translation>nada</translation>
    </message>
    <message>
        <source>When to run</source>
        <translation>Cuándo entrenar</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Entrenar</translation>
    </message>
    <message>
        <source>“Always” does not wait for you to leave. Battery, memory and disk are respected all the same.</source>
        <translation>«Siempre» no espera a que se vaya. La batería, la memoria y el disco se respetan igualmente.</translation>
    </message>
    <message>
        <source>Wait after the last key or mouse movement</source>
        <translation>Espera tras la última tecla o movimiento del ratón</translation>
    </message>
    <message>
        <source>Shorter starts sooner; longer leaves pauses for reading alone.</source>
        <translation>Más corto empieza antes; más largo respeta las pausas de lectura.</translation>
    </message>
    <message>
        <source> minutes</source>
        <translation> minutos</translation>
    </message>
    <message>
        <source>Pause on battery</source>
        <translation>Pausar con batería</translation>
    </message>
    <message>
        <source>Training goes on when the computer is plugged in again.</source>
        <translation>El entrenamiento continúa cuando se vuelve a enchufar el ordenador.</translation>
    </message>
    <message>
        <source>How your presence is noticed</source>
        <translation>Cómo se nota su presencia</translation>
    </message>
    <message>
        <source>At present by: %1</source>
        <translation>Actualmente por: %1</translation>
    </message>
    <message>
        <source>Share of the time to compute</source>
        <translation>Parte del tiempo que se calcula</translation>
    </message>
    <message>
        <source>Less makes the computer cooler and quieter: it rests between two small steps.</source>
        <translation>Menos mantiene el ordenador más fresco y silencioso: descansa entre dos pequeños pasos.</translation>
    </message>
    <message>
        <source> %</source>
        <translation> %</translation>
    </message>
    <message>
        <source>Train on %1</source>
        <translation>Entrenar con %1</translation>
    </message>
    <message>
        <source>When to use %1</source>
        <translation>Cuándo usar %1</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Dispositivos</translation>
    </message>
    <message>
        <source>No device yet</source>
        <translation>Aún no hay dispositivos</translation>
    </message>
    <message>
        <source>No device that can train has been found so far.</source>
        <translation>Hasta ahora no se ha encontrado ningún dispositivo que pueda entrenar.</translation>
    </message>
    <message>
        <source>Processor threads</source>
        <translation>Hilos del procesador</translation>
    </message>
    <message>
        <source>How many the processor may use for training.</source>
        <translation>Cuántos puede usar el procesador para entrenar.</translation>
    </message>
    <message>
        <source>Disk and memory</source>
        <translation>Disco y memoria</translation>
    </message>
    <message>
        <source>Training pauses by itself when one of these would be exceeded.</source>
        <translation>El entrenamiento se pausa solo cuando se fuera a superar uno de estos límites.</translation>
    </message>
    <message>
        <source>Disk space at most</source>
        <translation>Espacio en disco como máximo</translation>
    </message>
    <message>
        <source>For the model, the text and unfinished units.</source>
        <translation>Para el modelo, el texto y las unidades sin terminar.</translation>
    </message>
    <message>
        <source> GB</source>
        <translation> GB</translation>
    </message>
    <message>
        <source>Leave free on the disk</source>
        <translation>Dejar libre en el disco</translation>
    </message>
    <message>
        <source>Memory while you use the computer</source>
        <translation>Memoria mientras usa el ordenador</translation>
    </message>
    <message>
        <source>Memory while you are away</source>
        <translation>Memoria mientras no está</translation>
    </message>
    <message>
        <source>Save the work every</source>
        <translation>Guardar el trabajo cada</translation>
    </message>
    <message>
        <source>After a power failure, at most so much is computed again. Every stop saves as well.</source>
        <translation>Tras un apagón, como mucho se repite este tiempo. Cada parada también guarda.</translation>
    </message>
    <message>
        <source> seconds</source>
        <translation> segundos</translation>
    </message>
    <message>
        <source> MB per second</source>
        <translation> MB por segundo</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>sin límite</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Red</translation>
    </message>
    <message>
        <source>All connections go out from this computer; none comes in.</source>
        <translation>Todas las conexiones salen de este ordenador; ninguna entra.</translation>
    </message>
    <message>
        <source>Fetch at most</source>
        <translation>Descargar como máximo</translation>
    </message>
    <message>
        <source>Send at most</source>
        <translation>Enviar como máximo</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>Proxy</translation>
    </message>
    <message>
        <source>Empty: none. For example http://proxy.example.org:3128</source>
        <translation>Vacío: ninguno. Por ejemplo http://proxy.example.org:3128</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Usted</translation>
    </message>
    <message>
        <source>Commonweight needs no account.</source>
        <translation>Commonweight no necesita una cuenta.</translation>
    </message>
    <message>
        <source>Name to show</source>
        <translation>Nombre que se muestra</translation>
    </message>
    <message>
        <source>Projects list it beside your contribution, for everybody to see. It may stay empty.</source>
        <translation>Los proyectos lo muestran junto a su contribución, a la vista de todos. Puede quedar vacío.</translation>
    </message>
    <message>
        <source>Start Commonweight when I log in</source>
        <translation>Iniciar Commonweight al iniciar sesión</translation>
    </message>
    <message>
        <source>It starts in the tray, without a window.</source>
        <translation>Se inicia en la bandeja, sin ventana.</translation>
    </message>
    <message>
        <source>General</source>
        <translation>General</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Idioma</translation>
    </message>
    <message>
        <source>Commonweight speaks your system&apos;s language where it can: %1</source>
        <translation>Commonweight habla el idioma de su sistema cuando puede: %1</translation>
    </message>
    <message>
        <source>Please say which kind of proxy it is, for example http://%1</source>
        <translation>Indique qué tipo de proxy es, por ejemplo http://%1</translation>
    </message>
    <message>
        <source>A proxy looks like http://proxy.example.org:3128 or socks5://127.0.0.1:1080</source>
        <translation>Un proxy es como http://proxy.example.org:3128 o socks5://127.0.0.1:1080</translation>
    </message>
    <message>
        <source>This is too long for a name.</source>
        <translation>Es demasiado largo para un nombre.</translation>
    </message>
    <message>
        <source>A name is one line of letters, digits and signs.</source>
        <translation>Un nombre es una línea de letras, cifras y signos.</translation>
    </message>
    <message>
        <source>Commonweight stays out of your way: it stops as soon as you come back.</source>
        <translation>Commonweight no le estorba: se detiene en cuanto usted vuelve.</translation>
    </message>
    <message>
        <source>As on the page “When to run”</source>
        <translation>Como en la página «Cuándo entrenar»</translation>
    </message>
    <message>
        <source>Only when nobody uses the computer</source>
        <translation>Solo cuando nadie usa el ordenador</translation>
    </message>
    <message>
        <source>What may be used for training. A device can be stricter than the page “When to run”.</source>
        <translation>Lo que se puede usar para entrenar. Un dispositivo puede ser más estricto que la página «Cuándo entrenar».</translation>
    </message>
    <message>
        <source>Pause while one of these programs runs</source>
        <translation>Pausar mientras uno de estos programas esté abierto</translation>
    </message>
    <message>
        <source>Names with commas between them, for example blender, kdenlive</source>
        <translation>Nombres separados por comas, por ejemplo blender, kdenlive</translation>
    </message>
    <message>
        <source>Please give the names without folders.</source>
        <translation>Indique los nombres sin carpetas.</translation>
    </message>
    <message>
        <source>Charge the battery first, to</source>
        <translation>Cargar primero la batería, al</translation>
    </message>
    <message>
        <source>any charge</source>
        <translation>cualquier carga</translation>
    </message>
    <message>
        <source>Pause while the computer saves power</source>
        <translation>Pausar mientras el ordenador ahorra energía</translation>
    </message>
    <message>
        <source>Pause during games</source>
        <translation>Pausar durante los juegos</translation>
    </message>
    <message>
        <source>Games that use GameMode are noticed.</source>
        <translation>Se detectan los juegos que usan GameMode.</translation>
    </message>
    <message>
        <source>Videos count as use</source>
        <translation>Los vídeos cuentan como uso</translation>
    </message>
    <message>
        <source>Any program that keeps the screen awake does.</source>
        <translation>También cualquier programa que mantenga la pantalla encendida.</translation>
    </message>
    <message>
        <source>Pause when other programs use the processor for</source>
        <translation>Pausar cuando otros programas usen el procesador al</translation>
    </message>
    <message>
        <source>The mean of a minute counts.</source>
        <translation>Cuenta la media de un minuto.</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nunca</translation>
    </message>
    <message>
        <source>Pace</source>
        <translation>Ritmo</translation>
    </message>
    <message>
        <source>Quiet takes a quarter of the cores and rests half of the time; balanced takes half of the cores; full takes all of them.</source>
        <translation>Tranquilo usa un cuarto de los núcleos y descansa la mitad del tiempo; equilibrado usa la mitad de los núcleos; pleno los usa todos.</translation>
    </message>
    <message>
        <source>Quiet</source>
        <translation>Tranquilo</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>Equilibrado</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>Pleno</translation>
    </message>
    <message>
        <source>as the pace says</source>
        <translation>según el ritmo</translation>
    </message>
    <message>
        <source>Processor at most</source>
        <translation>Procesador como máximo</translation>
    </message>
    <message>
        <source>Training goes on when it is 10 degrees cooler.</source>
        <translation>El entrenamiento sigue cuando está 10 grados más frío.</translation>
    </message>
    <message>
        <source> °C</source>
        <translation> °C</translation>
    </message>
    <message>
        <source>Graphics card at most</source>
        <translation>Tarjeta gráfica como máximo</translation>
    </message>
    <message>
        <source>Wait while the network is paid by volume</source>
        <translation>Esperar mientras la red se pague por volumen</translation>
    </message>
    <message>
        <source>Models, text and results wait; a few kilobytes to ask for work do not.</source>
        <translation>Modelos, texto y resultados esperan; unos kilobytes para pedir trabajo, no.</translation>
    </message>
    <message>
        <source>Train even without confinement</source>
        <translation>Entrenar también sin aislamiento</translation>
    </message>
    <message>
        <source>Normally the training program is cut off from your files and the network by the system, and does not start where that is not possible.</source>
        <translation>Normalmente el sistema aísla el programa de entrenamiento de sus archivos y de la red; donde eso no es posible, no se inicia.</translation>
    </message>
</context>
<context>
    <name>Text</name>
    <message>
        <source>%1 million</source>
        <translation>%1 millones</translation>
    </message>
    <message>
        <source>%1 billion</source>
        <comment>10 to the 9th</comment>
        <translation>%1 mil millones</translation>
    </message>
    <message>
        <source>%1 trillion</source>
        <comment>10 to the 12th</comment>
        <translation>%1 billones</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 tokens</translation>
    </message>
    <message>
        <source>%1 tokens per second</source>
        <translation>%1 tokens por segundo</translation>
    </message>
    <message>
        <source>less than %1 %</source>
        <translation>menos del %1 %</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 hours</source>
        <translation>%1 horas</translation>
    </message>
    <message>
        <source>reserved for this computer</source>
        <translation>reservada para este ordenador</translation>
    </message>
    <message>
        <source>ready to start</source>
        <translation>lista para empezar</translation>
    </message>
    <message>
        <source>training</source>
        <translation>entrenando</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>en pausa</translation>
    </message>
    <message>
        <source>finished, not sent yet</source>
        <translation>terminada, aún no enviada</translation>
    </message>
    <message>
        <source>being handed in</source>
        <translation>entregándose</translation>
    </message>
    <message>
        <source>handed in</source>
        <translation>entregada</translation>
    </message>
    <message>
        <source>did not work out</source>
        <translation>no salió bien</translation>
    </message>
    <message>
        <source>no longer needed</source>
        <translation>ya no se necesita</translation>
    </message>
    <message>
        <source>being fetched</source>
        <translation>descargándose</translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s)</source>
        <translation>
            <numerusform>%n minuto</numerusform>
            <numerusform>%n minutos</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 trillion tokens</source>
        <comment>10 to the 12th</comment>
        <translation>%1 billones de tokens</translation>
    </message>
    <message>
        <source>%1 billion tokens</source>
        <comment>10 to the 9th</comment>
        <translation>%1 mil millones de tokens</translation>
    </message>
    <message>
        <source>%1 million tokens</source>
        <translation>%1 millones de tokens</translation>
    </message>
</context>
<context>
    <name>commonweight::app::DeviceCard</name>
    <message>
        <source>Waiting for work</source>
        <translation>Esperando trabajo</translation>
    </message>
    <message>
        <source>Waiting: %1</source>
        <translation>En espera: %1</translation>
    </message>
    <message>
        <source>Getting ready</source>
        <translation>Preparándose</translation>
    </message>
    <message>
        <source>Working on a unit</source>
        <translation>Trabajando en una unidad</translation>
    </message>
    <message>
        <source>Progress of %1</source>
        <translation>Progreso de %1</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Detenido</translation>
    </message>
    <message>
        <source>Done in %1</source>
        <translation>Terminada en %1</translation>
    </message>
</context>
<context>
    <name>commonweight::app::HistoryChart</name>
    <message>
        <source>Units handed in, by day</source>
        <translation>Unidades entregadas, por día</translation>
    </message>
    <message numerus="yes">
        <source>%n unit(s) in %1 days</source>
        <translation>
            <numerusform>%n unidad en %1 días</numerusform>
            <numerusform>%n unidades en %1 días</numerusform>
        </translation>
    </message>
    <message>
        <source>today</source>
        <translation>hoy</translation>
    </message>
</context>
<context>
    <name>commonweight::app::LogPage</name>
    <message>
        <source>Copy all</source>
        <translation>Copiar todo</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Registro</translation>
    </message>
    <message>
        <source>Copy the whole log</source>
        <translation>Copiar todo el registro</translation>
    </message>
    <message>
        <source>Nothing has happened yet</source>
        <translation>Aún no ha ocurrido nada</translation>
    </message>
    <message>
        <source>What Commonweight does is written down here, in plain words.</source>
        <translation>Aquí se anota lo que hace Commonweight, con palabras sencillas.</translation>
    </message>
</context>
<context>
    <name>commonweight::app::LossChart</name>
    <message>
        <source>trillion tokens read by everybody</source>
        <translation>billones de tokens leídos entre todos</translation>
    </message>
    <message>
        <source>billion tokens read by everybody</source>
        <translation>miles de millones de tokens leídos entre todos</translation>
    </message>
    <message>
        <source>million tokens read by everybody</source>
        <translation>millones de tokens leídos entre todos</translation>
    </message>
    <message>
        <source>thousand tokens read by everybody</source>
        <translation>miles de tokens leídos entre todos</translation>
    </message>
    <message>
        <source>tokens read by everybody</source>
        <translation>tokens leídos entre todos</translation>
    </message>
    <message>
        <source>Loss of the shared model</source>
        <translation>Pérdida del modelo común</translation>
    </message>
    <message>
        <source>It fell from %1 to %2 over %3.</source>
        <translation>Bajó de %1 a %2 en %3.</translation>
    </message>
    <message>
        <source>everybody: %1</source>
        <translation>todos: %1</translation>
    </message>
    <message>
        <source>your units</source>
        <translation>sus unidades</translation>
    </message>
    <message>
        <source>Version %1: loss %2 after %3</source>
        <translation>Versión %1: pérdida %2 tras %3</translation>
    </message>
</context>
<context>
    <name>commonweight::app::MainWindow</name>
    <message>
        <source>Pages</source>
        <translation>Páginas</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Ajustes</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>Resumen</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>Trabajo</translation>
    </message>
    <message>
        <source>Transfers</source>
        <translation>Transferencias</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>Estadísticas</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modelo</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Registro</translation>
    </message>
    <message>
        <source>Join another project…</source>
        <translation>Unirse a otro proyecto…</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Ajustes…</translation>
    </message>
    <message>
        <source>About Commonweight</source>
        <translation>Acerca de Commonweight</translation>
    </message>
    <message>
        <source>Close this window</source>
        <translation>Cerrar esta ventana</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Salir</translation>
    </message>
    <message>
        <source>Commonweight %1</source>
        <translation>Commonweight %1</translation>
    </message>
    <message>
        <source>Trains language models on the computers of volunteers. Free software under the Apache License 2.0.</source>
        <translation>Entrena modelos de lenguaje en los ordenadores de voluntarios. Software libre bajo la licencia Apache 2.0.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Cerrar</translation>
    </message>
</context>
<context>
    <name>commonweight::app::ModelCard</name>
    <message>
        <source>No measurement yet</source>
        <translation>Aún no hay mediciones</translation>
    </message>
    <message>
        <source>The curve starts when the project has merged its first contributions. Every unit that you finish takes part in it.</source>
        <translation>La curva empieza cuando el proyecto ha fusionado sus primeras contribuciones. Cada unidad que usted termina participa en ella.</translation>
    </message>
    <message>
        <source>The shared model</source>
        <translation>El modelo común</translation>
    </message>
    <message>
        <source>Shared model: %1</source>
        <translation>Modelo común: %1</translation>
    </message>
    <message>
        <source>loss %1</source>
        <translation>pérdida %1</translation>
    </message>
    <message>
        <source>How surprised the model is by text it has never seen, in nats per byte. Lower is better.</source>
        <translation>Cuánto sorprende al modelo un texto que nunca ha visto, en nats por byte. Cuanto menos, mejor.</translation>
    </message>
    <message>
        <source>Everybody trains this one model together.</source>
        <translation>Todos entrenan juntos este único modelo.</translation>
    </message>
    <message>
        <source>%1 less surprised by unseen text than at the start</source>
        <translation>%1 menos sorprendido por texto desconocido que al principio</translation>
    </message>
</context>
<context>
    <name>commonweight::app::ModelPage</name>
    <message>
        <source>Model</source>
        <translation>Modelo</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>pesos</translation>
    </message>
    <message>
        <source>newest version</source>
        <translation>versión más reciente</translation>
    </message>
    <message>
        <source>loss on unseen text</source>
        <translation>pérdida con texto desconocido</translation>
    </message>
    <message>
        <source>How far the training has come</source>
        <translation>Hasta dónde ha llegado el entrenamiento</translation>
    </message>
    <message>
        <source>Who trains it</source>
        <translation>Quién lo entrena</translation>
    </message>
    <message>
        <source>Nobody has handed in a unit yet. Yours could be the first.</source>
        <translation>Nadie ha entregado aún una unidad. La suya podría ser la primera.</translation>
    </message>
    <message>
        <source>Contributors</source>
        <translation>Colaboradores</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nombre</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>Unidades</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Proyecto</translation>
    </message>
    <message>
        <source>Leave this project…</source>
        <translation>Dejar este proyecto…</translation>
    </message>
    <message>
        <source>The shared model</source>
        <translation>El modelo común</translation>
    </message>
    <message>
        <source>%1 of %2 planned</source>
        <translation>%1 de %2 previstos</translation>
    </message>
    <message>
        <source>a volunteer without a name</source>
        <translation>un voluntario sin nombre</translation>
    </message>
    <message>
        <source>Leave %1?</source>
        <translation>¿Dejar %1?</translation>
    </message>
    <message>
        <source>Unfinished units go back to the project. What you have handed in stays part of the model. You can join again at any time.</source>
        <translation>Las unidades sin terminar vuelven al proyecto. Lo que ha entregado sigue formando parte del modelo. Puede volver a unirse cuando quiera.</translation>
    </message>
    <message>
        <source>Leave</source>
        <translation>Dejar</translation>
    </message>
    <message>
        <source>Stay</source>
        <translation>Quedarse</translation>
    </message>
    <message>
        <source>One language model that all volunteers train together. Each of them trains a copy on its own piece of text for a while and hands in what it has learnt; the project merges this into the next version. Anybody can download the newest version.</source>
        <translation>Un modelo de lenguaje que todos los voluntarios entrenan juntos. Cada uno entrena un tiempo una copia con su propio fragmento de texto y entrega lo que ha aprendido; el proyecto lo fusiona en la versión siguiente. Cualquiera puede descargar la versión más reciente.</translation>
    </message>
</context>
<context>
    <name>commonweight::app::OverviewPage</name>
    <message>
        <source>Your part: nothing yet. The first unit counts as soon as it is handed in.</source>
        <translation>Su parte: nada todavía. La primera unidad cuenta en cuanto se entrega.</translation>
    </message>
    <message>
        <source>Your part: %1, %2, %3 of this model</source>
        <translation>Su parte: %1, %2, %3 de este modelo</translation>
    </message>
    <message numerus="yes">
        <source>%n unit(s)</source>
        <translation>
            <numerusform>%n unidad</numerusform>
            <numerusform>%n unidades</numerusform>
        </translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>Resumen</translation>
    </message>
    <message>
        <source>No device that can train has been found yet. Commonweight keeps looking.</source>
        <translation>Aún no se ha encontrado ningún dispositivo que pueda entrenar. Commonweight sigue buscando.</translation>
    </message>
</context>
<context>
    <name>commonweight::app::PauseMenu</name>
    <message>
        <source>Pause</source>
        <translation>Pausar</translation>
    </message>
    <message>
        <source>For 15 minutes</source>
        <translation>Durante 15 minutos</translation>
    </message>
    <message>
        <source>For 1 hour</source>
        <translation>Durante 1 hora</translation>
    </message>
    <message>
        <source>For 3 hours</source>
        <translation>Durante 3 horas</translation>
    </message>
    <message>
        <source>Until I resume</source>
        <translation>Hasta que yo lo reanude</translation>
    </message>
    <message>
        <source>Until tomorrow morning (%1)</source>
        <translation>Hasta mañana por la mañana (%1)</translation>
    </message>
</context>
<context>
    <name>commonweight::app::SavingDialog</name>
    <message>
        <source>Saving the work done so far…</source>
        <translation>Guardando el trabajo hecho hasta ahora…</translation>
    </message>
    <message>
        <source>This takes a few seconds. Nothing is lost.</source>
        <translation>Tarda unos segundos. No se pierde nada.</translation>
    </message>
    <message>
        <source>Saving</source>
        <translation>Guardando</translation>
    </message>
</context>
<context>
    <name>commonweight::app::SettingRow</name>
    <message>
        <source>🔒 Fixed by the administrator of this computer</source>
        <translation>🔒 Fijado por el administrador de este ordenador</translation>
    </message>
</context>
<context>
    <name>commonweight::app::SettingsDialog</name>
    <message>
        <source>Settings – Commonweight</source>
        <translation>Ajustes – Commonweight</translation>
    </message>
    <message>
        <source>Pages of the settings</source>
        <translation>Páginas de los ajustes</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Cerrar</translation>
    </message>
    <message>
        <source>Restore defaults</source>
        <translation>Valores iniciales</translation>
    </message>
    <message>
        <source>The defaults of this page; the other pages stay as they are</source>
        <translation>Los valores iniciales de esta página; las demás páginas no cambian</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Deshacer</translation>
    </message>
    <message>
        <source>Takes back the last change</source>
        <translation>Revierte el último cambio</translation>
    </message>
</context>
<context>
    <name>commonweight::app::Shell</name>
    <message>
        <source>Commonweight keeps running</source>
        <translation>Commonweight sigue en marcha</translation>
    </message>
    <message>
        <source>The window closes, but Commonweight stays in the tray, beside the clock, and goes on helping while you are away. To open it again, click its icon. To end it, choose Quit in the icon&apos;s menu.</source>
        <translation>La ventana se cierra, pero Commonweight se queda en la bandeja, junto al reloj, y sigue ayudando mientras no está. Para abrirlo de nuevo, pulse su icono. Para terminarlo, elija Salir en el menú del icono.</translation>
    </message>
    <message>
        <source>All right</source>
        <translation>De acuerdo</translation>
    </message>
    <message>
        <source>Quit instead</source>
        <translation>Mejor salir</translation>
    </message>
    <message>
        <source>Keep helping in the background?</source>
        <translation>¿Seguir ayudando en segundo plano?</translation>
    </message>
    <message>
        <source>This desktop has no tray, so Commonweight would stay as a minimised window. If you quit, training goes on from where it was at the next start.</source>
        <translation>Este escritorio no tiene bandeja, así que Commonweight quedaría como ventana minimizada. Si sale, el entrenamiento continuará donde estaba la próxima vez.</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Salir</translation>
    </message>
    <message>
        <source>Keep it minimised</source>
        <translation>Dejarla minimizada</translation>
    </message>
    <message>
        <source>Commonweight will not start by itself</source>
        <translation>Commonweight no se iniciará solo</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Cerrar</translation>
    </message>
</context>
<context>
    <name>commonweight::app::StatisticsPage</name>
    <message>
        <source>What everybody did together appears here when the project can be reached.</source>
        <translation>Lo que han hecho todos juntos aparece aquí cuando se puede conectar con el proyecto.</translation>
    </message>
    <message numerus="yes">
        <source>%n computer(s)</source>
        <translation>
            <numerusform>%n ordenador</numerusform>
            <numerusform>%n ordenadores</numerusform>
        </translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>Estadísticas</translation>
    </message>
    <message>
        <source>units handed in</source>
        <translation>unidades entregadas</translation>
    </message>
    <message>
        <source>tokens trained on</source>
        <translation>tokens entrenados</translation>
    </message>
    <message>
        <source>of computing</source>
        <translation>de cálculo</translation>
    </message>
    <message>
        <source>of the shared model</source>
        <translation>del modelo común</translation>
    </message>
    <message>
        <source>Your days</source>
        <translation>Sus días</translation>
    </message>
    <message numerus="yes">
        <source>The newest %n unit(s), by the day they were handed in</source>
        <translation>
            <numerusform>La unidad más reciente, según el día de entrega</numerusform>
            <numerusform>Las %n unidades más recientes, según el día de entrega</numerusform>
        </translation>
    </message>
    <message>
        <source>Units by the day they were handed in</source>
        <translation>Unidades según el día de entrega</translation>
    </message>
    <message>
        <source>Everybody together: %1 in %2 contributions. Taking part at present: %3.</source>
        <translation>Entre todos: %1 en %2 contribuciones. Participan ahora: %3.</translation>
    </message>
</context>
<context>
    <name>commonweight::app::StatusHeader</name>
    <message>
        <source>Using %1 while you are away</source>
        <translation>Usa %1 mientras no está</translation>
    </message>
    <message>
        <source>Using %1</source>
        <translation>Usa %1</translation>
    </message>
    <message>
        <source>Lasts until you press Resume</source>
        <translation>Dura hasta que pulse Reanudar</translation>
    </message>
    <message>
        <source>Goes on by itself in %1</source>
        <translation>Continúa solo en %1</translation>
    </message>
    <message>
        <source>Nothing to do for you – training starts by itself</source>
        <translation>No tiene que hacer nada: el entrenamiento empieza solo</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausar</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Reanudar</translation>
    </message>
    <message>
        <source>Pause training</source>
        <translation>Pausar el entrenamiento</translation>
    </message>
    <message>
        <source>Resume training</source>
        <translation>Reanudar el entrenamiento</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Más</translation>
    </message>
</context>
<context>
    <name>commonweight::app::TaskModel</name>
    <message>
        <source>Unit</source>
        <translation>Unidad</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Estado</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Progreso</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>Tiempo restante</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Dispositivo</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>Desde</translation>
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
        <translation>Envío</translation>
    </message>
    <message>
        <source>Fetching</source>
        <translation>Descarga</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 de %2</translation>
    </message>
</context>
<context>
    <name>commonweight::app::TransfersPage</name>
    <message>
        <source>Transfers</source>
        <translation>Transferencias</translation>
    </message>
    <message>
        <source>Nothing is on its way</source>
        <translation>No hay nada en camino</translation>
    </message>
    <message>
        <source>The model and the text of a unit are fetched before training, and what was learnt is sent afterwards. You can watch it here.</source>
        <translation>El modelo y el texto de una unidad se descargan antes de entrenar, y después se envía lo aprendido. Aquí puede verlo.</translation>
    </message>
</context>
<context>
    <name>commonweight::app::TrayIcon</name>
    <message>
        <source>Resume</source>
        <translation>Reanudar</translation>
    </message>
    <message>
        <source>Open Commonweight</source>
        <translation>Abrir Commonweight</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Ajustes…</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Salir</translation>
    </message>
</context>
<context>
    <name>commonweight::app::WelcomePage</name>
    <message>
        <source>Welcome</source>
        <translation>Bienvenida</translation>
    </message>
    <message>
        <source>Many computers train one language model, each a little. What comes out belongs to everybody.</source>
        <translation>Muchos ordenadores entrenan un mismo modelo de lenguaje, cada uno un poco. El resultado es de todos.</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>Qué hace</translation>
    </message>
    <message numerus="yes">
        <source>Trains when nobody has used this computer for %n minute(s), and stops as soon as you come back.</source>
        <translation>
            <numerusform>Entrena cuando nadie ha usado este ordenador durante %n minuto y se detiene en cuanto usted vuelve.</numerusform>
            <numerusform>Entrena cuando nadie ha usado este ordenador durante %n minutos y se detiene en cuanto usted vuelve.</numerusform>
        </translation>
    </message>
    <message>
        <source>Uses the graphics card, or half of the processor&apos;s cores.</source>
        <translation>Usa la tarjeta gráfica o la mitad de los núcleos del procesador.</translation>
    </message>
    <message>
        <source>Pauses on battery, and whenever you say so – one click in the tray.</source>
        <translation>Se pausa con batería y siempre que usted lo diga: un clic en la bandeja.</translation>
    </message>
    <message>
        <source>Keeps at most %1 GB on the disk and leaves %2 GB free.</source>
        <translation>Guarda como máximo %1 GB en el disco y deja %2 GB libres.</translation>
    </message>
    <message>
        <source>What it never does</source>
        <translation>Qué no hace nunca</translation>
    </message>
    <message>
        <source>Starts anything before you press the button below.</source>
        <translation>Empezar algo antes de que pulse el botón de abajo.</translation>
    </message>
    <message>
        <source>Runs programs that somebody sends: a project sends data only.</source>
        <translation>Ejecutar programas que alguien envíe: un proyecto solo envía datos.</translation>
    </message>
    <message>
        <source>Looks at your files or asks for an account. No name is needed.</source>
        <translation>Mirar sus archivos o pedir una cuenta. No hace falta ningún nombre.</translation>
    </message>
    <message>
        <source>Keeps the computer awake.</source>
        <translation>Impedir que el ordenador se duerma.</translation>
    </message>
    <message>
        <source>Address of the project</source>
        <translation>Dirección del proyecto</translation>
    </message>
    <message>
        <source>Start Commonweight when I log in</source>
        <translation>Iniciar Commonweight al iniciar sesión</translation>
    </message>
    <message>
        <source>Looking for the project</source>
        <translation>Buscando el proyecto</translation>
    </message>
    <message>
        <source>Start helping</source>
        <translation>Empezar a ayudar</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Atrás</translation>
    </message>
    <message>
        <source>Everything can be changed later in the settings, and ended with one click.</source>
        <translation>Todo se puede cambiar después en los ajustes y terminar con un clic.</translation>
    </message>
    <message>
        <source>Projects that look for help</source>
        <translation>Proyectos que buscan ayuda</translation>
    </message>
    <message>
        <source>Another one, by its address</source>
        <translation>Otro, por su dirección</translation>
    </message>
    <message>
        <source>Train a language model together</source>
        <translation>Entrenar juntos un modelo de lenguaje</translation>
    </message>
    <message>
        <source>Join another project</source>
        <translation>Unirse a otro proyecto</translation>
    </message>
    <message>
        <source>Looking for the project…</source>
        <translation>Buscando el proyecto…</translation>
    </message>
    <message>
        <source>It was not possible to join. Details: %1</source>
        <translation>No ha sido posible unirse. Detalles: %1</translation>
    </message>
</context>
<context>
    <name>commonweight::app::WorkPage</name>
    <message>
        <source>Hand back…</source>
        <translation>Devolver…</translation>
    </message>
    <message>
        <source>Hand the chosen unit back</source>
        <translation>Devolver la unidad elegida</translation>
    </message>
    <message>
        <source>A unit is a piece of text that this computer trains the shared model on.</source>
        <translation>Una unidad es un fragmento de texto con el que este ordenador entrena el modelo común.</translation>
    </message>
    <message>
        <source>No work yet</source>
        <translation>Aún no hay trabajo</translation>
    </message>
    <message>
        <source>As soon as this computer may train, it asks the project for a unit and works on it here.</source>
        <translation>En cuanto este ordenador pueda entrenar, pedirá una unidad al proyecto y trabajará en ella aquí.</translation>
    </message>
    <message>
        <source>Work units</source>
        <translation>Unidades de trabajo</translation>
    </message>
    <message>
        <source>Hand unit %1 back to its project?</source>
        <translation>¿Devolver la unidad %1 a su proyecto?</translation>
    </message>
    <message>
        <source>Somebody else will get it. What this computer has trained in this unit so far will not count.</source>
        <translation>La recibirá otra persona. Lo que este ordenador ha entrenado en ella hasta ahora no contará.</translation>
    </message>
    <message>
        <source>Hand it back</source>
        <translation>Devolver</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Conservar</translation>
    </message>
</context>
</TS>
