// How the pages of the manual are laid out.

const WIDTH = 80
const INDENT = 7

export type Section = readonly [title: string, lines: readonly string[]]

export function page(sections: readonly Section[]): string {
  return sections.map(([title, lines]) => `${title}\n${lines.map(wrap).join('\n')}\n`).join('\n')
}

/** Breaks a line between words and indents what it makes of it; the line's own indentation stays. */
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
