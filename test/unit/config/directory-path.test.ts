// Texts that are meant for an address are not taken for the name of a directory.
import path from 'node:path'
import { expect, it } from 'vitest'
import { directoryPath } from '../../../src/config/setting-reader.ts'

it.each([
  'http://127.0.0.1:2379',
  'http:/127.0.0.1:2379',
  'https:127.0.0.1',
  'unix:/run/etcd.sock',
  'unix:///run/etcd.sock',
  '127.0.0.1:2379',
  'etcd-1:2379,etcd-2:2379',
  ':2379',
  '[::1]:2379',
  '127.0.0.1',
  '::1',
  'localhost',
])('%s is an address', (text) => {
  expect(() => directoryPath({ text, source: '--to' })).toThrow(`--to: "${text}" is an address, not a directory`)
})

it.each(['data', './localhost', './127.0.0.1', '/var/lib/etcd:2379/data', 'a.b', 'C:'])('%s is a directory', (text) => {
  expect(directoryPath({ text, source: '--to' })).toBe(path.resolve(text))
})
