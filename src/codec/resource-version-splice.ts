// Inserts `metadata.resourceVersion` into stored JSON, which does not contain it. The place of the version is found once, when an object is
// read. The version is inserted by joining bytes. The same search finds the place of the labels.
import { CLOSE_MAP, COLON, COMMA, OPEN_MAP } from './json-bytes.ts'
import { findMember, findMemberStart, isString, skipString, skipValue } from './json-scan.ts'
import type { Span } from './json-scan.ts'

const NONE: Span = { start: 0, end: 0 }
const LINE_END = 0x0a

/** The positions of parts in an object's stored bytes. */
export interface ObjectLayout {
  /** The part that the version replaces: an old version, or nothing. */
  readonly version: Span
  /** Commas that the version needs around it. */
  readonly before: '' | ','
  readonly after: '' | ','
  /** The label map with its braces. Empty: the object has no labels. */
  readonly labels: Span
}

/** The fields of the metadata that come before the version in built-in kinds. The name is the first of all fields. */
const BEFORE_VERSION = ['name', 'namespace', 'uid', 'generateName', 'selfLink'] as const

/** The members after the version and the labels. The search ends at the first of these members. */
const BEHIND_LABELS = ['annotations', 'ownerReferences', 'finalizers', 'managedFields'] as const

/** Other kinds have their fields sorted by name. These fields of the metadata follow the version. */
const SORTED_BEHIND_VERSION = ['selfLink', 'uid'] as const

/** The layout of an object. Undefined: the bytes are not the canonical JSON of an object with metadata. */
export function layoutOf(bytes: Buffer): ObjectLayout | undefined {
  if (bytes[bytes.length - 1] !== CLOSE_MAP) return undefined
  const metadata = findMemberStart(bytes, 0, 'metadata')
  if (metadata < 0 || bytes[metadata] !== OPEN_MAP) return undefined
  const first = metadata + 1
  if (bytes[first] === CLOSE_MAP) return { version: { start: first, end: first }, before: '', after: '', labels: NONE }
  return walkMetadata(bytes, first)
}

function walkMetadata(bytes: Buffer, first: number): ObjectLayout | undefined {
  let labels = NONE
  let place = first
  let passed = false
  let builtIn = false
  for (let at = first; ; ) {
    const keyEnd = skipString(bytes, at)
    if (keyEnd < 0 || bytes[keyEnd] !== COLON) return undefined
    if (at === first) builtIn = isString(bytes, at, keyEnd, 'name')
    if (builtIn && isAnyOf(bytes, at, keyEnd, BEHIND_LABELS)) break
    const end = skipValue(bytes, keyEnd + 1)
    if (end < 0) return undefined
    if (isString(bytes, at, keyEnd, 'labels')) labels = { start: keyEnd + 1, end }
    if (isString(bytes, at, keyEnd, 'resourceVersion')) {
      return {
        version: { start: at, end },
        before: '',
        after: '',
        labels: findMember(bytes, first - 1, 'labels') ?? NONE,
      }
    }
    passed ||= builtIn ? !isAnyOf(bytes, at, keyEnd, BEFORE_VERSION) : isAnyOf(bytes, at, keyEnd, SORTED_BEHIND_VERSION)
    if (!passed) place = end
    if (bytes[end] !== COMMA) break
    at = end + 1
  }
  const isFirst = place === first
  return { version: { start: place, end: place }, before: isFirst ? '' : ',', after: isFirst ? ',' : '', labels }
}

/** A copy of the bytes with the version in its place. */
export function spliceResourceVersion(bytes: Buffer, layout: ObjectLayout, revision: number): Buffer {
  return lineWithVersion(bytes, layout, revision).subarray(0, -1)
}

/** A copy of the bytes with the version in its place, and a line end after them. */
export function lineWithVersion(bytes: Buffer, layout: ObjectLayout, revision: number): Buffer {
  const member = versionMember(layout, revision)
  const length = splicedLength(bytes, layout, member)
  const target = Buffer.allocUnsafe(length + 1)
  spliceInto(target, 0, { bytes, layout, member })
  target[length] = LINE_END
  return target
}

export interface Splice {
  readonly bytes: Buffer
  readonly layout: ObjectLayout
  readonly member: string
}

/** The inserted text, with its commas. */
export function versionMember(layout: ObjectLayout, revision: number): string {
  return `${layout.before}"resourceVersion":"${revision}"${layout.after}`
}

export function splicedLength(bytes: Buffer, layout: ObjectLayout, member: string): number {
  return bytes.length - (layout.version.end - layout.version.start) + member.length
}

/** Writes the spliced bytes into `target` from `at` on. There must be room for `splicedLength` bytes. */
export function spliceInto(target: Buffer, at: number, splice: Splice): void {
  const { bytes, layout, member } = splice
  bytes.copy(target, at, 0, layout.version.start)
  target.write(member, at + layout.version.start, 'latin1')
  bytes.copy(target, at + layout.version.start + member.length, layout.version.end)
}

function isAnyOf(bytes: Buffer, start: number, end: number, names: readonly string[]): boolean {
  for (const name of names) {
    if (isString(bytes, start, end, name)) return true
  }
  return false
}
