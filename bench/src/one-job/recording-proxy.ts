import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Stage } from '../stage/stage.ts'

/** One question on a connection, from its first byte to the last byte of its answer. Times are of `performance.now()`. */
export interface Exchange {
  /** The beginning of what was asked, as Latin-1. */
  readonly asked: string
  readonly beginMs: number
  readonly endMs: number
}

/** Passes bytes on in both directions, and notes when they came. */
export interface RecordingProxy {
  /** On 127.0.0.1. */
  readonly port: number
  /** The exchanges whose answers have begun since the last call. */
  take(): readonly Exchange[]
}

const ASKED_CHARACTERS = 200

/**
 * Stands before a server of 127.0.0.1 whose clients ask one question at a time on each connection: HTTP without
 * pipelining, PostgreSQL.
 *
 * @param isWholeAnswer - whether an answer is over with these bytes, where the server may also speak unasked; default:
 *   whatever comes before the next question belongs to the answer
 */
export async function startRecordingProxy(
  stage: Stage,
  port: number,
  isWholeAnswer: (bytes: Buffer) => boolean = () => false,
): Promise<RecordingProxy> {
  const exchanges: Exchange[] = []
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, client => {
    const target = connect({ port, host: '127.0.0.1', noDelay: true })
    for (const socket of [client, target]) {
      sockets.add(socket)
      // Whoever ends, by a reset too, ends the other side.
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        target.destroy()
      })
    }
    record(client, target, isWholeAnswer, exchange => exchanges.push(exchange))
    client.pipe(target)
    target.pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stage.onStrike(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return { port: (server.address() as AddressInfo).port, take: () => exchanges.splice(0) }
}

function record(
  client: Socket,
  target: Socket,
  isWholeAnswer: (bytes: Buffer) => boolean,
  onExchange: (exchange: Exchange) => void,
): void {
  let open: { asked: string; readonly beginMs: number; endMs: number } | undefined
  let isAnswered = false
  client.on('data', (bytes: Buffer) => {
    const text = bytes.toString('latin1', 0, ASKED_CHARACTERS)
    const nowMs = performance.now()
    if (open === undefined || isAnswered) open = { asked: text, beginMs: nowMs, endMs: nowMs }
    else open.asked += text
    isAnswered = false
  })
  target.on('data', (bytes: Buffer) => {
    if (open === undefined) return
    open.endMs = performance.now()
    if (!isAnswered) onExchange(open)
    isAnswered = true
    if (isWholeAnswer(bytes)) open = undefined
  })
}
