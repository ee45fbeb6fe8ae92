// The time until a program answers, and its CPU cost.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const LOOK_EVERY_MS = 2
/** Ends what hangs: the limit on every start (decision 74). */
const START_TIMEOUT_MS = 300_000

/** Loaded first into the measured program: answers with the CPU time used so far. Costs well below a millisecond. */
const PROBE = `data:text/javascript,${encodeURIComponent(
  'process.on("message", () => process.send(process.cpuUsage())); process.channel.unref()',
)}`

/**
 * Starts the program and waits for the first 200 of `GET /health`, repeatedly; returns the medians.
 *
 * @param {{ words: string[], folder: string, environment: Record<string, string>, times: number }} program
 *   `words`: the arguments of `node`
 * @returns {Promise<{ wallMs: number, cpuMs: number }>}
 */
export async function measureStart({ words, folder, environment, times }) {
  const starts = []
  for (let time = 0; time <= times; time += 1)
    starts.push(await startOnce(words, { cwd: folder, env: environment }))
  // The first one warms the disk's cache.
  return medians(starts.slice(1))
}

/**
 * Starts Node and imports a module, repeatedly; returns the medians. `wallMs` covers only the import, `cpuMs` the whole
 * process.
 *
 * @param {{ specifier: string, folder: string, environment: Record<string, string>, times: number }} module
 */
export async function measureImport({ specifier, folder, environment, times }) {
  const program = `const before = performance.now(); await import(${JSON.stringify(specifier)}); const wallMs = performance.now() - before; const { user, system } = process.cpuUsage(); process.send({ wallMs, cpuMs: (user + system) / 1000 }, () => process.exit(0))`
  const imports = []
  for (let time = 0; time <= times; time += 1) {
    const child = spawnNode(['--input-type=module', '--eval', program], { cwd: folder, env: environment })
    const [answer] = await Promise.race([once(child, 'message'), ended(child)])
    await once(child, 'exit')
    imports.push(answer)
  }
  return medians(imports.slice(1))
}

async function startOnce(words, { cwd, env }) {
  const port = await freePort()
  const started = performance.now()
  const child = spawnNode(['--import', PROBE, ...words], { cwd, env: { ...env, PORT: String(port) } })
  const gone = ended(child)
  gone.catch(() => undefined)
  while (!(await isHealthy(port))) {
    if (performance.now() - started > START_TIMEOUT_MS) throw new Error(`${words.join(' ')} does not answer`)
    await Promise.race([delay(LOOK_EVERY_MS), gone])
  }
  const wallMs = performance.now() - started
  child.send('how much?')
  const [{ user, system }] = await Promise.race([once(child, 'message'), gone])
  child.kill('SIGTERM')
  await once(child, 'exit')
  return { wallMs, cpuMs: (user + system) / 1_000 }
}

function spawnNode(words, options) {
  return spawn(process.execPath, words, { ...options, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
}

/** Rejects when the program ends before it was asked to. */
async function ended(child) {
  let said = ''
  child.stderr.on('data', chunk => {
    said += chunk
  })
  const [code] = await once(child, 'exit')
  throw new Error(`what was measured ended with ${code}\n${said}`)
}

function isHealthy(port) {
  return new Promise(resolve => {
    const request = get({ host: '127.0.0.1', port, path: '/health', agent: false }, response => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('error', () => resolve(false))
  })
}

function freePort() {
  return new Promise(resolve => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

function medians(measures) {
  return { wallMs: median(measures.map(one => one.wallMs)), cpuMs: median(measures.map(one => one.cpuMs)) }
}

function median(values) {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)]
}
