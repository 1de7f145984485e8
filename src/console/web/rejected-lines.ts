// Finds the lines of a YAML document that the server rejects, by the causes or the message of its Status.
import type { SyntaxNode } from '@lezer/common'
import { fieldsIn, isMapping, isSequence, itemsIn, scalarText, topOf, valueOf } from './yaml-tree.ts'

/** The parts of a Status that name fields. */
export interface Rejection {
  readonly message?: string
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] }
}

export interface LineMark {
  /** Begins with 1. */
  readonly line: number
  readonly message: string
}

/** `before`: the number of lines before the document, if it is one of several. */
export function marksOf(rejection: Rejection, text: string, before = 0): readonly LineMark[] {
  const marks = [...marksIn(rejection, text)].map(({ line, message }) => ({ line: line + before, message }))
  return marks.toSorted((a, b) => a.line - b.line)
}

const UNMARSHAL = /cannot unmarshal (\S+) into Go struct field [^.]*\.(\S+) of type (\S+)/

function* marksIn({ message: all = '', details }: Rejection, text: string): Iterable<LineMark> {
  const lineAt = (place: number): number => text.slice(0, place).split('\n').length
  for (const { field = '', message = '' } of details?.causes ?? []) {
    const name = /^Invalid value: "([^"]*)"/.exec(message)?.[1]
    yield { line: lineAt(placeOf(text, segmentsOf(field), name)), message: `${field}: ${message}` }
  }
  for (const [, problem = '', field = ''] of all.matchAll(/((?:unknown|duplicate) field "([^"]+)")/g)) {
    yield { line: lineAt(placeOf(text, segmentsOf(field))), message: problem }
  }
  // An apply writes the paths of fields in another way.
  for (const [, field = '', problem = ''] of all.matchAll(/^(?:.*\): )?\s*(\.\S+): (.+)$/gm)) {
    yield { line: lineAt(placeOf(text, segmentsOf(field))), message: `${field}: ${problem}` }
  }
  // The server has read the same text, so its line numbers are right.
  for (const [, line, problem = ''] of all.matchAll(/line (\d+): (key "[^"]*" already set in map|[^,\n(]+)/g)) {
    yield { line: Number(line), message: problem.trim() }
  }
  const [problem, , field = '', wanted = ''] = UNMARSHAL.exec(all) ?? []
  const top = topOf(text)
  if (problem === undefined || top === undefined) return
  const values = valuesAt(top, field.split('.'), text)
  const wrong = values.find((value) => !fits(value, wanted, text)) ?? values[0]
  if (wrong !== undefined) yield { line: lineAt(wrong.from), message: problem }
}

/** `spec.containers[0].name`, `data[a.b]` and `.spec.containers[name="web"]`. */
function segmentsOf(field: string): readonly string[] {
  return [...field.matchAll(/\[("?)(.*?)\1\]|[^.[\]]+/g)].map(([whole, , inner]) => inner ?? whole)
}

/** The place of the field, or of the nearest field around it. `name`: a rejected key in the field. */
function placeOf(text: string, segments: readonly string[], name?: string): number {
  let node = topOf(text)
  let place = node?.from ?? 0
  for (let i = 0; node !== undefined && i < segments.length; ) {
    const step = stepInto(node, segments.slice(i), text)
    if (step === undefined) break
    place = step.place
    node = step.value
    i += step.count
  }
  if (name === undefined || node === undefined || !isMapping(node)) return place
  return fieldsIn(node, text).find(({ key }) => key === name)?.pair.from ?? place
}

interface Step {
  readonly place: number
  readonly value: SyntaxNode | undefined
  /** The number of segments that the step took: a key may have dots. */
  readonly count: number
}

function stepInto(node: SyntaxNode, segments: readonly string[], text: string): Step | undefined {
  if (isSequence(node)) {
    const item = itemOf(itemsIn(node), segments[0] ?? '', text)
    const value = item === undefined ? undefined : valueOf(item)
    return item === undefined ? undefined : { place: value?.from ?? item.from, value, count: 1 }
  }
  if (!isMapping(node)) return undefined
  const fields = fieldsIn(node, text)
  for (let count = segments.length; count > 0; count--) {
    const key = segments.slice(0, count).join('.')
    const found = fields.findLast((field) => field.key === key)
    if (found !== undefined) return { place: found.pair.from, value: found.value, count }
  }
  return undefined
}

/** Finds an item by its index or its keys. A key that the item does not have may be a default. */
function itemOf(items: readonly SyntaxNode[], segment: string, text: string): SyntaxNode | undefined {
  const keys = new Map([...segment.matchAll(/(\w+)=("?)(.*?)\2(?:,|$)/g)].map(([, key = '', , value]) => [key, value]))
  if (keys.size === 0) return items[Number(segment)]
  return items.find((item) => {
    const value = valueOf(item)
    if (value === undefined || !isMapping(value)) return false
    const fields = fieldsIn(value, text)
    return fields.every((field) => {
      const wanted = keys.get(field.key)
      return wanted === undefined || (field.value !== undefined && scalarText(field.value, text) === wanted)
    })
  })
}

/** The values at a path without indices, in all items of lists and all entries of a map at its end. */
function valuesAt(node: SyntaxNode, path: readonly string[], text: string): readonly SyntaxNode[] {
  if (isSequence(node)) return itemsIn(node).flatMap((item) => valuesIn(valueOf(item), path, text))
  const [key, ...rest] = path
  if (!isMapping(node)) return key === undefined ? [node] : []
  const inside = fieldsIn(node, text)
  if (key === undefined) return [...inside.flatMap(({ value }) => value ?? []), node]
  return inside.flatMap((field) => (field.key === key ? valuesIn(field.value, rest, text) : []))
}

function valuesIn(node: SyntaxNode | undefined, path: readonly string[], text: string): readonly SyntaxNode[] {
  return node === undefined ? [] : valuesAt(node, path, text)
}

/** Whether a value has the type `wanted`, which is Go's name of the type. */
function fits(value: SyntaxNode, wanted: string, text: string): boolean {
  if (isMapping(value)) return !/^(string|bool|u?int|float|\[)/.test(wanted)
  if (isSequence(value)) return wanted.startsWith('[')
  const isQuoted = value.name === 'QuotedLiteral'
  const written = scalarText(value, text)
  if (/^u?int|^float/.test(wanted)) return !isQuoted && /^[-+.\d]/.test(written)
  if (wanted === 'bool') return !isQuoted && /^(true|false)$/.test(written)
  return wanted === 'string' && (isQuoted || !/^([-+]?[\d.]+|true|false)$/.test(written))
}
