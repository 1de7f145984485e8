// kube-controller-manager's garbage collector on our server, with ours switched off, and ours: the same is left of random graphs.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { GRAPH_KINDS, type PlannedGraph, plannedGraph } from '../corpora/ownership-graphs.ts'
import {
  defineGraphKinds,
  formatStates,
  type GraphState,
  parseStates,
  type PlayedGraphs,
  playGraphs,
  untilQuiet,
} from '../rigs/ownership-play.ts'
import { OwnedObjects } from '../corpora/owned-objects.ts'
import { startReferenceControllers, writeKubeconfig } from '../rigs/reference-server.ts'
import { openServer } from '../rigs/running-server.ts'
import { SEED } from '../rigs/seed.ts'
import { newHome } from '../rigs/server-process.ts'

const GRAPHS = 200
/** The reference tries again what it could not do, ten times a second for all objects together. */
const REFERENCE_QUIET_MS = 4_000
const OUR_QUIET_MS = 1_000
/** The reference's workers race one another: what is left of a graph that holds several ends is not the same every time. */
const WORKERS = [20, 5, 1]
const COPIES = 12
const MOST_RACES = 0.1

/** What the reference leaves of some of the graphs, those that nothing races in. `RECORD=1` records them anew. */
const RECORDING = join(import.meta.dirname, '../fixtures/collected-graphs.txt')

const FLAGS = ['--disable-admission-plugins', 'ServiceAccount']

async function playOurs(plans: readonly PlannedGraph[]): Promise<PlayedGraphs> {
  await using server = await openServer(FLAGS)
  await defineGraphKinds(server)
  return await playGraphs(server, plans, untilQuiet(OUR_QUIET_MS))
}

async function playReference(plans: readonly PlannedGraph[], workers: number): Promise<PlayedGraphs> {
  await using server = await openServer([...FLAGS, '--controllers', '*,-garbage-collector'])
  await defineGraphKinds(server)
  const kubeconfig = writeKubeconfig(await newHome(), server.url, server.adminToken)
  const flags = ['--kube-api-qps=1000', '--kube-api-burst=2000', `--concurrent-gc-syncs=${workers}`]
  const reference = await startReferenceControllers(kubeconfig, ['garbage-collector-controller'], flags)
  const objects = new OwnedObjects(server)
  const nobody = { apiVersion: 'v1', kind: 'Namespace', name: 'nobody', uid: 'nobody' }
  for (const kind of Object.values(GRAPH_KINDS)) {
    await objects.make(kind, 'is-it-there', { ownerReferences: [nobody] })
    await objects.gone(kind, 'is-it-there')
  }
  const played = await playGraphs(server, plans, untilQuiet(REFERENCE_QUIET_MS))
  await reference.stop()
  return played
}

/** Those of the plans of which the reference leaves something else, however often and by however many workers it is done. */
async function unlike(plans: readonly PlannedGraph[], expected: PlayedGraphs): Promise<readonly PlannedGraph[]> {
  let left = plans
  for (const workers of WORKERS) {
    if (left.length === 0) break
    const copies = left.flatMap((plan) =>
      Array.from({ length: COPIES }, (_, copy) => ({ ...plan, id: `${plan.id}-${copy}` })),
    )
    const theirs = await playReference(copies, workers)
    const texts = new Set([...theirs].map(([id, states]) => `${id.split('-')[0]} ${JSON.stringify(states)}`))
    left = left.filter(({ id }) => !texts.has(`${id} ${JSON.stringify(expected.get(id))}`))
  }
  return left
}

/** What is needed to see where the two part. */
function difference(plan: PlannedGraph, ours: readonly GraphState[], theirs: readonly GraphState[]): string {
  const state = ours.findIndex((lines, index) => lines.join() !== theirs[index]?.join())
  const objects = plan.objects.map(({ owners }, index) => `${index} ${JSON.stringify(owners)}`)
  return [
    `graph ${plan.id}: ${state === 0 ? objects.join('\n') : JSON.stringify(plan.steps[state - 1])}`,
    ...(ours[state - 1] ?? []).map((line) => `before: ${line}`),
    ...ours[state]!.map((line) => `  ours: ${line}`),
    ...theirs[state]!.map((line) => `theirs: ${line}`),
  ].join('\n')
}

it(`the same is left of ${GRAPHS} random graphs after each of their steps`, async () => {
  const plans = Array.from({ length: GRAPHS }, (_, index) => plannedGraph((SEED - 1) * GRAPHS + index + 1))
  const ours = await playOurs(plans)
  const theirs = await playReference(plans, WORKERS[0]!)
  const check = async (states: PlayedGraphs): Promise<void> => {
    const isLike = ({ id }: PlannedGraph): boolean =>
      !states.has(id) || JSON.stringify(states.get(id)) === JSON.stringify(theirs.get(id))
    const suspects = plans.filter((plan) => !isLike(plan))
    process.stdout.write(`unlike at first: ${suspects.length} of ${states.size}\n`)
    expect(suspects.length).toBeLessThanOrEqual(states.size * MOST_RACES)
    const left = await unlike(suspects, states)
    expect(left.map((plan) => difference(plan, states.get(plan.id)!, theirs.get(plan.id)!)).join('\n\n')).toBe('')
  }
  await check(ours)
  if (SEED !== 1) return
  const recorded = parseStates(readFileSync(RECORDING, 'utf8'))
  if (process.env['RECORD'] === undefined) await check(recorded)
  else writeFileSync(RECORDING, formatStates(new Map([...recorded.keys()].map((id) => [id, theirs.get(id)!]))))
})
