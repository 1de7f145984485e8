import { expect, it } from 'vitest'
import type { Config } from '../../../src/config/config.ts'
import { readConfig } from '../../../src/config/config.ts'
import type { TlsFiles } from '../../../src/http/tls-server.ts'
import { makeAuthority } from '../../../src/pki/certificate-maker.ts'
import { openTrust } from '../../../src/server/trust.ts'

const FILES = ['--in-memory', '--client-ca-file=/a', '--requestheader-client-ca-file=/b']
const [users, proxies] = [makeAuthority(3_600_000), makeAuthority(3_600_000)].map(({ certificate }) => certificate)

const configOf = (...args: readonly string[]): Promise<Config> => readConfig([...FILES, ...args], {})
const filesOf = (clientCa: string, proxyCa: string): TlsFiles => ({ clientCa, proxyCa }) as TlsFiles

it('no user is a proxy because both have one authority (P-078)', async () => {
  const both = filesOf(users!, users! + proxies!)
  const config = await configOf()
  expect(() => openTrust(config, both)).toThrow('--requestheader-allowed-names')
  expect(openTrust(await configOf('--requestheader-allowed-names=proxy'), both).methods).toHaveLength(2)
  expect(openTrust(config, filesOf(users!, proxies!)).methods).toHaveLength(2)
})
