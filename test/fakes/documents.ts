// The documents of the project, and the examples in them: what is set apart as code, and what stands in backquotes.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

const PROJECT = path.join(import.meta.dirname, '../..')

export interface Example {
  readonly file: string
  /** Where it begins. */
  readonly line: number
  readonly language: 'ts' | 'sh'
  readonly text: string
}

/** Every example in a document that people read; not in the lists of behaviours, which quote another server. */
export function documentedExamples(): readonly Example[] {
  const files = globSync('{,src/,src/*/,deploy/,test/bench/}README.md', { cwd: PROJECT })
  return files.sort().flatMap((file) => examplesIn(file, readFileSync(path.join(PROJECT, file), 'utf8')))
}

/** Every piece of TypeScript in a comment on what users of the package have. */
export function commentedExamples(): readonly Example[] {
  const files = globSync('src/{client,define,extensions,faults,library,testing}/*.ts', { cwd: PROJECT })
  return files.sort().flatMap((file) => {
    const text = readFileSync(path.join(PROJECT, file), 'utf8')
    return Array.from(
      text.matchAll(/^ *\*\n((?: *\* {5,}\S.*\n| *\*\n(?= *\* {5,}\S))+)/gm),
      ({ index, 1: block = '' }) => ({
        file,
        line: lineAt(text, index) + 1,
        language: 'ts' as const,
        text: withoutMargin(block.replaceAll(/^ *\*/gm, '')),
      }),
    )
  })
}

/** Blocks that are fenced or indented, and of what is in backquotes all that names a command or a flag. */
export function examplesIn(file: string, document: string): readonly Example[] {
  return [...blocksIn(file, document), ...quotedIn(file, document)]
}

const FENCED = /^( *)```(\w*)\n(.*?)\n *```$/gms
/** Behind an empty line, and deeper than the text of a list. */
const INDENTED = /(?<=\n\n)(?: {4,}\S.*\n|\n(?= {4,}\S))+/g
const TYPESCRIPT = /^(?:import|export|const|await) /m

function blocksIn(file: string, document: string): readonly Example[] {
  const fenced = Array.from(document.matchAll(FENCED), ({ index, 2: language = '', 3: text = '' }) => ({
    line: lineAt(document, index) + 1,
    language:
      language === '' ? languageOf(text) : /^(?:ts|typescript)$/.test(language) ? ('ts' as const) : ('sh' as const),
    text: text.replaceAll(/^ +/gm, ''),
  }))
  const indented = Array.from(document.replaceAll(FENCED, blank).matchAll(INDENTED), ({ index, 0: block }) => {
    const text = withoutMargin(block)
    return { line: lineAt(document, index), language: languageOf(text), text }
  })
  return [...fenced, ...indented].map((example) => ({ file, ...example }))
}

function languageOf(text: string): Example['language'] {
  return TYPESCRIPT.test(text) ? 'ts' : 'sh'
}

/** As many lines, with nothing in them. */
function blank(text: string): string {
  return text.replaceAll(/[^\n]+/g, '')
}

function withoutMargin(block: string): string {
  const lines = block.trimEnd().split('\n')
  const margin = Math.min(...lines.filter((line) => line !== '').map((line) => line.search(/\S/)))
  return lines.map((line) => line.slice(margin)).join('\n')
}

function quotedIn(file: string, document: string): readonly Example[] {
  return Array.from(
    document.matchAll(/`((?:make|npm|npx|quarterdeck|kubectl)\s[^`]+|--[a-z][^`]*)`/g),
    ({ index, 1: text = '' }) => ({
      file,
      line: lineAt(document, index),
      language: 'sh',
      text: text.replaceAll(/\s+/g, ' '),
    }),
  )
}

function lineAt(document: string, index: number): number {
  return document.slice(0, index).split('\n').length
}
