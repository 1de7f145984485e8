// Plans for transcoding the JSON of a shape to protobuf: names as bytes, tags, zero values, order. A plan is made once for each shape. The
// bytes of zero values come from the encoder.
import type { MapShape, ObjectShape, Shape, WireField, WireType } from '../schema/table.ts'
import { mapValueType, ProtobufEncoder } from './protobuf-encode.ts'
import { Repeats } from './transcode-repeats.ts'

/** The ways to write a value. They are numbers because the transcoder reads one for every value. */
export const OPS = {
  string: 0,
  integer: 1,
  bool: 2,
  object: 3,
  time: 4,
  quantity: 5,
  intOrString: 6,
  raw: 7,
  map: 8,
  /** A form that only the encoder knows. */
  other: 9,
} as const

type Op = (typeof OPS)[keyof typeof OPS]

/** A JSON field on the wire, or the value of a map's entries. All plans are of one class, so that V8 sees one kind of record. */
export class FieldPlan {
  readonly op: Op
  readonly tag: number
  readonly isList: boolean
  /** The plan of a map's values. */
  readonly entry: FieldPlan | undefined
  readonly shape: ObjectShape | undefined
  /** The position of the field among the members of its message, or of its inlined struct. */
  readonly position: number
  readonly group: GroupPlan | undefined
  /** The plan of an object. It is made at its first use, because types refer to themselves. */
  object: ObjectPlan | undefined = undefined
  /** The number of bytes that the length of the last message took. The length of the next message usually takes as many. */
  lengthSize = 1
  readonly repeats = new Repeats()

  constructor({ type, number, shape, position = 0, group }: FieldFacts) {
    this.position = position
    this.group = group
    this.isList = shape.kind === 'list' && type !== 'stringList'
    const value = shape.kind === 'list' && this.isList ? shape.item : shape
    this.op = opOf(type, value)
    this.tag = (number << 3) | (this.op === OPS.integer || this.op === OPS.bool ? 0 : 2)
    this.entry = shape.kind === 'map' ? entryOf(shape) : undefined
    this.shape = value.kind === 'object' ? value : undefined
  }
}

interface FieldFacts {
  readonly type: WireType
  readonly number: number
  readonly shape: Shape
  readonly position?: number
  readonly group?: GroupPlan | undefined
}

function entryOf(shape: MapShape): FieldPlan {
  return new FieldPlan({ type: mapValueType(shape), number: 2, shape: shape.value })
}

/** The zeros of all members of a message, one after the other. Together they are the message of an object without set fields. */
export interface Zeros {
  readonly bytes: Uint8Array
  /** The start of each member's zero, and the end of the last zero. */
  readonly starts: Int32Array
}

/** An inlined struct: a message on the wire. JSON has the fields of the struct next to each other, among the fields of its parent. */
export interface GroupPlan {
  readonly tag: number
  /** The position of the struct among the members of its parent. */
  readonly position: number
  readonly zeros: Zeros
}

export interface ObjectPlan {
  /** The JSON names in the order of canonical JSON. */
  readonly names: readonly Uint8Array[]
  /** The plan of each field. Undefined: the member has no field on the wire. */
  readonly fields: readonly (FieldPlan | undefined)[]
  readonly zeros: Zeros
  /** Whether JSON may have a field after another field that follows it on the wire. */
  readonly mayComeLate: boolean
  /** False: only the encoder supports objects of this shape. */
  readonly isSupported: boolean
}

/** The plans by shape. Shapes are made once and shared, so there are not more plans than shapes in the table. */
export class TranscodePlans {
  readonly #plans = new Map<ObjectShape, ObjectPlan>()

  of(shape: ObjectShape): ObjectPlan {
    const known = this.#plans.get(shape)
    if (known !== undefined) return known
    const made = planOf(shape)
    this.#plans.set(shape, made)
    return made
  }
}

function planOf(shape: ObjectShape): ObjectPlan {
  const wire = shape.wire ?? []
  const slots = new Map(shape.fields.map((field, index) => [field.name, index]))
  const fields: (FieldPlan | undefined)[] = shape.fields.map(() => undefined)
  let isSupported = shape.wire !== undefined
  const enter = (member: WireField, position: number, group?: GroupPlan): void => {
    if (member.type !== 'inline') {
      const { field, number, type } = member
      fields[slots.get(field.name) ?? -1] = new FieldPlan({ type, number, shape: field.shape, position, group })
    } else if (group === undefined) {
      const made = { tag: (member.number << 3) | 2, position, zeros: zerosOf(shape, member.fields) }
      for (const [inner, one] of member.fields.entries()) enter(one, inner, made)
    } else isSupported = false
  }
  for (const [position, member] of wire.entries()) enter(member, position)
  return {
    names: shape.fields.map(({ name }) => Uint8Array.from(Buffer.from(name))),
    fields,
    zeros: zerosOf(shape, wire),
    mayComeLate: !ascend(
      fields.flatMap((field) => (field === undefined ? [] : [field.group?.position ?? field.position])),
    ),
    isSupported,
  }
}

function ascend(positions: readonly number[]): boolean {
  return positions.every((position, i) => i === 0 || position >= (positions[i - 1] ?? 0))
}

function zerosOf(shape: ObjectShape, wire: readonly WireField[]): Zeros {
  const zeros = wire.map((member) => {
    const encoder = new ProtobufEncoder(64)
    encoder.object({ ...shape, wire: [member] }, {})
    return encoder.finish()
  })
  const starts = new Int32Array(zeros.length + 1)
  for (const [i, zero] of zeros.entries()) starts[i + 1] = (starts[i] ?? 0) + zero.length
  return { bytes: Uint8Array.from(Buffer.concat(zeros)), starts }
}

const OPS_OF_TYPES: Readonly<Partial<Record<WireType, Op>>> = {
  string: OPS.string,
  bool: OPS.bool,
  map: OPS.map,
  int32: OPS.integer,
  int64: OPS.integer,
}

const OPS_OF_MESSAGES: Readonly<Partial<Record<Shape['kind'], Op>>> = {
  object: OPS.object,
  time: OPS.time,
  quantity: OPS.quantity,
  intOrString: OPS.intOrString,
  rawExtension: OPS.raw,
  fieldsV1: OPS.raw,
  any: OPS.raw,
}

function opOf(type: WireType, { kind }: Shape): Op {
  return (type === 'message' ? OPS_OF_MESSAGES[kind] : OPS_OF_TYPES[type]) ?? OPS.other
}
