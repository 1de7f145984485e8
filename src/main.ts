// The command line, as a program: arguments in, exit code out. `quarterdeck.js` starts it.
import './server/signals.js'
import { keepCompiled } from './lib/compile-cache.ts'
import { nameSourceFiles } from './lib/source-places.ts'
import { holdCompilers } from './server/compilers.ts'

// Deprecations are for those who write libraries, not for those who run this.
process.noDeprecation = true
nameSourceFiles(new URL('.', import.meta.url).href)
keepCompiled()
if (process.argv[2] === 'serve') holdCompilers()
// Not before all of that: what is loaded now is what it is for.
const { runCommand } = await import('./commands/commands.ts')
process.exitCode = await runCommand(process.argv.slice(2), process.env)
