import { describe, expect, it } from 'vitest'
import { generateKeyPairSync } from 'node:crypto'
import type { ValueMap } from '../../../../src/api/value.ts'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { defaulted, expectDefaults, named } from '../defaulting.ts'
import { changes, IMMUTABLE, judge, type Row, rows } from '../judging.ts'
import { expectWarnings, type WarningRow } from '../warning.ts'

describe('columns', () => {
  it('Secret has these columns', () => expectColumns(' Secret', ['Name : string name', 'Type', 'Data', 'Age']))

  it.each<CellRow>([[' Secret', 'one entry', { type: 'Opaque', data: { k: 'dg==' } }, ['Opaque', 1]]])(
    'of %s, %s',
    expectCells,
  )
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'v1 Secret',
        given: { data: { a: 'eA==', b: 'eA==' }, stringData: { b: 'é' } },
        meant: { type: 'Opaque', data: { a: 'eA==', b: 'w6k=' } },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'v1 Secret',
      ['a bad key', { data: { '..': 'dg==' } }, 'data[..]: Invalid value: "..": must not be \'..\''],
      [
        'a token of nobody',
        { type: 'kubernetes.io/service-account-token' },
        'metadata.annotations[kubernetes.io/service-account.name]: Required value',
      ],
      ['no registry', { type: 'kubernetes.io/dockercfg' }, 'data[.dockercfg]: Required value'],
      ['no key', { type: 'kubernetes.io/ssh-auth' }, 'data[ssh-privatekey]: Required value'],
      [
        'no certificate',
        { type: 'kubernetes.io/tls' },
        'data[tls.crt]: Required value',
        'data[tls.key]: Required value',
      ],
      [
        'no password',
        { type: 'kubernetes.io/basic-auth' },
        'data[username]: Required value',
        'data[password]: Required value',
      ],
    ),
    ...changes('v1 Secret', [
      'another type',
      {},
      { type: 'example.com/t' },
      `type: Invalid value: "example.com/t": ${IMMUTABLE}`,
    ]),
  ])('$of: $case', judge)
})

describe('warnings', () => {
  const TLS = 'kubernetes.io/tls'
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  const CERTIFICATE = base64('-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n')
  it.each<WarningRow>([
    {
      name: 'no certificate where one belongs',
      at: ['secrets'],
      object: { metadata: { name: 's' }, type: TLS, data: { 'tls.crt': base64('x'), 'tls.key': base64('y') } },
      warnings: ['tls: failed to find any PEM data in certificate input'],
    },
    {
      name: 'no key where one belongs',
      at: ['secrets'],
      object: { metadata: { name: 's' }, type: TLS, data: { 'tls.crt': CERTIFICATE, 'tls.key': CERTIFICATE } },
      warnings: ['tls: found a certificate rather than a key in the PEM for the private key'],
    },
    {
      name: 'a certificate that cannot be read',
      at: ['secrets'],
      object: {
        metadata: { name: 's' },
        type: TLS,
        data: {
          'tls.crt': CERTIFICATE,
          'tls.key': base64(
            generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
          ),
        },
      },
      warnings: ['x509: malformed certificate'],
    },
  ])('$name', expectWarnings)
})

it('keeps keys that are names of built-in members of objects', () => {
  const stringData = JSON.parse('{"__proto__":"x","constructor":"y"}') as ValueMap
  const { data } = defaulted('v1 Secret', { stringData })
  expect(JSON.stringify(data)).toBe('{"__proto__":"eA==","constructor":"eQ=="}')
})
