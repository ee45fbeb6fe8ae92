import { connectRaw } from '@farebox/protocol/src/test-setup/connect-raw'
import {
  createHeldAnswers,
  leaveEarly,
  LEAVINGS,
  watchConnections,
} from '@farebox/protocol/src/test-setup/leave-early'
import { until } from '@farebox/protocol/src/test-setup/until'
import { systemClock } from '@farebox/protocol/time/clock'
import { expect, test } from 'vitest'
import type { Answer } from '../answer/answer.ts'
import { createGraceEnd } from '../grace-end.ts'
import { createHttpServer } from './serve.ts'

// An agent's server counts bodies being received, bodies of unanswered jobs, unsent answers and requests in flight.
// Each count must return to zero when callers disconnect, because it would otherwise delay a stop.

const MIB = 1_048_576
/** The memory limit for answers, and for bodies. */
const WHOLE_BYTES = 64 * MIB
const WHOLE = Buffer.alloc(WHOLE_BYTES, ' ')
const LARGE = Buffer.alloc(MIB, ' ')

const HEAD = `POST /execute HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${MIB}\r\n\r\n`
const BODY = ' '.repeat(MIB)

const answerOf = (body: Buffer): Answer => ({ status: 200, headers: {}, body })

/** A server with the agent's HTTP layer, whose jobs end when the test allows it. */
async function serve() {
  const answers = createHeldAnswers()
  const http = createHttpServer(
    {
      route: (_, path) => (path === '/execute' ? 'execute' : answerOf(WHOLE)),
      async execute() {
        await answers.pass()
        return answerOf(LARGE)
      },
    },
    systemClock,
  )
  const port = await http.listen(0, '127.0.0.1')
  return {
    http,
    port,
    connections: watchConnections(port),
    request: HEAD + BODY,
    answers,
  }
}

test('however callers disconnect, they are not counted afterwards', async () => {
  const server = await serve()
  for (const leaving of LEAVINGS) await leaveEarly(server, leaving)

  // This answer is accepted only if no other answer is counted.
  const whole = connectRaw(server.port)
  whole.socket.write('GET /about HTTP/1.1\r\nhost: a\r\n\r\n')
  expect(await whole.until(received => received !== '')).toMatch(/^HTTP\/1\.1 200 /)
  whole.socket.destroy()
  await until(() => server.connections.count() === 0)

  // These bodies are accepted only if no other body is counted, first while they are received, then with their jobs.
  server.answers.hold()
  const callers = Array.from({ length: WHOLE_BYTES / MIB }, () => connectRaw(server.port))
  for (const { socket } of callers) socket.write(HEAD + BODY.slice(1), 'latin1')
  await until(() => server.connections.bytesRead() === callers.length * (HEAD.length + MIB - 1))
  for (const { socket } of callers) socket.write(' ')
  await until(() => server.answers.waiting() === callers.length)
  expect(callers.map(({ received }) => received())).toEqual(callers.map(() => ''))
  for (const { socket } of callers) socket.destroy()
  server.answers.release()

  // A request that is still counted would delay this endlessly.
  await server.http.close({ jobsMs: 2 ** 31 - 1, graceEnd: createGraceEnd() })
})
