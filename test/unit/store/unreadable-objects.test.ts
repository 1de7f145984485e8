import { describe, expect, test } from 'vitest'
import { SILENT_LOG } from '../../../src/lib/log.ts'
import type { LogFields } from '../../../src/lib/log.ts'
import { tellUnreadable } from '../../../src/store/unreadable-objects.ts'
import { nodes, pods } from '../../corpora/stored-resources.ts'

function openLog() {
  const told: LogFields[] = []
  return { told, log: { ...SILENT_LOG, error: (fields: LogFields) => void told.push(fields) } }
}

function unreadable(name: string, revision = 7, namespace = 'd') {
  return { kind: 'unreadable', namespace, name, revision, problem: 'unexpected EOF' } as const
}

describe('objects that cannot be read', () => {
  test('are named with their key and why, each once (R-181)', () => {
    const { told, log } = openLog()
    const tell = tellUnreadable(log, 'registry/')
    tell(pods, unreadable('a'))
    tell(pods, unreadable('a', 9))
    tell(nodes, unreadable('a', 8, ''))
    expect(told).toEqual([
      { resource: 'pods', namespace: 'd', name: 'a', key: '/registry/pods/d/a', revision: 7, reason: 'unexpected EOF' },
      { resource: 'nodes', name: 'a', key: '/registry/minions/a', revision: 8, reason: 'unexpected EOF' },
    ])
  })

  test('are not all named where there are very many', () => {
    const { told, log } = openLog()
    const tell = tellUnreadable(log, '/registry')
    for (let i = 0; i < 5_000; i++) tell(pods, unreadable(`p-${i}`))
    expect(told).toHaveLength(1_001)
    expect(told.at(-1)).toEqual({ named: 1_000 })
  })
})
