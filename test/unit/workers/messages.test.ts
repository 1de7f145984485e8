import { describe, expect, it } from 'vitest'
import { type Exchanged, Questions } from '../../../src/workers/messages.ts'

/** Two ends of a channel on which messages are JSON. */
function channel(answer: (question: unknown) => Promise<unknown>): { readonly asker: Questions } {
  const through = (message: Exchanged): Exchanged => JSON.parse(JSON.stringify(message)) as Exchanged
  const asker: Questions = new Questions(
    (message) => answering.receive(through(message)),
    () => Promise.reject(new Error('nobody asks')),
  )
  const answering: Questions = new Questions((message) => asker.receive(through(message)), answer)
  return { asker }
}

describe('questions between processes', () => {
  it('are answered each by its own answer', async () => {
    const { asker } = channel((question) => Promise.resolve(`${String(question)}!`))
    expect(await Promise.all([asker.ask('a', 1000), asker.ask('b', 1000)])).toEqual(['a!', 'b!'])
  })

  it('fail with what the other end says, where it takes too long, and where it is gone', async () => {
    const refusing = channel(() => Promise.reject(new Error('not now')))
    await expect(refusing.asker.ask('a', 1000)).rejects.toThrow('not now')
    const silent = channel(() => new Promise(() => {}))
    await expect(silent.asker.ask('a', 1)).rejects.toThrow('no answer within 1 ms')
    const asked = silent.asker.ask('a', 60_000)
    silent.asker.end('worker 1 ended: SIGKILL')
    await expect(asked).rejects.toThrow('worker 1 ended: SIGKILL')
  })
})
