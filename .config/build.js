// Builds `dist` from `src`: the command, its thread and the library, in a few files with source maps, and the console.
// Packages stay where they are. A server may start meanwhile: each file is complete as soon as it has its name, and what others import comes first.
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { buildConsole } from './build-console.js'

const project = fileURLToPath(new URL('..', import.meta.url))
const dist = path.join(project, 'dist')
const command = { quarterdeck: 'src/quarterdeck.js' }
const library = {
  index: 'src/index.ts',
  client: 'src/client/client.ts',
  define: 'src/define/define.ts',
  testing: 'src/testing/testing.ts',
  extensions: 'src/extensions/extensions.ts',
  'offload-thread': 'src/offload/thread.ts',
  'extension-process': 'src/extensions/process.ts',
}
const entries = { ...command, ...library }

console.error('building dist from src')
// Each by itself: what they have in common would be in many small files, and to load those takes a tenth of the first start.
const [outputFiles] = await Promise.all([
  Promise.all([bundled(command), bundled(library)]).then((files) => files.flat()),
  buildConsole(project, path.join(dist, 'console')),
])

async function bundled(entryPoints) {
  const { outputFiles } = await build({
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
  })
  return outputFiles
}

mkdirSync(dist, { recursive: true })
const built = new Map(outputFiles.map((file) => [path.basename(file.path), file.contents]))
const unfinished = path.join(dist, `unfinished-${process.pid}`)
const isEntry = (name) => Object.hasOwn(entries, path.basename(name, '.js'))
for (const name of [...built.keys()].sort((a, b) => isEntry(a) - isEntry(b))) {
  writeFileSync(unfinished, built.get(name))
  renameSync(unfinished, path.join(dist, name))
}
const old = readdirSync(dist).filter((name) => /\.js(\.map)?$/.test(name) && !built.has(name))
for (const name of old) rmSync(path.join(dist, name), { force: true })
