import { describe, expect, it } from 'vitest'
import type { Value } from '../../../../src/api/value.ts'
import { readEncryptionConfig } from '../../../../src/store/encryption/encryption.ts'

const SECRET = Buffer.alloc(32, 7).toString('base64')
const keys = { keys: [{ name: 'k', secret: SECRET }] }
const config = (...resources: Value[]): Value => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'EncryptionConfiguration',
  resources,
})
const entry = (resources: string[], ...providers: Value[]): Value => ({
  resources,
  providers: providers.length === 0 ? [{ identity: {} }] : providers,
})
const kms = (more: object = {}): Value => ({ kms: { apiVersion: 'v2', name: 'p', endpoint: 'unix:///s', ...more } })

describe('what is to be sealed', () => {
  it('is read with its keys, in order (P-440)', () => {
    const reading = readEncryptionConfig(
      config(
        entry(['secrets', 'widgets.example.com'], { aescbc: keys }, { secretbox: keys }, kms(), { identity: {} }),
        entry(['*.apps'], { aesgcm: keys }),
        entry(['*.*'], { identity: {} }),
      ),
    )
    const key = { name: 'k', secret: Buffer.alloc(32, 7) }
    expect(reading).toEqual({
      entries: [
        {
          resources: ['secrets', 'widgets.example.com'],
          providers: [
            { kind: 'aescbc', keys: [key] },
            { kind: 'secretbox', keys: [key] },
            { kind: 'kms', name: 'p', endpoint: 'unix:///s', timeoutMs: 3000 },
            { kind: 'identity' },
          ],
        },
        { resources: ['*.apps'], providers: [{ kind: 'aesgcm', keys: [key] }] },
        { resources: ['*.*'], providers: [{ kind: 'identity' }] },
      ],
    })
  })

  const secret = (text: string): Value =>
    config(entry(['secrets'], { aescbc: { keys: [{ name: 'k', secret: text }] } }))
  it.each<readonly [string, Value, string]>([
    ['another kind', { kind: 'Pod' }, 'must be an EncryptionConfiguration'],
    ['nothing', config(), 'resources: Required value'],
    ['no resources', config(entry([])), 'resources[0].resources: Required value'],
    ['no providers', config({ resources: ['secrets'], providers: [] }), 'resources[0].providers: Required value'],
    [
      'a word too many',
      config({ resources: ['secrets'], providers: [{ identity: {} }], x: 1 }),
      'unknown field "resources[0].x"',
    ],
    ['all of everything', config(entry(['*'])), "use '*.' to encrypt all the resources from core API group"],
    ['capitals', config(entry(['Secrets'])), 'should not contain capital letters'],
    ['the same twice', config(entry(['secrets', 'secrets'])), 'cannot be specified multiple times'],
    ['one inside the other', config(entry(['secrets', '*.'])), 'using overlapping resources'],
    ['all beside one', config(entry(['*.*', 'pods'])), 'using overlapping resources'],
    ['one behind all', config(entry(['*.*']), entry(['secrets'])), 'resource is masked by earlier rule "*.*"'],
    ['one behind its group', config(entry(['*.apps']), entry(['deployments.apps'])), 'masked by earlier rule'],
    ['events of the wrong group', config(entry(['events.events.k8s.io'])), "Use 'events' instead"],
    ['a group that is gone', config(entry(['ingresses.extensions'])), 'has been removed'],
    ['one in all groups', config(entry(['pods.*'])), 'across groups is not supported'],
    ['what is not served', config(entry(['serviceipallocations'])), 'do not have REST API/s'],
    ['no provider in a provider', config(entry(['secrets'], {})), 'does not contain any of the expected providers'],
    ['two in one', config(entry(['secrets'], { identity: {}, aescbc: keys })), 'more than one provider specified'],
    ['no keys', config(entry(['secrets'], { aescbc: {} })), 'keys: Required value'],
    ['a secret that is no base64', secret('!!'), 'secrets must be base64 encoded'],
    ['a secret of no length', secret('AAAA'), 'got 3, expected one of [16 24 32]'],
    [
      'a short secret for a box',
      config(entry(['secrets'], { secretbox: { keys: [{ name: 'k', secret: 'AAAAAAAAAAAAAAAAAAAAAA==' }] } })),
      'expected one of [32]',
    ],
    ['an old plugin', config(entry(['secrets'], kms({ apiVersion: 'v1' }))), 'KMSv1 is deprecated'],
    ['a plugin with a colon', config(entry(['secrets'], kms({ name: 'a:b' }))), "must not contain ':'"],
    ['two plugins of a name', config(entry(['secrets'], kms(), kms())), 'duplicate KMS provider name p'],
    ['a plugin elsewhere', config(entry(['secrets'], kms({ endpoint: 'tcp://x' }))), 'unsupported scheme "tcp"'],
    ['a plugin without patience', config(entry(['secrets'], kms({ timeout: '0s' }))), 'should be a positive value'],
  ])('cannot be %s (P-444, P-450)', (_name, document, message) => {
    expect(() => readEncryptionConfig(document)).toThrow(message)
  })

  it('never tells a secret', () => {
    const read = (): unknown => readEncryptionConfig(secret('c2VjcmV0'))
    expect(read).toThrow('REDACTED')
    expect(read).not.toThrow('c2VjcmV0')
  })
})
