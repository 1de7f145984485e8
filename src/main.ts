// The command line, as a program: arguments in, exit code out. `quarterdeck.js` starts it.
import { runCommand } from './server/command.ts'

process.exitCode = await runCommand(process.argv.slice(2), process.env)
