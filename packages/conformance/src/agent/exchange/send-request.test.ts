import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { systemClock } from '@farebox/protocol/time/clock'
import { afterEach, expect, test } from 'vitest'
import { createCheckTimeout } from './check-timeout.ts'
import { sendRequest } from './send-request.ts'
import { NoAnswer } from './verdicts.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

test.each<[string, RequestListener]>([
  ['never comes', () => undefined],
  [
    'comes byte by byte',
    (_, answer) => {
      answer.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => answer.write(' '), 20)
      answer.on('close', () => clearInterval(timer))
    },
  ],
])('an answer that %s times out even if its request is garbage-collected', async (_, answer) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const collecting = setInterval(collect, 20)
  ends.push(
    () => clearInterval(collecting),
    () => server.closeAllConnections(),
    () => server.close(),
  )
  const asked = sendRequest(
    {
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      fetch: (request, init) => fetch(request, init),
      clock: systemClock,
      signal: new AbortController().signal,
      timeout: createCheckTimeout(400),
    },
    { method: 'GET', path: '/health' },
  )
  await expect(asked).rejects.toBeInstanceOf(NoAnswer)
})
