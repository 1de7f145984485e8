import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { BatchedEvents, eachEvent, type EventSink, truncating } from '../../../src/audit/backends.ts'
import { AuditEvent } from '../../../src/audit/event.ts'
import { LogFile } from '../../../src/audit/log-file.ts'
import { lineBackend, printed, webhookSink } from '../../../src/audit/sinks.ts'
import { Count } from '../../../src/lib/measure.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'
import { tempFolder } from '../../rigs/temp-folder.ts'

const event = (name: string, more: object = {}): AuditEvent =>
  new AuditEvent('ResponseComplete', JSON.stringify({ name, ...more }))

function recording(): EventSink & { readonly batches: string[][] } {
  const batches: string[][] = []
  return {
    name: 'test',
    batches,
    write: (events) => {
      batches.push(events.map((each) => String(each.fields()['name'])))
      return Promise.resolve()
    },
    close: () => Promise.resolve(),
  }
}

const BATCH = { bufferSize: 10, maxSize: 3, maxWaitMs: 1000, throttle: undefined }
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function batched(sink: EventSink, more: object = {}) {
  const clock = new ManualClock()
  const errors = new Count()
  return { clock, errors, backend: new BatchedEvents(sink, { ...BATCH, ...more }, { clock, errors, failures: errors }) }
}

describe('batches (P-191)', () => {
  it('go when they are full, or have waited long enough', async () => {
    const sink = recording()
    const { backend, clock } = batched(sink)
    for (const name of ['a', 'b', 'c', 'd']) backend.process(event(name))
    await turn()
    expect(sink.batches).toEqual([['a', 'b', 'c']])
    clock.advance(1000)
    await turn()
    expect(sink.batches).toEqual([['a', 'b', 'c'], ['d']])
  })

  it('drop what finds no room, and count it', async () => {
    const sink = recording()
    const { backend, errors } = batched(sink, { bufferSize: 2, maxSize: 100 })
    for (const name of ['a', 'b', 'c']) backend.process(event(name))
    expect(errors.value).toBe(1)
    await backend.close()
    expect(sink.batches).toEqual([['a', 'b']])
  })

  it('drop what is too large to be kept, together', async () => {
    const { backend, errors } = batched(recording(), { maxSize: 100, bufferSize: 100 })
    const body = 'x'.repeat(40 * 1024 * 1024)
    for (let i = 0; i < 6; i++) backend.process(new AuditEvent('ResponseComplete', '{', body, '}'))
    expect(errors.value).toBe(2)
    await backend.close()
    backend.process(event('later'))
    expect(errors.value).toBe(2)
  })

  it('are held back where they come too fast', async () => {
    const sink = recording()
    const { backend, clock } = batched(sink, { maxSize: 1, throttle: { perSecond: 2, burst: 1 } })
    for (const name of ['a', 'b', 'c']) backend.process(event(name))
    await turn()
    expect(sink.batches).toEqual([['a']])
    clock.advance(500)
    await turn()
    expect(sink.batches).toEqual([['a'], ['b']])
    await backend.close()
    expect(sink.batches).toEqual([['a'], ['b'], ['c']])
  })

  it('that cannot be written are counted, and the next are written', async () => {
    const sink = recording()
    const broken: EventSink = {
      ...sink,
      write: (events) => (events.length === 3 ? Promise.reject(new Error('no')) : sink.write(events)),
    }
    const { backend, errors } = batched(broken)
    for (const name of ['a', 'b', 'c', 'd']) backend.process(event(name))
    await backend.close()
    expect(errors.value).toBe(3)
    expect(sink.batches).toEqual([['d']])
  })
})

it('an event at a time: a failure refuses the request where that is asked for, otherwise it is counted (P-190)', async () => {
  const errors = new Count()
  const sink: EventSink = { ...recording(), write: () => Promise.reject(new Error('no')) }
  const received = new AuditEvent('RequestReceived', '{}')
  await eachEvent(sink, errors, false).process(received)
  await expect(eachEvent(sink, errors, true).process(received)).rejects.toThrow('no')
  await eachEvent(sink, errors, true).process(event('done'))
  expect(errors.value).toBe(3)
})

