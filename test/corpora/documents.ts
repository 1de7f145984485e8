// The documents of the project, and the examples in them: what is set apart as code, and what stands in backquotes.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

const PROJECT = path.join(import.meta.dirname, '../..')

export interface Example {
  readonly file: string
  /** Where it begins. */
  readonly line: number
  readonly language: 'ts' | 'sh' | 'yaml' | 'go' | 'drawing'
  readonly text: string
  /** It stands in backquotes in a sentence. */
  readonly quoted?: boolean
}

/** Every example in a document that people read; not in the lists of behaviours, which quote another server. */
export function documentedExamples(): readonly Example[] {
  const files = globSync(['{,src/,src/*/,test/bench/}README.md', 'deploy/*.md', 'deploy/reference/parameters.md'], {
    cwd: PROJECT,
  })
  return files.sort().flatMap((file) => examplesIn(file, readFileSync(path.join(PROJECT, file), 'utf8')))
}

/** Every piece of TypeScript in a comment on what users of the package have. */
export function commentedExamples(): readonly Example[] {
  const files = globSync('src/{client,define,extensions,library}/**/*.ts', { cwd: PROJECT })
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

/** The files that a document tells its readers to save: "Save this as `kinds.ts`:", and a fenced block below. */
export function documentedFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const file of globSync('deploy/*.md', { cwd: PROJECT })) {
    const text = readFileSync(path.join(PROJECT, file), 'utf8')
    for (const [, name = '', content = ''] of text.matchAll(SAVED)) {
      if (files.has(name)) throw new Error(`${file}: ${name} is in another document too`)
      files.set(name, `${content}\n`)
    }
  }
  return files
}

const SAVED = /\b(?:this|it)\s+as\s+`([\w./-]+)`:\n\n```\w+\n(.*?)\n```/gs

const FENCED = /^( *)```(\w*)\n(.*?)\n *```$/gms
/** Behind an empty line, and deeper than the text of a list. */
const INDENTED = /(?<=\n\n)(?: {4,}\S.*\n|\n(?= {4,}\S))+/g
/** Shells export variables. */
const TYPESCRIPT = /^(?:import|export(?! [A-Z_]+=)|const|await) /m

function blocksIn(file: string, document: string): readonly Example[] {
  const fenced = Array.from(document.matchAll(FENCED), ({ index, 2: language = '', 3: text = '' }) => ({
    line: lineAt(document, index) + 1,
    language: FENCES[language] ?? languageOf(text),
    text: withoutMargin(text),
  }))
  const indented = Array.from(document.replaceAll(FENCED, blank).matchAll(INDENTED), ({ index, 0: block }) => {
    const text = withoutMargin(block)
    return { line: lineAt(document, index), language: languageOf(text), text }
  })
  return [...fenced, ...indented].map((example) => ({ file, ...example }))
}

/** What is written behind the fence. */
const FENCES: Readonly<Record<string, Example['language']>> = {
  ts: 'ts',
  sh: 'sh',
  yaml: 'yaml',
  json: 'yaml',
  go: 'go',
  mermaid: 'drawing',
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
    document.matchAll(
      /`((?:make|npm|npx|node|quarterdeck|kubectl|docker|helm|etcdctl|etcdutl|go|curl|head|man)\s[^`]+|--[a-z][^`]*)`/g,
    ),
    ({ index, 1: text = '' }) => ({
      file,
      line: lineAt(document, index),
      language: 'sh',
      text: text.replaceAll(/\s+/g, ' '),
      quoted: true,
    }),
  )
}

function lineAt(document: string, index: number): number {
  return document.slice(0, index).split('\n').length
}

/**
 * What is typed, line by line: all of it, or where there are prompts, what is behind them; of a pipeline in YAML what its steps run. What is told
 * behind a # is left away.
 */
export function typedLines({ language, text }: Example): readonly string[] {
  if (language === 'yaml') return Array.from(text.matchAll(/^ *(?:- )?run: ([^|].*)$/gm), ([, line = '']) => line)
  if (language !== 'sh') return []
  const lines = text.replaceAll(/\s*\\\n\s*/g, ' ').split('\n')
  const prompted = lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2))
  return (prompted.length > 0 ? prompted : lines).map((line) => line.replace(/(^| )#.*/, '').trim()).filter(Boolean)
}
