// TLS sessions that are resumed: what their client showed in the full handshake is known, and is judged anew where trust has changed.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { plainText } from '../../src/http/responses.ts'
import { type KeyPair, makeAuthority, makeSigned } from '../../src/pki/certificate-maker.ts'
import { newTicketKeys } from '../../src/server/tls-renewal.ts'
import { openPlainListener } from '../fakes/plain-listener.ts'
import { openServer } from '../fakes/running-server.ts'
import { tempFolder } from '../fakes/temp-folder.ts'
import { visit } from '../fakes/tls-visit.ts'

const HOUR = 3_600_000

function ann(authority: KeyPair): { readonly cert: string; readonly key: string } {
  const subject = { commonName: 'ann', organizations: ['system:masters'], usages: ['client'] } as const
  const { certificate: cert, key } = makeSigned(authority, subject, HOUR)
  return { cert, key }
}

async function trusting(pem: string): Promise<{ readonly port: number; readonly trust: (pem: string) => void }> {
  const file = path.join(await tempFolder(), 'ca.pem')
  writeFileSync(file, pem)
  const server = await openServer(['--client-ca-file', file, '--anonymous-auth=false'])
  onTestFinished(() => server[Symbol.asyncDispose]())
  return { port: Number(new URL(server.url).port), trust: (now) => writeFileSync(file, now) }
}

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('a resumed session of %s', (version) => {
  it('knows the certificate of its client', async () => {
    const authority = makeAuthority(HOUR)
    const { port } = await trusting(authority.certificate)
    const certificate = ann(authority)
    const { session, ...first } = await visit({ port, certificate, version })
    expect(first).toEqual({ isResumed: false, status: 200 })
    expect(await visit({ port, certificate, version, session })).toMatchObject({ isResumed: true, status: 200 })
  })

  it('is refused where its authority is not trusted any more', async () => {
    const authority = makeAuthority(HOUR)
    const { port, trust } = await trusting(authority.certificate)
    const certificate = ann(authority)
    const { session } = await visit({ port, certificate, version })
    trust(makeAuthority(HOUR).certificate)
    await expect.poll(async () => (await visit({ port, certificate, version, session })).status).toBe(401)
    expect(await visit({ port, certificate, version, session })).toMatchObject({ isResumed: false, status: 401 })
  })

  it('does not keep out whom the server has come to trust', async () => {
    const [known, other] = [makeAuthority(HOUR), makeAuthority(HOUR)]
    const { port, trust } = await trusting(known.certificate)
    const certificate = ann(other)
    const { session, status } = await visit({ port, certificate, version })
    expect(status).toBe(401)
    trust(`${known.certificate}\n${other.certificate}`)
    await expect.poll(async () => (await visit({ port, certificate, version, session })).status).toBe(200)
  })
})

describe('ticket keys', () => {
  it('have a session resumed by whoever has the same, until they are rotated', async () => {
    const ticketKeys = newTicketKeys()
    const open = async (keys: string) => {
      const listener = await openPlainListener({ '/api': () => plainText(200, 'ok') }, { ticketKeys: keys })
      onTestFinished(() => listener.close(0))
      return listener
    }
    const [one, other, stranger] = [await open(ticketKeys), await open(ticketKeys), await open(newTicketKeys())]
    const { session } = await visit(one)
    const isResumedBy = async ({ port }: { readonly port: number }) => (await visit({ port, session })).isResumed
    expect(await isResumedBy(other)).toBe(true)
    expect(await isResumedBy(stranger)).toBe(false)
    other.renew({ ticketKeys: newTicketKeys() })
    expect(await isResumedBy(other)).toBe(false)
    expect(await isResumedBy(one)).toBe(true)
  })
})