it('what is too large loses its bodies, then is left out; large batches are divided (P-192)', async () => {
  const written: AuditEvent[][] = []
  const sink: EventSink = {
    ...recording(),
    write: (events) => {
      written.push([...events])
      return Promise.resolve()
    },
  }
  const errors = new Count()
  const cutting = truncating(sink, { maxEventBytes: 200, maxBatchBytes: 120 }, errors)
  const body = 'x'.repeat(300)
  const large = new AuditEvent('ResponseComplete', '{"name":"a"', `,"requestObject":"${body}"`, '}')
  await cutting.write([large, event('b', { userAgent: body }), event('c')])
  expect(written.map((events) => events.map((each) => each.fields()))).toEqual([
    [{ name: 'a', annotations: { 'audit.k8s.io/truncated': 'true' } }, { name: 'c' }],
  ])
  expect(errors.value).toBe(1)
  await cutting.write([event('d'.repeat(80)), event('e'.repeat(80))])
  expect(written).toHaveLength(3)
})

describe('the file', () => {
  function open(folder: string, more: object = {}) {
    const clock = new ManualClock(Date.parse('2030-01-02T03:04:05.678Z'))
    const lost = new Count()
    const file = new LogFile({
      file: path.join(folder, 'audit.log'),
      maxBytes: 40,
      maxBackups: 2,
      maxAgeMs: 0,
      compress: false,
      clock,
      onLost: (lines) => void (lost.value += lines),
      ...more,
    })
    return { file, clock, lost }
  }

  it('loses no line where it is written by several processes, of which one puts it aside', async () => {
    const folder = await tempFolder()
    const common = { maxBytes: 400, maxBackups: 0 }
    const first = open(folder, { ...common, rotatesShared: () => true }).file
    const second = open(folder, { ...common, rotatesShared: () => false }).file
    const lines = Array.from({ length: 60 }, (_, i) => `line ${i} ${'.'.repeat(12)}`)
    for (const [i, line] of lines.entries()) {
      const file = i % 2 === 0 ? first : second
      file.append(`${line}\n`)
      if (i % 3 === 0) await Promise.all([first.flushed(), second.flushed()])
    }
    await Promise.all([first.close(), second.close()])
    const files = readdirSync(folder)
    expect(files.length).toBeGreaterThan(2)
    const written = files.flatMap((name) => readFileSync(path.join(folder, name), 'utf8').trimEnd().split('\n'))
    expect(new Set(written)).toEqual(new Set(lines))
    expect(written).toHaveLength(lines.length)
  })

  it('is put aside when it is large, and the oldest go (P-190)', async () => {
    const folder = await tempFolder()
    const { file, clock } = open(folder)
    for (let i = 0; i < 8; i++) {
      file.append(`line ${i} ${'.'.repeat(12)}\n`)
      await file.flushed()
      clock.advance(1000)
    }
    await file.close()
    expect(readdirSync(folder).sort()).toEqual([
      'audit-2030-01-02T03-04-09.678.log',
      'audit-2030-01-02T03-04-11.678.log',
      'audit.log',
    ])
    expect(readFileSync(path.join(folder, 'audit.log'), 'utf8')).toMatch(/^line 6 .*\nline 7 .*\n$/)
    expect(statSync(path.join(folder, 'audit.log')).mode & 0o777).toBe(0o600)
  })

  it('has whole lines only, also of those that came together, and one to itself for a line that is larger', async () => {
    const folder = await tempFolder()
    const { file } = open(folder, { maxBackups: 0 })
    const lines = ['äöü ein\n', 'zwei zwei zwei\n', 'drei\n', `${'v'.repeat(60)}\n`, 'fünf\n', 'sechs\n']
    for (const line of lines) file.append(line)
    await file.close()
    const files = readdirSync(folder).sort()
    const texts = files.map((name) => readFileSync(path.join(folder, name), 'utf8'))
    expect(texts).toEqual([lines.slice(0, 3).join(''), lines[3], lines.slice(4).join('')])
  })

  it('has lines of any length in the order they came in, whatever was gathered before', async () => {
    const folder = await tempFolder()
    const { file, lost } = open(folder, { maxBytes: 1e9 })
    const lines = [1, 90_000, 5, 700_000, 3, 100_000, 100_000, 2].map((size, at) => `${at}${'ö'.repeat(size)}\n`)
    for (const line of lines.slice(0, 5)) file.append(line)
    await file.flushed()
    for (const line of lines.slice(5)) file.append(line)
    await file.close()
    expect(readFileSync(path.join(folder, 'audit.log'), 'utf8') === lines.join('')).toBe(true)
    expect(lost.value).toBe(0)
  })

  it('goes on in what is there, and forgets what is too old (P-190)', async () => {
    const folder = await tempFolder()
    const first = open(folder, { maxAgeMs: 5000 })
    first.file.append('a'.repeat(30))
    await first.file.close()
    const second = open(folder, { maxAgeMs: 5000 })
    second.file.append('b'.repeat(30))
    await second.file.flushed()
    second.clock.advance(10_000)
    second.file.append('c'.repeat(30))
    await second.file.close()
    const names = readdirSync(folder)
    expect(names).toHaveLength(2)
    expect(names).toContain('audit-2030-01-02T03-04-15.678.log')
  })

  it('is packed where that is wanted', async () => {
    const folder = await tempFolder()
    const { file } = open(folder, { compress: true })
    for (const text of ['x', 'y']) {
      file.append(text.repeat(40))
      await file.flushed()
    }
    await file.close()
    const packed = readdirSync(folder).find((name) => name.endsWith('.gz'))
    expect(gunzipSync(readFileSync(path.join(folder, packed!))).toString()).toBe('x'.repeat(40))
  })

  it('that cannot be written costs lines, and with strict the request', async () => {
    const folder = await tempFolder()
    const { file, lost } = open(path.join(folder, 'nowhere'))
    const fit = (each: AuditEvent): AuditEvent => each
    const strict = lineBackend(file, { form: 'json', strict: true, fit })
    await expect(strict.process(new AuditEvent('RequestReceived', '{}'))).rejects.toThrow('ENOENT')
    expect(lineBackend(file, { form: 'json', strict: false, fit }).process(event('a'))).toBeUndefined()
    await file.close()
    expect(lost.value).toBe(2)
  })
})

