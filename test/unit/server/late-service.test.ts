import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { HttpRequest, HttpResponse } from '../../../src/http/http.ts'
import { LateService, type Service } from '../../../src/server/late-service.ts'

const REQUEST = {} as HttpRequest
const ANSWER = { status: 200 } as HttpResponse

class Parts {
  readonly log: string[] = []
  readonly readiness = Promise.withResolvers<void>()
  readonly failure = Promise.withResolvers<never>()
  readonly service = new LateService((opened) => this.#open(opened))

  #open(opened: AsyncDisposableStack): Service {
    this.log.push('opened')
    opened.defer(() => void this.log.push('closed'))
    return {
      handler: () => {
        this.log.push('asked')
        return ANSWER
      },
      page: () => Promise.reject(new Error('not asked')),
      answerPeer: () => Promise.reject(new Error('nobody asks')),
      observe: () => {},
      api: {} as Service['api'],
      ready: (signal) => {
        signal.addEventListener('abort', () => this.readiness.resolve(), { once: true })
        return this.readiness.promise
      },
      failed: this.failure.promise,
    }
  }
}

describe('a service', () => {
  it('that is opened at the start is asked at once, ready or not', async () => {
    const { service, log, readiness } = new Parts()
    service.open()
    expect(await service.handler(REQUEST)).toBe(ANSWER)
    readiness.resolve()
    expect(await service.ready()).toBe(service.current)
    expect(log).toEqual(['opened', 'asked'])
  })

  it('that is not is opened once, by the first request, and asked when it is ready', async () => {
    const { service, log, readiness } = new Parts()
    await setImmediate()
    expect([service.current, log]).toEqual([undefined, []])
    const both = [service.handler(REQUEST), service.handler(REQUEST)].map((answer) => Promise.resolve(answer))
    await setImmediate()
    expect(log).toEqual(['opened'])
    readiness.resolve()
    expect(await Promise.all(both)).toEqual([ANSWER, ANSWER])
    expect(log).toEqual(['opened', 'asked', 'asked'])
    await service[Symbol.asyncDispose]()
    expect(log.at(-1)).toBe('closed')
  })

  it('tells everybody where it cannot become ready', async () => {
    const { service, failure } = new Parts()
    const answer = service.handler(REQUEST)
    failure.reject(new Error('broken'))
    await expect(answer).rejects.toThrow('broken')
    await expect(service.failed).rejects.toThrow('broken')
    await expect(service.handler(REQUEST)).rejects.toThrow('broken')
  })

  it('that is closed while it becomes ready gives that up', async () => {
    const { service, log } = new Parts()
    const answer = service.handler(REQUEST)
    await service[Symbol.asyncDispose]()
    expect(await answer).toBe(ANSWER)
    expect(log).toEqual(['opened', 'asked', 'closed'])
  })

  it('that nobody asks is never opened', async () => {
    const { service, log } = new Parts()
    await service[Symbol.asyncDispose]()
    expect(log).toEqual([])
  })
})
