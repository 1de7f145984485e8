import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type CredentialOptions, Credentials } from '../../../src/client/credentials.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-credentials-'))
afterAll(() => rmSync(folder, { recursive: true }))

function credentials(options: CredentialOptions): Credentials {
  return new Credentials(options, { server: 'https://x' })
}

/** A plugin that hands out a new token each time, and writes down what it was told. */
function plugin(status: string): CredentialOptions {
  const script = `
    const { readFileSync, writeFileSync } = require('node:fs')
    const file = process.argv[1]
    let count = 0
    try { count = JSON.parse(readFileSync(file, 'utf8')).count } catch {}
    count++
    writeFileSync(file, JSON.stringify({ count, info: JSON.parse(process.env.KUBERNETES_EXEC_INFO), extra: process.env.EXTRA }))
    console.log(JSON.stringify({ kind: 'ExecCredential', status: ${status} }))`
  const file = path.join(folder, `${Math.random()}`)
  const env = [{ name: 'EXTRA', value: 'more' }]
  return { exec: { command: process.execPath, args: ['--eval', script, file], env, provideClusterInfo: true } }
}

describe('credentials', () => {
  it('are a token and a certificate', async () => {
    const options = { token: 't', clientCertificate: 'c', clientKey: 'k' }
    expect(await credentials(options).current()).toEqual({ token: 't', certificate: { cert: 'c', key: 'k' } })
  })

  it('are read from a file again when the server refuses them', async () => {
    const tokenFile = path.join(folder, 'token')
    writeFileSync(tokenFile, 'first\n')
    const some = credentials({ tokenFile })
    const first = await some.current()
    writeFileSync(tokenFile, 'second\n')
    expect([first, await some.current()]).toEqual([{ token: 'first' }, { token: 'first' }])
    expect(some.refused(first)).toBe(true)
    expect(await some.current()).toEqual({ token: 'second' })
  })

  it('are not an empty file', async () => {
    const tokenFile = path.join(folder, 'empty')
    writeFileSync(tokenFile, ' \n')
    const some = credentials({ tokenFile })
    await expect(some.current()).rejects.toThrow(`the token file ${tokenFile} is empty`)
    writeFileSync(tokenFile, 'late\n')
    expect(await some.current()).toEqual({ token: 'late' })
  })

  it('are not asked for again where there are no others', () => {
    expect(credentials({ token: 't' }).refused({ token: 't' })).toBe(false)
  })

  it('come from a plugin, once until they expire', async () => {
    const kept = plugin(`{ token: 'token ' + count, expirationTimestamp: '2999-01-01T00:00:00Z' }`)
    const some = credentials(kept)
    expect(await Promise.all([some.current(), some.current()])).toEqual([{ token: 'token 1' }, { token: 'token 1' }])
    const noted = JSON.parse(readFileSync(kept.exec!.args![2]!, 'utf8')) as unknown
    expect(noted).toMatchObject({
      count: 1,
      extra: 'more',
      info: { kind: 'ExecCredential', spec: { interactive: false, cluster: { server: 'https://x' } } },
    })
    const brief = credentials(plugin(`{ token: 'token ' + count, expirationTimestamp: '2001-01-01T00:00:00Z' }`))
    expect([await brief.current(), await brief.current()]).toEqual([{ token: 'token 1' }, { token: 'token 2' }])
  })

  it('may be a certificate of a plugin', async () => {
    const some = credentials(plugin(`{ clientCertificateData: 'c', clientKeyData: 'k' }`))
    expect(await some.current()).toEqual({ certificate: { cert: 'c', key: 'k' } })
  })

  it('say which plugin failed, and how to get it', async () => {
    const exec = { command: '/no/such/plugin', installHint: 'install it' }
    await expect(credentials({ exec }).current()).rejects.toThrow(
      /plugin \/no\/such\/plugin failed: .*ENOENT\ninstall it/,
    )
    await expect(credentials(plugin('{}')).current()).rejects.toThrow('printed no ExecCredential with a token')
  })
})
