// Builds the pages of the console into a folder: bundled by vite, with digests in the names, each compressed as it is served. What is built
// from the same sources with the same packages is left alone.
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

/** Says which sources it was built from. */
const MARK = 'built-from'

export async function buildConsole(project, folder) {
  const web = path.join(project, 'src/console/web')
  const digest = digestOf(project, web)
  if (readText(path.join(folder, MARK)) === digest) return
  const { build } = await import('vite')
  const { output } = await build({
    root: web,
    base: '/console/',
    configFile: false,
    logLevel: 'error',
    build: { write: false, target: 'es2023', modulePreload: { polyfill: false }, assetsInlineLimit: 0, reportCompressedSize: false },
  })
  const unfinished = `${folder}-${process.pid}`
  for (const file of output) {
    const place = path.join(unfinished, `${file.fileName}.br`)
    mkdirSync(path.dirname(place), { recursive: true })
    writeFileSync(place, compressed(Buffer.from(file.type === 'chunk' ? file.code : file.source)))
  }
  writeFileSync(path.join(unfinished, MARK), digest)
  rmSync(folder, { recursive: true, force: true })
  renameSync(unfinished, folder)
}

function compressed(bytes) {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } })
}

function digestOf(project, web) {
  const sources = readdirSync(web, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const files = [...sources.map((entry) => path.join(entry.parentPath, entry.name)), import.meta.filename].sort()
  const packages = globSync(['package.json', 'package-lock.json'], { cwd: project }).map((name) => path.join(project, name))
  const digest = createHash('sha256')
  for (const file of [...files, ...packages]) digest.update(`${path.relative(project, file)}\0`).update(readFileSync(file))
  return digest.digest('hex')
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
