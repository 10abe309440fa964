// Run by japicmp on what it found: takes out of it what is not the stable API. japicmp reads bytecode, where Kotlin's `internal` is
// public, so the tool that writes the .api files says what is public, in the release and now, but for what is experimental.
import org.jetbrains.kotlin.abi.tools.AbiFilters
import org.jetbrains.kotlin.abi.tools.AbiTools

def tools = AbiTools.getField('Companion').get(null).getInstance(AbiTools.classLoader)
def apart = ['dev.reprise.core.ExperimentalReprise', 'dev.reprise.core.shell.ShellApi'] as Set

// The classes and members, as dev/reprise/core/Jitter and dev/reprise/core/Jitter#name(I)J.
def stableOf = { classes ->
    def folder = File.createTempDir()
    def files = classes.collect { type ->
        new File(folder, "${type.name}.class").tap { it.withDataOutputStream { type.classFile2.write(it) } }
    }
    def dump = new StringBuilder()
    tools.printJvmDump(dump, files, new AbiFilters([] as Set, [] as Set, [] as Set, apart))
    folder.deleteDir()

    def stable = [] as Set
    def owner = ''
    dump.eachLine { line ->
        def type = line =~ /^\S.* class (\S+) /
        def member = line =~ /^\t.* (?:fun|field) (\S+) (\S+)/
        if (type.find()) stable << (owner = type.group(1))
        if (member.find()) stable << owner + '#' + member.group(1) + member.group(2)
    }
    stable.findAll { !(it ==~ /[^#]*\/(shell|internal)\/.*/) } as Set
}
def before = stableOf(jApiClasses.findAll { it.oldClass.present }.collect { it.oldClass.get() })
def now = stableOf(jApiClasses.findAll { it.newClass.present }.collect { it.newClass.get() })

def apartOf = { owner, name, old, current ->
    def key = { owner + '#' + (name ?: it.name) + it.signature }
    !(old.present && key(old.get()) in before || current.present && key(current.get()) in now)
}
jApiClasses.removeIf {
    def owner = it.fullyQualifiedName.replace('.', '/')
    it.methods.removeIf { apartOf(owner, null, it.oldMethod, it.newMethod) }
    it.constructors.removeIf { apartOf(owner, '<init>', it.oldConstructor, it.newConstructor) }
    it.fields.removeIf { apartOf(owner, null, it.oldFieldOptional, it.newFieldOptional) }
    !(owner in before || owner in now)
}
jApiClasses
