// The catalogues of behaviour (`test/conformance/behaviours`), and who refers to them by code. Pure: texts in, codes out.
import type { Violation } from './layer-rules.ts'

export interface TextFile {
  /** From the top of the project, with `/`. */
  readonly path: string
  readonly text: string
}

/** The letters of the codes, in the order of the catalogues. */
export const CATALOGUES: readonly { readonly letter: string; readonly file: string; readonly about: string }[] = [
  { letter: 'R', file: 'reads.md', about: 'reads' },
  { letter: 'W', file: 'writes.md', about: 'writes' },
  { letter: 'P', file: 'platform.md', about: 'platform' },
  { letter: 'D', file: 'decisions.md', about: 'decisions' },
]

/** A code stands at the head of its item: in a heading, in bold, or in the first column of a table. */
const DEFINITION = /^(?:### ([RWP]-\d{3})(?!\d)|\*\*([RWP]-\d{3})\*\*|\| (D\d{1,2}) \|)/gm

/** Where each code is defined, in the order in which they stand. */
export function definedCodes(catalogues: readonly TextFile[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const { path, text } of catalogues) {
    for (const [, heading, bold, row] of text.matchAll(DEFINITION)) {
      const code = heading ?? bold ?? row ?? ''
      found.set(code, [...(found.get(code) ?? []), path])
    }
  }
  return found
}

export function checkDefinedOnce(catalogues: readonly TextFile[]): Violation[] {
  return [...definedCodes(catalogues)]
    .filter(([, paths]) => paths.length > 1)
    .map(([code, paths]) => `${code}: is defined ${paths.length} times, in ${[...new Set(paths)].join(' and ')}`)
}

/** Not codes: the names of elliptic curves, as values and in lists that begin with the most common one. */
const CURVES = /(['"])(?:curve )?P-\d{3}\1|\bP-256\b(?:, P-\d{3}\b)*/g

/** `R-041`, `P-145 to P-150`, `R-051/052`, `R-040…R-045`; `D3`, `D1 to D32`. */
const CITATION =
  /(?<![\w-])(?:([RWP])-(\d{3})(?![\w-])(?:( to |…|–)\1-(\d{3})(?!\d))?((?:\/\d{2,3}(?!\d))*)|D(\d{1,2})(?![\w-])(?:( to |…|–)D(\d{1,2})(?!\d))?)/g

/** The codes that a text names, ranges written out, each once. */
export function citedCodes(text: string): ReadonlySet<string> {
  const found = new Set<string>()
  for (const match of text.replace(CURVES, '').matchAll(CITATION)) {
    const [, letter, first = '', range, last, further = '', decision, decisions, lastDecision] = match
    if (letter === undefined) {
      for (const number of between(decision, decisions === undefined ? decision : lastDecision)) found.add(`D${number}`)
      continue
    }
    for (const number of between(first, range === undefined ? first : last)) found.add(`${letter}-${padded(number)}`)
    // `R-073/74`: the last digits of another number.
    for (const digits of further.split('/').slice(1))
      found.add(`${letter}-${first.slice(0, 3 - digits.length)}${digits}`)
  }
  return found
}

function between(first: string | undefined, last: string | undefined): readonly number[] {
  const [from, to] = [Number(first), Number(last)]
  return Array.from({ length: Math.max(to - from + 1, 1) }, (_, i) => from + i)
}

function padded(number: number): string {
  return String(number).padStart(3, '0')
}

/** A range may span numbers that were never given out, but its ends, like single codes, have to be there. */
export function checkCited(files: readonly TextFile[], catalogues: readonly TextFile[]): Violation[] {
  const defined = definedCodes(catalogues)
  return files.flatMap(({ path, text }) =>
    [...citedCodes(text.replace(RANGE, '$<first>, $<last>'))]
      .filter((code) => !defined.has(code))
      .map((code) => `${path}: cites ${code}, which no catalogue has`),
  )
}

const RANGE = /(?<first>[RWP]-\d{3}|D\d{1,2})(?: to |…|–)(?<last>[RWP]-\d{3}|D\d{1,2})/g

/** A test, a scenario or a part of a contract shows the behaviours whose codes it names, in a title or in a comment. */
export function isWitness(path: string): boolean {
  return WITNESS.test(path)
}

const WITNESS = /^test\/(?!architecture\/)(?:contract\/.*\.ts|.*\.test\.ts|.*\.scenario\.mjs)$/

/** Which tests name each code; codes that no catalogue has are left out. */
export function coverage(
  catalogues: readonly TextFile[],
  files: readonly TextFile[],
): ReadonlyMap<string, readonly string[]> {
  const covered = new Map<string, string[]>([...definedCodes(catalogues).keys()].map((code) => [code, []]))
  for (const { path, text } of files.filter((file) => isWitness(file.path))) {
    for (const code of citedCodes(text)) covered.get(code)?.push(nameOf(path))
  }
  return covered
}

/** `scenarios/reads/health`, `unit/api/selector`. */
function nameOf(path: string): string {
  return path.replace(/^test\/(?:conformance\/)?/, '').replace(/\.(?:(?:test\.)?ts|scenario\.mjs)$/, '')
}

/** The text of `coverage.md`. */
export function coverageTable(catalogues: readonly TextFile[], files: readonly TextFile[]): string {
  const covered = coverage(catalogues, files)
  const parts = CATALOGUES.map((catalogue) => {
    const codes = [...covered].filter(([code]) => code.startsWith(catalogue.letter))
    return { ...catalogue, codes, open: codes.filter(([, tests]) => tests.length === 0).map(([code]) => code) }
  })
  const tables = parts.map(({ about, file, codes }) => {
    const rows = codes
      .filter(([, tests]) => tests.length > 0)
      .map(([code, tests]) => `| ${code} | ${tests.join(', ')} |`)
    return [`## ${titled(about)}`, '', `[${file}](${file})`, '', '| code | shown by |', '|---|---|', ...rows, ''].join(
      '\n',
    )
  })
  const figures = parts.map(
    ({ about, codes, open }) => `| ${about} | ${codes.length} | ${codes.length - open.length} | ${open.length} |`,
  )
  const open = parts.map(
    ({ about, open }) => `- ${about}: ${open.length === 0 ? 'none' : ranges(open, covered).join(', ')}`,
  )
  return [
    HEAD,
    ...tables,
    '## Not shown by any test',
    '',
    '| catalogue | codes | shown | not shown |',
    '|---|---|---|---|',
  ]
    .concat(figures, '', open, '')
    .join('\n')
}

const HEAD = `# Which tests show which behaviour

Made by \`make generate\` from the codes that tests and scenarios name in their titles and comments; a test in
\`test/architecture\` fails where it is not current. Names are paths in \`test\` and \`test/conformance\`. A behaviour is named where
its steps are really taken and the outcome is compared, not where it merely could matter. What is not named may still be
exercised, by the tests beside the reference server (\`test/reference\`) for example, which compare whole answers.
`

function titled(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`
}

/** Codes that follow each other in their catalogue, as `first to last`. */
function ranges(codes: readonly string[], all: ReadonlyMap<string, unknown>): readonly string[] {
  const places = new Map([...all.keys()].map((code, place) => [code, place]))
  const runs: string[][] = []
  for (const code of codes) {
    const run = runs.at(-1)
    if (run !== undefined && places.get(code) === (places.get(run.at(-1) ?? '') ?? 0) + 1) run.push(code)
    else runs.push([code])
  }
  return runs.map((run) => (run.length < 3 ? run.join(', ') : `${run[0]} to ${run.at(-1)}`))
}
