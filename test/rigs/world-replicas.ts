// Two servers of a world's kind on one store: a memory store behind etcd's API.
import { type ApiWorld, openWorld } from './api-world.ts'
import { serveStore } from '../fakes/served-store.ts'
import { onTestFinished } from 'vitest'

export async function openReplicas(flags: readonly string[] = []): Promise<readonly [ApiWorld, ApiWorld]> {
  const store = await serveStore('in memory')
  onTestFinished(() => store[Symbol.asyncDispose]())
  const storage = { etcd: store.endpoint, flags }
  return [await openWorld(storage), await openWorld(storage)]
}
