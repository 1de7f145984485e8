// Random graphs of owners and dependents end as kube-controller-manager's garbage collector ends them. What it leaves was recorded
// by test/reference/garbage-collector.test.ts, which plays many more of them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { plannedGraph } from '../corpora/ownership-graphs.ts'
import {
  defineGraphKinds,
  type GraphState,
  parseStates,
  playGraphs,
  untilQuiet,
  type UntilSettled,
} from '../rigs/ownership-play.ts'
import { openServer } from '../rigs/running-server.ts'

const recorded = parseStates(readFileSync(join(import.meta.dirname, '../fixtures/collected-graphs.txt'), 'utf8'))

function recordedAt(state: number): Readonly<Record<string, GraphState | undefined>> {
  return Object.fromEntries([...recorded].map(([id, states]) => [id, states[state]]))
}

/** So long it has to stay as it was recorded. */
const QUIET_MS = 300

const untilRecorded: UntilSettled = async (look, state) => {
  await expect.poll(async () => Object.fromEntries(await look()), { interval: 50 }).toEqual(recordedAt(state))
  const left = await untilQuiet(QUIET_MS)(look, state)
  expect(Object.fromEntries(left)).toEqual(recordedAt(state))
  return left
}

it(`the same is left of ${recorded.size} random graphs as the reference leaves`, async () => {
  await using server = await openServer(['--disable-admission-plugins', 'ServiceAccount'])
  await defineGraphKinds(server)
  const graphs = [...recorded.keys()].map((id) => plannedGraph(Number(id)))
  const played = await playGraphs(server, graphs, untilRecorded)
  expect(played.size).toBe(recorded.size)
})
