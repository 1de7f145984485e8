// Objects in the versions that kube-apiserver's predecessors stored them in, and that it still reads: both servers show them alike.
import { expect, it } from 'vitest'
import { formatGroupVersion, parseGroupVersion } from '../../src/api/object.ts'
import { ProtobufEncoder } from '../../src/codec/protobuf-encode.ts'
import {
  decodeProtobuf,
  ENVELOPE_TAIL,
  isProtobuf,
  type TypeNames,
  writeEnvelopeHead,
} from '../../src/codec/protobuf.ts'
import { olderVersion } from '../../src/kinds/kinds.ts'
import { putTogether } from '../fakes/etcd-gateway.ts'
import type { PlainClient } from '../rigs/plain-client.ts'
import { recordedStore } from '../corpora/recorded-store.ts'
import { startReferenceServer } from '../rigs/reference-server.ts'
import { clientOf, newEtcd, swapIn } from '../rigs/swap.ts'
import { differences, listablePaths, listsAt, OBJECT_ENCODINGS, revisionOf, type Shown } from '../rigs/whole-api.ts'

function envelope(names: TypeNames, raw: Buffer): Buffer {
  const encoder = new ProtobufEncoder()
  encoder.bytes(ENVELOPE_TAIL)
  encoder.bytes(raw)
  writeEnvelopeHead(encoder, names, raw.length)
  return encoder.finish()
}

/** The recorded objects whose kinds had this version (and group), with its name on them. */
function inVersion(version: string, group?: string): Record<string, Buffer> {
  const found: Record<string, Buffer> = {}
  for (const [key, value] of Object.entries(recordedStore().stored)) {
    const bytes = Buffer.from(value, 'base64')
    if (!isProtobuf(bytes)) continue
    const { apiVersion, kind, raw } = decodeProtobuf(bytes)
    const gv = { group: group ?? parseGroupVersion(apiVersion)!.group, version }
    // Where extensions had daemon sets, they counted their templates in a field that no version has kept.
    const isCounted = group === 'extensions' && kind === 'DaemonSet'
    if (isCounted || olderVersion({ ...gv, kind }) === undefined) continue
    found[`/registry/${key}`] = envelope({ apiVersion: formatGroupVersion(gv), kind }, raw)
  }
  return found
}

it('shows what the predecessors of kube-apiserver have stored as it shows it', async () => {
  const etcd = await newEtcd()
  const reference = await startReferenceServer({ etcd })
  const theirs = clientOf(reference)
  const { client: ours } = await swapIn(etcd, reference, ['--controllers', 'kubernetes-service'])
  const paths = await listablePaths(theirs)
  const rounds: readonly (readonly [version: string, group?: string])[] = [
    ['v1alpha1'],
    ['v1beta1'],
    ['v1beta2'],
    ['v1beta3'],
    ['v1beta1', 'extensions'],
  ]
  let stored = 0
  for (const [version, group] of rounds) {
    const objects = inVersion(version, group)
    stored += Object.keys(objects).length
    for (const [key, value] of Object.entries(objects)) await putTogether(etcd, { [key]: value })
    const revision = await revisionOf(theirs)
    const lists = (client: PlainClient): Promise<Shown> => listsAt(client, paths, revision, OBJECT_ENCODINGS)
    expect([version, differences(await lists(theirs), await lists(ours))]).toEqual([version, []])
  }
  expect(stored).toBeGreaterThan(50)
})
