import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatTime, parseMicroTime, parseTime } from '../../../src/schema/time.ts'

const LAYOUT = '2006-01-02T15:04:05Z07:00'

describe('times', () => {
  it.each<[string, string, string | null]>([
    ['canonical', '2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z'],
    ['a fraction is dropped', '2024-01-02T03:04:05.987Z', '2024-01-02T03:04:05Z'],
    ['a zone becomes UTC', '2024-01-01T00:30:00+02:00', '2023-12-31T22:30:00Z'],
    ['a leap day', '2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    ['an hour of one digit', '2024-01-02T3:04:05Z', '2024-01-02T03:04:05Z'],
    ['a year below a hundred', '0099-01-02T03:04:05Z', '0099-01-02T03:04:05Z'],
    ['the zero moment is null', '0001-01-01T00:00:00Z', null],
  ])('%s', (_name, text, canonical) => {
    expect(parseTime(text)).toEqual({ ok: true, text: canonical })
  })

  it.each([
    ['a word', 'abc', `parsing time "abc" as "${LAYOUT}": cannot parse "abc" as "2006"`],
    ['empty', '', `parsing time "" as "${LAYOUT}": cannot parse "" as "2006"`],
    ['a date alone', '2024-01-02', `parsing time "2024-01-02" as "${LAYOUT}": cannot parse "" as "T"`],
    [
      'no zone',
      '2024-01-02T03:04:05',
      `parsing time "2024-01-02T03:04:05" as "${LAYOUT}": cannot parse "" as "Z07:00"`,
    ],
    ['a month', '2024-13-02T03:04:05Z', 'parsing time "2024-13-02T03:04:05Z": month out of range'],
    ['a day', '2023-02-29T03:04:05Z', 'parsing time "2023-02-29T03:04:05Z": day out of range'],
    ['more after it', '2024-01-02T03:04:05Zx', 'parsing time "2024-01-02T03:04:05Zx": extra text: "x"'],
    [
      'a zone',
      '2024-01-02T03:04:05+25:00',
      'parsing time "2024-01-02T03:04:05+25:00": time zone offset hour out of range',
    ],
    [
      'a year beyond four digits',
      '9999-12-31T23:59:59-01:00',
      'parsing time "9999-12-31T23:59:59-01:00": year out of range',
    ],
  ])('is refused: %s', (_name, text, message) => {
    expect(parseTime(text)).toEqual({ ok: false, message })
  })

  it('any second reads back from its text', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_799, max: 253_402_300_799 }), (seconds) => {
        const text = formatTime(seconds)
        expect(parseTime(text)).toEqual({ ok: true, text })
      }),
    )
  })
})

describe('times with microseconds', () => {
  it('keeps six digits and moves to UTC', () => {
    expect(parseMicroTime('2024-01-02T03:04:05.000120+01:00')).toEqual({
      ok: true,
      text: '2024-01-02T02:04:05.000120Z',
    })
    expect(parseMicroTime('0001-01-01T00:00:00.000000Z')).toEqual({ ok: true, text: null })
  })

  it.each(['2024-01-02T03:04:05Z', '2024-01-02T03:04:05.123Z'])('needs all six digits: %s', (text) => {
    const parsed = parseMicroTime(text)
    expect(parsed.ok || parsed.message).toMatch(
      /as "2006-01-02T15:04:05\.000000Z07:00": cannot parse .* as "\.000000"$/,
    )
  })
})
