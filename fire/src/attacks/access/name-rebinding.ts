import { connect } from 'node:net'
import { askAgent } from '@farebox/platform/src/jobs/drive/ask-agent'
import { readJob } from '@farebox/platform/src/jobs/records/job-store'
import { orderJob } from '@farebox/platform/src/jobs/order/order-job'
import { checkOnce } from '@farebox/platform/src/monitor/check-agent'
import { runDeliveries } from '@farebox/platform/src/monitor/webhooks/send-deliveries'
import { setWebhook } from '@farebox/platform/src/monitor/webhooks/webhooks'
import { createOutbound, type Outbound } from '@farebox/platform/outbound/outbound'
import { createResolve } from '@farebox/platform/src/outbound/address/resolve-name'
import { readAbout } from '@farebox/platform/src/registry/inspect/read-about'
import { makeCertificate } from '@farebox/platform/src/test-setup/certificate'
import { insertAgent, sampleDeclaration } from '@farebox/platform/src/test-setup/insert-agent'
import { orderingOf, signOrder } from '@farebox/platform/src/test-setup/job-orders'
import {
  startNameServer,
  type NameRecord,
  type NameServer,
} from '@farebox/platform/src/test-setup/name-server'
import { claimAddress } from '@farebox/platform/src/test-setup/pretend-internet'
import { payersWith } from '@farebox/platform/src/test-setup/pretend-payers'
import { stagePlatform, type Stage } from '@farebox/platform/src/test-setup/stage-platform'
import { startUntrustedHost, type UntrustedHost } from '@farebox/platform/src/test-setup/untrusted-host'
import type { Attack } from '../attack.ts'

const HOST = 'one.agents.example'
const PUBLIC = '93.184.216.34'
const OWNER = `0x${'0d'.repeat(20)}`

/** What the name leads to once the URL was taken; IPv6 forms of 127.0.0.1 and of a cloud's metadata among them. */
const INSIDE: readonly (readonly string[])[] = [
  ['127.0.0.1'],
  ['169.254.169.254'],
  ['10.1.2.3'],
  ['::1'],
  ['::ffff:127.0.0.1'],
  ['::ffff:169.254.169.254'],
  ['64:ff9b::7f00:1'],
  ['64:ff9b:1::a9fe:a9fe'],
  ['2002:7f00:1::'],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['fd00::1'],
  ['fe80::1'],
  [PUBLIC, '127.0.0.1'],
  [PUBLIC, '::1'],
]

/** A name that is public when its URL is taken and leads inside when it is called, through the platform's own resolver. */
export const nameRebinding: Attack = {
  name: 'a name that leads inside once its URL was taken',
  before:
    'held: 70 calls by webhooks, checks, /about and jobs reached nothing inside; with the judgement of addresses left ' +
    'to local mode, the same program has 5 connections at 127.0.0.1',
  async run({ signal }) {
    const held = await rebind({ localMode: false, signal })
    const control = await rebind({ localMode: true, signal })
    return [
      {
        test: `${INSIDE.length} forms of inner addresses × webhook, check, /about, job, redirect and a second name`,
        reached: `${held.calls} calls, ${held.inside} connections inside, ${held.asked} sockets asked for that are not public`,
        target: 'none inside, none asked for',
        isMet: held.calls >= 4 * INSIDE.length && held.inside === 0 && held.asked === 0,
      },
      {
        test: 'the same where the guard allows this machine: does the program notice?',
        reached: `${control.inside} connections inside`,
        target: 'at least one',
        isMet: control.inside > 0,
      },
    ]
  },
}

interface Seen {
  readonly calls: number
  /** Connections to a server that listens at 127.0.0.1. */
  readonly inside: number
  /** Sockets that were asked for to anything but the public address. */
  readonly asked: number
}

interface Scene {
  readonly stage: Stage
  readonly outbound: Outbound
  readonly endpoint: string
  leadTo(addresses: readonly string[]): void
}

