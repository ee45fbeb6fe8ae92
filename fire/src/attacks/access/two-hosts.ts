import { once } from 'node:events'
import { connect } from 'node:net'
import type { Attack } from '../attack.ts'
import { playScene } from '../stage/paid-scene.ts'

/** What stands between `GET /health HTTP/1.1` and the end of the headers. */
const HOSTS = {
  'two different': ['Host: agent.example', 'Host: evil.example'],
  'twice the same': ['Host: agent.example', 'Host: agent.example'],
  'in two cases': ['Host: agent.example', 'HOST: evil.example'],
  none: [],
} as const

/** Requests that leave open which host they are for: a proxy may take one, an agent the other (row 24). */
export const twoHosts: Attack = {
  name: 'two Host headers at an agent',
  before: '3 of 3 requests with two Host headers were answered 200',
  run: async () =>
    await playScene(async scene => {
      const url = await scene.hire({ name: 'agent', store: 'memory:' })
      const answers: string[] = []
      for (const hosts of Object.values(HOSTS)) answers.push(await ask(url, hosts))
      const right = await ask(url, ['Host: agent.example'])
      return [
        {
          test: `Host: ${Object.keys(HOSTS).join(', ')}`,
          reached: answers.join(', '),
          target: 'all 400',
          isMet: answers.every(status => status === '400'),
        },
        { test: 'Host: once', reached: right, target: '200', isMet: right === '200' },
      ]
    }),
}

/** The status of the answer. */
async function ask(url: string, hosts: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.setEncoding('latin1').on('data', (part: string) => void (text += part))
  await once(socket, 'connect')
  socket.write(['GET /health HTTP/1.1', ...hosts, 'Connection: close', '', ''].join('\r\n'))
  await once(socket, 'close')
  return /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 'no answer'
}
