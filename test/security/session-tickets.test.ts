// TLS sessions that are resumed: what their client showed in the full handshake is known, and is judged anew where trust has changed.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { plainText } from '../../src/http/responses.ts'
import { type KeyPair, makeAuthority, makeSigned } from '../../src/pki/certificate-maker.ts'
import { newTicketKeys } from '../../src/config/tls-renewal.ts'
import { openPlainListener } from '../fakes/plain-listener.ts'
import { openServer } from '../rigs/running-server.ts'
import { tempFolder } from '../rigs/temp-folder.ts'
import { visit } from '../rigs/tls-visit.ts'

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

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('a session of %s', (version) => {
  it('is resumed with what its client has shown, until another authority is trusted', async () => {
    const [first, second] = [makeAuthority(HOUR), makeAuthority(HOUR)]
    const { port, trust } = await trusting(first.certificate)
    const [known, stranger] = [ann(first), ann(second)]
    const come = (certificate: typeof known, session?: Buffer) =>
      visit({ port, certificate, version, ...(session === undefined ? {} : { session }) })
    const began = await come(known)
    const refused = await come(stranger)
    expect([began.isResumed, began.status, refused.status]).toEqual([false, 200, 401])
    expect(await come(known, began.session)).toMatchObject({ isResumed: true, status: 200 })
    trust(second.certificate)
    await expect.poll(async () => (await come(known, began.session)).status).toBe(401)
    expect(await come(known, began.session)).toMatchObject({ isResumed: false, status: 401 })
    expect(await come(stranger, refused.session)).toMatchObject({ isResumed: false, status: 200 })
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