async function rebind(attack: { readonly localMode: boolean; readonly signal: AbortSignal }): Promise<Seen> {
  const certificate = makeCertificate([`*.agents.example`])
  const inside = await startUntrustedHost(socket => void socket.destroy())
  const stranger = await startUntrustedHost(
    socket => {
      const place = `https://127.0.0.1:${inside.port}/health`
      // No connection is kept: each call asks for the name's addresses anew.
      socket.end(`HTTP/1.1 302 X\r\nlocation: ${place}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
    },
    { certificate },
  )
  let addresses: readonly string[] = [PUBLIC]
  const names = await startNameServer(name => addresses.map(address => recordOf(name, address)))
  const asked: string[] = []
  const outbound = createOutbound({
    localMode: attack.localMode,
    resolve: createResolve([names.address]),
    ca: certificate.certificate,
    connectTo(address, port) {
      asked.push(address)
      if (address === PUBLIC)
        return claimAddress(connect({ host: '127.0.0.1', port: stranger.port }), address)
      return connect({ host: address.includes(':') ? '::1' : '127.0.0.1', port })
    },
  })
  const stage = await stagePlatform({ realTime: true, outbound, rpc: payersWith(10n ** 9n) })
  const endpoint = `https://${HOST}:${inside.port}`
  try {
    const scene = { stage, outbound, endpoint, leadTo: (to: readonly string[]) => void (addresses = to) }
    const calls = await playScene(scene, attack.signal)
    return {
      calls,
      inside: inside.connections(),
      asked: asked.filter(address => address !== PUBLIC).length,
    }
  } finally {
    await stage.close()
    await closeAll(names, stranger, inside)
  }
}

async function playScene(scene: Scene, signal: AbortSignal): Promise<number> {
  const { stage, outbound, endpoint, leadTo } = scene
  const declaration = sampleDeclaration(OWNER)
  let calls = 0
  await insertAgent(stage.database, { agentId: 1, owner: OWNER, endpoint, declaration })
  for (const addresses of INSIDE) {
    if (signal.aborted) return calls
    leadTo([PUBLIC])
    // The URL is taken, and a first call reaches the public address, whose redirect nobody follows.
    if (!outbound.judge(endpoint).ok) throw new Error(`${endpoint} should be taken`)
    await checkOnce(outbound, { endpoint, name: '' })
    await setWebhook(stage.database, 1, { owner: OWNER, url: `${endpoint}/hook`, nowMs: Date.now() })
    leadTo(addresses)
    await Promise.all([
      checkOnce(outbound, { endpoint, name: '' }),
      readAbout(stage.parts, endpoint),
      deliver(stage),
      sendJob(stage, endpoint),
      checkOnce(outbound, { endpoint: endpoint.replace('one.', 'two.'), name: '' }),
    ])
    calls += 5
  }
  return calls
}

/** One notice, until it was tried. */
async function deliver(stage: Stage): Promise<void> {
  const { pool } = stage.database
  await pool.query(
    `insert into webhook_deliveries (agent_id, body, created_at, due_at) values (1, '{}', now(), now())`,
  )
  const stop = new AbortController()
  const running = runDeliveries(stage.parts, stop.signal)
  const isTried = async (): Promise<boolean> =>
    (await pool.query('select 1 from webhook_deliveries where failure is not null')).rowCount !== 0
  for (let looks = 0; looks < 200 && !(await isTried()); looks++) await pause(25)
  stop.abort()
  await running
}

async function sendJob(stage: Stage, endpoint: string): Promise<void> {
  const order = await signOrder(stage.parts, { endpoint, payTo: OWNER })
  const { job } = await orderJob(stage.parts, orderingOf(stage.parts), order)
  const written = await readJob(stage.database, job.jobId)
  if (written === undefined) throw new Error('the job was not written down')
  await askAgent(stage.parts, written, new AbortController().signal)
}

function recordOf(name: string, address: string): NameRecord {
  return { name, type: address.includes(':') ? 'AAAA' : 'A', data: address }
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => {
    setTimeout(resolve, ms)
  })
}

async function closeAll(...servers: readonly (NameServer | UntrustedHost)[]): Promise<void> {
  for (const server of servers) await server.close()
}