it('on standard output says the same without telling a terminal what to do', async () => {
  const lines: string[] = []
  const options = { form: 'json', strict: false, fit: (each: AuditEvent) => each } as const
  await lineBackend(
    printed((line) => void lines.push(line)),
    options,
  ).process(event('a', { userAgent: '\u009b31m\u202e' }))
  expect(lines.join('')).toBe('{"name":"a","userAgent":"\\u009b31m\\u202e"}\n')
})

describe('the webhook (P-191)', () => {
  it('gets a list of events, again where it has trouble', async () => {
    const clock = new ManualClock()
    const bodies: string[] = []
    const codes = [undefined, 503, 200]
    const post = (body: string): Promise<number | undefined> => {
      bodies.push(body)
      return Promise.resolve(codes[bodies.length - 1])
    }
    const written = webhookSink({ post, backoffMs: 100, clock }).write([event('a'), event('b')])
    await turn()
    clock.advance(100)
    await turn()
    clock.advance(150)
    await written
    expect(new Set(bodies).size).toBe(1)
    expect(bodies).toHaveLength(3)
    expect(JSON.parse(bodies[0]!)).toEqual({
      kind: 'EventList',
      apiVersion: 'audit.k8s.io/v1',
      metadata: {},
      items: [{ name: 'a' }, { name: 'b' }],
    })
  })

  it('that refuses them is not asked again', async () => {
    let calls = 0
    const post = (): Promise<number> => {
      calls++
      return Promise.resolve(400)
    }
    const sink = webhookSink({ post, backoffMs: 100, clock: new ManualClock() })
    await expect(sink.write([event('a')])).rejects.toThrow('responded with 400')
    expect(calls).toBe(1)
  })
})
