// Builds `dist` from `src`: the command, its thread and the library, in a few files with source maps, and the console.
// Packages stay where they are. A server may start meanwhile: each file is complete as soon as it has its name, and what others import comes first.
//
// `dist/entry` has what the package exports: small files that every Node can read. They refuse an older Node in one line, where the library
// itself would be a syntax error, and load the library. Node takes the one for `module-sync`, which `import` and `require` can load; older
// versions of it and jest take the others. Bundlers take the library as it is.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { buildConsole } from './build-console.js'
import { tellProgress } from './progress.js'

const project = fileURLToPath(new URL('..', import.meta.url))
const dist = path.join(project, 'dist')
const command = { quarterdeck: 'src/quarterdeck.js' }
const exported = {
  index: 'src/index.ts',
  client: 'src/client/client.ts',
  define: 'src/define/define.ts',
  testing: 'src/library/testing/testing.ts',
  extensions: 'src/extensions/extensions.ts',
}
const library = {
  ...exported,
  'write-thread': 'src/threads/write-thread.ts',
  'extension-process': 'src/extensions/process.ts',
}
const entries = { ...command, ...library }
/** The names that each entry of the library exports. */
const namesOf = new Map()

const PARTS = 3
let built = 0
const countPart = () => void built++
const endProgress = tellProgress(() => `building dist from src: ${built} of ${PARTS} parts`)
// Each by itself: what they have in common would be in many small files, and to load those takes a tenth of the first start.
const [outputFiles] = await Promise.all([
  Promise.all([
    bundled(command).finally(countPart),
    bundled(library).finally(countPart),
  ]).then((files) => files.flat()),
  buildConsole(project, path.join(dist, 'console')).finally(countPart),
]).catch((error) => {
  endProgress()
  throw error
})

async function bundled(entryPoints) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: project,
    entryPoints,
    outdir: dist,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24.15',
    packages: 'external',
    sourcemap: 'linked',
    sourcesContent: false,
    write: false,
    metafile: true,
  })
  for (const [file, { entryPoint, exports }] of Object.entries(metafile.outputs)) {
    if (Object.values(exported).includes(entryPoint)) namesOf.set(path.basename(file, '.js'), exports)
  }
  return outputFiles
}

mkdirSync(dist, { recursive: true })
const files = new Map(outputFiles.map((file) => [path.basename(file.path), file.contents]))
const unfinished = path.join(dist, `unfinished-${process.pid}`)
const isEntry = (name) => Object.hasOwn(entries, path.basename(name, '.js'))
for (const name of [...files.keys()].sort((a, b) => isEntry(a) - isEntry(b))) {
  writeFileSync(unfinished, files.get(name))
  renameSync(unfinished, path.join(dist, name))
}
const old = readdirSync(dist).filter((name) => /\.js(\.map)?$/.test(name) && !files.has(name))
for (const name of old) rmSync(path.join(dist, name), { force: true })

const { engines } = JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8'))
const needed = engines.node.replace('>=', '')
const entryFiles = { 'node-version.cjs': nodeVersionCheck(needed) }
for (const [name, names] of namesOf) Object.assign(entryFiles, entryFilesOf(name, names))
const entryFolder = path.join(dist, 'entry')
mkdirSync(entryFolder, { recursive: true })
for (const [name, text] of Object.entries(entryFiles)) {
  writeFileSync(unfinished, text)
  renameSync(unfinished, path.join(entryFolder, name))
}

endProgress('built dist from src')

function entryFilesOf(name, names) {
  const check = "import './node-version.cjs'"
  const exports = `export const { ${names.join(', ')} } =`
  return {
    [`${name}.cjs`]: `'use strict'\nrequire('./node-version.cjs')\nmodule.exports = require('../${name}.js')\n`,
    [`${name}.js`]: `${check}\n\n${exports} await import('../${name}.js')\n`,
    [`${name}.sync.js`]: [
      "import { createRequire } from 'module'",
      check,
      '',
      `${exports} createRequire(import.meta.url)('../${name}.js')`,
      '',
    ].join('\n'),
  }
}

/** Throws an error without a stack: there is nothing in it that a reader could use. */
function nodeVersionCheck(least) {
  return `'use strict'
var least = ${JSON.stringify(least.split('.').map(Number))}
var ours = process.versions.node.split('.').map(Number)
var differs = ours.findIndex(function (part, i) { return part !== least[i] })
if (differs !== -1 && ours[differs] < least[differs]) {
  var error = new Error('quarterdeck: this is Node ' + process.versions.node + ', and Node ${least} or newer is needed')
  error.code = 'ERR_NODE_TOO_OLD'
  error.stack = String(error)
  throw error
}
`
}
