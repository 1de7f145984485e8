import { expect, it } from 'vitest'
import { withoutCredentials } from '../../../src/commands/bundle.ts'

it.each([
  ['a private key', '-----BEGIN EC PRIVATE KEY-----\nMHcC\nAQEE\n-----END EC PRIVATE KEY-----', 'MHcC'],
  ['a token', 'x eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln-_ y', 'eyJhbG'],
  ['a header', 'authorization: Bearer abcdef', 'abcdef'],
  ['a member', '{"password": "hunter2hunter2"}', 'hunter2'],
  ['a flag', '--some-token=abcdefghij', 'abcdefghij'],
  ['an address', 'https://me:hunter2@example.com/', 'hunter2'],
])('a bundle is without %s', (_name, text, secret) => {
  expect(text).toContain(secret)
  expect(withoutCredentials(text)).not.toContain(secret)
  expect(withoutCredentials(text)).toContain('(removed)')
})

it('a bundle keeps the rest', () => {
  const text = 'etcd-servers=https://127.0.0.1:2379\napiserver_storage_objects{resource="secrets"} 12\n'
  expect(withoutCredentials(text)).toBe(text)
})
