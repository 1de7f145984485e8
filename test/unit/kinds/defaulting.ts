// What the tests of defaults share: one line from a kind and an object to the object as it is meant.
import { expect } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import type { ValueMap } from '../../../src/api/value.ts'
import { applyDefaults } from '../../../src/schema/defaults/defaults.ts'
import { defaultsOf } from '../../corpora/kind-of.ts'

export const NOW = '2024-01-02T03:04:05Z'

export const POD_SPEC: ValueMap = {
  dnsPolicy: 'ClusterFirst',
  restartPolicy: 'Always',
  securityContext: {},
  terminationGracePeriodSeconds: 30,
  schedulerName: 'default-scheduler',
}
export const TEMPLATE: ValueMap = { spec: POD_SPEC }
export const LABELS = { metadata: { labels: { a: 'b' } } }
export const SOURCES: ValueMap = { hostPath: {}, rbd: {}, iscsi: {}, azureDisk: {}, scaleIO: {} }
export const FILLED_SOURCES: ValueMap = {
  hostPath: { type: '' },
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  iscsi: { iscsiInterface: 'default' },
  azureDisk: { cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared' },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
}
export const SELECTION: ValueMap = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} }
export const DEVICES = (request: ValueMap): ValueMap => ({
  devices: { requests: [{ name: 'r', exactly: request, firstAvailable: [request] }] },
})

export interface DefaultsRow {
  readonly of: string
  readonly given: ValueMap
  readonly meant: ValueMap
  readonly gates?: readonly string[]
  readonly as?: string
}

export function named(rows: readonly DefaultsRow[]): readonly (readonly [name: string, row: DefaultsRow])[] {
  return rows.map((row) => [row.as === undefined ? row.of : `${row.of} ${row.as}`, row])
}

/** What is filled in, and that it is not filled in twice. */
export function expectDefaults(_name: string, row: DefaultsRow): void {
  const { apiVersion: _version, kind: _kind, ...members } = defaulted(row.of, row.given, row.gates)
  expect(members).toEqual({ metadata: {}, ...row.meant })
  const again = defaulted(row.of, members, row.gates)
  for (const name of Object.keys(members)) expect(again[name], name).toBe(members[name])
}

/** `apps/v1 Deployment` with the members given; feature gates are on where named. */
export function defaulted(kind: string, members: ValueMap, gates: readonly string[] = []): ApiObject {
  const [apiVersion = '', name = ''] = kind.split(' ')
  const [, group = ''] = apiVersion.split('/').reverse()
  const object: ApiObject = { apiVersion, kind: name, metadata: {}, ...members }
  return applyDefaults(defaultsOf({ group, kind: name }), freeze(object), {
    gates: new Set(gates),
    now: () => NOW,
  })
}

/** Frozen all the way down: a rule that changes what it was given throws. */
function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value)
    Object.values(value).forEach(freeze)
  }
  return value
}
