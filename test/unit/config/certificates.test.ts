import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ownCertificate } from '../../../src/config/certificates.ts'

describe('the server’s own certificate', () => {
  let folder: string
  beforeEach(() => {
    folder = path.join(mkdtempSync(path.join(tmpdir(), 'quarterdeck-pki-')), 'pki')
  })
  afterEach(() => rmSync(path.dirname(folder), { recursive: true }))

  it('is kept, closed to others, and used again', () => {
    const first = ownCertificate(folder, ['10.96.0.1', '0.0.0.0'])
    expect(ownCertificate(folder, ['10.96.0.1'])).toEqual(first)
    for (const name of ['ca.key', 'ca.crt', 'server.key', 'server.crt']) {
      expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600)
    }
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('is good for this machine and for the cluster', () => {
    const leaf = new X509Certificate(ownCertificate(undefined, ['10.96.0.1']).certificate)
    for (const name of ['localhost', hostname(), 'kubernetes.default.svc']) expect(leaf.checkHost(name)).toBeTruthy()
    for (const address of ['127.0.0.1', '::1', '10.96.0.1']) expect(leaf.checkIP(address)).toBe(address)
  })

  it('is made anew from the same authority when the names no longer fit', () => {
    const first = ownCertificate(folder, [])
    const second = ownCertificate(folder, ['10.0.0.7'])
    expect(second.authority).toBe(first.authority)
    expect(second.certificate).not.toBe(first.certificate)
  })

  it.each(['server.crt', 'server.key', 'ca.crt'])('is made anew when %s is damaged', (name) => {
    ownCertificate(folder, [])
    writeFileSync(path.join(folder, name), 'garbage')
    const { certificate, authority } = ownCertificate(folder, [])
    expect(new X509Certificate(certificate).verify(new X509Certificate(authority).publicKey)).toBe(true)
    expect(readFileSync(path.join(folder, name), 'utf8')).not.toBe('garbage')
  })
})
