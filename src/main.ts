// The command line, as a program: arguments in, exit code out. `quarterdeck.js` starts it.
import './server/signals.js'
import { keepCompiled } from './lib/compile-cache.ts'
import { nameSourceFiles } from './lib/source-places.ts'
import { heldCompilers } from './lib/runtime/compilers.ts'

// Deprecations concern authors of libraries, not users of this command.
process.noDeprecation = true
nameSourceFiles(new URL('.', import.meta.url).href)
keepCompiled()
// Settings from the environment or from files take effect later, when these are read.
if (/^(serve|worker)$/.test(process.argv[2] ?? '') && !process.argv.includes('--plain-runtime')) heldCompilers.hold()
// The import comes last, so that the code above applies to it.
const { endWithReader, runCommand } = await import('./commands/commands.ts')
endWithReader()
process.exitCode = await runCommand(process.argv.slice(2), process.env)
