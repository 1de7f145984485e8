// Writes the manual pages and the completions of the package, from what the built command prints:
//
//     dist/man/quarterdeck-serve.1           `npm install --global` links them to where `man` finds them
//     dist/completion/quarterdeck.bash       for the folder of completions of a shell
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('..', import.meta.url))
const { version } = JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8'))
const dist = path.join(project, 'dist')
const overview = said('help')
const commands = [...overview.matchAll(/^ {7}([a-z-]+) {2,}\S/gm)].map(([, name]) => name)
const pages = [['quarterdeck', overview], ...commands.map((name) => [`quarterdeck-${name}`, said('help', name)])]
write('man', pages.map(([name, text]) => [`${name}.1`, manualOf(name, text)]))
write('completion', ['bash', 'zsh', 'fish'].map((shell) => [`quarterdeck.${shell}`, said('completion', shell)]))

function said(...args) {
  return execFileSync(process.execPath, [path.join(dist, 'quarterdeck.js'), ...args], { encoding: 'utf8' })
}

function write(folder, files) {
  rmSync(path.join(dist, folder), { recursive: true, force: true })
  mkdirSync(path.join(dist, folder))
  for (const [name, text] of files) writeFileSync(path.join(dist, folder, name), text)
}

/** The page in the language of man(7). The lines stay as they are; a title begins a section. */
function manualOf(name, text) {
  const lines = text.trimEnd().split('\n').map((line) => {
    if (/^\S/.test(line)) return `.fi\n.SH ${line}\n.nf`
    const shown = line.replace(/^ {1,7}/, '').replaceAll('\\', '\\e').replaceAll('-', '\\-')
    return /^[.']/.test(shown) ? `\\&${shown}` : shown
  })
  // `man -k` reads the line below NAME: one name, and what it is for.
  const body = lines.join('\n').replace(/^(quarterdeck)(?: ([a-z\\-]+))? \\- /m, (_all, program, command) => `${program}${command === undefined ? '' : `\\-${command}`} \\- `)
  return `.TH ${name.toUpperCase()} 1 "" "quarterdeck ${version}"\n${body}\n.fi\n`
}
