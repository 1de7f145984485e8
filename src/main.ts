#!/usr/bin/env node
// The command line: `quarterdeck serve`, `quarterdeck convert`, …
process.stderr.write('quarterdeck: no command is there yet\n')
process.exitCode = 1
