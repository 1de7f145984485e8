import { describe, expect, it } from 'vitest'
import { jsonText, parseJsonText } from '../../../src/api/json-text.ts'

const LONG = '9223372036854775807'

describe('an integer that no double holds', () => {
  it('is kept wherever it stands in the text', () => {
    for (let before = 0; before <= 64; before++) {
      const text = `{"text":"${'9a'.repeat(before).slice(0, before)}","n":${LONG},"more":[1,12345678,"12345678901234567"]}`
      const value = parseJsonText(text)
      expect(value).toMatchObject({ n: BigInt(LONG), more: [1, 12_345_678, '12345678901234567'] })
      expect(jsonText(value)).toBe(text)
    }
  })

  it.each(['9007199254740993', '-9007199254740993', '[9007199254740993]', `{"a":[0,${LONG}]}`])(
    'is kept in %s',
    (text) => {
      expect(jsonText(parseJsonText(text))).toBe(text)
    },
  )
})
