import { connect, type Socket } from 'node:net'

/** How hard the agent is attacked; the battery's are {@link FULL_ATTACKS}. */
export interface SlowClientOptions {
  readonly slowHeaders: number
  readonly dripBodies: number
  readonly idle: number
  readonly floodConnections: number
  /** How long each attack lasts, in ms. */
  readonly lastsMs: number
  readonly signal?: AbortSignal
}

/** Long enough for every limit of the server to be met. */
export const FULL_ATTACKS: SlowClientOptions = {
  slowHeaders: 1_000,
  dripBodies: 200,
  idle: 5_000,
  floodConnections: 64,
  lastsMs: 35_000,
}

/** How one attack went. */
export interface AttackScore {
  readonly attack: string
  readonly connections: number
  /** Of the attackers' own connections, how many the agent ended. */
  readonly cut: number
  readonly answered: number
  readonly healthP99Ms: number
  readonly healthAsked: number
  /** How often of that it was answered 200. */
  readonly healthAnswered: number
}

/** How many scores there are. */
export const ATTACKS = 6

/** The first score: how quick /health is on this machine, now, while nobody attacks. */
export const NOBODY = 'nobody at all'

interface Attack {
  readonly name: string
  readonly connections: number
  /** What a connection says first. */
  readonly open: string
  /** What it says again and again. */
  readonly drip?: string
  /** Each answer is followed by the next request at once. */
  readonly flood?: string
}

/** Attacks an agent, one way after the other, while its health is asked for; `onScore` is called as each ends. */
export async function attackSlowly(
  port: number,
  options: SlowClientOptions,
  onScore: (score: AttackScore) => void = () => undefined,
): Promise<readonly AttackScore[]> {
  const scores: AttackScore[] = []
  for (const attack of listAttacks(options)) {
    options.signal?.throwIfAborted()
    const score = await runAttack(port, attack, options.lastsMs)
    scores.push(score)
    onScore(score)
  }
  return scores
}

function listAttacks(options: SlowClientOptions): readonly Attack[] {
  const bad = badSignature()
  return [
    { name: NOBODY, connections: 0, open: '' },
    {
      name: 'headers that never end',
      connections: options.slowHeaders,
      open: 'GET /health HTTP/1.1\r\nHost: x\r\n',
      drip: 'X: y\r\n',
    },
    {
      name: 'bodies a byte at a time',
      connections: options.dripBodies,
      open: 'POST /execute HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n',
      drip: ' ',
    },
    { name: 'idle keep-alive', connections: options.idle, open: 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n' },
    { name: 'silent connections', connections: options.slowHeaders, open: '' },
    { name: 'a flood of bad signatures', connections: options.floodConnections, open: bad, flood: bad },
  ]
}

/** Right in every way but that nobody signed it: the dearest refusal there is. */
function badSignature(): string {
  const authorization = {
    from: `0x${'11'.repeat(20)}`,
    to: `0x${'22'.repeat(20)}`,
    value: '10000',
    validAfter: '0',
    validBefore: '4000000000',
    nonce: `0x${'00'.repeat(32)}`,
  }
  const payload = { authorization, signature: `0x${'5'.repeat(128)}1b` }
  const header = btoa(JSON.stringify({ x402Version: 1, scheme: 'exact', network: 'eip155:84532', payload }))
  const body = JSON.stringify({
    service_version: '1.0',
    job_id: '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c',
    task: { input: { text: 'x' } },
    deadline: 9e10,
  })
  return `POST /execute HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nPAYMENT-SIGNATURE: ${header}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

async function runAttack(port: number, attack: Attack, lastsMs: number): Promise<AttackScore> {
  const sockets: Socket[] = []
  const startedMs = performance.now()
  let cut = 0
  let answered = 0
  let isOver = false
  for (let index = 0; index < attack.connections; index += 1) {
    const socket = connect({ port, host: '127.0.0.1' }, () => void socket.write(attack.open))
    socket.on('error', () => undefined)
    socket.on('data', () => {
      answered += 1
      if (attack.flood !== undefined && !isOver) socket.write(attack.flood)
    })
    socket.on('close', () => void (cut += isOver ? 0 : 1))
    sockets.push(socket)
    // A connection storm all at once would measure the listen queue, not the agent.
    if (index % 250 === 249) await wait(20)
  }
  const dripping = setInterval(() => {
    if (attack.drip !== undefined)
      for (const socket of sockets) if (socket.writable) socket.write(attack.drip)
  }, 500)
  const tookMs: number[] = []
  while (performance.now() - startedMs < lastsMs) {
    tookMs.push(await askHealth(port))
    await wait(10)
  }
  isOver = true
  clearInterval(dripping)
  for (const socket of sockets) socket.destroy()
  tookMs.sort((a, b) => a - b)
  const p99Ms = tookMs[Math.floor(tookMs.length * 0.99)] ?? Number.NaN
  return {
    attack: attack.name,
    connections: attack.connections,
    cut,
    answered,
    healthP99Ms: Math.round(p99Ms * 10) / 10,
    healthAsked: tookMs.length,
    healthAnswered: tookMs.filter(Number.isFinite).length,
  }
}

/** How long `/health` took on a connection of its own; infinite where it was not answered 200. */
function askHealth(port: number): Promise<number> {
  const startedMs = performance.now()
  return new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.write('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    })
    let status = ''
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => void (status ||= text.slice(9, 12)))
    socket.on('error', () => undefined)
    socket.on('close', () =>
      resolve(status === '200' ? performance.now() - startedMs : Number.POSITIVE_INFINITY),
    )
  })
}

function wait(ms: number): Promise<void> {
  return new Promise(resolve => {
    setTimeout(resolve, ms)
  })
}
