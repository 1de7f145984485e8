import { describe, expect, it, test } from 'vitest'
import type { ApiObject } from '../../../../src/api/object.ts'
import { NOW, openWorld } from '../../../rigs/api-world.ts'
import { type CellRow, condition, expectCells, expectColumns } from '../columns.ts'
import { judge, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('certificates.k8s.io CertificateSigningRequest has these columns', () =>
    expectColumns('certificates.k8s.io CertificateSigningRequest', [
      'Name : string name',
      'Age',
      'SignerName',
      'Requestor',
      'RequestedDuration',
      'Condition',
    ]))

  it.each<CellRow>([
    [
      'certificates.k8s.io CertificateSigningRequest',
      'issued',
      {
        spec: { signerName: 's', username: 'u', expirationSeconds: 86400 },
        status: { conditions: [condition('Approved')], certificate: 'YQ==' },
      },
      ['s', 'u', '24h', 'Approved,Issued'],
    ],
    [
      'certificates.k8s.io CertificateSigningRequest',
      'denied and failed',
      { spec: {}, status: { conditions: [condition('Failed'), condition('Approved'), condition('Denied')] } },
      ['<none>', '', '<none>', 'Denied,Failed'],
    ],
    ['certificates.k8s.io CertificateSigningRequest', 'new', { spec: {} }, ['<none>', '', '<none>', 'Pending']],
  ])('of %s, %s', expectCells)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'certificates.k8s.io/v1 CertificateSigningRequest',
      ['no uses', { 'spec/usages': [] }, 'spec.usages: Required value'],
      ['no signer', { 'spec/signerName': '' }, 'spec.signerName: Required value'],
      [
        'for too short a time',
        { 'spec/expirationSeconds': 1 },
        'spec.expirationSeconds: Invalid value: 1: may not specify a duration less than 600 seconds (10 minutes)',
      ],
    ),
    ...rows(
      'certificates.k8s.io/v1 CertificateSigningRequest',
      [
        'an empty request',
        { 'spec/request': '' },
        'spec.request: Invalid value: "": PEM block type must be CERTIFICATE REQUEST',
      ],
      [
        'no request',
        { 'spec/request': undefined },
        'spec.request: Invalid value: null: PEM block type must be CERTIFICATE REQUEST',
      ],
    ),
  ])('$of: $case', judge)
})

describe('certificate signing requests', () => {
  const request = Buffer.from('-----BEGIN CERTIFICATE REQUEST-----\n').toString('base64')
  const user = { name: 'jane', uid: undefined, groups: ['devs'], extra: { from: ['here'] } }

  test('say who asked, whatever they are told (W-596)', async () => {
    const world = await openWorld()
    const { strategy } = world.resource('certificatesigningrequests', 'certificates.k8s.io')
    const object = {
      kind: '',
      apiVersion: '',
      metadata: { name: 'c' },
      spec: { request, username: 'forged', uid: '1' },
    }
    const prepared = strategy.prepareForCreate(object, world.context({ user }))
    expect(prepared['spec']).toEqual({ request, username: 'jane', groups: ['devs'], extra: { from: ['here'] } })
  })

  const condition = (type: string, more: object = {}): object => ({ type, status: 'True', ...more })
  const stored = (conditions: readonly object[]): ApiObject =>
    ({
      kind: '',
      apiVersion: '',
      metadata: { name: 'c' },
      spec: { a: 1 },
      status: { conditions, certificate: 'x' },
    }) as never

  test('take conditions through approval and nothing else, and date them (W-597, W-598)', async () => {
    const world = await openWorld()
    const { strategy } = world.resource('certificatesigningrequests', 'certificates.k8s.io')
    const sent = { ...stored([condition('Approved')]), spec: { a: 2 } }
    const prepared = strategy.subresources['approval']!.prepare(sent, stored([]), world.context())
    expect(prepared['spec']).toEqual({ a: 1 })
    expect(prepared['status']).toEqual({
      conditions: [condition('Approved', { lastUpdateTime: NOW, lastTransitionTime: NOW })],
      certificate: 'x',
    })
  })

  test('keep what was decided where a signer repeats it', async () => {
    const world = await openWorld()
    const { strategy } = world.resource('certificatesigningrequests', 'certificates.k8s.io')
    const decided = condition('Approved', { reason: 'Good', lastUpdateTime: NOW, lastTransitionTime: NOW })
    const sent = stored([condition('Approved', { reason: 'Other' }), condition('Failed')])
    const prepared = strategy.subresources['status']!.prepare(sent, stored([decided]), world.context())
    expect(prepared['status']).toMatchObject({ conditions: [decided, { type: 'Failed', lastTransitionTime: NOW }] })
  })
})
