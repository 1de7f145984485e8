import { describe, expect, it } from 'vitest'
import { SILENT_LOG } from '../../../src/lib/log.ts'
import type { TlsFiles } from '../../../src/http/tls-server.ts'
import { ReloadRequests } from '../../../src/config/reload-requests.ts'
import { reloadCertificates } from '../../../src/config/certificate-reload.ts'

function files(certificate: string, named = 'named'): TlsFiles {
  const others = [{ name: 'a.example', certificate: named, key: 'key' }]
  return { certificate, key: 'key', clientCa: undefined, proxyCa: undefined, named: others }
}

describe('certificates that are replaced', () => {
  it('are used once each, and a file that cannot be read is tried again', async () => {
    const stop = new AbortController()
    const used: string[] = []
    const found = [
      files('one'),
      files('two'),
      files('two'),
      undefined,
      files('three'),
      files('three', 'other'),
      files('three', 'other'),
    ]
    let looks = 0
    await reloadCertificates(
      {
        current: files('one'),
        files: [],
        read: () => {
          const next = found[looks++]
          if (looks === found.length) stop.abort()
          if (next === undefined) throw new Error('half written')
          return next
        },
        use: ({ certificate }) => void used.push(certificate),
        everyMs: 1,
        reloads: new ReloadRequests(),
        log: SILENT_LOG,
      },
      stop.signal,
    )
    expect(used).toEqual(['two', 'three', 'three'])
    expect(looks).toBe(found.length)
  })
})
