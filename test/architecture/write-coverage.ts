// `make generate`: writes the table of which tests show which behaviour. `behaviours.test.ts` fails where it is not current.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CATALOGUES, coverageTable, type TextFile } from './behaviours.ts'

const top = path.join(import.meta.dirname, '../..')
const folder = 'test/conformance/behaviours'
export const COVERAGE = `${folder}/coverage.md`

export function readCatalogues(): readonly TextFile[] {
  return CATALOGUES.map(({ file }) => readText(`${folder}/${file}`))
}

/** Everything that people write and that may cite a code; neither what is generated nor what was recorded. */
export function readCiting(): readonly TextFile[] {
  const found = ['src', 'test', 'deploy'].flatMap((place) =>
    readdirSync(path.join(top, place), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:ts|mjs|js|md|yaml|cfg)$|^Dockerfile$/.test(entry.name))
      .map((entry) => path.relative(top, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
      .filter(
        (file) => !/\/(?:gen|fixtures)\//.test(file) && !file.startsWith('test/architecture/') && file !== COVERAGE,
      ),
  )
  return [...found, 'README.md'].sort().map(readText)
}

/** As it should be. */
export function coverageText(): string {
  return coverageTable(readCatalogues(), readCiting())
}

export function readText(file: string): TextFile {
  return { path: file, text: readFileSync(path.join(top, file), 'utf8') }
}

if (import.meta.main) writeFileSync(path.join(top, COVERAGE), coverageText())
