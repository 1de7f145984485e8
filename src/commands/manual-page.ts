// The layout of the manual pages and of their flags.
import type { Flag } from '../config/flags.ts'
import { type CommandWords, flagsOfCommand } from './command-flags.ts'

const WIDTH = 80
const INDENT = 7

export type Section = readonly [title: string, lines: readonly string[]]

/** The page of a command. */
export interface Page {
  readonly command: string
  readonly summary: string
  /** The command lines, without the name of the program. */
  readonly synopsis: readonly string[]
  /** Paragraphs. */
  readonly description?: readonly string[]
  /** The commands whose flags are shown. Absent: the command itself. */
  readonly flagsOf?: readonly CommandWords[]
  readonly sections?: () => readonly Section[]
  /** The status of an invalid command line is added if it is missing. */
  readonly exits?: readonly string[]
}

export type Manual = (() => string) & { readonly page: Page }

export function manual(page: Page): Manual {
  const { command, summary, synopsis, description = [], flagsOf = [command as CommandWords], exits = [] } = page
  const isWhole = exits.length === 0 || exits.some((line) => line.startsWith('2 '))
  const text = (): string => {
    const flags = new Map(flagsOf.flatMap(flagsOfCommand).map((flag) => [flag.name, flag]))
    const sections: readonly Section[] = [
      ['NAME', [`quarterdeck ${command} - ${summary}`]],
      ['SYNOPSIS', synopsis.map((line) => `quarterdeck ${line}`)],
      ['DESCRIPTION', description.flatMap((paragraph, i) => (i === 0 ? [paragraph] : ['', paragraph]))],
      ['FLAGS', flagLines([...flags.values()])],
      ...(page.sections?.() ?? []),
      ['EXIT STATUS', isWhole ? exits : [...exits, '2  The command line is invalid.']],
    ]
    return pageText(sections.filter(([, lines]) => lines.length > 0))
  }
  return Object.assign(text, { page })
}

export function pageText(sections: readonly Section[]): string {
  return sections.map(([title, lines]) => `${title}\n${lines.map(wrap).join('\n')}\n`).join('\n')
}

const PLACEHOLDERS: Readonly<Record<Flag['kind'], string>> = {
  text: 'TEXT',
  file: 'FILE',
  directory: 'DIR',
  address: 'IP',
  port: 'PORT',
  count: 'N',
  duration: 'DURATION',
  list: 'ITEM,...',
  switch: '',
  gates: 'NAME=true|false,...',
  pairs: 'ITEM;...',
}

export function flagLines(flags: readonly Flag[]): readonly string[] {
  return flags.flatMap((flag, i) => {
    const value = flag.placeholder ?? PLACEHOLDERS[flag.kind]
    const isOff = flag.fallback === undefined || (flag.kind === 'switch' && flag.fallback === 'false')
    return [
      ...(i === 0 ? [] : ['']),
      `${flag.short === undefined ? '' : `-${flag.short}, `}--${flag.name}${value === '' ? '' : ` ${value}`}`,
      `    ${flag.help}${isOff ? '' : ` Default: ${flag.fallback}.`}`,
    ]
  })
}

/** Breaks a line between words and indents the parts. The line's own indentation stays. */
function wrap(text: string): string {
  const margin = ' '.repeat(INDENT + text.search(/\S|$/))
  const lines: string[] = []
  let current = ''
  for (const word of text.trim().split(' ')) {
    if (current !== '' && margin.length + current.length + word.length >= WIDTH) {
      lines.push(current)
      current = ''
    }
    current = current === '' ? word : `${current} ${word}`
  }
  return [...lines, current].map((line) => (line === '' ? '' : `${margin}${line}`)).join('\n')
}
