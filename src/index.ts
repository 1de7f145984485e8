// The library's door: the server as a value, for programs and tests that run it in their own process.
export {
  startServer,
  type Client,
  type ForkOptions,
  type Kubeconfig,
  type Log,
  type RecordedRequest,
  type RecordOptions,
  type RequestRecord,
  type Server,
  type ServerCredentials,
  type ServerOptions,
  type ServerUser,
  type Snapshot,
} from './library/library.ts'
