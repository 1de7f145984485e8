import { describe, expect, it } from 'vitest'
import { textOfLine } from '../../../src/telemetry/log-text.ts'
import { logStyle } from '../../../src/telemetry/logger.ts'

const PLAIN = { hasColours: false, isShort: false }

function line(fields: object): string {
  return JSON.stringify({ level: 'info', time: '2026-01-02T03:04:05.678Z', ...fields })
}

describe('a line for people', () => {
  it.each([
    ['the message', { msg: 'ready' }, 'INFO  ready'],
    ['the component', { component: 'cache', msg: 'ready' }, 'INFO  [cache] ready'],
    ['the worker', { worker: '2', component: 'cache', msg: 'ready' }, 'INFO  [cache, worker 2] ready'],
    ['plain fields', { msg: 'listens', host: '::1', port: 6443 }, 'INFO  listens host=::1 port=6443'],
    [
      'fields that need quotation marks',
      { msg: 'read', file: 'a b', more: { c: 1 } },
      'INFO  read file="a b" more={"c":1}',
    ],
    ['a forged second line', { msg: 'a\nb', name: 'c\nERROR d' }, String.raw`INFO  a b name="c\nERROR d"`],
  ])('has %s', (_title, fields, text) => {
    expect(textOfLine(line(fields), PLAIN)).toBe(`2026-01-02T03:04:05.678Z ${text}\n`)
  })

  it('has the message of an error, and its calls below', () => {
    const err = {
      type: 'Error',
      message: 'no space',
      stack: 'Error: no space\n    at write (a.ts:1:2)\n    at b.ts:3:4',
    }
    expect(textOfLine(line({ level: 'error', msg: 'failed', err }), PLAIN)).toBe(
      '2026-01-02T03:04:05.678Z ERROR failed err="no space"\n    at write (a.ts:1:2)\n    at b.ts:3:4\n',
    )
  })

  it('has colours and the time of day on a terminal', () => {
    const text = textOfLine(line({ level: 'warn', msg: 'slow', ms: 7 }), { hasColours: true, isShort: true })
    expect(text).toBe('\x1b[2m03:04:05.678\x1b[0m \x1b[33mWARN \x1b[0m slow \x1b[2mms=\x1b[0m7\n')
  })
})

it.each([
  ['a terminal', undefined, true, {}, { hasColours: true, isShort: true }],
  ['a file or a pipe', undefined, false, {}, undefined],
  ['a terminal and JSON', 'json', true, {}, undefined],
  ['a file and text', 'text', false, {}, { hasColours: false, isShort: false }],
  ['a terminal without colours', undefined, true, { NO_COLOR: '1' }, { hasColours: false, isShort: true }],
  ['a dumb terminal', undefined, true, { TERM: 'dumb' }, { hasColours: false, isShort: true }],
] as const)('the log has the style for %s', (_title, format, isTTY, environment, style) => {
  expect(logStyle(format, { isTTY }, environment)).toEqual(style)
})
