import { describe, expect, it } from 'vitest'
import * as members from '../../../src/api/object-members.ts'
import type { ApiObject } from '../../../src/api/object.ts'

const POD = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'p', labels: { a: '1' }, annotations: { b: '2' } },
  spec: { nodeName: 'n', hostNetwork: true },
  status: { phase: 'Running' },
}
const BARE = { kind: 'Pod', apiVersion: 'v1', metadata: {} }

describe('members that most objects have', () => {
  it('are read where they are', () => {
    expect(members.metaOf(POD)).toBe(POD.metadata)
    expect(members.metaText(POD, 'name')).toBe('p')
    expect(members.labelsOf(POD)).toBe(POD.metadata.labels)
    expect(members.annotationsOf(POD)).toBe(POD.metadata.annotations)
    expect(members.specOf(POD)).toBe(POD.spec)
    expect(members.statusOf(POD)).toBe(POD.status)
  })

  it('are empty where there are none', () => {
    expect(members.metaText(BARE, 'name')).toBe('')
    for (const read of [members.labelsOf, members.annotationsOf, members.specOf, members.statusOf]) {
      expect(read(BARE)).toEqual({})
    }
  })

  it('are replaced, added and taken away in a copy', () => {
    expect(members.withSpec<ApiObject>(POD, { nodeName: 'm', hostNetwork: undefined, hostPID: true })).toEqual({
      ...POD,
      spec: { nodeName: 'm', hostPID: true },
    })
    expect(members.withMeta(BARE, { name: 'q', labels: undefined }).metadata).toEqual({ name: 'q' })
    expect(members.withMembers({}, { absent: undefined })).toEqual({})
    expect(POD.spec).toEqual({ nodeName: 'n', hostNetwork: true })
  })
})
