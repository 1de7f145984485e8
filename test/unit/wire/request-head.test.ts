import { describe, expect, it } from 'vitest'
import { requestHeadOf } from '../../../src/wire/request-head.ts'

const START = [':method', 'GET', ':scheme', 'https', ':path', '/']

function isTaken(...fields: readonly string[]): boolean {
  return requestHeadOf([...START, ...fields]) !== undefined
}

describe('the server that an HTTP/2 request names', () => {
  it('is named once, or twice alike', () => {
    expect(isTaken(':authority', 'a:1')).toBe(true)
    expect(isTaken('host', 'a:1')).toBe(true)
    expect(isTaken(':authority', 'a:1', 'host', 'A:1')).toBe(true)
    expect(isTaken(':authority', '', 'host', 'a')).toBe(true)
    expect(isTaken()).toBe(true)
  })

  it('is not two', () => {
    expect(isTaken(':authority', 'a', 'host', 'b')).toBe(false)
    expect(isTaken(':authority', 'a', ':authority', 'a')).toBe(false)
    expect(isTaken('host', 'a', 'host', 'b')).toBe(false)
    expect(isTaken('host', 'a', 'host', 'a')).toBe(false)
  })

  it.each(['a/b', 'u@a', 'a b', 'a?b'])('is not %j', (name) => {
    expect(isTaken(':authority', name)).toBe(false)
    expect(isTaken('host', name)).toBe(false)
  })
})
