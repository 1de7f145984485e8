// This version and the one before it side by side on one store, under load: replicas are rolled from one to the other, and back.
import { expect, it } from 'vitest'
import { programVersion } from '../../src/telemetry/version.ts'
import { COMMAND } from '../rigs/command.ts'
import { RolledReplicas, rollUnderLoad } from '../rigs/rolled-replicas.ts'
import { RollingLoad } from '../rigs/rolling-load.ts'
import { findVersionBefore, hasVersionBefore, VERSION_BEFORE } from '../rigs/version-before.ts'

const { version, commit } = VERSION_BEFORE

it(`two replicas are rolled from version ${version} to this one, and back, under load`, async ({ skip }) => {
  if (!(await hasVersionBefore())) skip(`this clone lacks commit ${commit}: git fetch --unshallow brings it`)
  const before = await findVersionBefore()
  const replicas = await RolledReplicas.start({ count: 2, shutdownDelay: '2s', command: before })
  expect(replicas.versions).toEqual([version, version])
  // The version before answers 503 to who comes too late, and says when to come again.
  await using load = await RollingLoad.begin([replicas.direct], { token: replicas.token, obeysRetryAfter: true })
  await rollUnderLoad(replicas, load, [COMMAND, COMMAND, before, before, COMMAND])
  expect(replicas.versions).toEqual([programVersion(), version])
})
