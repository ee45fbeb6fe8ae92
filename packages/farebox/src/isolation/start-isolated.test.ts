import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  CONFIG,
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
  if (ms === 14) process.exit(3)
  if (ms === 15) process.abort()
  if (ms === 16) return { waited: 16, more: { toJSON: () => 1n } }
  if (ms === 17) {
    setTimeout(() => { throw new Error('astray') }, 5)
    await new Promise(() => {})
  }
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
  test('the agent’s process never imports the handlers; their output is forwarded in whole lines', async () => {
    const running = start()
    const pid = await pidOf(await waitJob(await listening(running), 1))
    expect(pid).not.toBe(running.pid)
    await running.until(/^half a line, and the rest$/m)
    expect((await waitJob(await listening(running), 13)).status).toBe(500)
    await running.until(/^handler error: unlucky job=\S+ at=handlers\.mjs:6:\d+ trace=[0-9a-f]{32}$/m)
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

  test('kill -9 of the agent while a handler blocks: the handler process is killed, too', async () => {
    const running = start()
    const answer = waitJob(await listening(running), 666).catch(() => 'cut off')
    const [, pid] = await running.until(/begun in (\d+)/)
    running.child.kill('SIGKILL')
    expect(await answer).toBe('cut off')
    await isGone(Number(pid))
  })

  test('the same with a guard that starts slowly: no job begins before it watches', async () => {
    const isGuard = "process.argv[1]?.includes('orphan-guard')"
    await project.write('slow.mjs', `if (${isGuard}) await new Promise(resolve => setTimeout(resolve, 1500))`)
    const running = start([], { ...ISOLATED, NODE_OPTIONS: `--import ${project.folder}/slow.mjs` })
    const answer = waitJob(await listening(running), 666).catch(() => 'cut off')
    const [, pid] = await running.until(/begun in (\d+)/)
    running.child.kill('SIGKILL')
    expect(await answer).toBe('cut off')
    await isGone(Number(pid))
  })

  test('several workers each have their own handler processes', async () => {
    const running = start(['--workers', '2'], { ...ISOLATED, SERVICE_STORE: 'lmdb:jobs' })
    const url = await listening(running)
    // Connections are distributed to the workers in turn.
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

  test('handlers that do not match the declaration are explained as without isolation', async () => {
    await project.write('handlers.mjs', 'export default { weight: () => ({}) }')
    const isolated = await start().ended
    expect(isolated).toEqual(await start([], DEV).ended)
    expect(isolated.stderr).toBe(
      '✗ handlers.mjs:1:18  handlers: no function for the declared wait\n' +
        '  name each handler as its capability in the declaration\n',
    )
  })

  test('a file that ends its process during the import is reported', async () => {
    await project.write('handlers.mjs', 'process.exit(7)')
    expect(await start().ended).toEqual({
      code: 1,
      stdout: '',
      stderr:
        '✗ handlers.mjs could not be loaded: its process ended (exit code 7)\n  what it does while it is imported must come to an end, and must not end the process\n',
    })
  })

  test('D30 any other value of SERVICE_ISOLATION prevents the start', async () => {
    const { code, stderr } = await start([], { ...DEV, SERVICE_ISOLATION: 'thread' }).ended
    expect(code).toBe(1)
    expect(stderr).toBe(
      '✗ cannot start: SERVICE_ISOLATION must be "worker" or "none", got "thread"\n  set SERVICE_ISOLATION=worker to run handlers in processes of their own, or leave it unset\n',
    )
  })
})

test('DDL-09 concurrent jobs that throw, exit, abort and return get their own answers; SIGTERM ends all', async () => {
  const running = start()
  const url = await listening(running)
  const expected = { 1: 200, 2: 200, 13: 500, 14: 500, 15: 500, 16: 500, 17: 500 }
  const asked = [...Object.keys(expected), ...Object.keys(expected)].map(Number)
  const statusOf = async (ms: number): Promise<number> =>
    (await waitJob(url, ms, crypto.randomUUID(), CONFIG.max_deadline_seconds - 1)).status
  const answered = await Promise.all(asked.map(async ms => [ms, await statusOf(ms)]))
  expect(answered).toEqual(asked.map(ms => [ms, expected[ms as keyof typeof expected]]))
  const family = [...running.output().matchAll(/begun in (\d+)/g)].map(([, pid]) => Number(pid))
  expect(new Set(family).size).toBeGreaterThan(1)
  running.child.kill('SIGTERM')
  expect((await running.ended).code).toBe(0)
  await Promise.all(family.map(isGone))
})

test('DDL-04 /health is answered three hundred times while four handlers block forever', async () => {
  const running = start()
  const url = await listening(running)
  const blocked = Array.from({ length: 4 }, () => waitJob(url, 666).catch(() => undefined))
  await running.until(/(?:begun in[^]*){4}/)
  // Handlers in the agent's own process would block these requests.
  for (let ask = 0; ask < 300; ask += 1) {
    const [response] = (await once(get(`${url}/health`, { agent: false }), 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(200)
    await once(response.resume(), 'end')
  }
  running.child.kill('SIGKILL')
  await Promise.all(blocked)
})
