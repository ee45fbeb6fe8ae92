import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import ipaddr from 'ipaddr.js'

/** A DNS server on loopback, so that tests include the real resolver. */
export interface NameServer {
  /** `127.0.0.1:port`, the form in which a resolver is configured. */
  readonly address: string
  /** The received questions: `A name` or `AAAA name`. */
  readonly questions: readonly string[]
  close(): Promise<void>
}

/** One record of a response, with a time to live of zero; `data` is an address for A and AAAA, and a name for CNAME. */
export interface NameRecord {
  readonly name: string
  readonly type: 'A' | 'AAAA' | 'CNAME'
  readonly data: string
}

const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const
const NO_ERROR = 0x8180
const NO_SUCH_NAME = 0x8183

/**
 * Starts a server.
 *
 * @param answer - returns the records of a name, `'nothing'` for no response, or an empty array when the name does not
 * exist
 */
export async function startNameServer(
  answer: (name: string) => readonly NameRecord[] | 'nothing',
): Promise<NameServer> {
  const questions: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (message, from) => {
    const { name, type, end } = readQuestion(message)
    questions.push(`${type === TYPES.AAAA ? 'AAAA' : 'A'} ${name}`)
    const records = answer(name)
    if (records === 'nothing') return
    const told = records.filter(record => record.type === 'CNAME' || TYPES[record.type] === type)
    const head = Buffer.alloc(12)
    message.copy(head, 0, 0, 2)
    head.writeUInt16BE(records.length === 0 ? NO_SUCH_NAME : NO_ERROR, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(told.length, 6)
    socket.send(
      Buffer.concat([head, message.subarray(12, end), ...told.map(writeRecord)]),
      from.port,
      from.address,
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    async close() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

function writeRecord(record: NameRecord): Buffer {
  const value =
    record.type === 'CNAME' ? writeName(record.data) : Buffer.from(ipaddr.parse(record.data).toByteArray())
  const rest = Buffer.alloc(10)
  rest.writeUInt16BE(TYPES[record.type], 0)
  rest.writeUInt16BE(1, 2)
  rest.writeUInt32BE(0, 4)
  rest.writeUInt16BE(value.length, 8)
  return Buffer.concat([writeName(record.name), rest, value])
}

function writeName(name: string): Buffer {
  const labels = name
    .split('.')
    .map(label => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.from([0])])
}
