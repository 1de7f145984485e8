// Transcodes stored JSON to protobuf without making objects: one pass over the bytes, by a plan. JSON that is not canonical for the kind is
// parsed and given to the encoder instead, which writes the same bytes. Values of a wrong type count as never set.
import { withRightMembers } from '../schema/stored-types.ts'
import type { ObjectShape } from '../schema/table.ts'
import { BACKSLASH, CLOSE_LIST, CLOSE_MAP, COLON, COMMA, OPEN_LIST, OPEN_MAP, QUOTE } from './json-bytes.ts'
import { encodeEnvelope, encodeRaw } from './protobuf.ts'
import type { TypeNames } from './protobuf.ts'
import { parseStoredJson } from './stored-json.ts'
import { OPS, TranscodePlans } from './transcode-plan.ts'
import type { FieldPlan, GroupPlan, ObjectPlan, Zeros } from './transcode-plan.ts'
import { FIRST_TEXT, LOWER_N, ScalarTranscoder, UNEXPECTED, Unexpected } from './transcode-scalars.ts'

/** An object during its transcoding: its start, and the ends of its fields. */
interface OpenObject {
  readonly zeros: Zeros | undefined
  readonly began: number
  readonly ends: number
}

const ORDERED: OpenObject = { zeros: undefined, began: 0, ends: 0 }

/** Handles one object at a time, because it reuses its buffers. One transcoder is enough for a process, because it never waits. */
export class Transcoder extends ScalarTranscoder {
  readonly #plans = new TranscodePlans()
  /** For the open objects whose fields may come late: the position of each written field, and its end. */
  #ends = new Int32Array(1024)
  #endsTop = 0
  /** The message of an object, without an envelope. It is a view of a buffer: use it before the next call. */
  message(shape: ObjectShape, json: Buffer): Buffer {
    this.#write(shape, json)
    return this.out.written()
  }

  /** The message of an object as a field of another message, with the tag and the length before it. */
  field(number: number, shape: ObjectShape, json: Buffer): Buffer {
    this.#write(shape, json)
    this.out.prefix((number << 3) | 2)
    return this.out.written()
  }

  /** An object in its envelope, with the given names. */
  enveloped(shape: ObjectShape, names: TypeNames, json: Buffer): Buffer {
    return encodeEnvelope(names, this.message(shape, json), '')
  }

  #write(shape: ObjectShape, json: Buffer): void {
    this.out.clear()
    this.json = json
    this.#endsTop = 0
    try {
      if (this.#object(this.#plans.of(shape), 0) !== json.length) throw UNEXPECTED
    } catch (error) {
      if (!(error instanceof Unexpected)) throw error
      this.out.clear()
      this.out.bytes(encodeRaw(shape, withRightMembers(shape, parseStoredJson(json))))
    }
  }

  /** Writes an object: its fields in the order of the JSON, with the zeros of absent fields between them. A late field is moved. */
  #object({ names, fields, zeros, mayComeLate, isSupported }: ObjectPlan, start: number): number {
    const json = this.json
    const out = this.out
    if (json[start] !== OPEN_MAP || !isSupported) throw UNEXPECTED
    const members = zeros.starts.length - 1
    if (json[start + 1] === CLOSE_MAP) {
      this.#zeros(zeros, 0, members)
      return start + 2
    }
    const opened: OpenObject = mayComeLate ? { zeros, began: out.length, ends: this.#endsTop } : ORDERED
    let group: GroupPlan | undefined
    let content = 0
    let inGroup = 0
    let written = 0
    let index = 0
    for (let at = start + 1; ; at++) {
      if (json[at] !== QUOTE) throw UNEXPECTED
      index = this.#fieldAt(names, index, at + 1)
      const field = fields[index]
      if (field === undefined) at = this.skipMember(at)
      else {
        at += (names[index] as Uint8Array).length + 2
        if (json[at++] !== COLON) throw UNEXPECTED
      }
      if (field === undefined) index = 0
      else if (json[at] === LOWER_N) at += 4
      else {
        if (field.group !== group) {
          if (group !== undefined) this.#leave(group, inGroup, content)
          if (group !== undefined && mayComeLate) this.#enterEnd(group.position)
          group = field.group
          if (group !== undefined) {
            if (group.position < written) throw UNEXPECTED
            this.#zeros(zeros, written, group.position)
            written = group.position + 1
            content = out.open(group.tag, 1)
            inGroup = 0
          }
        }
        const { position } = field
        if (group !== undefined) {
          if (position < inGroup) throw UNEXPECTED
          this.#zeros(group.zeros, inGroup, position)
          inGroup = position + 1
          at = this.#value(field, at)
        } else if (position < written) at = this.#late(field, at, opened)
        else {
          this.#zeros(zeros, written, position)
          written = position + 1
          at = this.#value(field, at)
          if (mayComeLate) this.#enterEnd(position)
        }
        index++
      }
      if (json[at] === COMMA) continue
      if (json[at] !== CLOSE_MAP) throw UNEXPECTED
      if (group !== undefined) this.#leave(group, inGroup, content)
      this.#zeros(zeros, written, members)
      if (mayComeLate) this.#endsTop = opened.ends
      return at + 1
    }
  }

