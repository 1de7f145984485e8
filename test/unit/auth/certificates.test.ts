import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Authentication, CertificateCredential, SentHeaders } from '../../../src/auth/authenticator.ts'
import { firstOf } from '../../../src/auth/authenticator.ts'
import { NO_HEADERS } from '../../fakes/no-headers.ts'
import { CertificateAuthorities } from '../../../src/auth/certificate-authorities.ts'
import { clientCertificates } from '../../../src/auth/client-certificate.ts'
import { frontProxy } from '../../../src/auth/front-proxy.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { type KeyPair, makeAuthority, makeSigned } from '../../../src/pki/certificate-maker.ts'
import * as der from '../../../src/pki/der-writer.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

const HOUR = 3_600_000
const { signal } = new AbortController()
const ours = makeAuthority(HOUR)
const theirs = makeAuthority(HOUR)

function shown(
  authority: KeyPair,
  commonName: string,
  more: Partial<CertificateCredential> = {},
): CertificateCredential {
  const { certificate } = makeSigned(authority, { commonName, organizations: ['dev'], usages: ['client'] }, HOUR)
  const subject = { CN: commonName, O: 'dev' }
  return { der: new X509Certificate(certificate).raw, chain: [], trusted: true, subject, ...more }
}

const ask = (
  method: ReturnType<typeof clientCertificates>,
  certificate: CertificateCredential | undefined,
  sent: SentHeaders = NO_HEADERS,
): Authentication => method.authenticate({ bearerToken: undefined, certificate, sent }, signal) as Authentication

describe('client certificates', () => {
  const authorities = (): CertificateAuthorities => new CertificateAuthorities(ours.certificate)

  it('of our authority are users, those of others are refused (P-021)', () => {
    const method = clientCertificates(authorities(), systemClock)
    expect(ask(method, shown(ours, 'jane'))).toMatchObject({ kind: 'user', user: { name: 'jane', uid: undefined } })
    expect(ask(method, shown(theirs, 'jane'))).toMatchObject({ kind: 'refused' })
    expect(ask(method, shown(ours, 'jane', { trusted: false }))).toMatchObject({ kind: 'refused' })
    expect(ask(method, undefined)).toEqual({ kind: 'none' })
  })

  it.each<readonly [string, readonly der.Der[], object]>([
    ['one', [der.utf8String('7')], { kind: 'user', user: { name: 'jane', uid: '7' } }],
    ['two', [der.utf8String('7'), der.utf8String('8')], { kind: 'refused' }],
    ['an empty one', [der.utf8String('')], { kind: 'refused' }],
    ['one that is no text', [der.integer(Buffer.of(7))], { kind: 'refused' }],
  ])('may name the uid of the user: %s (P-024)', (_name, uids, expected) => {
    const attributes = uids.map((uid) => der.set(der.sequence(der.objectId('1.3.6.1.4.1.57683.2'), uid)))
    const name = der.sequence(...attributes, der.set(der.sequence(der.objectId('2.5.4.3'), der.utf8String('jane'))))
    const nothing = der.sequence()
    const body = der.sequence(der.integer(Buffer.of(1)), nothing, nothing, nothing, name, nothing)
    const vouching = { problemWith: () => undefined } as unknown as CertificateAuthorities
    const shownCertificate = shown(ours, 'jane', { der: der.sequence(body, nothing, nothing) })
    expect(ask(clientCertificates(vouching, systemClock), shownCertificate)).toMatchObject(expected)
  })

  it('without a name are no opinion (P-022)', () => {
    const method = clientCertificates(authorities(), systemClock)
    expect(ask(method, shown(ours, '', { subject: { O: 'dev' } }))).toEqual({ kind: 'none' })
  })

  it('end with their time, and with their authority, on connections that stand (P-025, P-026)', () => {
    const clock = new ManualClock(Date.now())
    const pool = authorities()
    const method = clientCertificates(pool, clock)
    const jane = shown(ours, 'jane')
    expect(ask(method, jane).kind).toBe('user')
    pool.replace(theirs.certificate)
    expect(ask(method, jane).kind).toBe('refused')
    pool.replace(`${theirs.certificate}\n${ours.certificate}`)
    expect(ask(method, jane).kind).toBe('user')
    clock.advance(HOUR + 1000)
    expect(ask(method, jane).kind).toBe('refused')
  })

  it('keep their authorities where the new ones cannot be read', () => {
    const pool = authorities()
    expect(() => pool.replace('nonsense')).toThrow('does not hold a certificate')
    expect(ask(clientCertificates(pool, systemClock), shown(ours, 'jane')).kind).toBe('user')
  })
})

