// From JSON values to objects of a custom kind: the metadata is that of every kind and is decoded as such; of the rest, what the
// schema does not know is dropped and told. Types are for validation to look at.
import { quoted } from '../api/field-error.ts'
import { type ValueMap, own, setOwn, type Value } from '../api/value.ts'
import { type Decoded, decodeObject } from './decode.ts'
import { pruneUnknown } from './prune.ts'
import type { ObjectShape } from './table.ts'

export interface CustomSource {
  readonly value: ValueMap
  /** The paths of repeated members, in document order. */
  readonly duplicates: readonly string[]
}

export interface CustomShapes {
  /** The schema of the kind. */
  readonly shape: ObjectShape
  /** ObjectMeta. */
  readonly metadata: ObjectShape
}

/**
 * Problems come in this order: repeated members, unknown ones of the metadata, pruned ones, those of embedded metadata (W-414,
 * W-416). Throws `DecodeError` where the metadata, its own or that of an embedded object, is of the wrong type (W-440).
 */
export function decodeCustom({ value, duplicates }: CustomSource, { shape, metadata }: CustomShapes): Decoded {
  const meta = decodeObject(own(value, 'metadata') ?? null, metadata, 'metadata')
  const pruned = pruneUnknown(value, shape, metadata, 'refuse')
  const repeated = duplicates.map((path) => `duplicate field ${quoted(path)}`)
  const object: Record<string, Value> = {}
  for (const [key, member] of Object.entries(pruned.value))
    setOwn(object, key, key === 'metadata' ? meta.value : member)
  return { value: object, problems: [...repeated, ...meta.problems, ...pruned.problems] }
}
