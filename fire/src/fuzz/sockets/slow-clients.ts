import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** How one attack went. */
export type AttackScore = Awaited<ReturnType<typeof runAttack>>

interface Attack {
  readonly name: string
  readonly connections: number
  /** What a connection sends first. */
  readonly open: string
  /** What it sends again and again. */
  readonly drip?: string
  /** Whether each answer is followed by the same request at once. */
  readonly repeats?: boolean
}

const GET = 'GET /health HTTP/1.1\r\nHost: x\r\n'
const POST = 'POST /execute HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

/** The attacks, one after the other. */
export const ATTACKS: readonly Attack[] = [
  { name: 'headers that never end', connections: 1_000, open: GET, drip: 'X: y\r\n' },
  {
    name: 'bodies a byte at a time',
    connections: 200,
    open: `${POST}Content-Length: 100000\r\n\r\n`,
    drip: ' ',
  },
  { name: 'idle keep-alive', connections: 5_000, open: `${GET}\r\n` },
  { name: 'silent connections', connections: 1_000, open: '' },
  { name: 'a flood of bad signatures', connections: 64, open: badlySigned(), repeats: true },
]

/** Attacks an agent while its health is asked for; `onScore` is called as each attack ends. */
export async function attackSlowly(
  port: number,
  /** Of the connections of each attack. */
  share: number,
  /** How long each attack lasts. */
  lastsMs: number,
  signal: AbortSignal,
  onScore: (score: AttackScore) => void,
): Promise<void> {
  for (const attack of ATTACKS) {
    signal.throwIfAborted()
    onScore(await runAttack(port, { ...attack, connections: Math.ceil(attack.connections * share) }, lastsMs))
  }
}

/** Right in every way but that nobody signed it: the dearest refusal there is. */
function badlySigned(): string {
  const [from, to, nonce] = ['11'.repeat(20), '22'.repeat(20), '00'.repeat(32)].map(hex => `0x${hex}`)
  const authorization = { from, to, value: '10000', validAfter: '0', validBefore: '4000000000', nonce }
  const payload = { authorization, signature: `0x${'5'.repeat(128)}1b` }
  const header = btoa(JSON.stringify({ x402Version: 1, scheme: 'exact', network: 'eip155:84532', payload }))
  const body = JSON.stringify({
    service_version: '1.0',
    job_id: '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c',
    task: { input: { text: 'x' } },
    deadline: 9e10,
  })
  return `${POST}PAYMENT-SIGNATURE: ${header}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

async function runAttack(port: number, attack: Attack, lastsMs: number) {
  const { name, connections, open, drip, repeats } = attack
  const sockets: Socket[] = []
  const startedMs = performance.now()
  let cut = 0
  let isOver = false
  for (let index = 0; index < connections; index += 1) {
    const socket = connect({ port, host: '127.0.0.1' }, () => void socket.write(open))
    socket.on('error', () => undefined)
    socket.on('data', () => repeats === true && !isOver && socket.write(open))
    socket.on('close', () => void (cut += isOver ? 0 : 1))
    sockets.push(socket)
    // A connection storm all at once would measure the listen queue, not the agent.
    if (index % 250 === 249) await delay(20)
  }
  const dripping = setInterval(() => {
    if (drip !== undefined) for (const socket of sockets) if (socket.writable) socket.write(drip)
  }, 500)
  const tookMs: number[] = []
  while (performance.now() - startedMs < lastsMs) {
    tookMs.push(await askHealth(port))
    await delay(10)
  }
  isOver = true
  clearInterval(dripping)
  for (const socket of sockets) socket.destroy()
  tookMs.sort((a, b) => a - b)
  return {
    attack: name,
    connections,
    /** Of the attackers' own connections, how many the agent ended. */
    cut,
    healthP99Ms: Math.round((tookMs[Math.floor(tookMs.length * 0.99)] ?? Number.NaN) * 10) / 10,
    healthAsked: tookMs.length,
    /** How often of that it was answered 200. */
    healthAnswered: tookMs.filter(Number.isFinite).length,
  }
}

/** How long `/health` took on a connection of its own; infinite where it was not answered 200. */
async function askHealth(port: number): Promise<number> {
  const startedMs = performance.now()
  const answer = await fetch(`http://127.0.0.1:${port}/health`, { headers: { connection: 'close' } }).catch(
    () => undefined,
  )
  await answer?.text()
  return answer?.status === 200 ? performance.now() - startedMs : Number.POSITIVE_INFINITY
}
