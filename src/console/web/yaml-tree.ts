// Finds the fields of a YAML document in its syntax tree. Comments, order and style of the document stay.
import type { SyntaxNode } from '@lezer/common'
import { parser } from '@lezer/yaml'

export interface YamlField {
  readonly key: string
  readonly pair: SyntaxNode
  /** Undefined: the key has no value. */
  readonly value: SyntaxNode | undefined
}

/** The mapping at the top. Undefined: there is no mapping. */
export function topOf(text: string): SyntaxNode | undefined {
  const document = parser.parse(text).topNode.getChild('Document')
  return document?.getChild('BlockMapping') ?? document?.getChild('FlowMapping') ?? undefined
}

export function fieldsIn(mapping: SyntaxNode, text: string): readonly YamlField[] {
  return mapping.getChildren('Pair').flatMap((pair) => {
    const key = pair.getChild('Key')
    if (key === null) return []
    const last = pair.lastChild
    const value = last === null || last.name === 'Key' || last.name === ':' ? undefined : last
    return [{ key: scalarText(key, text), pair, value }]
  })
}

export function itemsIn(sequence: SyntaxNode): readonly SyntaxNode[] {
  return sequence.getChildren('Item')
}

/** The content of an item of a sequence. */
export function valueOf(item: SyntaxNode): SyntaxNode | undefined {
  return item.firstChild ?? undefined
}

export function isMapping({ name }: SyntaxNode): boolean {
  return name === 'BlockMapping' || name === 'FlowMapping'
}

export function isSequence({ name }: SyntaxNode): boolean {
  return name === 'BlockSequence' || name === 'FlowSequence'
}

/** The text of a scalar without its quotes. */
export function scalarText({ from, to }: SyntaxNode, text: string): string {
  const written = text.slice(from, to).trim()
  const quoted = /^(["'])(.*)\1$/s.exec(written)?.[2]
  return quoted ?? written
}

/** The document without the lines of the field. */
export function withoutField(text: string, path: readonly string[]): string {
  const field = fieldAt(text, path)
  return field === undefined ? text : withoutLines(text, field.pair)
}

/** The document with another value in a field that has one. */
export function withScalar(text: string, path: readonly string[], value: string): string {
  const node = fieldAt(text, path)?.value
  return node === undefined ? text : text.slice(0, node.from) + JSON.stringify(value) + text.slice(node.to)
}

/** The field at the path. Undefined: the document does not have it. */
export function fieldAt(text: string, path: readonly string[]): YamlField | undefined {
  let field: YamlField | undefined
  let mapping = topOf(text)
  for (const key of path) {
    field = mapping === undefined ? undefined : fieldsIn(mapping, text).find((one) => one.key === key)
    mapping = field?.value
  }
  return field
}

function withoutLines(text: string, { from, to }: SyntaxNode): string {
  const begin = text.lastIndexOf('\n', from) + 1
  const end = text.indexOf('\n', to)
  return text.slice(0, begin) + (end === -1 ? '' : text.slice(end + 1))
}
