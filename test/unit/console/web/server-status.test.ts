import { expect, it } from 'vitest'
import { manifestsIn } from '../../../../src/console/web/manifests.ts'
import {
  CHARTS,
  bytesText,
  compactionText,
  historyText,
  readChecks,
  readLevels,
  seriesOf,
} from '../../../../src/console/web/server-status.ts'

it('checks are read from their lines', () => {
  expect(readChecks('[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n')).toEqual([
    { name: 'ping', isFine: true },
    { name: 'etcd', isFine: false },
  ])
})

it('the priority levels of a dump are read with the counts of all workers together', () => {
  const lines = [
    'PriorityLevelName, ActiveQueues, WaitingRequests, ExecutingRequests, DispatchedRequests, Worker,',
    'exempt,            0,            1,               2,                 3,                  0,',
    'catch-all,         1,            0,               0,                 5,                  0,',
    'exempt,            0,            10,              20,                30,                 1,',
  ]
  expect(readLevels(lines.join('\n'))).toEqual([
    { name: 'exempt', counts: [22, 11, 33, 0, 0] },
    { name: 'catch-all', counts: [0, 0, 5, 0, 0] },
  ])
  expect(readLevels('')).toEqual([])
})

it('load is drawn by the second, without the step that is still going on, and with gaps where nothing was asked', () => {
  const step = { failures: 0, slowestMs: 0, totalMs: 0, memoryBytes: 2 ** 20, lagMs: 3 }
  const steps = [
    { ...step, at: 10_000, requests: 20, failures: 10, totalMs: 100, slowestMs: 30 },
    { ...step, at: 20_000, requests: 0 },
    { ...step, at: 21_000, requests: 1 },
  ]
  const drawn = CHARTS.map(({ title, lines }) => [title, seriesOf({ stepMs: 10_000, revision: 1, steps }, lines)])
  const times = [10, 20]
  expect(Object.fromEntries(drawn)).toEqual({
    Requests: [times, [2, 0], [1, 0]],
    Latency: [times, [5, null], [30, null]],
    'Event-loop lag': [times, [3, 3]],
    Memory: [times, [1, 1]],
  })
})

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1536, '1.5 KiB'],
  [300 * 2 ** 20, '300 MiB'],
  [2 ** 50, '1024 TiB'],
])('%d bytes are %s', (bytes, text) => expect(bytesText(bytes)).toBe(text))

it('the past is told by what of it is left, and how it is forgotten', () => {
  expect(historyText({ revision: 9 })).toBe('not compacted by this server')
  const compaction = { intervalMs: 300_000 }
  expect(historyText({ revision: 9, compaction })).toBe('nothing compacted yet')
  expect(historyText({ revision: 5009, compaction: { ...compaction, revision: 9 } })).toBe(
    '5,000 revisions kept, since 9',
  )
  expect(compactionText(compaction, 0)).toBe('every 5 min')
  expect(compactionText({ intervalMs: 30_000, lastRoundAt: 1000, problem: 'gone' }, 13_000)).toBe(
    'every 0.5 min, last 12 s ago, failed: gone',
  )
})

it('manifests are told apart, and say what they are', () => {
  const text = `# two of them
---
apiVersion: v1
kind: ConfigMap
metadata: {name: "a"}
--- # the other
kind: Role
apiVersion: rbac.authorization.k8s.io/v1
metadata:
  name: b
  namespace: own
---
`
  expect(manifestsIn(text, 'default')).toMatchObject([
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', namespace: 'own', name: 'b' },
  ])
  expect(() => manifestsIn('kind: A\napiVersion: v1\n', '')).toThrow('a manifest has no metadata.name')
  expect(() => manifestsIn('just a text', '')).toThrow('a manifest has no apiVersion')
})
