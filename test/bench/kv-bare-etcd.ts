// The least that a client of etcd on gRPC's own package can do: no retries, no tokens, no signals, one member.
import { ChannelCredentials, Client, Metadata } from '@grpc/grpc-js'
import { CompareTarget, RANGE, TXN, WATCH, type WatchRequest, type WatchResponse } from '../../src/kv/gen/rpc.ts'
import { prefixRange } from '../../src/kv/kv.ts'
import { decode, encode, type Given, type Rpc } from '../../src/kv/rpc.ts'
import type { BenchedStore } from './kv.ts'

const OPTIONS = Object.freeze({
  'grpc-node.flow_control_window': 8 << 20,
  'grpc.max_receive_message_length': -1,
  'grpc.use_local_subchannel_pool': 1,
})

export function openBareEtcd(endpoint: string): BenchedStore {
  const client = new Client(new URL(endpoint).host, ChannelCredentials.createInsecure(), OPTIONS)
  const headers = new Metadata()

  function call<Request, Response>(rpc: Rpc<Request, Response>, request: Given<Request>): Promise<Response> {
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        rpc.path,
        (message: Given<Request>) => encode(rpc.request, message),
        (bytes) => decode(rpc.response, bytes),
        request,
        headers,
        (error, response) => {
          if (error === null) resolve(response!)
          else reject(error)
        },
      )
    })
  }

  async function put(key: string, value: Buffer, modRevision: number): Promise<number> {
    const compare = [{ target: CompareTarget.MOD, key, modRevision }]
    const txn = { compare, success: [{ put: { key, value } }], failure: [{ range: { key } }] }
    return (await call(TXN, txn)).header.revision
  }

  return {
    create: (key, value) => put(key, value, 0),
    update: put,
    get: async (key) => {
      await call(RANGE, { key })
    },
    range: async (prefix, limit) => {
      const { start, end } = prefixRange(prefix)
      return (await call(RANGE, { key: start, rangeEnd: end, limit })).kvs.length
    },
    newestRevision: async () => (await call(RANGE, { key: 'x' })).header.revision,
    follow: (prefix, after, events) =>
      new Promise((resolve, reject) => {
        const { start, end } = prefixRange(prefix)
        const stream = client.makeBidiStreamRequest(
          WATCH.path,
          (message: Given<WatchRequest>) => encode(WATCH.request, message),
          (bytes) => decode(WATCH.response, bytes),
          headers,
        )
        let seen = 0
        stream.on('data', (response: WatchResponse) => {
          seen += response.events.length
          if (seen < events) return
          stream.cancel()
          resolve()
        })
        stream.on('error', (error) => (seen < events ? reject(error) : undefined))
        stream.write({ createRequest: { key: start, rangeEnd: end, startRevision: after + 1, fragment: true } })
      }),
    close: async () => client.close(),
  }
}
