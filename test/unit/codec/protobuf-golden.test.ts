import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { isMap, type Value } from '../../../src/api/value.ts'
import { decodeProtobuf, decodeRaw, encodeProtobuf } from '../../../src/codec/protobuf.ts'
import { GOLDEN_SCHEMA } from '../../corpora/golden-fixtures.ts'

const folder = path.join(import.meta.dirname, '../../fixtures/golden')

/** The fixtures of versions that are not served at this level of the API and so have no types in the table. */
const NOT_SERVED: readonly string[] = [
  'apps.v1beta1.ControllerRevision',
  'apps.v1beta1.Deployment',
  'apps.v1beta1.DeploymentRollback',
  'apps.v1beta1.Scale',
  'apps.v1beta1.StatefulSet',
  'apps.v1beta2.ControllerRevision',
  'apps.v1beta2.DaemonSet',
  'apps.v1beta2.Deployment',
  'apps.v1beta2.ReplicaSet',
  'apps.v1beta2.Scale',
  'apps.v1beta2.StatefulSet',
  'batch.v1beta1.CronJob',
  'policy.v1beta1.Eviction',
  'policy.v1beta1.PodDisruptionBudget',
]

const names = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length))

function read(name: string) {
  const [group = '', version = '', kind = ''] = name.split('.')
  const schema = GOLDEN_SCHEMA.kind({ group: group === 'core' ? '' : group, version, kind })
  if (schema === undefined) throw new Error(`no kind for ${name}`)
  const text = readFileSync(path.join(folder, `${name}.json`), 'utf8')
  const value = JSON.parse(text) as Value
  if (!isMap(value)) throw new Error(`${name} is not an object`)
  return { schema, text, value, bytes: readFileSync(path.join(folder, `${name}.pb`)) }
}

describe.each(names.filter((name) => !NOT_SERVED.includes(name)))('the reference’s %s', (name) => {
  const { schema, text, value, bytes } = read(name)

  it('is written byte for byte', () => {
    expect(encodeProtobuf(schema, value).toString('hex')).toBe(bytes.toString('hex'))
  })

  it('is read to the reference’s JSON, members in order', () => {
    const { raw, kind, apiVersion } = decodeProtobuf(bytes)
    expect(JSON.stringify(decodeRaw(schema, raw), null, 2)).toBe(text)
    expect({ kind, apiVersion }).toEqual({ kind: value['kind'] ?? '', apiVersion: value['apiVersion'] ?? '' })
  })
})

describe('the fixtures', () => {
  it('are all tried but for those of versions that are not served', () => {
    expect(names.filter((name) => NOT_SERVED.includes(name))).toEqual(NOT_SERVED)
    expect(names.length - NOT_SERVED.length).toBe(49)
  })
})
