// Values of another server's encoding among our own: whoever reads cannot tell them apart, and what is written is ours.
import { expect, it } from 'vitest'
import { protobufPod } from '../../corpora/protobuf-pods.ts'
import { ANY, exact, LATEST, namesIn, objectsIn, type OpenSubject, pod, pods, refusal } from './subject.ts'

const key = { resource: pods, namespace: 'd', name: 'b' }

function theirs(name: string, labels: Readonly<Record<string, string>> = {}): Buffer {
  return protobufPod(pod('d', name, { labels, spec: { nodeName: 'n' } }))
}

/** Three pods, the second as another server stores it; its revision. */
async function mixed(subject: OpenSubject): Promise<number> {
  await subject().put('d', 'a', { labels: { app: 'x' } })
  const revision = await subject().putRaw('d', 'b', theirs('b', { app: 'x' }))
  await subject().put('d', 'c', { labels: { app: 'y' } })
  return revision
}

export function foreignRules(subject: OpenSubject): void {
  it('is got as canonical JSON with its version', async () => {
    const revision = await mixed(subject)
    const item = await subject().get('d', 'b')
    expect(item).toMatchObject({ kind: 'object', namespace: 'd', name: 'b', revision })
    const object = item?.kind === 'object' ? item.object() : undefined
    expect(object).toMatchObject({
      kind: 'Pod',
      metadata: { resourceVersion: String(revision) },
      spec: { nodeName: 'n' },
    })
    expect(item?.kind === 'object' && item.bytes.toString()).toBe(JSON.stringify(object))
  })

  it('is in lists, whole, in pages, of the past, and by what it is selected by', async () => {
    const revision = await mixed(subject)
    for (const at of [LATEST, ANY]) expect(await subject().names(at)).toEqual(['d/a', 'd/b', 'd/c'])
    expect(await subject().pages(LATEST, { limit: 1 })).toEqual([['d/a'], ['d/b'], ['d/c']])
    expect(await subject().names(exact(revision))).toEqual(['d/a', 'd/b'])
    expect(await subject().names(LATEST, { labels: 'app=x' })).toEqual(['d/a', 'd/b'])
    expect(await subject().names(LATEST, { fields: 'spec.nodeName=n' })).toEqual(['d/b'])
    const [, second] = await objectsIn(await subject().list())
    expect(second?.object()['spec']).toEqual({ containers: null, nodeName: 'n' })
  })

  it('is told of in watches, as it comes, changes hands and goes', async () => {
    const a = await subject().put('d', 'a')
    const live = await subject().watch({ kind: 'changes', at: LATEST })
    const made = await subject().putRaw('d', 'b', theirs('b', { app: 'x' }))
    const ours = await subject().put('d', 'b', { labels: { app: 'y' } })
    const again = await subject().putRaw('d', 'b', theirs('b', { app: 'x' }))
    const gone = await subject().remove('d', 'b')
    const told = [`ADDED d/b@${made}`, `MODIFIED d/b@${ours}`, `MODIFIED d/b@${again}`, `DELETED d/b@${gone}`]
    expect(await live.take(4)).toEqual(told)
    expect(await (await subject().watch({ kind: 'after', revision: a })).take(4)).toEqual(told)
    // What was there before decides on what a change is to somebody who selects.
    const selecting = await subject().watch({ kind: 'after', revision: a }, { labels: 'app=x' })
    expect(await selecting.take(4)).toEqual([
      `ADDED d/b@${made}`,
      `DELETED d/b@${ours}`,
      `ADDED d/b@${again}`,
      `DELETED d/b@${gone}`,
    ])
  })

  it('is part of the state that a watch begins with', async () => {
    await mixed(subject)
    const watch = await subject().watch({ kind: 'state', at: LATEST }, { bookmarks: true })
    const state = (await watch.take(4)).map((event) => event.replace(/@\d+/, ''))
    expect(state).toEqual(['ADDED d/a', 'ADDED d/b', 'ADDED d/c', 'BOOKMARK!'])
  })

  it('is changed by what a writer makes of it, and is our own then', async () => {
    const revision = await mixed(subject)
    const written = await subject().write(key, (current) => {
      const object = current?.kind === 'object' ? current.object() : pod('d', 'none')
      return { kind: 'put', object: { ...object, status: { phase: 'Running' } } }
    })
    expect(written).toMatchObject({ kind: 'put', created: false })
    const { item } = await subject().kv.get(subject().kvKey('d', 'b'), {}, subject().signal)
    expect(item?.value.toString()).toMatch(/^\{"kind":"Pod".*"nodeName":"n".*"phase":"Running"\}\}?$/)
    expect(item?.revision).toBeGreaterThan(revision)
  })

  it('is not written anew where nothing changes', async () => {
    const revision = await mixed(subject)
    const kept = await subject().write(key, (current) => {
      if (current?.kind !== 'object') throw new Error('not there')
      return { kind: 'put', object: current.object() }
    })
    expect(kept).toMatchObject({ kind: 'kept', object: { revision } })
  })

  it('is removed with its last state', async () => {
    await mixed(subject)
    const removed = await subject().write(key, () => ({ kind: 'remove' }))
    const object = removed.kind === 'removed' && removed.object.kind === 'object' ? removed.object.object() : undefined
    expect(object).toMatchObject({ metadata: { name: 'b' }, spec: { nodeName: 'n' } })
    expect(await subject().names()).toEqual(['d/a', 'd/c'])
  })

  it('that is damaged takes nothing else down', async () => {
    await mixed(subject)
    const whole = theirs('bad')
    await subject().putRaw('d', 'bad', whole.subarray(0, whole.length - 12))
    expect(await subject().get('d', 'bad')).toMatchObject({ kind: 'unreadable', name: 'bad' })
    expect(await subject().get('d', 'b')).toMatchObject({ kind: 'object' })
    expect(await refusal(subject().list().then(namesIn))).toMatchObject({ reason: 'StorageReadError' })
    const readable = await subject().list(LATEST, { skipUnreadable: true })
    expect(await namesIn(readable)).toEqual(['d/a', 'd/b', 'd/c'])
  })
}
