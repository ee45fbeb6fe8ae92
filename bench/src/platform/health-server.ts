import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Agents' `/health` in a process of their own, so that what they take is not counted. */
export interface HealthServer {
  readonly port: number
  close(): Promise<void>
}

const PROGRAM = `
  const { createServer } = require('node:http')
  const body = JSON.stringify({ name: 'Word counter', version: '1.0', status: 'ok' })
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => process.stdout.write(String(server.address().port) + '\\n'))
  process.stdin.on('end', () => process.exit(0)).resume()
`

/** Starts one; it ends with this process too. */
export async function startHealthServer(): Promise<HealthServer> {
  const child = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    port: Number(line.toString()),
    async close() {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
    },
  }
}
