import { describe, expect, it } from 'vitest'
import { type ByteRange, byteRangeOf } from '../../../src/handlers/byte-range.ts'

const part = (first: number, last: number): ByteRange => ({ kind: 'part', first, last })
const WHOLE: ByteRange = { kind: 'whole' }
const NOT_UNDERSTOOD: ByteRange = { kind: 'none', beyond: false }
const BEYOND: ByteRange = { kind: 'none', beyond: true }

const rows: readonly (readonly [what: string, header: string, range: ByteRange])[] = [
  ['nothing', '', WHOLE],
  ['no ranges', 'bytes=', WHOLE],
  ['the beginning', 'bytes=0-9', part(0, 9)],
  ['the end', 'bytes=-5', part(95, 99)],
  ['more than there is from the end', 'bytes=-500', part(0, 99)],
  ['all after something', 'bytes=90-', part(90, 99)],
  ['more than there is', 'bytes=90-500', part(90, 99)],
  ['blanks around', 'bytes= 3-4 ', part(3, 4)],
  ['several, which are given as a whole', 'bytes=0-1,4-5', WHOLE],
  ['one of two that is there', 'bytes=200-300,4-5', part(4, 5)],
  ['what is behind the end', 'bytes=100-', BEYOND],
  ['what is behind the end, twice', 'bytes=100-,200-201', BEYOND],
  ['backwards', 'bytes=9-2', NOT_UNDERSTOOD],
  ['another unit', 'lines=0-1', NOT_UNDERSTOOD],
  ['no number', 'bytes=a-b', NOT_UNDERSTOOD],
  ['only a dash', 'bytes=-', NOT_UNDERSTOOD],
  ['a good one and a bad one', 'bytes=0-1,x', NOT_UNDERSTOOD],
]

describe('of a hundred bytes is asked for', () => {
  it.each(rows)('%s', (_, header, range) => {
    expect(byteRangeOf(header, 100)).toEqual(range)
  })
})
