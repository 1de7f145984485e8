// Objects of a built-in kind with a long text in one of its fields, made from the table of kinds: whatever a format does with a text
// it does with very many characters.
import type { Value } from '../../src/api/value.ts'
import type { KindSchema, ObjectShape, Shape } from '../../src/schema/table.ts'
import { type Place, objectAround } from './hostile-objects.ts'

export type TextPlace = Omit<Place, 'shape'>

/** Texts without end, each of them something that a format may look at again and again. */
export const TEXTS: Readonly<Record<string, (size: number) => string>> = {
  letters: (size) => 'a'.repeat(size),
  dashes: (size) => `a${'-'.repeat(size)}`,
  labels: (size) => `${'a.'.repeat(size / 2)}A`,
  slashes: (size) => `a${'/'.repeat(size)}b`,
  segments: (size) => `${'a/'.repeat(size / 2)}!`,
  digits: (size) => `${'0'.repeat(size)}x`,
  blanks: (size) => `a${' '.repeat(size)}b`,
  stars: (size) => `${'*'.repeat(size)}b`,
  colons: (size) => `${'1:'.repeat(size / 2)}g`,
  brackets: (size) => '(['.repeat(size / 2),
}

/** Every text of a kind, and what is read from a text. */
export function textPlacesOf(kind: KindSchema): readonly TextPlace[] {
  const places: TextPlace[] = []
  const enter = (shape: Shape, steps: Place['steps'], open: ReadonlySet<ObjectShape>, owner: string): void => {
    if (READ_FROM_TEXT.has(shape.kind)) places.push({ steps, owner, text: steps.map(({ name }) => name).join('.') })
    if (shape.kind === 'list') enter(shape.item, steps, open, `${owner}[]`)
    if (shape.kind === 'map') enter(shape.value, steps, open, `${owner}{}`)
    if (shape.kind !== 'object' || open.has(shape)) return
    const within = new Set(open).add(shape)
    for (const field of shape.fields) enter(field.shape, [...steps, field], within, `${shape.name}.${field.name}`)
  }
  enter(kind.shape, [], new Set(), kind.kind)
  return places
}

const READ_FROM_TEXT: ReadonlySet<string> = new Set([
  'string',
  'bytes',
  'time',
  'microTime',
  'duration',
  'quantity',
  'intOrString',
])

export function bodyWithText(kind: KindSchema, { steps }: TextPlace, text: string): string {
  const end = (shape: Shape): Value => {
    if (shape.kind === 'list') return [end(shape.item)]
    return shape.kind === 'map' ? { key: end(shape.value) } : text
  }
  return JSON.stringify(objectAround(kind, steps, end))
}