describe('a proxy in front', () => {
  const headers = {
    user: ['x-remote-user', 'x-other-user'],
    uid: ['x-remote-uid'],
    group: ['x-remote-group'],
    extraPrefix: ['x-remote-extra-'],
  }
  const proxy = (allowedNames: readonly string[] = ['proxy']) =>
    frontProxy({
      authorities: new CertificateAuthorities(theirs.certificate),
      allowedNames,
      headers,
      clock: systemClock,
    })
  const sending = (
    sent: Record<string, string | readonly string[]>,
  ): SentHeaders & { left: () => readonly string[] } => {
    const left = new Map(Object.entries(sent))
    return {
      headers: sent,
      takeHeader: (name) => {
        const value = left.get(name) ?? []
        left.delete(name)
        return typeof value === 'string' ? [value] : value
      },
      left: () => [...left.keys()],
    }
  }
  const said = {
    'x-remote-user': 'bob',
    'x-remote-uid': '7',
    'x-remote-group': ['a', 'b, c'],
    'x-remote-extra-example.com%2fscope': ['x', 'y'],
  }

  it('says whose request it is (P-076)', () => {
    expect(ask(proxy(), shown(theirs, 'proxy'), sending(said))).toEqual({
      kind: 'user',
      user: { name: 'bob', uid: '7', groups: ['a', 'b, c'], extra: { 'example.com/scope': ['x', 'y'] } },
    })
    expect(ask(proxy(), shown(theirs, 'proxy'), sending({ 'x-other-user': 'ann' }))).toMatchObject({
      user: { name: 'ann' },
    })
  })

  it('says it in UTF-8', () => {
    const bytesOf = (text: string): string => Buffer.from(text).toString('latin1')
    const names = ['oidc:\u00e9', 'oidc:\u00c3\u00a9', '\u65e5\u672c']
    for (const name of names) {
      const written = sending({
        'x-remote-user': bytesOf(name),
        'x-remote-group': ['', bytesOf(name)],
        'x-remote-extra-K%41%c3%89': bytesOf(name),
      })
      expect(ask(proxy(), shown(theirs, 'proxy'), written)).toEqual({
        kind: 'user',
        user: { name, uid: undefined, groups: [name], extra: { 'kA\u00c9': [name] } },
      })
    }
  })

  it.each(['x-remote-user', 'x-remote-uid', 'x-remote-group', 'x-remote-extra-a'])(
    'is not guessed at where %s is something else',
    (header) => {
      const sent = sending({ 'x-remote-user': 'bob', [header]: 'oidc:\u00e9' })
      expect(ask(proxy(), shown(theirs, 'proxy'), sent)).toMatchObject({ kind: 'refused' })
      expect(ask(proxy(), undefined, sending({ [header]: 'oidc:\u00e9' }))).toEqual({ kind: 'none' })
    },
  )

  it('is believed only with a certificate of its own (P-076, P-077)', () => {
    expect(ask(proxy(), undefined, sending(said))).toEqual({ kind: 'none' })
    expect(ask(proxy(), shown(ours, 'proxy'), sending(said))).toMatchObject({ kind: 'refused' })
    expect(ask(proxy(), shown(theirs, 'other'), sending(said))).toMatchObject({ kind: 'refused' })
    expect(ask(proxy([]), shown(theirs, 'other'), sending(said))).toMatchObject({ kind: 'user' })
    expect(ask(proxy(), shown(theirs, 'proxy'), sending({}))).toEqual({ kind: 'none' })
  })

  it('has its headers taken away, whoever sent them (P-016, P-077)', () => {
    for (const certificate of [undefined, shown(theirs, 'proxy'), shown(ours, 'x')]) {
      const sent = sending({ ...said, accept: '*/*' })
      ask(proxy(), certificate, sent)
      expect(sent.left()).toEqual(['accept'])
    }
  })

  it('does not keep a user with a certificate from being one (P-022)', async () => {
    const both = firstOf([proxy(), clientCertificates(new CertificateAuthorities(ours.certificate), systemClock)])
    const credentials = { bearerToken: undefined, sent: sending(said) }
    expect(await both.authenticate({ ...credentials, certificate: shown(ours, 'jane') }, signal)).toMatchObject({
      kind: 'user',
      user: { name: 'jane' },
    })
    const nameless = shown(ours, '', { subject: {} })
    expect(await both.authenticate({ ...credentials, certificate: nameless }, signal)).toMatchObject({
      kind: 'refused',
    })
  })
})
