// What cannot be read is a value, and is told; it takes nothing else down.
import { expect, it } from 'vitest'
import { ANY, LATEST, namesIn, type OpenSubject, pod, pods, refusal } from './subject.ts'

const key = { resource: pods, namespace: 'd', name: 'bad' }

export function unreadableRules(subject: OpenSubject): void {
  it.each([
    ['sealed', 'k8s:enc:aescbc:v1:key1:…', 'identity transformer tried to read encrypted data'],
    ['binary', 'k8s\0\n\u000c', 'the stored data is not an object'],
    ['cut off', '{"kind":"Pod","metadata":{"name":"bad"', 'the stored data is not an object'],
    ['no object', '"x"', 'the stored data is not an object'],
    ['empty', '', 'the stored data is not an object'],
  ])('is a value when it is got: %s', async (_, bytes, problem) => {
    const revision = await subject().putRaw('d', 'bad', bytes)
    const item = await subject().get('d', 'bad')
    expect(item).toMatchObject({ kind: 'unreadable', namespace: 'd', name: 'bad', revision, problem })
  })

  it('makes a list fail that would have to show it, and no other (R-028, W-354)', async () => {
    await subject().put('d', 'a')
    await subject().put('e', 'b')
    await subject().putRaw('d', 'bad', 'garbage')
    for (const at of [LATEST, ANY]) {
      await subject().get('d', 'a')
      const error = await refusal(subject().list(at).then(namesIn))
      expect(error).toMatchObject({ reason: 'StorageReadError', code: 500 })
      expect(error.message).toBe('failed to read one or more pods from the storage')
      expect(error.details).toEqual({
        name: 'list',
        kind: 'pods',
        causes: [{ reason: 'UnexpectedServerResponse', message: 'the stored data is not an object', field: 'd/bad' }],
      })
      expect(await subject().names(at, { namespace: 'e' })).toEqual(['e/b'])
      expect(await namesIn(await subject().list(at, { skipUnreadable: true }))).toEqual(['d/a', 'e/b'])
    }
  })

  it('is handed to the decision of a writer, who can remove or replace it', async () => {
    await subject().putRaw('d', 'bad', 'garbage')
    const removed = await subject().write(key, (current) => {
      expect(current?.kind).toBe('unreadable')
      return { kind: 'remove' }
    })
    expect(removed).toMatchObject({ kind: 'removed', object: { kind: 'unreadable', name: 'bad' } })
    await subject().putRaw('d', 'bad', 'garbage')
    const replaced = await subject().write(key, () => ({ kind: 'put', object: pod('d', 'bad') }))
    expect(replaced).toMatchObject({ kind: 'put', created: false })
    expect(await subject().names()).toEqual(['d/bad'])
  })

  it('ends a watch that would have to show it', async () => {
    const watch = await subject().watch({ kind: 'changes', at: LATEST })
    const elsewhere = await subject().watch({ kind: 'changes', at: LATEST }, { namespace: 'e' })
    await subject().putRaw('d', 'bad', 'garbage')
    const error = await refusal(watch.next())
    expect(error).toMatchObject({ reason: 'StorageReadError', code: 500 })
    const e = await subject().put('e', 'x')
    expect(await elsewhere.take(1)).toEqual([`ADDED e/x@${e}`])
  })

  it('is passed over by a watch that asks for that, which goes on', async () => {
    const a = await subject().put('d', 'a')
    await subject().putRaw('d', 'bad', 'garbage')
    const watch = await subject().watch({ kind: 'state', at: LATEST }, { skipUnreadable: true })
    expect(await watch.take(1)).toEqual([`ADDED d/a@${a}`])
    await subject().putRaw('d', 'a', 'garbage')
    await subject().remove('d', 'bad')
    const b = await subject().put('d', 'b')
    expect(await watch.take(1)).toEqual([`ADDED d/b@${b}`])
  })

  it('ends a watch when it is removed, and is new when it is replaced (W-355)', async () => {
    const revision = await subject().putRaw('d', 'bad', 'garbage')
    const watch = await subject().watch({ kind: 'after', revision })
    const replaced = await subject().put('d', 'bad')
    expect(await watch.take(1)).toEqual([`ADDED d/bad@${replaced}`])
    const again = await subject().putRaw('d', 'bad', 'garbage')
    const another = await subject().watch({ kind: 'after', revision: again })
    await subject().remove('d', 'bad')
    expect(await refusal(another.next())).toMatchObject({ reason: 'StorageReadError' })
  })

  it('is not JSON that is merely written differently', async () => {
    const revision = await subject().putRaw('d', 'odd', '{ "metadata" : { "name" : "odd" },\n "spec": {"a": 1} }')
    const item = await subject().get('d', 'odd')
    expect(item?.kind === 'object' && item.bytes.toString()).toBe(
      `{"metadata":{"name":"odd","resourceVersion":"${revision}"},"spec":{"a":1}}`,
    )
  })
}
