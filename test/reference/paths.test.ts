// What kube-apiserver answers to every method on every odd path is what was recorded. With WRITE_PATHS=1 it is recorded anew.
import { expect, it } from 'vitest'
import { openReference } from '../rigs/beside-reference.ts'
import { furnish, PathQuestions, readPathTable, writePathTable } from '../rigs/path-answers.ts'
import { http1Sender } from '../rigs/path-senders.ts'
import { pathShapes } from '../corpora/path-shapes.ts'

it('the reference answers odd paths as recorded', async () => {
  await using opened = new AsyncDisposableStack()
  const server = await openReference(opened)
  await furnish(server, opened)
  const questions = new PathQuestions(server)
  const send = http1Sender(server, opened)
  const table = new Map<string, readonly string[]>()
  for (const shape of pathShapes()) table.set(shape.path, await questions.answersAt(shape, send))
  if (process.env['WRITE_PATHS'] !== undefined) writePathTable(table)
  expect(Object.fromEntries(table)).toEqual(Object.fromEntries(readPathTable()))
})
