import * as fc from 'fast-check'
import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { subjectOfCertificate, subjectOfRequest } from '../../../src/pki/certificate-names.ts'
import { makeAuthority, makeSigned } from '../../../src/pki/certificate-maker.ts'

describe('names in certificates', () => {
  const der = new X509Certificate(
    makeSigned(makeAuthority(60_000), { commonName: 'jane', organizations: ['dev', 'qa'], usages: ['client'] }, 60_000)
      .certificate,
  ).raw

  it('are read attribute by attribute', () => {
    expect(subjectOfCertificate(der)).toEqual([
      { type: '2.5.4.10', text: 'dev' },
      { type: '2.5.4.10', text: 'qa' },
      { type: '2.5.4.3', text: 'jane' },
    ])
    expect(subjectOfRequest(der)).toBeUndefined()
  })

  it('are never read out of something else, and nothing breaks', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(der.length - 1), fc.nat(255), (bytes, at, value) => {
        expect(subjectOfRequest(Buffer.from(bytes)) ?? []).toBeInstanceOf(Array)
        const damaged = Buffer.from(der)
        damaged[at] = value
        expect(subjectOfCertificate(damaged) ?? []).toBeInstanceOf(Array)
        expect(subjectOfCertificate(der.subarray(0, at))).toBeUndefined()
      }),
    )
  })
})
