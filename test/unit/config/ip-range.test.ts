import { describe, expect, it } from 'vitest'
import { parseRange } from '../../../src/config/ip-range.ts'

describe('ranges of addresses', () => {
  it.each([
    ['10.96.0.0/16', '10.96.0.1'],
    ['10.96.7.9/16', '10.96.0.1'],
    ['192.168.1.128/25', '192.168.1.129'],
    ['fd00:10:96::/112', 'fd00:10:96::1'],
    ['FD00:10:96:0:0:0:0:5/112', 'fd00:10:96::1'],
  ])('%s begins with %s', (text, first) => {
    expect(parseRange(text)?.firstAddress).toBe(first)
  })

  it.each([
    '10.96.0.0',
    '10.96.0.0/33',
    '10.96.0.0/x',
    '10.96.0/16',
    '010.96.0.0/16',
    '::ffff:10.96.0.0/112',
    'fd00::/128',
    '/8',
    '10.0.0.0/8/8',
  ])('%s is none', (text) => {
    expect(parseRange(text)).toBeUndefined()
  })
})
