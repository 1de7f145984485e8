// The command line, as a program: arguments in, exit code out. `quarterdeck.js` starts it.
import './server/signals.js'

// Deprecations are for those who write libraries, not for those who run this.
process.noDeprecation = true
// Not before the signals are seen to: loading the sources takes a while.
const { runCommand } = await import('./commands/commands.ts')
process.exitCode = await runCommand(process.argv.slice(2), process.env)
