// Inserts `metadata.resourceVersion` into stored JSON, which does not hold it: its place is found once when an object is read,
// and filled by joining bytes. The place of the labels is found on the way.
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
  /** The label map with its braces. Empty: none. */
  readonly labels: Span
}

/** The fields of the metadata before the version in the order of the built-in kinds. The name is the first of them. */
const BEFORE_VERSION = ['name', 'namespace', 'uid', 'generateName', 'selfLink'] as const

/** The members after version and labels. The search ends at the first of them. */
const BEHIND_LABELS = ['annotations', 'ownerReferences', 'finalizers', 'managedFields'] as const

/** Other kinds have their fields in the order of names. These fields of the metadata follow the version. */
const SORTED_BEHIND_VERSION = ['selfLink', 'uid'] as const

/** Undefined: not the canonical JSON of an object with metadata. */
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

/** The bytes with the version in its place. A copy: `bytes` do not change. */
export function spliceResourceVersion(bytes: Buffer, layout: ObjectLayout, revision: number): Buffer {
  return lineWithVersion(bytes, layout, revision).subarray(0, -1)
}

/** The same, with a line end behind it. */
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

/** Writes the spliced bytes into `target` from `at` on, which must have room for `splicedLength`. */
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
