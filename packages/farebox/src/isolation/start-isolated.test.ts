import { once } from 'node:events'
import { get } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createProject,
  DEV,
  listening,
  waitJob,
  type Project,
  type Running,
} from '../commands/run-farebox.test-setup.ts'
import { readProcess } from '../read-process.ts'

const ISOLATED = { ...DEV, SERVICE_ISOLATION: 'worker' }

const HANDLERS = `
console.error('loaded in ' + process.pid)
export default async ({ ms }, { log }) => {
  log('begun in ' + process.pid)
  if (ms === 666) for (;;);
  if (ms === 13) throw new Error('unlucky')
  await new Promise(resolve => setTimeout(resolve, ms))
  process.stdout.write('half a line, ')
  console.log('and the rest')
  return { waited: ms, pid: process.pid }
}`

let project: Project
beforeEach(async () => {
  project = await createProject()
  await project.write('handlers.mjs', HANDLERS)
})
afterEach(() => project.remove())

function start(words: readonly string[] = [], variables: NodeJS.ProcessEnv = ISOLATED): Running {
  return project.farebox(['start', '--port', '0', '--host', '127.0.0.1', ...words], variables)
}

async function pidOf(answer: Response): Promise<number> {
  expect(answer.status).toBe(200)
  const { output } = (await answer.json()) as { readonly output: { readonly pid: number } }
  return output.pid
}

async function isGone(pid: number): Promise<void> {
  while ((await readProcess(pid)) !== undefined) await new Promise(resolve => setImmediate(resolve))
}

describe('farebox start with SERVICE_ISOLATION=worker', () => {
  test('the agent’s process never imports the handlers; what they write comes out of it in whole lines', async () => {
    const running = start()
    const pid = await pidOf(await waitJob(await listening(running), 1))
    expect(pid).not.toBe(running.pid)
    await running.until(/^half a line, and the rest$/m)
    expect((await waitJob(await listening(running), 13)).status).toBe(500)
    await running.until(/^handler error: unlucky job=\S+ at=handlers\.mjs:6:\d+$/m)
    running.child.kill('SIGTERM')
    const { code, stderr } = await running.ended
    expect(code).toBe(0)
    expect(stderr).toContain(`loaded in ${pid}\n`)
    expect(stderr).not.toContain(`loaded in ${running.pid}\n`)
    await isGone(pid)
  })

  test('D32 SIGTERM and Ctrl-C to the whole group: the job in flight is answered, exit 0', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const running = start()
      const answer = waitJob(await listening(running), 600)
      await running.until(/begun in/)
      process.kill(-running.pid, signal)
      const pid = await pidOf(await answer)
      expect((await running.ended).code).toBe(0)
      await isGone(pid)
    }
  })

  test('kill -9 of the agent while a handler blocks: its process is ended, too', async () => {
    const running = start()
    const answer = waitJob(await listening(running), 666).catch(() => 'cut off')
    const [, pid] = await running.until(/begun in (\d+)/)
    running.child.kill('SIGKILL')
    expect(await answer).toBe('cut off')
    await isGone(Number(pid))
  })

  test('several workers, each with processes of its own', async () => {
    const running = start(['--workers', '2'], { ...ISOLATED, SERVICE_STORE: 'lmdb:jobs' })
    const url = await listening(running)
    // Connections go to the workers in turn.
    const pids = [await pidOf(await waitJob(url, 1)), await pidOf(await waitJob(url, 1))]
    expect(new Set(pids).size).toBe(2)
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(0)
    await Promise.all(pids.map(isGone))
  })

  test('handlers that do not load are explained as without isolation, once', async () => {
    await project.write('handlers.mjs', 'nothing.start()')
    expect(await start().ended).toEqual({
      code: 1,
      stdout: '',
      stderr:
        '✗ handlers.mjs could not be loaded: ReferenceError: nothing is not defined\n    at handlers.mjs:1:1\n',
    })
  })

  test('handlers that are not those of the declaration are explained as without isolation', async () => {
    await project.write('handlers.mjs', 'export default { weight: () => ({}) }')
    const isolated = await start().ended
    expect(isolated).toEqual(await start([], DEV).ended)
    expect(isolated.stderr).toBe(
      '✗ handlers.mjs:1:18  handlers: no function for the declared wait\n' +
        '  name each handler as its capability in the declaration\n',
    )
  })

  test('a file that ends its process while it is imported is reported', async () => {
    await project.write('handlers.mjs', 'process.exit(7)')
    expect(await start().ended).toEqual({
      code: 1,
      stdout: '',
      stderr:
        '✗ handlers.mjs could not be loaded: its process ended (exit code 7)\n  what it does while it is imported must come to an end, and must not end the process\n',
    })
  })

  test('D30 any other value of SERVICE_ISOLATION does not start', async () => {
    const { code, stderr } = await start([], { ...DEV, SERVICE_ISOLATION: 'thread' }).ended
    expect(code).toBe(1)
    expect(stderr).toBe(
      '✗ cannot start: SERVICE_ISOLATION must be "worker" or "none", got "thread"\n  set SERVICE_ISOLATION=worker to run handlers in processes of their own, or leave it unset\n',
    )
  })
})

test('DDL-04 while four handlers block, /health is answered as quickly as by an agent that does nothing', async () => {
  const [running, idle] = [start(), start()]
  const [url, idleUrl] = [await listening(running), await listening(idle)]
  const blocked = Array.from({ length: 4 }, () => waitJob(url, 666).catch(() => undefined))
  await running.until(/(?:begun in[^]*){4}/)
  const took: number[] = []
  const idleTook: number[] = []
  for (let ask = 0; ask < 300; ask += 1) {
    took.push(await healthMs(url))
    idleTook.push(await healthMs(idleUrl))
  }
  running.child.kill('SIGKILL')
  await Promise.all(blocked)
  expect(median(took)).toBeLessThan(5 * median(idleTook))
})

async function healthMs(url: string): Promise<number> {
  const startedMs = performance.now()
  const [response] = (await once(get(`${url}/health`, { agent: false }), 'response')) as [
    NodeJS.ReadableStream,
  ]
  await once(response.resume(), 'end')
  return performance.now() - startedMs
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}
