// The command line, as a program: arguments in, exit code out. `quarterdeck.js` starts it.
import { runCommand } from './server/command.ts'

// Deprecations are for those who write libraries, not for those who run this.
process.noDeprecation = true
process.exitCode = await runCommand(process.argv.slice(2), process.env)