  #enterEnd(position: number): void {
    if (this.#endsTop + 2 > this.#ends.length) {
      const grown = new Int32Array(2 * this.#ends.length)
      grown.set(this.#ends)
      this.#ends = grown
    }
    this.#ends[this.#endsTop] = position
    this.#ends[this.#endsTop + 1] = this.out.length
    this.#endsTop += 2
  }

  /** Writes a field that belongs before a written field. It is written at the end, and then moved to the place of its zero. */
  #late(field: FieldPlan, start: number, { zeros, began, ends }: OpenObject): number {
    if (zeros === undefined) throw UNEXPECTED
    const { position } = field
    const from = this.out.length
    const at = this.#value(field, start)
    const moved = this.out.length - from
    if (moved === 0) return at
    this.#enterEnd(position)
    // The ends are sorted by position, so the new end moves to its place too.
    let place = this.#endsTop - 2
    const replaced = (zeros.starts[position + 1] as number) - (zeros.starts[position] as number)
    for (; place > ends && (this.#ends[place - 2] as number) > position; place -= 2) {
      this.#ends[place] = this.#ends[place - 2] as number
      this.#ends[place + 1] = (this.#ends[place - 1] as number) + moved - replaced
    }
    const before = place > ends ? (this.#ends[place - 2] as number) : -1
    if (before === position) throw UNEXPECTED
    const after = place > ends ? (this.#ends[place - 1] as number) : began
    const target = after + (zeros.starts[position] as number) - (zeros.starts[before + 1] as number)
    this.out.move(from, target, replaced)
    this.#ends[place] = position
    this.#ends[place + 1] = target + moved
    return at
  }

  /** Writes the zeros of the members from `from` to `to` (exclusive). */
  #zeros({ bytes, starts }: Zeros, from: number, to: number): void {
    if (from < to) this.out.slice(bytes, starts[from] as number, starts[to] as number)
  }

  #leave({ zeros }: GroupPlan, written: number, content: number): void {
    this.#zeros(zeros, written, zeros.starts.length - 1)
    this.out.close(content, 1)
  }

  /** The index of the name at the position. Canonical JSON has the order of the plan, so the search begins after the last field. */
  #fieldAt(names: readonly Uint8Array[], start: number, at: number): number {
    const json = this.json
    const count = names.length
    const letter = json[at]
    for (let tried = 0, i = start; tried < count; tried++, i++) {
      if (i >= count) i = 0
      const name = names[i] as Uint8Array
      const { length } = name
      if (name[0] !== letter || json[at + length] !== QUOTE) continue
      let k = 1
      while (k < length && name[k] === json[at + k]) k++
      if (k === length) return i
    }
    return count
  }

  #value(field: FieldPlan, at: number): number {
    if (field.isList) return this.#list(field, at)
    return field.op === OPS.map ? this.#map(field, at) : this.#single(field, at)
  }

  #list(field: FieldPlan, start: number): number {
    const json = this.json
    if (json[start] !== OPEN_LIST) throw UNEXPECTED
    if (json[start + 1] === CLOSE_LIST) return start + 2
    for (let at = start + 1; ; at++) {
      at = this.#single(field, at)
      if (json[at] === COMMA) continue
      if (json[at] !== CLOSE_LIST) throw UNEXPECTED
      return at + 1
    }
  }

  /** Writes a map. Entries are sorted on the wire, as in canonical JSON. */
  #map(field: FieldPlan, start: number): number {
    const json = this.json
    const out = this.out
    const { entry } = field
    if (json[start] !== OPEN_MAP || entry === undefined) throw UNEXPECTED
    if (json[start + 1] === CLOSE_MAP) return start + 2
    let previous = -1
    for (let at = start + 1; ; at++) {
      if (previous >= 0 && !this.#isBehind(previous, at)) throw UNEXPECTED
      previous = at
      const content = out.open(field.tag, 1)
      at = this.text(FIRST_TEXT, at)
      if (json[at] !== COLON) throw UNEXPECTED
      at = this.#single(entry, at + 1)
      out.close(content, 1)
      if (json[at] === COMMA) continue
      if (json[at] !== CLOSE_MAP) throw UNEXPECTED
      return at + 1
    }
  }

  /** Whether the next key sorts after the previous key. Both positions are opening quotes. Keys with escapes are left to the encoder. */
  #isBehind(previous: number, next: number): boolean {
    const json = this.json
    for (let i = 1; ; i++) {
      const [a, b] = [json[previous + i], json[next + i]]
      if (a === BACKSLASH || b === BACKSLASH || b === undefined || a === undefined) throw UNEXPECTED
      if (a === QUOTE) return b !== QUOTE
      if (b === QUOTE) return false
      if (a !== b) return b > a
    }
  }

  #single(field: FieldPlan, at: number): number {
    switch (field.op) {
      case OPS.string:
        return this.text(field.tag, at)
      case OPS.object:
        return this.#message(field, at)
      case OPS.integer:
        this.out.varint(field.tag)
        return this.integer(at)
      case OPS.bool:
        return this.flag(field.tag, at)
      case OPS.time:
        return this.moment(field.tag, at)
      case OPS.quantity:
        return this.quantity(field.tag, at)
      case OPS.intOrString:
        return this.intOrString(field.tag, at)
      case OPS.raw:
        return this.raw(field.tag, at)
      default:
        throw UNEXPECTED
    }
  }

  /** Writes an object in a field. The last objects of each field are kept, because similar documents often have equal objects in it. */
  #message(field: FieldPlan, start: number): number {
    const json = this.json
    const out = this.out
    const { repeats } = field
    const known = repeats.at(json, start)
    if (known !== undefined) {
      out.bytes(known.message)
      return start + known.json.length
    }
    const from = out.length
    const size = field.lengthSize
    const content = out.open(field.tag, size)
    const end = this.#object(field.object ?? this.#planOf(field), start)
    field.lengthSize = out.close(content, size)
    if (repeats.wants(end - start)) repeats.keep(json.subarray(start, end), out.since(from))
    return end
  }

  #planOf(field: FieldPlan): ObjectPlan {
    if (field.shape === undefined) throw UNEXPECTED
    const made = this.#plans.of(field.shape)
    field.object = made
    return made
  }
}
