import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild, type RunningChild } from '@farebox/local/src/processes/child-process'
import { endWithUs } from '@farebox/local/src/processes/end-with-us'
import { CLI_PROGRAM } from '../../../../e2e/stage/run-cli.ts'
import type { Attack } from '../attack.ts'

/** Pages of the web, a page without a host of its own, and one of another machine of the house. */
const FOREIGN_ORIGINS = [
  'https://evil.example',
  'http://localhost.evil.example',
  'http://192.168.1.2:3000',
  'null',
]
/** Names that an attacker lets point at this machine: the page's own, so that it comes without a foreign Origin. */
const FOREIGN_HOSTS = ['rebound.example', 'localhost.evil.example', '192.168.1.2']
const OWN_ORIGINS = [undefined, 'http://localhost:8080', 'http://127.0.0.1:5173']

/** A web page in the developer's browser asks for work of the agent that is being written (row 13). */
export const foreignPages: Attack = {
  name: 'web pages that run the handlers of farebox dev',
  before:
    '7 of 7 jobs of foreign pages and under foreign names ran, answered 200 with the output (small form)',
  async run({ size, signal }) {
    const rounds = size === 'small' ? 1 : 20
    const folder = await writeProject()
    const dev = await startDev(folder, [])
    const open = await startDev(folder, ['--host', '0.0.0.0'])
    try {
      const foreign: boolean[] = []
      const own: boolean[] = []
      const onPurpose: boolean[] = []
      for (let round = 0; round < rounds; round += 1) {
        signal.throwIfAborted()
        for (const origin of FOREIGN_ORIGINS) {
          foreign.push(await ask(dev.ready, { origin }))
          onPurpose.push(await ask(open.ready, { origin }))
        }
        for (const host of FOREIGN_HOSTS) foreign.push(await ask(dev.ready, { host }))
        for (const origin of OWN_ORIGINS) own.push(await ask(dev.ready, { ...(origin && { origin }) }))
      }
      const [ran, served, opened] = [foreign, own, onPurpose].map(all => all.filter(hasRun => hasRun).length)
      return [
        {
          test: `${foreign.length} jobs from foreign pages and under foreign names, on loopback`,
          reached: `${ran} ran`,
          target: 'none',
          isMet: ran === 0,
        },
        {
          test: `${own.length} jobs from pages of this machine and from no page`,
          reached: `${served} ran`,
          target: 'all',
          isMet: served === own.length,
        },
        {
          test: `${onPurpose.length} jobs from foreign pages with --host 0.0.0.0`,
          reached: `${opened} ran`,
          target: 'all: its developer asked for it (D15)',
          isMet: opened === onPurpose.length,
        },
      ]
    } finally {
      await Promise.all([dev.stop(), open.stop()])
      await rm(folder, { recursive: true, force: true })
    }
  },
}

async function writeProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-pages-'))
  const declaration = {
    service_version: '1.0',
    name: 'Under development',
    description: 'Says it back.',
    wallet: '${AGENT_WALLET_ADDRESS}',
    max_deadline_seconds: 10,
    capabilities: {
      tell: {
        description: 'Says it back.',
        pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
        input_schema: { text: { type: 'string', required: true } },
        output_schema: { text: { type: 'string' } },
      },
    },
  }
  await writeFile(join(folder, 'agent.json'), JSON.stringify(declaration))
  await writeFile(join(folder, 'handlers.mjs'), 'export default ({ text }) => ({ text })\n')
  return folder
}

async function startDev(folder: string, words: readonly string[]): Promise<RunningChild<string>> {
  const child = await startChild({
    command: process.execPath,
    arguments: [CLI_PROGRAM, 'dev', '--port', '0', ...words],
    folder,
    environment: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1' },
    readReady: line => /http:\/\/[^\s]+:(\d+)\s+dev mode/.exec(line)?.[1],
  })
  void child.exited.then(endWithUs(child.pid))
  return child
}

/** A job as a page sends it, or as it comes by a name that was pointed here; true where its output came back. */
async function ask(
  port: string,
  from: { readonly origin?: string; readonly host?: string },
): Promise<boolean> {
  const headers = {
    'content-type': 'application/json',
    host: `${from.host ?? 'localhost'}:${port}`,
    ...(from.origin !== undefined && { origin: from.origin }),
  }
  const body = JSON.stringify({
    service_version: '1.0',
    job_id: globalThis.crypto.randomUUID(),
    task: { capability: 'tell', input: { text: 'sesame' } },
    deadline: Math.floor(Date.now() / 1_000) + 10,
  })
  return await new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path: '/execute', method: 'POST', headers }, answer => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => void (text += part))
      answer.once('end', () => resolve(answer.statusCode === 200 && text.includes('sesame')))
    })
    sent.once('error', reject)
    sent.end(body)
  })
}
