import { gunzipSync } from 'node:zlib'
import protobuf from 'protobufjs'
import { describe, expect, it } from 'vitest'
import { type CallNode, profileMessage } from '../../../src/telemetry/profile-message.ts'
import { openProfiler } from '../../../src/telemetry/profiler.ts'

/** The part of profile.proto that matters to readers. */
const PROTO = `
  syntax = "proto3";
  message ValueType { int64 type = 1; int64 unit = 2; }
  message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; }
  message Line { uint64 function_id = 1; int64 line = 2; }
  message Location { uint64 id = 1; repeated Line line = 4; }
  message Function { uint64 id = 1; int64 name = 2; int64 filename = 4; }
  message Profile {
    repeated ValueType sample_type = 1;
    repeated Sample sample = 2;
    repeated Location location = 4;
    repeated Function function = 5;
    repeated string string_table = 6;
    int64 time_nanos = 9;
    int64 duration_nanos = 10;
    ValueType period_type = 11;
    int64 period = 12;
  }`

interface Read {
  readonly sampleType: readonly { readonly type: string; readonly unit: string }[]
  readonly sample: readonly { readonly locationId: readonly string[]; readonly value: readonly string[] }[]
  readonly location: readonly {
    readonly id: string
    readonly line: readonly { readonly functionId: string; readonly line: string }[]
  }[]
  readonly function: readonly { readonly id: string; readonly name: string; readonly filename: string }[]
  readonly stringTable: readonly string[]
  readonly periodType: { readonly type: string; readonly unit: string }
}

function readProfile(bytes: Buffer): Read {
  const type = protobuf.parse(PROTO).root.lookupType('Profile')
  return type.toObject(type.decode(bytes), { longs: String, arrays: true, defaults: true }) as Read
}

const node = (functionName: string, parent: CallNode | undefined, line = 1): CallNode => ({
  functionName,
  file: '/src/a.ts',
  line,
  parent,
})

describe('a profile as a message', () => {
  const root = node('(root)', undefined)
  const serve = node('serve', root)
  const read = node('read', serve, 7)
  const again = node('read', read, 7)
  const message = profileMessage({
    types: [
      ['samples', 'count'],
      ['cpu', 'nanoseconds'],
    ],
    samples: [
      { node: read, values: [2, 3_000_000] },
      { node: again, values: [1, 2 ** 40] },
      { node: serve, values: [1, 0] },
    ],
    period: ['cpu', 'nanoseconds', 1_000_000],
    startedAt: 1_700_000_000_000,
    milliseconds: 250.4,
  })
  const profile = readProfile(message)
  const text = (index: string): string => profile.stringTable[Number(index)] ?? 'missing'
  const nameAt = (location: string): string => {
    const place = profile.location.find(({ id }) => id === location)
    const found = profile.function.find(({ id }) => id === place?.line[0]?.functionId)
    return `${text(found?.name ?? '')} ${text(found?.filename ?? '')} ${place?.line[0]?.line}`
  }

  it('says what the values are, and when and for how long', () => {
    expect(profile.stringTable[0]).toBe('')
    const spelled = [...profile.sampleType, profile.periodType].map(({ type, unit }) => `${text(type)} ${text(unit)}`)
    expect(spelled).toEqual(['samples count', 'cpu nanoseconds', 'cpu nanoseconds'])
    expect(profile).toMatchObject({
      period: '1000000',
      timeNanos: '1700000000000000000',
      durationNanos: '250000000',
    })
  })

  it('has the way to each sample, from the call itself to the one that began it', () => {
    expect(profile.sample.map(({ locationId, value }) => [value.join(' '), ...locationId.map(nameAt)])).toEqual([
      ['2 3000000', 'read /src/a.ts 7', 'serve /src/a.ts 1'],
      ['1 1099511627776', 'read /src/a.ts 7', 'read /src/a.ts 7', 'serve /src/a.ts 1'],
      ['1 0', 'serve /src/a.ts 1'],
    ])
  })
})

describe('profiles of this process', () => {
  it('are taken one at a time, and can be read', async () => {
    const profiler = openProfiler()
    const never = new AbortController().signal
    const [taken, second] = await Promise.all([
      profiler.take({ name: 'profile', seconds: 0.01 }, never),
      profiler.take({ name: 'heap', seconds: 0.01 }, never),
    ])
    expect(second).toBe('busy')
    expect(readProfile(gunzipSync(taken)).sampleType).toHaveLength(2)
    for (const name of ['heap', 'allocs'] as const) {
      const kept: unknown[] = []
      const allocating = setInterval(() => void kept.push(Array(100_000).fill(kept.length)), 1)
      const taken = profiler.take({ name, seconds: 0.1 }, never)
      const profile = readProfile(gunzipSync(await taken.finally(() => clearInterval(allocating))))
      expect(profile.sample).not.toEqual([])
      const known = new Set(profile.location.map(({ id }) => id))
      expect(profile.sample.every(({ locationId }) => locationId.every((id) => known.has(id)))).toBe(true)
    }
  })

  it('are given up when nobody waits for them any more', async () => {
    const profiler = openProfiler()
    const gone = AbortSignal.abort(new Error('gone'))
    await expect(profiler.take({ name: 'profile', seconds: 3600 }, gone)).rejects.toThrow()
    const never = new AbortController().signal
    expect(await profiler.take({ name: 'profile', seconds: 0.01 }, never)).toBeInstanceOf(Buffer)
  })
})
