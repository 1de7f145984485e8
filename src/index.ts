// The library's door: the server as a value, for programs and tests that run it in their own process.
export { readConfig, type Config } from './config/config.ts'
export { startServer, type RunningServer } from './server/server.ts'
