// Takes profiles of the running process with V8's profilers, which are loaded at the first request.
import type { HeapProfiler, Profiler as CpuProfiler } from 'node:inspector'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Profiler, ProfileName } from '../handlers/pprof.ts'
import { type CallNode, type CallSample, type Profile, profileMessage } from './profile-message.ts'

/** The time between two samples. */
const INTERVAL_MS = 1
/** The sampling interval of the heap. */
const BYTES_BETWEEN = 32 * 1024
/** Entries in V8's tree that are not calls. */
const NOT_WORK: ReadonlySet<string> = new Set(['(idle)', '(root)'])

export function openProfiler(): Profiler {
  let isBusy = false
  return {
    hasWorkers: false,
    async take({ name, seconds }, signal) {
      if (isBusy) return 'busy'
      isBusy = true
      try {
        return gzipSync(profileMessage(await takeProfile(name, seconds, signal)))
      } finally {
        isBusy = false
      }
    },
  }
}

async function takeProfile(name: ProfileName, seconds: number, signal: AbortSignal): Promise<Profile> {
  const { Session } = await import('node:inspector/promises')
  const session = new Session()
  session.connect()
  try {
    const startedAt = Date.now()
    if (name === 'profile') {
      await session.post('Profiler.enable')
      await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_MS * 1000 })
      await session.post('Profiler.start')
      await sleep(seconds * 1000, undefined, { signal })
      const { profile } = await session.post('Profiler.stop')
      return cpuProfile(profile, startedAt)
    }
    const collected = name === 'allocs'
    await session.post('HeapProfiler.startSampling', {
      samplingInterval: BYTES_BETWEEN,
      includeObjectsCollectedByMajorGC: collected,
      includeObjectsCollectedByMinorGC: collected,
    })
    await sleep(seconds * 1000, undefined, { signal })
    const { profile } = await session.post('HeapProfiler.stopSampling')
    return heapProfile(profile, collected ? 'alloc' : 'inuse', startedAt)
  } finally {
    // This also ends the profile.
    session.disconnect()
  }
}

function cpuProfile(profile: CpuProfiler.Profile, startedAt: number): Profile {
  const nodes = new Map<number, CallNode>()
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  )
  // In the list, parents come before their children.
  for (const { id, callFrame } of profile.nodes) {
    const parent = parents.get(id)
    nodes.set(id, callNode(callFrame, parent === undefined ? undefined : nodes.get(parent)))
  }
  const found = new Map<CallNode, [count: number, nanoseconds: number]>()
  const { samples = [], timeDeltas = [] } = profile
  for (const [i, id] of samples.entries()) {
    const node = nodes.get(id)
    if (node === undefined || NOT_WORK.has(node.functionName)) continue
    const [count, nanoseconds] = found.get(node) ?? [0, 0]
    found.set(node, [count + 1, nanoseconds + Math.max(0, timeDeltas[i] ?? 0) * 1000])
  }
  return {
    types: [
      ['samples', 'count'],
      ['cpu', 'nanoseconds'],
    ],
    samples: [...found].map(([node, values]) => ({ node, values })),
    period: ['cpu', 'nanoseconds', INTERVAL_MS * 1e6],
    startedAt,
    milliseconds: (profile.endTime - profile.startTime) / 1000,
  }
}

function heapProfile({ head }: HeapProfiler.SamplingHeapProfile, what: string, startedAt: number): Profile {
  const samples: CallSample[] = []
  const waiting: [node: HeapProfiler.SamplingHeapProfileNode, parent: CallNode | undefined][] = [[head, undefined]]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [{ callFrame, selfSize, children }, parent] = next
    const node = callNode(callFrame, parent)
    if (selfSize > 0) samples.push({ node, values: [Math.ceil(selfSize / BYTES_BETWEEN), selfSize] })
    for (const child of children) waiting.push([child, node])
  }
  return {
    types: [
      [`${what}_objects`, 'count'],
      [`${what}_space`, 'bytes'],
    ],
    samples,
    period: ['space', 'bytes', BYTES_BETWEEN],
    startedAt,
    milliseconds: Date.now() - startedAt,
  }
}

type CallFrame = CpuProfiler.Profile['nodes'][number]['callFrame']

function callNode({ functionName, url, lineNumber }: CallFrame, parent: CallNode | undefined): CallNode {
  const file = url.replace(/^file:\/\//, '')
  return {
    functionName: functionName === '' ? '(anonymous)' : functionName,
    file,
    line: Math.max(0, lineNumber + 1),
    parent,
  }
}
